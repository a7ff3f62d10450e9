// SPDX-License-Identifier: Apache-2.0

/// What journald says of messages that it took and did not store, as more came than its rate limit
/// allows.
///
/// It counts by unit and says nothing of whose they were: records of a program in the unit may be among
/// them, behind the last one that the journal has of a level.
package struct Suppression: Sendable, Hashable {
    package let unit: String
    package let count: UInt64
    /// When it says so, in microseconds since 1970: with the next message of the unit that it stores.
    package let time: UInt64

    package init(unit: String, count: UInt64, time: UInt64) {
        self.unit = unit
        self.count = count
        self.time = time
    }
}
