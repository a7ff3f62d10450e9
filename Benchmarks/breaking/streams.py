# SPDX-License-Identifier: Apache-2.0
"""Faults of a pipe that is a program's standard error."""

import os
import threading
import time

from calls import Calls

LOGGERS = {"Winnow": ["WinnowCalls"], "spdlog": ["SpdlogCalls", "stderr"],
           "swift-log": ["SwiftLogCalls"]}


def run(programs, work):
    """Runs all; returns the outcomes."""
    outcomes = []
    for fault, meet, is_nonblocking in (
        ("the reader goes away", leave, False),
        ("the reader stalls for 3 s", stall, False),
        ("the pipe is non-blocking, its reader slow", stall, True),
    ):
        for logger, (program, *arguments) in LOGGERS.items():
            reader = Reader(is_nonblocking)
            command = [programs / program, *arguments]
            calls = Calls(command, work, {"WINNOW_SINKS": "stderr"}, stderr=reader.writer)
            os.close(reader.writer)
            meet(calls, reader)
            end = calls.finish()
            outcomes.append(calls.outcome(fault, logger, reader.all(), end))
    return outcomes


class Reader:
    """Reads a pipe on a thread, and can stall or leave."""

    def __init__(self, is_nonblocking):
        self.end, self.writer = os.pipe()
        # It belongs to the open pipe, and so to the program as well.
        os.set_blocking(self.writer, not is_nonblocking)
        self.may_read = threading.Event()
        self.may_read.set()
        self.seen = b""
        self.is_gone = False
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        os.set_blocking(self.end, False)
        while not self.is_gone:
            self.may_read.wait()
            time.sleep(0.001)
            try:
                piece = os.read(self.end, 65536)
            except BlockingIOError:
                continue
            if not piece:
                break
            self.seen += piece
        os.close(self.end)

    def leave(self):
        self.is_gone = True
        self.thread.join()

    def all(self):
        self.may_read.set()
        self.thread.join()
        return self.seen


def leave(calls, reader):
    """Closes the only end that reads, for good."""
    calls.log(200)
    time.sleep(0.2)
    reader.leave()
    calls.log(200)


def stall(calls, reader):
    """Does not read for three seconds, while more is logged than a pipe holds."""
    calls.log(200)
    reader.may_read.clear()
    calls.begin(3000)
    time.sleep(3)
    reader.may_read.set()
    calls.wait(30)
    time.sleep(0.8)
    calls.log(200)
