// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Programs that a test runs.
enum Command {
    /// Runs a program to its end; returns its exit status and what it wrote to stdout.
    @discardableResult
    static func run(_ arguments: [String]) -> (status: Int32, output: [UInt8]) {
        let (reader, writer) = Descriptor.pipe()
        let process = start(arguments, output: writer)
        close(writer)
        let output = Descriptor.readAll(reader)
        close(reader)
        return (wait(process), output)
    }

    /// Starts a program; returns its process id.
    static func start(_ arguments: [String], output: Int32 = -1) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        if output >= 0 {
            unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        }
        var list = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe list.indices { unsafe free(list[index]) } }
        // A worker thread of libdispatch blocks SIGTERM, and a child inherits that.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var mask = sigset_t()
        unsafe sigemptyset(&mask)
        unsafe posix_spawnattr_setsigmask(&attributes, &mask)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var process: pid_t = -1
        let status = unsafe posix_spawn(
            &process,
            arguments[0],
            &actions,
            &attributes,
            &list,
            environ
        )
        return status == 0 ? process : -1
    }

    /// Waits for the end of a process; returns its exit status, or -1 where a signal ended it.
    @discardableResult
    static func wait(_ process: pid_t) -> Int32 {
        var status: Int32 = 0
        guard process > 0, unsafe waitpid(process, &status, 0) == process else { return -1 }
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
    }
}
