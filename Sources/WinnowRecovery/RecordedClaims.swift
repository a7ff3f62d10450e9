// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

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
        guard let places = ClaimedPlaces(region, in: file) else { return }
        var next = places.numbersBefore(knowing: last)
        let all = Int(cwinnow_numbers_of_all)
        for index in 0..<places.count {
            let (level, isNumbered) = (places.level(of: index), index < places.numberedCount)
            if !isNumbered {
                for kind in [level, all] { next[kind] &+= 1 }
            }
            claims[places.address(of: index)] = Claim(
                sequence: isNumbered ? places.word(index, .sequence) : next[all],
                levelSequence: isNumbered ? places.word(index, .levelSequence) : next[level],
                time: places.word(index, .time)
            )
        }
        guard places.numberedCount < places.count else { return }
        for kind in last.indices { last[kind] = max(last[kind], next[kind]) }
    }
}

/// The places of such records: see `RingRecord`.
private struct ClaimedPlaces {
    /// Where in a place its parts are.
    enum Part: Int {
        case sequence = 0
        case levelSequence = 8
        case time = 40
        case level = 72
        case arguments = 80
        case message = 96
    }

    private let file: RecordedFile
    private let start: Int
    private let stride: Int
    /// How many places hold records, and how many of these have numbers.
    let count, numberedCount: Int

    /// Nil where the region is damaged.
    init?(_ region: RecordedFile.Region, in file: RecordedFile) {
        func number(_ field: KeyPath<cwinnow_recorder_claimed, UInt64>) -> Int {
            Int(clamping: file.bytes.number(field, at: region.range.lowerBound))
        }
        self.file = file
        start = region.range.lowerBound
        stride = number(\.stride)
        let room = region.range.count - Int(cwinnow_recorder_unit)
        guard stride >= Part.message.rawValue + 8, stride % 8 == 0, room > 0 else { return nil }
        count = min(number(\.count), room / stride)
        numberedCount = min(number(\.numbered), count)
    }

    func word(_ index: Int, _ part: Part) -> UInt64 {
        let place = start + Int(cwinnow_recorder_unit) + index * stride
        return file.bytes.integer(at: place + part.rawValue)
    }

    func level(of index: Int) -> Int { Int(word(index, .level) & 7) }

    /// The address of the arguments of a record, or of the message that holds them.
    func address(of index: Int) -> UInt64 {
        let message = word(index, .message)
        return message == 0 ? word(index, .arguments) : message
    }

    /// The numbers in front of those of the records that have none yet, of each level and of all.
    ///
    /// Where the process had not come to take them, another thread may have taken some meanwhile.
    func numbersBefore(knowing last: [UInt64]) -> [UInt64] {
        var wanted = [UInt64](repeating: 0, count: last.count)
        for index in numberedCount..<count {
            wanted[Int(cwinnow_numbers_of_all)] += 1
            wanted[level(of: index)] += 1
        }
        return last.indices.map { kind in
            let before: UInt64 = file.bytes.number(
                \cwinnow_recorder_claimed.before.0,
                at: start + 8 * kind
            )
            return before < .max / 2 && last[kind] >= before + wanted[kind] ? before : last[kind]
        }
    }
}
