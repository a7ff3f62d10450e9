# SPDX-License-Identifier: Apache-2.0
"""Faults of the disk below a file of records."""

import os
import pathlib
import resource
import subprocess
import time

from calls import Calls, say, settle

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOGGERS = ("Winnow", "spdlog", "swift-log")


def run(programs, work):
    """Runs all; returns the outcomes."""
    outcomes = []
    for fault, disk, count, size in faults(work):
        for logger in LOGGERS:
            disk.prepare()
            try:
                outcomes.append(meet(fault, disk, count, size, logger, programs, work))
            finally:
                disk.remove()
    return outcomes


def start(logger, programs, work, log):
    """Starts a program that logs to the file."""
    if logger == "Winnow":
        return Calls([programs / "WinnowCalls"], work, {"WINNOW_SINKS": f"file:{log}"})
    if logger == "spdlog":
        return Calls([programs / "SpdlogCalls", "file", log], work)
    with open(log, "ab") as file:
        return Calls([programs / "SwiftLogCalls"], work, stderr=file)


def meet(fault, disk, count, size, logger, programs, work):
    """Logs before, during and after the fault."""
    log = disk.path / "app.log"
    calls = start(logger, programs, work, log)
    calls.log(200)
    held = log.read_bytes() if disk.forgets else b""
    disk.break_it(calls, log)
    calls.log(count, size)
    time.sleep(1.2)
    disk.mend(calls, log)
    settle()
    calls.log(200)
    end = calls.finish()
    present = held + (log.read_bytes() if log.exists() else b"")
    return calls.outcome(fault, logger, present, end)


def faults(work):
    """The faults: name, disk, records that are logged meanwhile, their size."""
    path = work / "disk"
    path.mkdir(exist_ok=True)
    yield "the disk is full for a while", Tmpfs(path), 4000, 100
    yield "the disk is full, and more is logged than Winnow keeps", Tmpfs(path), 20000, 400
    yield "the file may not grow (RLIMIT_FSIZE)", SizeLimit(path), 400, 100
    if os.path.exists("/dev/fuse"):
        for fault in ("EIO", "EDQUOT", "EROFS", "short"):
            name = f"each write fails with {fault}"
            if fault == "short":
                name = "writes take a part and then fail"
            yield name, Faulty(path, work, fault), 400, 100
    if os.path.exists("/dev/loop-control") and os.path.exists("/sys/fs/ext4"):
        name = "ext4 becomes read-only, and a new disk is mounted"
        yield name, ReadOnly(path, work), 400, 100
    else:
        say("skipped: a read-only ext4 needs loop devices")


def command(*words):
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL)


class Disk:
    """A disk that can be broken."""

    # Whether what was written before the fault cannot be read behind it.
    forgets = False

    def __init__(self, path):
        self.path = path

    def prepare(self):
        command("mount", "-t", "tmpfs", "-o", "size=3m", "none", self.path)

    def remove(self):
        command("umount", "-l", self.path)


class Tmpfs(Disk):
    """A small tmpfs that a file fills."""

    def break_it(self, _calls, _log):
        with open(self.path / "filler", "wb", buffering=0) as file:
            try:
                while file.write(bytes(4096)) == 4096:
                    pass
            except OSError:
                pass

    def mend(self, _calls, _log):
        command("mount", "-o", "remount,size=64m", self.path)
        (self.path / "filler").unlink()


class SizeLimit(Disk):
    """A limit that is set to a byte behind the last record."""

    def break_it(self, calls, log):
        calls.limit(resource.RLIMIT_FSIZE, log.stat().st_size + 10)
        # A limit is there from the start, as a rule; Winnow looks for it every 100 ms.
        time.sleep(0.2)

    def mend(self, calls, _log):
        calls.limit(resource.RLIMIT_FSIZE, resource.RLIM_INFINITY)


class Faulty(Disk):
    """A disk by FUSE, see Tests/Disk/faulty.py."""

    def __init__(self, path, work, fault):
        super().__init__(path)
        self.fault = fault
        self.control = work / "fault"
        self.held = work / "held"
        self.held.mkdir(exist_ok=True)
        self.server = None

    def prepare(self):
        self.control.write_text("none")
        for file in self.held.iterdir():
            file.unlink()
        self.server = subprocess.Popen(
            [ROOT / "Tests/Disk/faulty.py", self.held, self.path, self.control],
            stderr=subprocess.DEVNULL,
        )
        while not os.path.ismount(self.path):
            time.sleep(0.05)

    def break_it(self, _calls, _log):
        self.control.write_text(self.fault)

    def mend(self, _calls, _log):
        self.control.write_text("none")

    def remove(self):
        super().remove()
        self.server.wait()


class ReadOnly(Disk):
    """An ext4 that meets an error of its own and becomes read-only, as a failing device makes it."""

    forgets = True

    def __init__(self, path, work):
        super().__init__(path)
        self.images = [work / "image", work / "image.new"]

    def mount(self, image):
        with open(image, "wb") as file:
            file.truncate(4 << 20)
        command("mkfs.ext4", "-q", "-F", image)
        command("mount", "-o", "loop,errors=remount-ro", image, self.path)

    def prepare(self):
        self.mount(self.images[0])

    def break_it(self, _calls, _log):
        source = subprocess.run(
            ["findmnt", "-no", "SOURCE", self.path], check=True, capture_output=True, text=True
        ).stdout.strip()
        trigger = pathlib.Path("/sys/fs/ext4") / pathlib.Path(source).name / "trigger_fs_error"
        trigger.write_text("winnow")

    def mend(self, _calls, _log):
        self.mount(self.images[1])

    def remove(self):
        while os.path.ismount(self.path):
            super().remove()
