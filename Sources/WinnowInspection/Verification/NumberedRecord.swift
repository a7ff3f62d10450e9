// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// What a log says of one record that its verification needs.
package struct NumberedRecord: Sendable, Hashable {
    /// A run of a program: process numbers come again, and a child that was made by other means than
    /// fork(2) has its parent's identity.
    package struct Run: Sendable, Hashable {
        package let identity: UInt32
        package let processID: Int64

        package init(identity: UInt32, processID: Int64) {
            self.identity = identity
            self.processID = processID
        }
    }

    /// What a report says of records of one level: how many, and the first and the last of their
    /// numbers; 0 where it does not say.
    package struct Claim: Sendable, Hashable {
        package var count: UInt64
        package var first: UInt64
        package var last: UInt64

        package init(_ count: UInt64, first: UInt64 = 0, last: UInt64 = 0) {
            self.count = count
            self.first = first
            self.last = last
        }
    }

    /// What a report says of each level.
    package typealias Claims = [Level: Claim]

    package var run: Run
    /// The thread that logged it; 0 where that is unknown.
    package var thread: Int64
    package var level: Level
    /// Microseconds since 1970.
    package var time: UInt64
    /// 0 for a record of Winnow's own.
    package var sequence: UInt64
    package var levelSequence: UInt64
    /// What the record, one of Winnow's own, reports as lost, as given to the fallback, and as kept from
    /// the sink by an earlier configuration.
    package var lost: Claims = [:]
    package var diverted: Claims = [:]
    package var excluded: Claims = [:]
    /// The same for records of the same content; of this process only.
    package var fingerprint: Int

    package init(
        run: Run,
        thread: Int64,
        level: Level,
        time: UInt64,
        sequence: UInt64,
        levelSequence: UInt64,
        fingerprint: Int
    ) {
        self.run = run
        self.thread = thread
        self.level = level
        self.time = time
        self.sequence = sequence
        self.levelSequence = levelSequence
        self.fingerprint = fingerprint
    }

    /// Whether it reports of other records.
    var isReport: Bool { !(lost.isEmpty && diverted.isEmpty && excluded.isEmpty) }

    /// Whether it is one that Winnow itself had to say.
    var isOwn: Bool { sequence == 0 }
}

/// What one line of a file, or one entry of the journal, turns out to be.
package enum LogItem: Sendable, Hashable {
    /// A record whose numbers can be verified, or a report.
    case record(NumberedRecord)
    /// A record of a Winnow that did not number by level yet.
    case unnumbered
    /// Nothing of Winnow's.
    case foreign
    /// A part of a record, which a program or a disk left in the middle of it.
    case torn
}
