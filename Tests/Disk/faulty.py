#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Mounts a folder as a disk that fails as it is told, by FUSE, until it is unmounted.

    Tests/Disk/faulty.py FOLDER MOUNTPOINT CONTROL

The file CONTROL holds what a write does:

    none       writes
    ERRNO      fails: EIO, EDQUOT, ENOSPC, EROFS …
    short      writes the first half, and fails with EIO where nothing is left to halve
    slow=MS    waits so many milliseconds, or parts of one, then writes
    sync=ERRNO writes, and fsync(2) fails
    link=ERRNO writes, and link(2) fails: on exFAT by EPERM or ENOSYS

renameat2(2) with RENAME_NOREPLACE fails always, as libfuse 2 does not know it.

The file CONTROL.failed is made by each call that fails.

Needs python3-fusepy and root.
"""

import errno
import os
import sys
import time

import fusepy


class Faulty(fusepy.Operations):
    """What a folder holds, with the faults of a file of control."""

    # Times are in nanoseconds: as fractions they come out of a copy another.
    use_ns = True

    def __init__(self, folder, control):
        self.folder = folder
        self.control = control

    def path(self, name):
        return os.path.join(self.folder, name.lstrip("/"))

    def fault(self):
        with open(self.control, encoding="ascii") as file:
            return file.read().strip() or "none"

    def failure(self, name):
        with open(self.control + ".failed", "w", encoding="ascii"):
            return fusepy.FuseOSError(getattr(errno, name))

    def getattr(self, name, handle=None):
        status = os.lstat(self.path(name))
        keys = (
            "st_atime", "st_ctime", "st_gid", "st_mode", "st_mtime", "st_nlink", "st_size", "st_uid",
        )
        return {key: getattr(status, key + "_ns" if key.endswith("time") else key) for key in keys}

    def readdir(self, name, handle):
        return [".", ".."] + os.listdir(self.path(name))

    def open(self, name, flags):
        # The kernel gives each write its offset: with O_APPEND here it would be ignored.
        return os.open(self.path(name), flags & ~(os.O_APPEND | os.O_NOFOLLOW))

    def create(self, name, mode, info=None):
        return os.open(self.path(name), os.O_RDWR | os.O_CREAT, mode)

    def read(self, name, size, offset, handle):
        return os.pread(handle, size, offset)

    def write(self, name, data, offset, handle):
        fault = self.fault()
        if fault.startswith("slow="):
            time.sleep(float(fault[5:]) / 1000)
        elif fault == "short":
            if len(data) < 2:
                raise self.failure("EIO")
            data = data[: len(data) // 2]
        elif fault != "none" and not fault.startswith(("sync=", "link=")):
            raise self.failure(fault)
        return os.pwrite(handle, data, offset)

    def fsync(self, name, is_data, handle):
        fault = self.fault()
        if fault.startswith("sync="):
            raise self.failure(fault[5:])
        return 0

    def fsyncdir(self, name, is_data, handle):
        return self.fsync(name, is_data, handle)

    def link(self, new, old):
        fault = self.fault()
        if fault.startswith("link="):
            raise self.failure(fault[5:])
        os.link(self.path(old), self.path(new))

    def chmod(self, name, mode):
        os.chmod(self.path(name), mode)

    def utimens(self, name, times=None):
        os.utime(self.path(name), ns=times)

    def truncate(self, name, length, handle=None):
        os.truncate(self.path(name), length)

    def rename(self, old, new):
        os.rename(self.path(old), self.path(new))

    def unlink(self, name):
        os.unlink(self.path(name))

    def release(self, name, handle):
        os.close(handle)


if __name__ == "__main__":
    FOLDER, MOUNTPOINT, CONTROL = sys.argv[1:]
    # Each write(2) of the program comes as it is: no cache puts it off.
    fusepy.FUSE(
        Faulty(FOLDER, CONTROL), MOUNTPOINT, foreground=True, direct_io=True, nothreads=True
    )
