// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WinnowCore
import WinnowInspection
import WinnowStore

/// Which boots of a machine are read of its journal.
enum Boot: Hashable {
    case current
    case all
    case identity(String)

    /// The boots behind what is read of them.
    fileprivate var words: String {
        switch self {
        case .current: " since the machine's start"
        case .all: ""
        case .identity(let identity): " of the boot \(identity)"
        }
    }

    /// Takes a word of the command line: the identity is 32 hexadecimal digits, hyphens or not.
    @Sendable
    init(parsing text: String) throws {
        switch text {
        case "current": self = .current
        case "all": self = .all
        default:
            let digits = text.filter { $0 != "-" }.lowercased()
            guard digits.utf8.count == 32, digits.allSatisfy(\.isHexDigit) else {
                throw ValidationError("give current, all, or the 32 digits of a boot's identity")
            }
            self = .identity(digits)
        }
    }
}

extension Ledger {
    /// Enters the entries of a program.
    mutating func addJournal(identifier: String, boot: Boot) throws(LogStoreError) {
        var matches: [LogStore.Match] = [.identifier(identifier)]
        if case .identity(let identity) = boot { matches.append(.field("_BOOT_ID", identity)) }
        begin("the journal of '\(identifier)'\(boot.words)")
        let entries = LogStore.journal.entries(
            matching: matches,
            from: boot == .current ? .boot : .start
        )
        var units: Set<String> = []
        try entries.forEach {
            add(LogItem(entry: $0))
            if let unit = $0["_SYSTEMD_UNIT"] { units.insert(unit) }
        }
        guard !units.isEmpty else { return }
        try addSuppressions(of: units, boot: boot)
    }

    /// Enters what journald says of messages of the units that it has not stored.
    private mutating func addSuppressions(of units: Set<String>, boot: Boot) throws(LogStoreError) {
        // By journald itself: a program may send the identity of the message, but not this field.
        var matches: [LogStore.Match] = [
            .field("MESSAGE_ID", Self.suppressedMessage), .field("_TRANSPORT", "driver"),
        ]
        if case .identity(let identity) = boot { matches.append(.field("_BOOT_ID", identity)) }
        let entries = LogStore.journal.entries(
            matching: matches,
            from: boot == .current ? .boot : .start
        )
        try entries.forEach { entry in
            guard let unit = entry["OBJECT_SYSTEMD_UNIT"], units.contains(unit),
                let count = entry["N_DROPPED"].flatMap({ UInt64($0) }), count > 0
            else { return }
            let time = entry.receiptTimestamp / 1_000
            add(Suppression(unit: unit, count: count, time: time))
        }
    }

    /// Source: systemd, sd-messages.h, `SD_MESSAGE_JOURNAL_DROPPED`; journald-server.c, which says it with
    /// the unit's next message.
    private static let suppressedMessage = "a596d6fe7bfa4994828e72309e95d61e"
}

extension LogItem {
    /// Reads an entry that `JournalSink` may have written.
    init(entry: LogStore.Entry) {
        guard let sequence = entry.sequence, let level = entry.level else {
            self = .foreign
            return
        }
        guard let run = entry.run, let levelSequence = entry.levelSequence,
            (sequence == 0) == (levelSequence == 0)
        else {
            self = .unnumbered
            return
        }
        var record = NumberedRecord(
            run: .init(identity: run, processID: Int64(entry.processID ?? 0)),
            thread: Int64(entry.threadID ?? 0),
            level: level,
            time: entry.timestamp / 1_000,
            sequence: sequence,
            levelSequence: levelSequence,
            fingerprint: entry.fingerprint
        )
        if sequence == 0 {
            for field in entry.fields where field.name.hasPrefix("WINNOW_") {
                guard let number = UInt64(field.text) else { continue }
                for level in Level.allCases {
                    let name = field.name.lowercased()
                    record.lost.take(name, number, of: level, prefix: "winnow_lost")
                    record.diverted.take(name, number, of: level, prefix: "winnow_diverted")
                    record.excluded.take(name, number, of: level, prefix: "winnow_excluded")
                }
            }
        }
        self = .record(record)
    }
}

extension LogStore.Entry {
    /// The same for entries of the same content, whatever journald says of them and in which order
    /// it has their fields.
    fileprivate var fingerprint: Int {
        fields.reduce(0) { sum, field in
            field.name.hasPrefix("_") ? sum : sum &+ field.hashValue
        }
    }
}
