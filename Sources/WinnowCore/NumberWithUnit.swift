// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// The parts of a word as `10M`: its digits, and the unit behind them in lower case; nil where it does not
    /// begin with a number that an `Int` holds.
    package var numberAndUnit: (number: Int, unit: String)? {
        let digits = prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits: Substring(digits)) else { return nil }
        return (number, dropFirst(digits.count).lowercased())
    }

    /// The product of the number and what its unit stands for; nil where the unit is none of these, or an
    /// `Int` does not hold it.
    package func number(in units: [String: Int]) -> Int? {
        guard let (number, name) = numberAndUnit, let unit = units[name] else { return nil }
        let (product, isTooLarge) = number.multipliedReportingOverflow(by: unit)
        return isTooLarge ? nil : product
    }

    /// The bytes of a size: a number, with `K`, `M` or `G` for the powers of 1 024.
    package var byteCount: Int? {
        number(in: ["": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30])
    }
}
