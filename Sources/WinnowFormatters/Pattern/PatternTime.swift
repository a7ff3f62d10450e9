// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// How a pattern shows a time.
struct PatternTime: Hashable {
    /// A notation of a time.
    enum Form: String, CaseIterable {
        /// `2026-11-21T09:30:15.123456Z`.
        case rfc3339
        /// `2026-11-21T10:30:15.123456+01:00`.
        case rfc3339Local = "rfc3339-local"
        /// `1795253415`.
        case sec
        /// `2026-11-21 09:30:15Z`.
        case utc
        /// `Nov 21 10:30:15`, in the time zone of the system.
        case lcl

        /// The names, and those that the Apple System Log has for the same beside them.
        static let names = allCases.map(\.rawValue) + ["raw", "zulu", "local"]

        /// Creates the form of a name, in any case.
        init?(parsing word: some StringProtocol) {
            switch word.lowercased() {
            case "raw": self = .sec
            case "zulu": self = .utc
            case "local": self = .lcl
            case let name: self.init(rawValue: name)
            }
        }

        /// The digits of the second's fraction where the pattern does not say.
        var defaultDigits: Int {
            switch self {
            case .rfc3339, .rfc3339Local: 6
            case .sec, .utc, .lcl: 0
            }
        }
    }

    var form = Form.rfc3339
    /// The digits of the second's fraction, 0 to 9.
    var digits = 6
}

extension ByteBuffer {
    /// Appends nanoseconds since 1970 in a form of a pattern; what has no digit is cut off.
    ///
    /// Source: RFC 3339, section 5.6; for the others asl(3), "Time formats".
    mutating func append(_ timestamp: UInt64, as time: PatternTime) {
        switch time.form {
        case .rfc3339 where time.digits == 6: append(rfc3339: timestamp)
        case .rfc3339Local where time.digits == 6: append(rfc3339: timestamp, isLocal: true)
        case .rfc3339: append(rfc3339: CivilTime(timestamp), timestamp, digits: time.digits)
        case .rfc3339Local:
            append(rfc3339: CivilTime(local: timestamp), timestamp, digits: time.digits)
        case .sec:
            append(decimal: timestamp / 1_000_000_000)
            append(fractionOf: timestamp, digits: time.digits)
        case .utc:
            append(CivilTime(timestamp), separator: UInt8(ascii: " "))
            append(fractionOf: timestamp, digits: time.digits)
            append(UInt8(ascii: "Z"))
        case .lcl:
            append(rfc3164: CivilTime(local: timestamp))
            append(fractionOf: timestamp, digits: time.digits)
        }
    }

    private mutating func append(rfc3339 time: CivilTime, _ timestamp: UInt64, digits: Int) {
        append(time, separator: UInt8(ascii: "T"))
        append(fractionOf: timestamp, digits: digits)
        appendZone(of: time)
    }

    /// Appends a point and so many digits of a second's fraction; nothing for no digits.
    private mutating func append(fractionOf timestamp: UInt64, digits: Int) {
        guard digits > 0 else { return }
        var fraction = timestamp % 1_000_000_000
        for _ in digits..<9 { fraction /= 10 }
        append(UInt8(ascii: "."))
        append(digitsOf: fraction, radix: 10, atLeast: digits)
    }
}
