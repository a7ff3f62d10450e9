// SPDX-License-Identifier: Apache-2.0

@unsafe @preconcurrency import Glibc

/// __flbf(3), of a header that is not Glibc's.
@_silgen_name("__flbf")
private func writesLines(_ stream: UnsafeMutablePointer<FILE>?) -> Int32

/// What applications do to standard output while it is redirected.
enum Descriptors {
    /// The words and their file: `freopen:FILE`, `dup2:FILE`, `setvbuf`, `unbuffered`, `fclose`,
    /// `close`, `unread`: a full pipe that nobody reads; `broken`: a pipe whose reader is gone;
    /// `count`: accounts for the number of descriptors and threads, once those are no more than at
    /// the first count, which ending threads may need a while for; `lines`: accounts for whether
    /// stdio writes lines; `few`: closes standard input and error; `standard`: accounts for which
    /// standard descriptors are open.
    static func change(_ how: String) {
        let parts = how.split(separator: ":", maxSplits: 1).map(String.init)
        let path = parts.count > 1 ? parts[1] : "/dev/null"
        switch parts[0] {
        case "freopen": account("reopened \(unsafe freopen(path, "a", stdout) == stdout)")
        case "dup2":
            fflush(nil)
            let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            account("led elsewhere \(dup2(descriptor, STDOUT_FILENO))")
            close(descriptor)
        case "setvbuf": account("buffered \(unsafe setvbuf(stdout, nil, _IOFBF, 65_536))")
        case "unbuffered": account("buffered \(unsafe setvbuf(stdout, nil, _IONBF, 0))")
        case "fclose": account("closed \(unsafe fclose(stdout))")
        case "close": account("closed \(close(STDOUT_FILENO))")
        case "unread": leadToFullPipe()
        case "broken": leadToBrokenPipe()
        case "count": count()
        case "few": [STDIN_FILENO, STDERR_FILENO].forEach { close($0) }
        case "standard": account("open \((0...2).filter { fcntl($0, F_GETFD) >= 0 })")
        case "lines": account("lines \(unsafe writesLines(stdout) != 0)")
        default: account("no change '\(how)'")
        }
    }

    /// The threads of the first count; 0 before.
    private nonisolated(unsafe) static var firstThreads = 0

    private static func count() {
        let first = unsafe firstThreads
        for _ in 0..<2_000 where first > 0 && entries(of: "/proc/self/task") > first {
            usleep(10_000)
        }
        let threads = entries(of: "/proc/self/task")
        unsafe firstThreads = threads
        account("descriptors \(entries(of: "/proc/self/fd"))")
        account("threads \(threads)")
    }

    private static func leadToFullPipe() {
        var ends: [Int32] = [0, 0]
        unsafe pipe(&ends)
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        let bytes = [UInt8](repeating: 120, count: 4_096)
        while unsafe write(ends[1], bytes, bytes.count) > 0 {}
        _ = fcntl(ends[1], F_SETFL, 0)
        account("led elsewhere \(dup2(ends[1], STDOUT_FILENO))")
    }

    private static func leadToBrokenPipe() {
        var ends: [Int32] = [0, 0]
        unsafe pipe(&ends)
        close(ends[0])
        account("led elsewhere \(dup2(ends[1], STDOUT_FILENO))")
        close(ends[1])
    }

    private static func entries(of path: String) -> Int {
        guard let folder = unsafe opendir(path) else { return -1 }
        defer { unsafe closedir(folder) }
        var count = 0
        while unsafe readdir(folder) != nil { count += 1 }
        return count - 2
    }
}
