// SPDX-License-Identifier: Apache-2.0

/// A field value that appears in the log only as its privacy says: in the pairs of a statement, and in
/// the fields of a logger or a task.
///
/// ```swift
/// log.notice("signed in", ("user", PrivateValue(name)), ("card", PrivateValue(card, .sensitive)))
/// let requestLog = log.with(("peer", PrivateValue(address, .private(mask: .hash))))
/// ```
/// In a message, write `\(name, privacy: .private)` instead. Anywhere else, the description of a
/// private value is `<private>`.
///
/// A value: MT-Safe, AS-Unsafe heap.
public struct PrivateValue: Sendable, Hashable {
    let value: FieldValue
    let privacy: LogPrivacy

    /// Takes a value of any type: numbers, Booleans and texts keep their type if the value is
    /// shown, and everything else is described.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - privacy: Whether it may appear in the log.
    public init(_ value: some Any, _ privacy: LogPrivacy = .private) {
        self.value = FieldValue(describing: value)
        self.privacy = privacy
    }
}

extension PrivateValue: CustomStringConvertible, CustomReflectable {
    /// The text `<private>`, whatever the value is.
    public var description: String { "<private>" }

    /// A mirror without the value, because dump(_:) shows what a mirror contains.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
