// SPDX-License-Identifier: Apache-2.0

/// What the encoder does with values that have options.
extension LogMessage.StringInterpolation {
    /// Appends a value with options; one that is private out of line.
    @export(implementation)
    @inline(__always)
    package mutating func appendValue<Value>(
        _ value: Value,
        isField: Bool,
        options: UInt64,
        _ privacy: LogPrivacy
    ) {
        if privacy.code == 0 {
            appendOptions(options)
            appendValue(value, isField: isField)
        } else {
            appendHidden(value, isField: isField, options: options)
        }
    }

    /// Appends an absent value with options.
    @export(implementation)
    @inline(__always)
    package mutating func appendNull(options: UInt64, _ privacy: LogPrivacy) {
        if privacy.code == 0 {
            appendOptions(options)
            appendKind(EncodedKind.null)
        } else {
            appendHiddenNull(options: options)
        }
    }
}
