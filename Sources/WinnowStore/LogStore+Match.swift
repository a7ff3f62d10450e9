// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

extension LogStore {
    /// What an entry must be to be read.
    ///
    /// A match compares a field of the journal with whole values, byte by byte; the journal has an
    /// index for that, and for nothing else. Source: sd_journal_add_match(3).
    ///
    /// A value: MT-Safe, AS-Unsafe heap.
    public struct Match: Sendable, Hashable {
        /// The name of the field.
        let field: String
        /// The values of which one is to be there; of none, none can be.
        let values: [[UInt8]]

        /// The program's name for itself: `SYSLOG_IDENTIFIER`, `journalctl --identifier`.
        public static func identifier(_ identifier: String) -> Match {
            field("SYSLOG_IDENTIFIER", identifier)
        }

        /// Entries with one of the levels, by `PRIORITY`.
        ///
        /// The empty set matches nothing. Not even all levels match an entry without a level, of
        /// which programs that do not care may leave some behind.
        public static func levels(_ levels: LevelSet) -> Match {
            let matching = Level.allCases.filter(levels.contains)
            return Match(field: "PRIORITY", values: matching.map { Array("\($0.rawValue)".utf8) })
        }

        /// A category of Winnow's: exactly this one, and none below it.
        public static func category(_ category: String) -> Match {
            field("CATEGORY", category)
        }

        /// What the processes of a unit of systemd's wrote, by `_SYSTEMD_UNIT`.
        ///
        /// A name without the kind of unit is a service's: `nginx` is `nginx.service`. Unlike with
        /// `journalctl --unit`, systemd's own messages about the unit are not among them.
        public static func unit(_ unit: String) -> Match {
            let kind = unit.split(separator: ".").last.map(String.init) ?? ""
            let isWhole = unit.contains(".") && unitKinds.contains(kind)
            return field("_SYSTEMD_UNIT", isWhole ? unit : "\(unit).service")
        }

        /// A process, by `_PID`, for which the journal vouches.
        ///
        /// Numbers of processes come again; together with `.boot` or an identifier they are less
        /// likely to.
        public static func processID(_ processID: Int32) -> Match {
            field("_PID", "\(processID)")
        }

        /// A kind of message, by `MESSAGE_ID`.
        public static func messageID(_ messageID: MessageID) -> Match {
            field("MESSAGE_ID", messageID.text)
        }

        /// A field with a value.
        ///
        /// The name is the one in the journal: `REQUEST_ID`, where a program logs `request.id`. One
        /// that cannot stand there is a ``LogStoreError`` when the reading begins.
        public static func field(_ name: String, _ value: String) -> Match {
            field(name, bytes: Array(value.utf8))
        }

        /// A field with a value that need not be text.
        ///
        /// The name is as for ``field(_:_:)``.
        public static func field(_ name: String, bytes: [UInt8]) -> Match {
            Match(field: name, values: [bytes])
        }

        /// Source: systemd.unit(5).
        private static let unitKinds = [
            "service", "socket", "device", "mount", "automount", "swap", "target", "path", "timer",
            "slice", "scope",
        ]
    }
}

extension LogStore.Match {
    /// Throws where no field can have the name.
    ///
    /// Source: systemd's `journal_field_valid()` and `match_is_valid()`; the names with two
    /// underscores are no fields but the entry's place.
    func check() throws(LogStoreError) {
        let name = field.utf8
        let isLegal =
            (1...64).contains(name.count) && !field.hasPrefix("__")
            && name.allSatisfy(Self.isLegal)
            && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(name.first ?? 0)
        guard !isLegal else { return }
        throw LogStoreError(.invalidField, field, detail: suggestion)
    }

    private static func isLegal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: byte == UInt8(ascii: "_")
        }
    }

    /// The name that Winnow's sink makes of one such as `request.id`; empty for any other.
    private var suggestion: String {
        guard field.utf8.count <= 64, field.first?.isASCII == true, field.first?.isLetter == true
        else { return "" }
        return field.unicodeScalars.reduce(into: "") { name, scalar in
            let letter = scalar.isASCII ? scalar.properties.uppercaseMapping : "_"
            name += letter.utf8.allSatisfy(Self.isLegal) ? letter : "_"
        }
    }
}
