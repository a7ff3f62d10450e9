# SPDX-License-Identifier: Apache-2.0
"""Faults of journald, one of the script's own."""

import contextlib
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import time

from calls import Calls, settle

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path("/run/systemd/journal")
LOGGERS = {"Winnow": "WinnowCalls", "spdlog": "SpdlogCalls", "sd_journal_sendv": "SystemdCalls"}
CONFIGURATION = """[Journal]
Storage=volatile
RateLimitIntervalSec=0
RateLimitBurst=0
RuntimeMaxUse=512M
Audit=no
ReadKMsg=no
ForwardToSyslog=no
ForwardToWall=no
"""


def run(programs, work):
    """Runs all; returns the outcomes."""
    make_world()
    faults = (
        ("not there, and started later", be_late),
        ("killed and away for two seconds, its sockets with it", be_away),
        ("killed four times; systemd keeps its sockets", be_killed),
        ("stopped for 3 s", be_stopped),
        ("no descriptor left for an entry of 9 MB", lack_descriptors),
    )
    outcomes = []
    for fault, meet in faults:
        for logger, program in LOGGERS.items():
            name = f"faults-{os.getpid()}-{len(outcomes)}"
            outcomes.append(meet_one(fault, meet, logger, programs / program, name, work))
    return outcomes


def meet_one(fault, meet, logger, program, name, work):
    """Runs one program, and reads back what is in the journal, and what went to standard error."""
    arguments = {"Winnow": [], "spdlog": ["systemd", name], "sd_journal_sendv": [name]}[logger]
    # Entries of 9 MB whole, which it would cut to what every journald stores.
    environment = {"WINNOW_SINKS": "journald?size=16M", "WINNOW_IDENTIFIER": name}
    daemon = Daemon(work)
    if meet is not be_late:
        daemon.begin()
    calls = Calls([program, *arguments], work, environment)
    try:
        meet(calls, daemon)
        end = calls.finish()
        settle()
        entries = daemon.entries(name)
    finally:
        daemon.end()
    return calls.outcome(fault, logger, entries + calls.stderr.read_bytes(), end)


def be_late(calls, daemon):
    """Logs before there is a journald, and when there is one."""
    calls.log(200)
    daemon.begin()
    calls.log(200)


def be_away(calls, daemon):
    """Kills journald and what holds its sockets, and starts both anew."""
    calls.log(200)
    daemon.settle()
    daemon.kill_all()
    calls.log(200)
    time.sleep(2)
    daemon.begin()
    calls.log(200)


def be_killed(calls, daemon):
    """Kills journald while records come."""
    calls.begin(8000, 100, 50)
    for _ in range(4):
        time.sleep(0.25)
        daemon.signal(signal.SIGKILL)
    calls.wait(60)


def be_stopped(calls, daemon):
    """Stops journald while more comes than its socket holds."""
    calls.log(200)
    daemon.signal(signal.SIGSTOP)
    calls.begin(3000)
    time.sleep(3)
    daemon.signal(signal.SIGCONT)
    calls.wait(60)
    settle()
    calls.log(200)


def lack_descriptors(calls, _daemon):
    """Leaves it the descriptors that are open, and logs what no socket takes: more than 8
    MiB, which Winnow's queue does not hold either."""
    calls.log(200)
    count = len(os.listdir(f"/proc/{calls.pid}/fd"))
    calls.limit(resource.RLIMIT_NOFILE, count)
    calls.log(3, 9_000_000)
    time.sleep(0.5)
    calls.limit(resource.RLIMIT_NOFILE, 1024)
    settle()
    calls.log(200)


def make_world():
    """Makes empty folders for a journald of this script's own."""
    for folder in ("/run/systemd/journal", "/run/systemd/journald.conf.d", "/run/log"):
        os.makedirs(folder, exist_ok=True)
        mount = ["mount", "-t", "tmpfs", "-o", "mode=755", "none", folder]
        subprocess.run(mount, check=True)
    if os.path.isdir("/var/log/journal"):
        subprocess.run(["mount", "-t", "tmpfs", "none", "/var/log/journal"], check=True)
    os.mkdir("/run/log/journal")
    pathlib.Path("/run/systemd/journald.conf.d/winnow.conf").write_text(CONFIGURATION)


class Daemon:
    """A journald whose sockets are held as systemd does: Tests/Journal/hold_sockets.py."""

    def __init__(self, work):
        self.file = work / "journald.pid"
        self.holder = None
        for entry in FOLDER.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()

    def begin(self):
        self.file.unlink(missing_ok=True)
        self.holder = subprocess.Popen(
            [ROOT / "Tests/Journal/hold_sockets.py", self.file],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(200):
            probe = ["journalctl", "-q", "-n", "1"]
            answer = subprocess.run(probe, capture_output=True, check=False)
            if self.file.exists() and answer.returncode == 0:
                break
            time.sleep(0.05)
        time.sleep(0.3)

    def signal(self, number):
        # It may be between two lives.
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(self.file.read_text()), number)

    def settle(self):
        """Waits until the journal has what the sockets hold."""
        sync = ["timeout", "20", "journalctl", "--sync"]
        if subprocess.run(sync, capture_output=True, check=False).returncode != 0:
            time.sleep(1)

    def kill_all(self):
        self.holder.kill()
        self.holder.wait()
        self.signal(signal.SIGKILL)
        # Until it is gone its socket takes what nobody will read.
        status = pathlib.Path("/proc") / self.file.read_text() / "stat"
        with contextlib.suppress(OSError):
            while ") Z" not in status.read_text():
                time.sleep(0.001)

    def entries(self, name):
        self.settle()
        command = ["journalctl", "-q", "-a", "-o", "cat", f"SYSLOG_IDENTIFIER={name}"]
        return subprocess.run(command, capture_output=True, check=False).stdout

    def end(self):
        if self.holder and self.holder.poll() is None:
            self.signal(signal.SIGCONT)
            self.holder.terminate()
            self.holder.wait()
