#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Holds journald's sockets and starts it anew whenever it ends, as systemd does.

    Tests/Journal/hold_sockets.py PIDFILE [NAMESPACE]

What is sent while no journald runs waits in the sockets, as on a machine whose systemd is PID 1. The
present journald's process is in PIDFILE. SIGTERM ends both.
"""

import os
import signal
import socket
import sys

JOURNALD = "/lib/systemd/systemd-journald"


def listen(kind, path):
    """Binds a socket where journald looks for it."""
    made = socket.socket(socket.AF_UNIX, kind)
    if os.path.lexists(path):
        os.unlink(path)
    made.bind(path)
    os.chmod(path, 0o666)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    if kind == socket.SOCK_STREAM:
        made.listen(64)
    return made


def start(sockets, arguments):
    """Starts journald with the sockets from descriptor 3 on, sd_listen_fds(3)."""
    process = os.fork()
    if process:
        return process
    copies = [os.dup(each.fileno()) for each in sockets]
    high = [os.dup2(copy, 100 + index) for index, copy in enumerate(copies)]
    for index, descriptor in enumerate(high):
        os.dup2(descriptor, 3 + index, inheritable=True)
    environment = dict(os.environ, LISTEN_FDS=str(len(sockets)), LISTEN_PID=str(os.getpid()))
    os.execve(JOURNALD, [JOURNALD] + arguments, environment)


def main():
    pidfile, *arguments = sys.argv[1:]
    folder = "/run/systemd/journal" + "".join("." + name for name in arguments)
    os.makedirs(folder, exist_ok=True)
    sockets = [
        listen(socket.SOCK_DGRAM, folder + "/socket"),
        listen(socket.SOCK_STREAM, folder + "/stdout"),
        listen(socket.SOCK_DGRAM, folder + "/dev-log"),
    ]
    process = None

    def end(*_):
        os.kill(process, signal.SIGTERM)
        os.waitpid(process, 0)
        sys.exit(0)

    signal.signal(signal.SIGTERM, end)
    while True:
        process = start(sockets, arguments)
        with open(pidfile + ".new", "w", encoding="ascii") as file:
            file.write(str(process))
        os.rename(pidfile + ".new", pidfile)
        os.waitpid(process, 0)


if __name__ == "__main__":
    main()
