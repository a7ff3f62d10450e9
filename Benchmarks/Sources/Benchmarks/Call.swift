// SPDX-License-Identifier: Apache-2.0

/// What is logged: the cases that every logger is asked for.
enum Call: String, Codable, CaseIterable {
    /// A literal.
    case text
    /// An Int, a Double and a String of 23 bytes in the message.
    case values
    /// A literal, and the three as fields.
    case fields
    /// The call of `text`, at a level that the filter closes.
    case filtered
    /// The call of `text`, at a level that a release build leaves out.
    case stripped

    /// The String of `values` and `fields`.
    static let path = "/api/v1/users/42/orders"

    /// The index of the first call: that of every call then has six digits.
    static let firstIndex = 100_000
}
