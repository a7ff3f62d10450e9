// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// All that a process has left, in the order in which it is delivered: what waited for a sink, what had numbers and was
/// perhaps delivered, and what had none yet, which gets the next ones in the order in which it was logged.
///
/// It is the same whenever the file is read.
package struct RecordedRemains: Sendable {
    /// Records of a level that were lost, and that the log was not told of.
    package struct Loss: Sendable {
        /// The raw value of the level.
        package let level: UInt8
        package let count: UInt64
        package let numbers: ClosedRange<UInt64>
        package let levelNumbers: ClosedRange<UInt64>
        /// When the first and the last of them were logged, in nanoseconds since 1970.
        package let times: ClosedRange<UInt64>
        /// The sink that has lost them; nil for all.
        package let sink: String?

        /// Nil where there are none, or where they contradict themselves, as on a damaged page.
        init?(
            level: UInt8,
            count: UInt64,
            numbers: (UInt64, UInt64),
            levelNumbers: (UInt64, UInt64),
            times: (UInt64, UInt64),
            sink: String?
        ) {
            guard count > 0, count < 1 &<< 40, levelNumbers.1 < .max / 2, numbers.0 <= numbers.1,
                levelNumbers.0 <= levelNumbers.1,
                times.0 <= times.1, numbers.1 < .max / 2,
                count - 1 <= levelNumbers.1 - levelNumbers.0
            else { return nil }
            self.level = level
            self.count = count
            self.numbers = numbers.0...numbers.1
            self.levelNumbers = levelNumbers.0...levelNumbers.1
            self.times = times.0...times.1
            self.sink = sink
        }
    }

    package private(set) var records: [LeftRecord] = []
    package private(set) var losses: [Loss] = []
    /// The bytes of what waited and is damaged.
    package private(set) var damagedByteCount = 0
    private var last: [UInt64]

    /// Finds what the process of a file has left.
    package init(_ file: RecordedFile) {
        let claims = RecordedClaims(in: file)
        last = claims.last
        let rings = file.regions.compactMap { RecordedRing($0, in: file) }
        let ofRings = Self.records(of: rings, claims, in: file)
        // Of what is with all sinks in doubt, no sink gets what also waits for it.
        let inDoubt = Set(
            ofRings.lazy.filter { $0.sequence != 0 && !$0.isApart }.map(\.sequence)
        )
        for queue in file.regions.compactMap({ RecordedQueue($0, in: file) }) {
            damagedByteCount += queue.damagedByteCount
            losses += queue.losses
            records += queue.records.map { LeftRecord(at: $0, for: queue.name, in: file) }
                .filter { !inDoubt.contains($0.sequence) }
        }
        records += ofRings.filter { $0.sequence != 0 }.sorted { $0.sequence < $1.sequence }
        for var record in ofRings where record.sequence == 0 {
            record.number(next(Int(cwinnow_numbers_of_all)), next(Int(record.level)))
            records.append(record)
        }
        for ring in rings {
            damagedByteCount += ring.damagedByteCount
            addLosses(of: ring)
        }
    }

    private mutating func next(_ kind: Int) -> UInt64 {
        last[kind] &+= 1
        return last[kind]
    }

    private mutating func addLosses(of ring: RecordedRing) {
        for (level, count) in ring.lost.enumerated() where count > 0 {
            let all = Int(cwinnow_numbers_of_all)
            let loss = Loss(
                level: UInt8(level),
                count: count,
                numbers: (last[all] &+ 1, last[all] &+ count),
                levelNumbers: (last[level] &+ 1, last[level] &+ count),
                times: (ring.lostUntil, ring.lostUntil),
                sink: nil
            )
            guard let loss else { continue }
            losses.append(loss)
            last[all] &+= count
            last[level] &+= count
        }
    }

    /// The records of rings by the stamps at which they were logged; a thread's own never change places.
    private static func records(
        of rings: [RecordedRing],
        _ claims: RecordedClaims,
        in file: RecordedFile
    ) -> [LeftRecord] {
        let clock = RecordedClock(in: file)
        var records: [(order: UInt64, record: LeftRecord)] = []
        for ring in rings {
            var order: UInt64 = 0
            for place in ring.places {
                order = max(order, place.stamp)
                let address = place.message ?? file.address(of: place.arguments.lowerBound)
                let claim = place.isTaken ? claims.claims[address] : nil
                let time = claim?.time ?? clock.time(of: place.stamp)
                let record = LeftRecord(place, of: ring.thread, at: time, claim, in: file)
                records.append((order, record))
            }
        }
        // The sort of the standard library is stable, but says so nowhere.
        return records.enumerated()
            .sorted { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }
            .map(\.element.record)
    }
}
