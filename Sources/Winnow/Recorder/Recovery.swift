// SPDX-License-Identifier: Apache-2.0

#if Recorder
internal import CWinnow
internal import Synchronization
internal import WinnowCore
internal import WinnowPipeline
internal import WinnowRecovery

/// The recovery of what processes of the same identifier have left, by a thread of its own.
enum Recovery {
    /// Whether this build has it.
    static let isBuilt = true

    /// How long it is waited for sinks that take nothing, in nanoseconds: at first, and at most.
    private static let pauses: ClosedRange<UInt64> = 100_000_000...30_000_000_000

    /// Begins to recover, if there is a file that may be of a process that is dead.
    ///
    /// In a process and in each of its children that records.
    static func begin(in path: String, of identifier: String) {
        guard let folder = try? RecorderFolder(path) else { return }
        let names = folder.names
        guard !names.isEmpty else { return }
        _ = OwnThread.start("winnow-recover") {
            for name in names {
                // One that has none was never finished.
                guard let owner = folder.identifier(of: name),
                    owner.isEmpty || owner == RecordedFile.shown(identifier)
                else { continue }
                do throws(DeadFile.Refusal) {
                    recover(try folder.take(name))
                } catch {
                    tell(error, of: name)
                }
            }
        }
    }

    /// Says why a file is not recovered, unless its process lives.
    private static func tell(_ refusal: DeadFile.Refusal, of name: String) {
        let reason: String
        switch refusal {
        case .inUse, .unfinished, .gone: return
        case .foreign: reason = "belongs to another user, or is no regular file"
        case .unreadable: reason = "is none that this version of Winnow can read"
        case .failed(let error): reason = systemErrorText(error)
        }
        News.announce("the recorder's file \(quoted(name)) \(reason)", level: .warning)
    }

    /// Delivers what a file holds, however long sinks take nothing, and removes it then.
    private static func recover(_ file: DeadFile) {
        var delivery = RecoveredDelivery(of: file)
        var pause = pauses.lowerBound
        while !delivery.run(to: RecoveryTarget.all) {
            cwinnow_thread_pause(pause)
            pause = min(pause * 2, pauses.upperBound)
        }
        file.remove()
        guard let text = delivery.text else { return }
        News.announce(text, level: .notice, fields: delivery.fields)
    }
}
#endif
