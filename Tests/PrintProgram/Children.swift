// SPDX-License-Identifier: Apache-2.0

@unsafe @preconcurrency import Glibc

/// fork(2), which Swift's overlay hides.
@_silgen_name("fork")
private func fork_() -> Int32

/// _Fork(3), which calls no handlers.
@_silgen_name("_Fork")
private func bareFork() -> Int32

/// What other processes print.
enum Children {
    /// Begins a line, has a child print the text and end by exit(3), and ends the line.
    static func fork(_ text: String) {
        print("parent ", terminator: "")
        let child = fork_()
        if child == 0 {
            print(text)
            exit(0)
        }
        var status: Int32 = 0
        unsafe waitpid(child, &status, 0)
        account("child \(status)")
        print("ends")
    }

    /// Has a child that no handler was called in print the text, and end by _exit(2).
    static func forkBarely(_ text: String) {
        let child = bareFork()
        if child == 0 {
            print(text)
            unsafe fflush(stdout)
            _exit(0)
        }
        var status: Int32 = 0
        unsafe waitpid(child, &status, 0)
        account("child \(status)")
    }

    /// Has the process print in the handlers of a fork, those of before the redirect's among them.
    static func printInHandlers() {
        pthread_atfork({ print("before") }, { print("in the parent") }, { print("in the child") })
    }

    /// Has a child start a redirect of its own with the words, print, and end by exit(3).
    static func start(_ words: String) {
        let child = fork_()
        if child == 0 {
            PrintProgram.start(words)
            print("of the child")
            account("clock \(monotonicTime())")
            exit(0)
        }
        var status: Int32 = 0
        unsafe waitpid(child, &status, 0)
        account("child \(status)")
    }

    /// A shell that outlives this process, and prints once when it starts and once when the file is
    /// there.
    static func leave(_ path: String) {
        let script = """
            (echo grandchild starts; echo started > '\(path).started'; i=0
             while [ ! -e '\(path)' ] && [ $i -lt 1200 ]; do sleep 0.05; i=$((i+1)); done
             echo grandchild ends; echo done > '\(path).done') &
            """
        let words = ["/bin/sh", "-c", script]
        let arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var child: pid_t = 0
        unsafe posix_spawn(&child, "/bin/sh", nil, nil, arguments, environ)
        var status: Int32 = 0
        unsafe waitpid(child, &status, 0)
    }
}
