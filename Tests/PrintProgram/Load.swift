// SPDX-License-Identifier: Apache-2.0

import Foundation
import NoisyC
import NoisyCxx
import NoisySwift
import Synchronization
import Winnow

/// Threads that print.
enum Load {
    /// Prints "MODULE THREAD NUMBER" from threads, each line by one of three modules in turn.
    ///
    /// Every tenth is printed with the lock held that a sink takes, too. The numbers: threads, lines of
    /// each.
    static func run(_ numbers: [Int]) {
        guard numbers.count == 2 else { return }
        wait(for: numbers[0]) { thread in
            for number in 0..<numbers[1] {
                if number % 10 == 0 {
                    sharedLock.withLock { printLine(thread, number) }
                } else {
                    printLine(thread, number)
                }
            }
        }
    }

    private static func printLine(_ thread: Int, _ number: Int) {
        switch number % 3 {
        case 0: noisyPrint("NoisySwift \(thread) \(number)")
        case 1: unsafe noisyc_puts("NoisyC \(thread) \(number)")
        default: unsafe noisycxx_print("NoisyCxx \(thread) \(number)")
        }
    }

    /// Runs the body on threads and waits for their end.
    private static func wait(for count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let ended = Semaphore()
        for thread in 0..<count {
            Thread.detachNewThread {
                body(thread)
                ended.signal()
            }
        }
        for _ in 0..<count { ended.wait() }
    }

    /// Whether the file that the environment names for a sink holds the text.
    static func logContains(_ text: String) -> Bool {
        let sink = ProcessInfo.processInfo.environment["WINNOW_SINKS"] ?? ""
        let log = try? String(contentsOfFile: String(sink.dropFirst(5)), encoding: .utf8)
        return log?.contains(text) ?? false
    }

    /// Leaves threads behind that print as long as the process lives.
    static func keepBusy(_ count: Int) {
        for _ in 0..<min(count, 16) {
            Thread.detachNewThread {
                while true {
                    print("busy")
                    unsafe noisyc_complain("busy")
                    usleep(100)
                }
            }
        }
    }

    /// Starts and stops the redirect while two threads print numbered lines, each by one call: what is
    /// printed in two may be printed half within and half without.
    static func restart(_ count: Int) {
        let isEnding = Flag()
        let ended = Semaphore()
        for thread in 0..<2 {
            Thread.detachNewThread {
                var number = 0
                while !isEnding.isSet {
                    thread == 0
                        ? print("0 \(number)\n", terminator: "") : unsafe noisyc_puts("1 \(number)")
                    number += 1
                    if number % 16 == 0 { usleep(200) }
                }
                account("printed \(thread) \(number)")
                ended.signal()
            }
        }
        for _ in 0..<count {
            do { try Redirect.start(otherwise: .log(.notice)) } catch { account("error \(error)") }
            Redirect.stop()
        }
        isEnding.set()
        for _ in 0..<2 { ended.wait() }
    }
}

/// A flag that one thread sets for others.
private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() {
        value.store(true, ordering: .releasing)
    }
}
