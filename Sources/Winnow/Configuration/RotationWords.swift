// SPDX-License-Identifier: Apache-2.0

internal import WinnowSinks

/// The words of `WINNOW_SINKS` for the rotation of a file: parts that `+` joins. Case does not matter.
extension FileRotation {
    static let triggerNames = ["hourly", "daily", "start"]
    static let allowedTriggers = "bytes as 10M, from 1K, hourly or daily, start; joined by '+'"
    static let allowedKept =
        "files as 5, hours or days as 7d, bytes as 500M, free space as free:1G; joined by '+'"
    static let namingNames = ["sequence", "date"]
    static let compressionNames = ["gzip", "none"]

    /// Whether something other than a call rotates the file.
    var isTriggered: Bool { size != nil || period != nil || atStart }

    /// Sets when the file makes way: `10M+daily+start`; false where a part is wrong, or comes twice.
    mutating func setTriggers(parsing words: Substring) -> Bool {
        (size, period, atStart) = (nil, nil, false)
        return words.parts(separatedBy: "+").allSatisfy { setTrigger(parsing: $0) }
    }

    private mutating func setTrigger(parsing word: Substring) -> Bool {
        switch word.lowercased() {
        case "hourly" where period == nil: period = .hour
        case "daily" where period == nil: period = .day
        case "start" where !atStart: atStart = true
        default:
            // Who means megabytes by a bare 10 would have a file for each record.
            guard size == nil, let bytes = word.byteCount, bytes >= 1_024 else {
                return false
            }
            size = bytes
        }
        return true
    }

    /// Sets what is kept: a number of files, days or hours, bytes, free space: `5+7d+500M+free:1G`; false
    /// where a part is wrong, or comes twice.
    mutating func setKept(parsing words: Substring) -> Bool {
        kept = Kept()
        return words.parts(separatedBy: "+").allSatisfy { setBound(parsing: $0) }
    }

    private mutating func setBound(parsing word: Substring) -> Bool {
        if let count = Int(digits: word) {
            guard kept.count == nil else { return false }
            kept.count = count
        } else if let seconds = Self.seconds(parsing: word) {
            guard kept.age == nil, seconds > 0 else { return false }
            kept.age = seconds
        } else if let (name, size) = word.halves(separatedBy: ":") {
            guard name.lowercased() == "free", kept.freeByteCount == nil, let bytes = size.byteCount
            else { return false }
            kept.freeByteCount = bytes
        } else {
            guard kept.byteCount == nil, let bytes = word.byteCount else {
                return false
            }
            kept.byteCount = bytes
        }
        return true
    }

    /// Sets what old files are called; false where the word is wrong.
    mutating func setNaming(parsing word: Substring) -> Bool {
        switch word.lowercased() {
        case "sequence": naming = .sequence
        case "date": naming = .date
        default: return false
        }
        return true
    }

    /// Sets whether old files are compressed; false where the word is wrong.
    mutating func setCompression(parsing word: Substring) -> Bool {
        switch word.lowercased() {
        case "gzip": isCompressed = true
        case "none": isCompressed = false
        default: return false
        }
        return true
    }

    /// Sets the link to the file at the path; false where the word is no name, or one of the log's files.
    mutating func setLink(parsing word: Substring, at path: String) -> Bool {
        link = String(word)
        return (try? check(for: path)) != nil
    }

    /// The seconds of a time: a number with `h` or `d`, for hours and days.
    private static func seconds(parsing word: Substring) -> Int? {
        word.number(in: ["h": 3_600, "d": 86_400])
    }
}
