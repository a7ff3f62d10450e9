# SPDX-License-Identifier: Apache-2.0
"""A program that logs as it is told, and what became of its records."""

import dataclasses
import os
import re
import resource
import select
import signal
import struct
import subprocess
import sys
import time

RECORD = re.compile(rb"record (\d+) x* end$")
BEGIN = re.compile(rb"record \d+ x")
PIECE = re.compile(rb"record \d|xxxx")
LOST = re.compile(rb"lost (\d+) records? \(")
COUNTS = struct.Struct("=QQQ")


def say(text):
    """Tells how far it is."""
    print(f"faults: {text}", file=sys.stderr, flush=True)


@dataclasses.dataclass
class Outcome:
    """What became of the records of one program under one fault."""

    fault: str
    logger: str
    called: int
    delivered: int
    told: int
    torn: int
    longest: float
    end: str

    @property
    def silent(self):
        """The records that are missing, and of which nobody was told."""
        return max(0, self.called - self.delivered - self.told)


class Calls:
    """A running program. Its file of counts outlives it."""

    def __init__(self, command, work, environment=None, stderr=None):
        self.counts = work / "counts"
        self.counts.write_bytes(bytes(COUNTS.size))
        self.stderr = work / "stderr"
        with open(self.stderr, "wb") as errors:
            self.process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors if stderr is None else stderr,
                env={**os.environ, "FAULT_COUNTS": str(self.counts), **(environment or {})},
                bufsize=0,
                # Python ignores SIGPIPE and SIGXFSZ, which a program inherits.
                restore_signals=True,
            )

    @property
    def pid(self):
        return self.process.pid

    def begin(self, count, size=100, pause=0):
        """Has it log, and does not wait for it."""
        try:
            self.process.stdin.write(f"log {count} {size} {pause}\n".encode())
        except BrokenPipeError:
            return

    def wait(self, seconds):
        """Waits until it has logged; returns whether it has within the time, or has died."""
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        return bool(ready) and bool(os.read(self.process.stdout.fileno(), 5)) or self.is_dead

    def log(self, count, size=100, pause=0, seconds=30):
        self.begin(count, size, pause)
        return self.wait(seconds)

    @property
    def is_dead(self):
        return self.process.poll() is not None

    def limit(self, kind, value):
        """Sets a soft limit of the running program."""
        if not self.is_dead:
            _, hard = resource.prlimit(self.pid, kind)
            resource.prlimit(self.pid, kind, (value, hard))

    def finish(self, seconds=20):
        """Ends it; returns how it ended, in words."""
        self.process.stdin.close()
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return "hangs"
        self.process.stdout.close()
        if status < 0:
            return f"killed by {signal.Signals(-status).name}"
        return "lives" if status == 0 else f"exits with {status}"

    def outcome(self, fault, logger, destination, end):
        """Counts the records that are in the bytes of the destination."""
        called, failed, longest = COUNTS.unpack(self.counts.read_bytes())
        seen, torn = set(), 0
        for line in destination.split(b"\n"):
            found = RECORD.findall(line)
            # A line is one record, or none is whole; pieces without a beginning count once.
            begun = len(BEGIN.findall(line))
            if len(found) == begun == 1:
                seen.add(int(found[0]))
            elif PIECE.search(line):
                torn += max(1, begun)
        reported = sum(int(count) for count in LOST.findall(destination))
        outcome = Outcome(
            fault, logger, called, len(seen), max(failed, reported), torn, longest / 1e9, end
        )
        say(f"{fault}, {logger}: {outcome}"[:300])
        return outcome


def settle(seconds=0.8):
    """Gives who tries again the time for it."""
    time.sleep(seconds)
