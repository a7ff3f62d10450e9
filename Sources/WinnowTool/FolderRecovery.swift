// SPDX-License-Identifier: Apache-2.0

import Winnow
import WinnowCore
import WinnowInspection
import WinnowPipeline
import WinnowRecovery

/// The recovery of all files of a folder, one by one.
struct FolderRecovery {
    /// How long sinks may take nothing.
    private static let patience = Duration.seconds(10)

    private let folder: RecorderFolder
    private let routes: [Winnow.Route]
    /// With whose identifier the log runs; nil where it does not yet.
    private var running: String?
    private var fileCount = 0
    private var inUseCount = 0
    /// Whether no further file is to be tried.
    private var isOver = false
    /// The exit status by now.
    private(set) var status: Int32 = 0

    init(of folder: RecorderFolder, to routes: [Winnow.Route]) {
        self.folder = folder
        self.routes = routes
    }

    /// Delivers what the files hold, those of an identifier where one is given, and says what became of them.
    mutating func run(for identifier: String?) {
        for name in folder.names where !isOver {
            let sight = folder.look(at: name)
            if identifier.map(sight.mayBe) ?? true { recover(sight) }
        }
        guard fileCount == 0, status == 0 else { return }
        let files = inUseCount == 1 ? "1 file is in use" : "\(inUseCount) files are in use"
        let rest = inUseCount == 0 ? "" : ": \(files)"
        let text = "nothing to recover in \(escapingLine(of: folder.path))\(rest)\n"
        StandardStream.error.write(text)
    }

    private mutating func recover(_ sight: RecordedSight) {
        let path = "\(folder.path)/\(sight.name)"
        switch sight.state {
        case .gone: return
        case .inUse: inUseCount += 1
        case .halfMade: removeHalfMade(sight.name, at: path)
        case .dead:
            do throws(DeadFile.Refusal) {
                recover(try folder.take(sight.name), sight, at: path)
            } catch {
                switch error {
                case .inUse: inUseCount += 1
                case .gone: return
                default: complain(of: path, "is not recovered: \(error.reason)")
                }
            }
        default: complain(of: path, sight.state.problem ?? "cannot be read")
        }
    }

    /// Removes the file of a process that died before it had logged.
    private mutating func removeHalfMade(_ name: String, at path: String) {
        do throws(DeadFile.Refusal) {
            _ = try folder.take(name)
        } catch .unfinished(isRemoved: true) {
            fileCount += 1
            let text = "was half-made by a process that died before it had logged, and is removed"
            StandardStream.complain(of: path, text)
        } catch {
            inUseCount += 1
        }
    }

    private mutating func recover(_ file: DeadFile, _ sight: RecordedSight, at path: String) {
        let identifier = escapingLine(of: file.content.identifier)
        guard start(as: identifier) else { return }
        fileCount += 1
        var delivery = RecoveredDelivery(of: file)
        let patience = Self.patience
        let isDone = delivery.run(
            to: RecoveryTarget.all,
            patience: UInt64(patience.components.seconds) * 1_000_000_000
        )
        // What a sink has taken and not sent on yet would go with this process.
        if isDone, Winnow.flush(deadline: patience) {
            file.remove()
        } else {
            let names = delivery.waiting.joined(separator: ", ")
            let who = isDone ? "a sink has not sent on all that it took" : "\(names) took nothing"
            complain(of: path, "\(who) for \(patience.components.seconds) s: the file stays")
            isOver = true
        }
        var text = delivery.text(naming: "process \(file.content.processID) (\(identifier))")
        if sight.missingByteCount > 0 {
            text += "; its file is truncated: \(sight.missingByteCount) bytes are missing"
        }
        if delivery.isDamaged || sight.missingByteCount > 0 { status = max(status, 1) }
        StandardStream.error.write("\(text)\n")
    }

    /// Has the log run with an identifier; false where a sink cannot be made.
    private mutating func start(as identifier: String) -> Bool {
        guard running != identifier else { return true }
        let configuration = Winnow.Configuration(
            identifier: identifier.isEmpty ? "unknown" : identifier,
            routes: routes,
            control: .off,
            environment: .ignored
        )
        do throws(Winnow.ConfigurationError) {
            try Winnow.start(configuration)
            running = identifier
            return true
        } catch {
            for problem in error.problems {
                complain(of: problem.entry ?? problem.source, problem.reason)
            }
            isOver = true
            return false
        }
    }

    private mutating func complain(of name: String, _ problem: String) {
        StandardStream.complain(of: name, problem)
        status = 2
    }
}
