// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Ends the process in the given way.
///
///     exit, quick_exit, _exit, _Exit, abort, fatal, fault, a number: the signal that it sends itself
///     trap-in-print, fault-in-print: the end comes within `print`, which holds the lock of stdout
///     never: it does not, but for an alarm after ten minutes
///     handler: a signal's handler calls _exit(2) while the thread that it hits allocates
func end(_ how: String) {
    switch how {
    case "exit": exit(7)
    case "quick_exit": quick_exit(7)
    case "_exit": _exit(7)
    case "_Exit": _Exit(7)
    case "handler": Handler.exit(7)
    case "never":
        alarm(600)
        while true { pause() }
    case "abort": abort()
    case "fatal": fatalError("the end")
    case "fault": fault()
    case "trap-in-print": print(Ending { fatalError("the end") })
    case "fault-in-print": print(Ending { fault() })
    default:
        kill(getpid(), Int32(how) ?? SIGTERM)
        while true { pause() }
    }
}

/// Writes where nothing may be written.
private func fault() {
    unsafe UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
}

/// A value that is not printed to its end.
private struct Ending: CustomStringConvertible {
    let body: () -> Void

    var description: String {
        body()
        return "not to be seen"
    }
}

enum Signals {
    /// Has all signals come: who starts this program may have blocked them, as libdispatch does on its
    /// threads.
    static func unblock() {
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
    }
}

/// Signals whose handler prints, or ends the process.
enum Handler {
    /// Has a handler end the process with the status 7 while a thread allocates and frees.
    static func exit(_ status: Int32) {
        signal(SIGUSR2) { _ in _exit(7) }
        let main = pthread_self()
        _ = StartedThread {
            usleep(20_000)
            pthread_kill(main, SIGUSR2)
        }
        while true {
            let blocks = unsafe (0..<64).map { unsafe malloc(3_000 + $0 * 64) }
            unsafe blocks.forEach { unsafe free($0) }
        }
    }

    static func run(_ count: Int) {
        signal(SIGUSR1) { _ in
            // No String, which Swift makes an array of for a call of C: a handler may not allocate.
            let line: StaticString = "handler\n"
            _ = unsafe write(STDERR_FILENO, line.utf8Start, line.utf8CodeUnitCount)
        }
        let main = pthread_self()
        let thread = StartedThread {
            for _ in 0..<count {
                pthread_kill(main, SIGUSR1)
                usleep(50)
            }
        }
        for number in 0..<count { print("line \(number)") }
        thread.join()
    }
}
