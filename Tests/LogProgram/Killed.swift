// SPDX-License-Identifier: Apache-2.0

import Glibc
import Winnow

/// Logs from some threads until the process is killed, "kill K thread T number N", and notes in a file the numbers from
/// whose calls each thread has returned.
///
/// - Parameter value: K, the number of threads and the path of the file, with commas between them. The file has a number
///   of eight bytes for each thread.
func logUntilKilled(_ value: String) {
    let parts = value.split(separator: ",", maxSplits: 2)
    guard parts.count == 3, let kill = Int(parts[0]), let threads = Int(parts[1]) else { return }
    let file = unsafe open(String(parts[2]), O_RDWR | O_CREAT, 0o600)
    guard file >= 0, ftruncate(file, threads * 8) == 0 else { return }
    let memory = unsafe mmap(nil, threads * 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    guard let memory = unsafe memory, unsafe memory != MAP_FAILED else { return }
    for thread in 0..<threads {
        let work = unsafe Unmanaged.passRetained(Work(kill, thread, memory + thread * 8))
        var made = pthread_t()
        unsafe pthread_create(
            &made,
            nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Work>.fromOpaque(argument).takeUnretainedValue().run()
                return nil
            },
            work.toOpaque()
        )
    }
    while true { pause() }
}

/// What one of the threads does.
@safe
private final class Work {
    // SAFETY: the place is mapped for as long as the process runs.
    private let kill: Int
    private let thread: Int
    private let place: UnsafeMutableRawPointer

    init(_ kill: Int, _ thread: Int, _ place: UnsafeMutableRawPointer) {
        self.kill = kill
        self.thread = thread
        unsafe self.place = unsafe place
    }

    func run() {
        for number in 1... {
            switch number % 16 {
            case 0: log.error("kill \(kill) thread \(thread) number \(number)")
            case 1:
                let text = String(repeating: "x", count: number % 20_000)
                log.notice("kill \(kill) thread \(thread) number \(number) \(text)")
            default: log.notice("kill \(kill) thread \(thread) number \(number)")
            }
            unsafe place.storeBytes(of: UInt64(number), as: UInt64.self)
            // So that it is not only the queues that are full.
            if number % 64 == 0 { usleep(UInt32.random(in: 0..<3_000)) }
        }
    }
}
