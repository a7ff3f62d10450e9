# SPDX-License-Identifier: Apache-2.0
"""The programs whose start is measured, and the packages that they are built in."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "stripping"))

from packages import Package, RELEASE  # noqa: E402

#: A marked moment is a call to write(2) that fails: the trace has its text.
COMMON = """
import Glibc

/// Leaves a mark in the trace of the system calls.
func mark(_ text: StaticString) { _ = write(-1, text.utf8Start, text.utf8CodeUnitCount) }

/// The nanoseconds of CLOCK_MONOTONIC.
func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Starts threads that wait for nothing, as many as the environment says.
func startThreads() {
    for _ in 0..<(getenv("THREADS").flatMap { Int(String(cString: $0)) } ?? 0) {
        var thread = pthread_t()
        pthread_create(&thread, nil, { _ in while true { pause() } }, nil)
    }
}
"""

#: What an idle program notes, and says at its end if TIMED is set: the nanoseconds from the first of its
#: constructors to main, and from the end of main to the last of its destructors.
MOMENTS = """
void moments_note_main(void);
void moments_note_end(void);
"""
MOMENTS_SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long first, begun, ended;

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000 + time.tv_nsec;
}

void moments_note_main(void) {
    begun = now();
}

void moments_note_end(void) {
    ended = now();
}

__attribute__((constructor(101))) static void begin(void) {
    first = now();
}

__attribute__((destructor(101))) static void end(void) {
    long last = now();
    if (getenv("TIMED") != NULL) {
        printf("%ld %ld\\n", begun - first, last - ended);
        fflush(stdout);
    }
}
"""

#: Nothing happens: the statement is in the program, and no run comes to it.
IDLE = """
import Glibc
import Moments
%s
moments_note_main()
mark("main")
if getenv("NEVER") != nil { %s }
mark("end")
moments_note_end()
"""

#: The first record. THREADS is how many others there are; STARTED has the log started before; TIMED has the
#: file looked at until it has the record.
FIRST = """
import Glibc
import Winnow

startThreads()
let file = getenv("TIMED")
if getenv("STARTED") != nil { try Winnow.start(Winnow.Configuration()) }
mark("main")
let start = now()
Log("app").notice("started")
let called = now()
mark("called")
if let file {
    var status = stat()
    while stat(file, &status) != 0 || status.st_size == 0 { sched_yield() }
    let arrived = now()
    print(called - start, arrived - start)
} else {
    sleep(1)
}
"""


def with_winnow(name, options):
    """Builds the idle program and that of the first record; returns the folder that they are in."""
    made = Package("winnow", f"start-{name}")
    made.add_c("Moments", MOMENTS)
    made.write("Moments", {"Moments.c": MOMENTS_SOURCE})
    idle = IDLE % ("import Winnow", 'Log("app").notice("started")')
    made.add("Idle", {"main.swift": idle, "Common.swift": COMMON}, uses=('"Moments"',))
    made.add("First", {"main.swift": FIRST, "Common.swift": COMMON})
    return made.build((*RELEASE, *options))


def without_winnow(name, options):
    """Builds the idle program without Winnow; returns the folder that it is in."""
    made = Package("winnow", f"start-bare-{name}")
    made.requirements = []
    made.add_c("Moments", MOMENTS)
    made.write("Moments", {"Moments.c": MOMENTS_SOURCE})
    made.targets.append('        .executableTarget(name: "Bare", dependencies: ["Moments"])')
    made.write("Bare", {"main.swift": IDLE % ("", 'print("started")'), "Common.swift": COMMON})
    return made.build((*RELEASE, *options))
