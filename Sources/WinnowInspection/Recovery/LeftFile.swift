// SPDX-License-Identifier: Apache-2.0

package import WinnowRecovery

/// What is known of a file in a folder of recorders, without its contents.
package struct LeftFile: Sendable {
    /// The process that has made the file.
    struct Maker: Sendable {
        let processID: Int32
        let identifier: String
        let run: UInt32?
        /// When it began to record, in nanoseconds since 1970.
        let began: UInt64
    }

    /// What a process has left.
    struct Account: Sendable {
        /// The names of the sinks for which records wait, with how many.
        let sinks: [(name: String, count: Int)]
        /// The records that lay in rings and had no number yet.
        let ringCount: Int
        /// The records that had numbers, or were about to get them, so that sinks may have them.
        let doubtCount: Int
        /// The records that were lost and of which no sink was told.
        let lostCount: UInt64
        /// The bytes that are damaged, or are not there any more.
        let damagedByteCount: UInt64
        /// Whether some sink has got some of it already.
        let isPartlyRecovered: Bool
    }

    let name: String
    let state: RecordedSight.State
    let byteCount: UInt64
    /// Nil where it cannot be read.
    let maker: Maker?
    /// Nil unless the process is dead.
    let account: Account?

    /// Sums up what is seen of a file.
    package init(_ sight: RecordedSight) {
        name = sight.name
        state = sight.state
        byteCount = sight.byteCount
        maker = sight.content.map { file in
            Maker(
                processID: file.processID,
                identifier: file.identifier,
                run: file.run,
                began: file.began
            )
        }
        account = sight.state == .dead ? sight.content.map { Account(of: $0, in: sight) } : nil
    }

    /// Why nobody can say what is in it, as words that follow its name; nil where somebody can.
    package var problem: String? { state.problem }

    /// Whether that is nothing to be mended.
    package var isHarmless: Bool { state == .halfMade || state == .gone }
}

extension LeftFile.Account {
    fileprivate init(of file: RecordedFile, in sight: RecordedSight) {
        let remains = RecordedRemains(file)
        var sinks: [(name: String, count: Int)] = []
        for case let name? in remains.records.lazy.map(\.sink) {
            if let index = sinks.firstIndex(where: { $0.name == name }) {
                sinks[index].count += 1
            } else {
                sinks.append((name, 1))
            }
        }
        self.sinks = sinks
        let others = remains.records.filter { $0.sink == nil }
        doubtCount = others.count { $0.isInDoubt }
        ringCount = others.count - doubtCount
        lostCount = remains.losses.reduce(0) { $0 &+ $1.count }
        damagedByteCount = UInt64(remains.damagedByteCount) + sight.missingByteCount
        isPartlyRecovered = file.isPartlyRecovered
    }
}
