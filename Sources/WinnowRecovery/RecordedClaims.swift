// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// What the worker of a process had taken out of the rings: records with numbers, or about to get them.
///
/// See `cwinnow_recorder_claimed`.
struct RecordedClaims {
    /// What is known of such a record.
    struct Claim {
        let sequence: UInt64
        let levelSequence: UInt64
        /// In nanoseconds since 1970.
        let time: UInt64
    }

    /// Where in a place the parts are: see `RingRecord`.
    private enum Offset {
        static let levelSequence = 8
        static let time = RecordHeader.callOffset + 8
        static let level = RecordHeader.callOffset + 40
        static let arguments = RecordHeader.byteCount, message = arguments + 16
        static let end = message + 8
    }

    /// By the address of the record's arguments, or of the message that holds them.
    private(set) var claims: [UInt64: Claim] = [:]
    /// The last numbers that the process has given, of each level and of all.
    private(set) var last: [UInt64]

    /// Reads what there is of it in a file.
    init(in file: RecordedFile) {
        last = file.numbers
        for region in file.regions where region.kind == cwinnow_region_claimed {
            read(region, in: file)
        }
    }

    private mutating func read(_ region: RecordedFile.Region, in file: RecordedFile) {
        func number(_ field: KeyPath<cwinnow_recorder_claimed, UInt64>) -> UInt64 {
            file.bytes.number(field, at: region.range.lowerBound)
        }
        let first = region.range.lowerBound + Int(cwinnow_recorder_unit)
        let stride = Int(clamping: number(\.stride))
        guard stride >= Offset.end, stride % 8 == 0, first < region.range.upperBound else { return }
        let count = min(Int(clamping: number(\.count)), (region.range.upperBound - first) / stride)
        let numbered = min(Int(clamping: number(\.numbered)), count)
        let pending = numbered..<count
        func level(_ index: Int) -> Int {
            let word: UInt64 = file.bytes.integer(at: first + index * stride + Offset.level)
            return Int(word & 7)
        }
        let all = Int(cwinnow_numbers_of_all)
        var wanted = [UInt64](repeating: 0, count: last.count)
        for index in pending {
            wanted[all] += 1
            wanted[level(index)] += 1
        }
        // Where the process had not come to take the numbers, another thread may have taken some meanwhile.
        var next = last.indices.map { kind in
            let before: UInt64 = file.bytes.number(
                \cwinnow_recorder_claimed.before.0,
                at: region.range.lowerBound + 8 * kind
            )
            return before < .max / 2 && last[kind] >= before + wanted[kind] ? before : last[kind]
        }
        for index in 0..<count {
            let place = first + index * stride
            func word(_ offset: Int) -> UInt64 { file.bytes.integer(at: place + offset) }
            let (level, isNumbered) = (level(index), index < numbered)
            if !isNumbered {
                for kind in [level, all] { next[kind] &+= 1 }
            }
            let claim = Claim(
                sequence: isNumbered ? word(0) : next[all],
                levelSequence: isNumbered ? word(Offset.levelSequence) : next[level],
                time: word(Offset.time)
            )
            let message = word(Offset.message)
            claims[message == 0 ? word(Offset.arguments) : message] = claim
        }
        for kind in last.indices where !pending.isEmpty { last[kind] = max(last[kind], next[kind]) }
    }
}
