// SPDX-License-Identifier: Apache-2.0

package import WinnowCore
package import WinnowPipeline

/// The delivery of what a process has left.
package struct RecoveredDelivery {
    private let file: DeadFile
    private let remains: RecordedRemains
    private let literals: RecordedLiterals
    /// The records that some sink has got, and those that cannot be read or that a sink refuses, by their places.
    private var delivered: Set<Int> = []
    private var failed: Set<Int> = []
    /// How many are of levels that no sink takes now.
    private var unwantedCount = 0
    /// The names of the sinks that took nothing when it was tried last.
    package private(set) var waiting: [String] = []

    package init(of file: DeadFile) {
        self.file = file
        remains = RecordedRemains(file.content)
        literals = RecordedLiterals(of: file.content.images)
    }

    /// Delivers to each sink what it has not got yet, until it takes nothing; returns whether all have all.
    package mutating func run(to targets: [RecoveryTarget]) -> Bool {
        let names = Set(targets.map(\.name))
        let levels = targets.reduce(into: LevelSet()) { $0.formUnion($1.levels) }
        unwantedCount = remains.records.count { !levels.contains(raw: $0.level) }
        waiting = []
        for target in targets where !deliver(to: target, among: names) {
            waiting.append(target.name)
        }
        return waiting.isEmpty
    }

    /// How many of the records each target has got, or has passed by.
    func progress(of targets: [RecoveryTarget]) -> [Int] {
        targets.map { file.recoveredCount(of: $0.name) }
    }

    private mutating func deliver(to target: RecoveryTarget, among names: Set<String>) -> Bool {
        var count = file.recoveredCount(of: target.name)
        var seen = numbers(ofFirst: count, meantFor: target, among: names)
        while count < remains.records.count {
            let record = remains.records[count]
            if isMeant(record, for: target, among: names), !seen.contains(record.sequence) {
                guard deliver(count, to: target) else { return false }
                note(count, in: &seen)
            }
            count += 1
            file.setRecoveredCount(count, of: target.name)
        }
        guard count == remains.records.count else { return true }
        guard report(to: target, among: names) else { return false }
        file.setRecoveredCount(count + 1, of: target.name)
        return true
    }

    /// The numbers of the records that a target has got of the first ones.
    ///
    /// A record that waited for two sinks of which none is there any more comes twice.
    private func numbers(
        ofFirst count: Int,
        meantFor target: RecoveryTarget,
        among names: Set<String>
    ) -> Set<UInt64> {
        var numbers: Set<UInt64> = []
        for (index, record) in remains.records.prefix(count).enumerated()
        where isMeant(record, for: target, among: names) { note(index, in: &numbers) }
        return numbers
    }

    /// Notes the number of a record that was delivered, if it has one.
    private func note(_ index: Int, in numbers: inout Set<UInt64>) {
        let sequence = remains.records[index].sequence
        if sequence != 0, !failed.contains(index) { numbers.insert(sequence) }
    }

    private func isMeant(
        _ record: LeftRecord,
        for target: RecoveryTarget,
        among names: Set<String>
    ) -> Bool {
        target.isMeant(by: record.sink, among: names)
            && target.levels.contains(raw: record.level)
    }

    /// Delivers the record at an index; false where the sink takes nothing now.
    private mutating func deliver(_ index: Int, to target: RecoveryTarget) -> Bool {
        let record = unsafe RecordedRecord(remains.records[index], in: file.content, literals) {
            unsafe Pipeline.category(named: $0).pointer
        }
        guard let record else {
            failed.insert(index)
            return true
        }
        let lent = LentRecord(record)
        switch unsafe target.deliver({ body in unsafe lent.lend(to: body) }) {
        case .taken: delivered.insert(index)
        case .refused: failed.insert(index)
        case .mustWait: return false
        }
        return true
    }

    /// Tells a sink what was lost and what nobody had told it; false where it takes nothing now.
    private func report(to target: RecoveryTarget, among names: Set<String>) -> Bool {
        let losses = remains.losses.compactMap { loss -> RecoveryTarget.Loss? in
            guard target.levels.contains(raw: loss.level),
                target.isMeant(by: loss.sink, among: names),
                let level = Level(rawValue: loss.level)
            else { return nil }
            return RecoveryTarget.Loss(
                loss.count,
                of: level,
                numbers: loss.numbers,
                levelNumbers: loss.levelNumbers,
                times: loss.times
            )
        }
        guard !losses.isEmpty else { return true }
        let process = (id: file.content.processID, run: file.content.run ?? 0)
        return target.report(losses, of: process) != .mustWait
    }

    /// How many records some sink has got.
    package var deliveredCount: Int { delivered.count }

    /// Whether something of what was left cannot be delivered by anybody.
    package var isDamaged: Bool { !failed.isEmpty || remains.damagedByteCount > 0 }

    /// What is said of it at the end; nil if there was nothing.
    package var text: String? {
        delivered.isEmpty && !isDamaged && unwantedCount == 0
            ? nil : text(naming: "process \(file.content.processID)")
    }

    /// What is said of it at the end, with words for the process.
    package func text(naming process: String) -> String {
        let count = delivered.count == 1 ? "1 record" : "\(delivered.count) records"
        var text = "recovered \(count) of \(process)"
        if !failed.isEmpty { text += "; \(failed.count) could not be read" }
        if unwantedCount > 0 { text += "; \(unwantedCount) are of levels that no sink takes" }
        if remains.damagedByteCount > 0 {
            text += "; \(remains.damagedByteCount) bytes of its file are damaged"
        }
        return text
    }

    /// What is said of it as fields.
    package var fields: [Field] {
        [
            Field("winnow_recovered", .unsigned(UInt64(delivered.count))),
            Field("winnow_recovered_pid", .integer(Int64(file.content.processID))),
            Field("winnow_unreadable", .unsigned(UInt64(failed.count))),
            Field("winnow_unwanted", .unsigned(UInt64(unwantedCount))),
            Field("winnow_damaged_bytes", .unsigned(UInt64(remains.damagedByteCount))),
        ]
    }
}

/// A record that a sink may be given when nobody waits for it any more.
private final class LentRecord: Sendable {
    private let record: RecordedRecord

    init(_ record: consuming RecordedRecord) {
        self.record = record
    }

    func lend(to body: (EncodedRecord) -> Void) {
        unsafe record.withEncoded { unsafe body($0) }
    }
}

extension RecoveryTarget {
    /// Whether it gets what is for a sink of a name, or for all: also where none has the name any more.
    fileprivate func isMeant(by sink: String?, among names: Set<String>) -> Bool {
        sink.map { $0 == name || !names.contains($0) } ?? true
    }
}

extension LevelSet {
    /// Whether it contains the level of a raw value.
    fileprivate func contains(raw level: UInt8) -> Bool { rawValue & (1 &<< level) != 0 }
}
