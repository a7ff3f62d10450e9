// SPDX-License-Identifier: Apache-2.0

import Glibc
import Winnow

/// Logs from four threads, "thread T number N" up to 499, while as many children as told are made by
/// posix_spawn(3), which on Linux is vfork(2), and by fork(2) with execve(2).
///
/// Each child writes "child" and what its open descriptors lead to, a line each, to standard output;
/// so does one that is made before there is any log.
func logWithChildren(_ count: Int) async {
    wait(for: Child.spawn())
    await withTaskGroup { group in
        for thread in 0..<4 {
            group.addTask {
                for number in 0..<500 { log.notice("thread \(thread) number \(number)") }
            }
        }
        group.addTask {
            for _ in 0..<count {
                wait(for: Child.spawn())
                wait(for: Child.fork())
            }
        }
    }
}

private func wait(for child: pid_t) {
    var status: Int32 = 0
    guard unsafe waitpid(child, &status, 0) == child, status == 0 else {
        print("error: child \(child) ended with status \(status)")
        return
    }
}

private enum Child {
    /// The folder that the shell reads for the pattern is closed before its links are read: so
    /// readlink(1) fails on one, which is nobody's concern.
    private static let command = ["/bin/sh", "-c", "echo child; readlink /proc/$$/fd/*; :"]

    static func spawn() -> pid_t {
        var child: pid_t = 0
        let status = unsafe withArguments { arguments in
            unsafe posix_spawn(&child, command[0], nil, nil, arguments, environ)
        }
        return status == 0 ? child : -1
    }

    static func fork() -> pid_t {
        unsafe withArguments { arguments in
            let child = fork_()
            if child == 0 {
                _ = unsafe execv(command[0], arguments)
                _exit(127)
            }
            return child
        }
    }

    private static func withArguments<Result>(
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let arguments = unsafe command.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        return unsafe arguments.withUnsafeBufferPointer {
            unsafe body($0.baseAddress.unsafelyUnwrapped)
        }
    }
}

/// Forks so many times while another thread starts the log anew and anew; each child logs and exits.
func forkAmidStarts(_ count: Int) {
    restart()
    // A start sets the mask of each category: that is when a fork is to come.
    for number in 0..<1_000 { Log("category \(number)").debug("below the level") }
    startForEver()
    for _ in 0..<count {
        let child = fork_()
        if child == 0 {
            log.notice("child")
            exit(0)
        }
        wait(for: child)
    }
    print("forked")
}

/// Starts the log anew and anew on a thread of its own.
func startForEver() {
    var thread = pthread_t()
    unsafe pthread_create(
        &thread,
        nil,
        { _ in
            while true { restart() }
        },
        nil
    )
}

private func restart() {
    do {
        try Winnow.start()
    } catch {
        print("error: \(error)")
    }
}
