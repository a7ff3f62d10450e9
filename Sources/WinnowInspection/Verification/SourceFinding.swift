// SPDX-License-Identifier: Apache-2.0

/// What one file, or the journal, turned out to hold.
package struct SourceFinding: Sendable, Hashable {
    /// The path, or what else it is called.
    package let name: String
    /// The lines or entries that are records of Winnow's, those that come again too.
    package private(set) var records = 0
    /// Those of which nothing can be verified.
    package private(set) var unnumbered = 0
    package private(set) var foreign = 0
    package private(set) var torn = 0
    /// What journald says of the units that wrote the entries, in its order.
    package internal(set) var suppressions: [Suppression] = []
    /// Whether the last line of the file is one of the torn ones, and has no end.
    package var endsTorn = false

    init(_ name: String) { self.name = name }

    /// Whether it holds something, and nothing of it can be verified: then it is not the log that it
    /// was taken for, or one that cannot be read.
    ///
    /// A torn record may be all that a program wrote of a file before it was killed.
    package var isUnverifiable: Bool { foreign + unnumbered > 0 && records + torn == 0 }

    /// The messages that journald has not stored.
    var suppressed: UInt64 { suppressions.reduce(0) { $0.adding($1.count) } }

    /// Enters one line or entry.
    mutating func count(_ item: LogItem) {
        switch item {
        case .record: records += 1
        case .unnumbered: unnumbered += 1
        case .foreign: foreign += 1
        case .torn: torn += 1
        }
    }
}
