// SPDX-License-Identifier: Apache-2.0

/// What becomes of the lines that third-party code prints and that meet all conditions of the rule.
///
/// Of several rules the first that a line meets decides on it:
///
/// ```swift
/// [
///     .contains("deprecated", .drop).from("Noisy*"),
///     .prefix("WARN ", .log(.warning)),
///     .origin("NoisyNet", .log(.debug)),
///     .matches(#/code=\d+/#, requiring: "code=", .log(.error)).on(.stderr),
///     .descriptor(.log(.notice)),
/// ]
/// ```
///
/// The text that a rule looks at is that of one line, without its line break, the carriage return
/// before it, and the banner of NSLog. Of a line with carriage returns in it, by which programs draw
/// progress bars, it is the last part that is not empty. Texts are compared byte by byte, case
/// included; a line may hold NUL and bytes that are not UTF-8.
///
/// Rules by origin and stream alone are the cheapest: they are decided once, and no line is looked
/// at. <doc:RedirectRules> has all of it.
///
/// A value: MT-Safe, AS-Unsafe heap.
public struct RedirectRule: Sendable {
    /// The action for the lines that meet the conditions.
    package let action: RedirectAction
    /// The names that the origin must have, all of them.
    private(set) var origins: [OriginPattern] = []
    /// The streams that the line may have been printed to.
    private(set) var streams = Set(PrintedStream.allCases)
    /// Whether the line must have come through a captured descriptor.
    package private(set) var isForDescriptors = false
    /// Whether the name of an origin may be a guess.
    private(set) var takesApproximateOrigins = false
    /// What the text must be, all of it.
    private(set) var texts: [TextTest] = []

    private init(_ action: RedirectAction) {
        self.action = action
    }

    /// Whether lines of the origin on the stream can meet the conditions.
    func canApply(to origin: LineOrigin, on stream: PrintedStream) -> Bool {
        guard streams.contains(stream), origin.isDescriptor || !isForDescriptors else {
            return false
        }
        return origins.allSatisfy { pattern in
            guard !pattern.isAny else { return true }
            guard takesApproximateOrigins || !origin.isApproximate else { return false }
            return pattern.matches(origin.name)
        }
    }

    private func changed(_ change: (inout RedirectRule) -> Void) -> RedirectRule {
        var rule = self
        change(&rule)
        return rule
    }
}

// MARK: - Rules with one condition

extension RedirectRule {
    /// Creates a rule for the lines of a module.
    ///
    /// It does not apply to an origin that is approximate, unless ``approximateOriginsToo()`` says so.
    ///
    /// - Parameters:
    ///   - name: The name of the module as ``LineOrigin/name`` says it, case included; `*` stands for
    ///     any number of characters. `*` alone is every origin, approximate ones too.
    ///   - action: What becomes of the lines.
    /// - Returns: The rule.
    public static func origin(_ name: String, _ action: RedirectAction) -> RedirectRule {
        RedirectRule(action).from(name)
    }

    /// Creates a rule for the lines that came through a captured descriptor: from a child, by a raw
    /// write(2), or by what else no hook sees.
    ///
    /// It needs an option that captures a descriptor: see ``RedirectOptions``.
    public static func descriptor(_ action: RedirectAction) -> RedirectRule {
        RedirectRule(action).throughDescriptor()
    }

    /// Creates a rule for the lines of a stream, from whatever origin.
    public static func stream(_ stream: PrintedStream, _ action: RedirectAction) -> RedirectRule {
        RedirectRule(action).on(stream)
    }

    /// Creates a rule for the lines that begin with a text.
    public static func prefix(_ text: String, _ action: RedirectAction) -> RedirectRule {
        RedirectRule(action).beginning(with: text)
    }

    /// Creates a rule for the lines that begin with bytes, which need not be UTF-8.
    public static func prefix(bytes: [UInt8], _ action: RedirectAction) -> RedirectRule {
        RedirectRule(action).beginning(withBytes: bytes)
    }

    /// Creates a rule for the lines that hold a text.
    public static func contains(_ text: String, _ action: RedirectAction) -> RedirectRule {
        RedirectRule(action).containing(text)
    }

    /// Creates a rule for the lines that hold bytes, which need not be UTF-8.
    public static func contains(bytes: [UInt8], _ action: RedirectAction) -> RedirectRule {
        RedirectRule(action).containing(bytes: bytes)
    }

    /// Creates a rule for the lines that hold a literal and a match of a regular expression.
    ///
    /// A search for bytes takes tens of nanoseconds, one for an expression microseconds: the literal
    /// decides for most lines. It is the longest text that every match has: `code=` for `/code=\d+/`.
    ///
    /// - Parameters:
    ///   - regex: The expression; it matches where any part of the line does. Bytes that are not UTF-8
    ///     are U+FFFD for it. It runs on a thread of Winnow's own: closures within it may print and
    ///     log, and one that throws does not match. Where it takes long, lines wait in a bounded queue.
    ///   - literal: What a line must hold to be looked at.
    ///   - action: What becomes of the lines.
    /// - Returns: The rule.
    public static func matches<Output>(
        _ regex: sending Regex<Output>,
        requiring literal: String,
        _ action: RedirectAction
    ) -> RedirectRule {
        RedirectRule(action).matching(regex, requiring: literal)
    }

    /// Creates a rule for the lines that hold a match of a regular expression, slowly.
    ///
    /// Each line that comes to the rule is decoded and searched: 3 to 20 microseconds for 100 bytes,
    /// a hundred times ``matches(_:requiring:_:)``. For expressions without any literal.
    public static func matchesSlowly<Output>(
        _ regex: sending Regex<Output>,
        _ action: RedirectAction
    ) -> RedirectRule {
        RedirectRule(action).matchingSlowly(regex)
    }
}

// MARK: - Further conditions

extension RedirectRule {
    /// Returns the rule for lines of a module only; see ``origin(_:_:)`` for the name.
    public func from(_ origin: String) -> RedirectRule {
        changed { $0.origins.append(OriginPattern(origin)) }
    }

    /// Returns the rule for lines on one stream only.
    public func on(_ stream: PrintedStream) -> RedirectRule {
        changed { $0.streams.formIntersection([stream]) }
    }

    /// Returns the rule for lines only that came through a captured descriptor.
    public func throughDescriptor() -> RedirectRule {
        changed { $0.isForDescriptors = true }
    }

    /// Returns the rule for lines only that begin with a text.
    public func beginning(with text: String) -> RedirectRule {
        beginning(withBytes: Array(text.utf8))
    }

    /// Returns the rule for lines only that begin with bytes, which need not be UTF-8.
    public func beginning(withBytes bytes: [UInt8]) -> RedirectRule {
        changed { $0.texts.append(.prefix(bytes)) }
    }

    /// Returns the rule for lines only that hold a text.
    public func containing(_ text: String) -> RedirectRule {
        containing(bytes: Array(text.utf8))
    }

    /// Returns the rule for lines only that hold bytes, which need not be UTF-8.
    public func containing(bytes: [UInt8]) -> RedirectRule {
        changed { $0.texts.append(.contains(bytes)) }
    }

    /// Returns the rule for lines only that hold a literal and a match of a regular expression; see
    /// ``matches(_:requiring:_:)``.
    public func matching<Output>(
        _ regex: sending Regex<Output>,
        requiring literal: String
    ) -> RedirectRule {
        let expression = RuleExpression(regex, requiring: Array(literal.utf8))
        return changed { $0.texts.append(.matches(expression)) }
    }

    /// Returns the rule for lines only that hold a match of a regular expression, which is slow; see
    /// ``matchesSlowly(_:_:)``.
    public func matchingSlowly<Output>(_ regex: sending Regex<Output>) -> RedirectRule {
        let expression = RuleExpression(regex, requiring: nil)
        return changed { $0.texts.append(.matches(expression)) }
    }

    /// Returns the rule for origins whose names are guesses, too.
    ///
    /// In a program that was stripped of its symbols the name of an origin may be another module's;
    /// see ``LineOrigin/isApproximate``.
    public func approximateOriginsToo() -> RedirectRule {
        changed { $0.takesApproximateOrigins = true }
    }
}
