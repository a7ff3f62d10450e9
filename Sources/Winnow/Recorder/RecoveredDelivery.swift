// SPDX-License-Identifier: Apache-2.0

#if Recorder
internal import WinnowCore
internal import WinnowPipeline
internal import WinnowRecovery

/// The delivery of what a process has left.
struct RecoveredDelivery {
    private let file: DeadFile
    private let remains: RecordedRemains
    private let literals: RecordedLiterals
    /// The records that some sink has got, and those that cannot be read or that a sink refuses, by their places.
    private var delivered: Set<Int> = []
    private var failed: Set<Int> = []
    /// How many are of levels that no sink takes now.
    private var unwantedCount = 0

    init(of file: DeadFile) {
        self.file = file
        remains = RecordedRemains(file.content)
        literals = RecordedLiterals(of: file.content.images)
    }

    /// Delivers to each sink what it has not got yet, until it takes nothing; returns whether all have all.
    mutating func run(to targets: [RecoveryTarget]) -> Bool {
        let names = Set(targets.map(\.name))
        let levels = targets.reduce(into: LevelSet()) { $0.formUnion($1.levels) }
        unwantedCount = remains.records.count { !levels.contains(raw: $0.level) }
        var isComplete = true
        for target in targets {
            isComplete = deliver(to: target, among: names) && isComplete
        }
        return isComplete
    }

    private mutating func deliver(to target: RecoveryTarget, among names: Set<String>) -> Bool {
        var count = file.recoveredCount(of: target.name)
        while count < remains.records.count {
            let record = remains.records[count]
            if target.isMeant(by: record.sink, among: names),
                target.levels.contains(raw: record.level)
            {
                guard deliver(count, to: target) else { return false }
            }
            count += 1
            file.setRecoveredCount(count, of: target.name)
        }
        guard count == remains.records.count else { return true }
        guard report(to: target, among: names) else { return false }
        file.setRecoveredCount(count + 1, of: target.name)
        return true
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

    /// What is said of it at the end; nil if there was nothing.
    var text: String? {
        guard !delivered.isEmpty || !failed.isEmpty || unwantedCount > 0
            || remains.damagedByteCount > 0
        else { return nil }
        let count = delivered.count == 1 ? "1 record" : "\(delivered.count) records"
        var text = "recovered \(count) of process \(file.content.processID)"
        if !failed.isEmpty { text += "; \(failed.count) could not be read" }
        if unwantedCount > 0 { text += "; \(unwantedCount) are of levels that no sink takes" }
        if remains.damagedByteCount > 0 {
            text += "; \(remains.damagedByteCount) bytes of its file are damaged"
        }
        return text
    }

    /// What is said of it as fields.
    var fields: [Field] {
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
#endif
