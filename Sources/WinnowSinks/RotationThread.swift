// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// Compresses and removes old files off the caller's thread.
///
/// The thread lives as long as there is something to do, at a lower priority where it compresses; what it
/// has not done when the process ends is done after the next start.
final class RotationThread: Sendable {
    /// Whether the thread is there, and whether it is wanted once more.
    private enum Phase: UInt64 {
        case idle, busy, wantedAgain
    }

    private let files: RotatedFiles
    /// The phase, and above bit 8 the process whose it is: a child has no such thread.
    private let phase = Atomic<UInt64>(0)

    init(_ files: RotatedFiles) {
        self.files = files
    }

    private static func word(_ phase: Phase) -> UInt64 {
        UInt64(UInt32(bitPattern: cwinnow_process_id())) &<< 8 | phase.rawValue
    }

    /// Has the thread look at the old files, now or once more.
    ///
    /// Where the system has no thread for it, files are removed on the caller's, and not compressed.
    func begin() {
        let before = phase.exchange(Self.word(.wantedAgain), ordering: .acquiringAndReleasing)
        guard before != Self.word(.busy), before != Self.word(.wantedAgain) else { return }
        guard OwnThread.start("winnow-files", run) < 0 else { return }
        phase.store(Self.word(.idle), ordering: .releasing)
        files.removeExcess()
    }

    private func run() {
        // Only where it takes a processor for long: who removes files has a lock that log calls wait for.
        if files.rotation.isCompressed { cwinnow_thread_be_nice() }
        var waiting = RestingFiles()
        var pause: UInt64?
        repeat {
            let before = phase.exchange(Self.word(.busy), ordering: .acquiringAndReleasing)
            files.removeExcess(within: RotatedFiles.patienceOfThread)
            pause = files.compress(&waiting, isWanted: before == Self.word(.wantedAgain))
            if let pause { cwinnow_thread_pause(pause) }
        } while pause != nil || !isDone
    }

    /// Whether the thread is not wanted once more; if so, the next call begins another one.
    private var isDone: Bool {
        phase.compareExchange(
            expected: Self.word(.busy),
            desired: Self.word(.idle),
            ordering: .acquiringAndReleasing
        ).exchanged
    }
}
