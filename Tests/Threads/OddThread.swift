// SPDX-License-Identifier: Apache-2.0

import Glibc
import Winnow

// A thread that is not as the process was started, and logs before all others.

/// setfsuid(2) and the functions of sched(7) that Swift's overlay lacks.
@_silgen_name("setfsuid")
private func setFileSystemUser(_ user: UInt32) -> Int32
@_silgen_name("sched_setaffinity")
private func setProcessors(_ thread: Int32, _ size: Int, _ set: UnsafeRawPointer) -> Int32
@_silgen_name("sched_getscheduler")
private func scheduler(of thread: Int32) -> Int32
@_silgen_name("sched_setscheduler")
private func setScheduler(_ thread: Int32, _ policy: Int32, _ priority: UnsafeRawPointer) -> Int32

/// Reads a file of a thread under /proc.
private func read(_ name: String, of thread: Int32) -> String {
    guard let file = unsafe fopen("/proc/self/task/\(thread)/\(name)", "r") else { return "" }
    defer { unsafe fclose(file) }
    var text = [CChar](repeating: 0, count: 8_192)
    let count = unsafe fread(&text, 1, text.count - 1, file)
    return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Returns the processors, the user of the file system, the policy and the nice value of a thread.
private func properties(of thread: Int32) -> String {
    var found: [String] = []
    for line in read("status", of: thread).split(separator: "\n") {
        let words = line.split(whereSeparator: \.isWhitespace)
        if words.first == "Cpus_allowed_list:" { found.append("processors \(words.last ?? "")") }
        if words.first == "Uid:" { found.append("user \(words.last ?? "")") }
    }
    // Behind the name, which may hold anything: the state is field 3, and the nice value field 19, proc(5).
    let fields = read("stat", of: thread).split(separator: ")").last?.split(separator: " ") ?? []
    found.append("nice \(fields.count > 16 ? fields[16] : "")")
    return found.joined(separator: " ") + " policy \(scheduler(of: thread))"
}

/// Has a thread with one processor, SCHED_FIFO, a nice value and a user of its own log the first record; then
/// writes what the threads of Winnow are like, and the first of the process.
func logFromOddThread() {
    var thread = pthread_t()
    unsafe pthread_create(
        &thread,
        nil,
        { _ in
            var first: UInt64 = 1
            var priority: Int32 = 10
            unsafe print("pinned", setProcessors(0, 8, &first), terminator: " ")
            print("nice", setpriority(Int32(PRIO_PROCESS.rawValue), 0, 5), terminator: " ")
            unsafe print("fifo", setScheduler(0, 1, &priority))
            _ = setFileSystemUser(65_534)
            Log.notice("odd")
            return nil
        },
        nil
    )
    pthread_join(thread, nil)
    print("first: \(properties(of: getpid()))")
    // A thread has its name once it runs.
    for name in ["winnow-end", "winnow"] {
        var found: Int32?
        while found == nil {
            usleep(1_000)
            found = threads.first { read("comm", of: $0) == "\(name)\n" }
        }
        print("\(name): \(properties(of: found ?? 0))")
    }
}

/// The threads of the process.
private var threads: [Int32] {
    var threads: [Int32] = []
    guard let folder = unsafe opendir("/proc/self/task") else { return threads }
    while let entry = unsafe readdir(folder) {
        let name = unsafe withUnsafePointer(to: &entry.pointee.d_name.0) {
            unsafe String(cString: $0)
        }
        if let thread = Int32(name) { threads.append(thread) }
    }
    unsafe closedir(folder)
    return threads
}
