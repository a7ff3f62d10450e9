#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program that meets an older kernel, or a filter of system calls.

    Tests/Kernel/older.py KERNEL PROGRAM [ARGUMENT...]

KERNEL says what becomes of some calls:

    6.17       pwritev2(2): RWF_NOSIGNAL is refused with EOPNOTSUPP
    6.1        so is RWF_NOWAIT, which pipes know since 6.5
    filter     pwritev2(2) is refused with EPERM
    service    what changes a thread's scheduling or rights to files ends the process, as in a service with
               `SystemCallFilter=~@privileged @resources`, systemd.exec(5)
    memory     memfd_create(2) is refused with EPERM

Source: seccomp(2), linux/filter.h. Fails where the system has no such filters.
"""

import ctypes
import errno
import os
import platform
import struct
import sys

PWRITEV2 = {"x86_64": [328], "aarch64": [287]}
# setpriority, sched_setparam, sched_setscheduler, sched_setaffinity, sched_setattr, setfsuid, setfsgid
OF_THREADS = {
    "x86_64": [141, 142, 144, 203, 314, 122, 123],
    "aarch64": [140, 118, 119, 122, 274, 151, 152],
}
MEMFD_CREATE = {"x86_64": [319], "aarch64": [279]}
LOAD, EQUAL, ANY_OF, RETURN = 0x20, 0x15, 0x45, 0x06
NUMBER_OFFSET, FLAGS_OFFSET = 0, 56  # In struct seccomp_data: `nr`, and the lower half of `args[5]`.
ALLOW, FAIL, KILL = 0x7FFF0000, 0x00050000, 0x80000000
REFUSED = {
    "6.17": (PWRITEV2, 0x100, FAIL | errno.EOPNOTSUPP),
    "6.1": (PWRITEV2, 0x108, FAIL | errno.EOPNOTSUPP),
    "filter": (PWRITEV2, None, FAIL | errno.EPERM),
    "service": (OF_THREADS, None, KILL),
    "memory": (MEMFD_CREATE, None, FAIL | errno.EPERM),
}
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, MODE_FILTER = 22, 38, 2


def instructions(calls, flags, action):
    """The filter: a call with one of the flags meets the action; all else passes."""
    refuses = [(ANY_OF, 0, 1, flags)] if flags is not None else []
    body = [(LOAD, 0, 0, FLAGS_OFFSET), *refuses, (RETURN, 0, 0, action), (LOAD, 0, 0, NUMBER_OFFSET)]
    code = [(LOAD, 0, 0, NUMBER_OFFSET)]
    for number in calls[platform.machine()]:
        code += [(EQUAL, 0, len(body), number), *body]
    return [*code, (RETURN, 0, 0, ALLOW)]


def install(code):
    """Has the filter hold for this process and the program that it becomes."""
    libc = ctypes.CDLL(None, use_errno=True)
    packed = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
    program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(packed))
    none = ctypes.c_ulong(0)
    for arguments in (
        (PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), none, none, none),
        (PR_SET_SECCOMP, ctypes.c_ulong(MODE_FILTER), program, none, none),
    ):
        if libc.prctl(*arguments) != 0:
            sys.exit(f"older: prctl: {os.strerror(ctypes.get_errno())}")


if len(sys.argv) < 3 or sys.argv[1] not in REFUSED:
    sys.exit(__doc__)
install(instructions(*REFUSED[sys.argv[1]]))
os.execvp(sys.argv[2], sys.argv[2:])
