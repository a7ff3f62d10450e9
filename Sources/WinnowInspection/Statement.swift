// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// A log statement that a program holds.
package struct Statement: Sendable, Hashable {
    /// What is known of the level of a statement without running it.
    package enum Severity: Sendable, Hashable {
        /// The statement has the level.
        case exactly(Level)
        /// The level is known only at run time; the floor lets it be this one or a more severe one.
        case upTo(Level)
        /// Nothing is known.
        case unknown
    }

    /// Its level, as far as it is known.
    package let severity: Severity
    /// The module, the part of `#fileID` before its first `/`; nil where it is unknown.
    package let module: String?
    /// The file, the rest of `#fileID`; nil where it is unknown.
    package let file: String?
    /// The line; nil where it is unknown.
    package let line: UInt32?
    /// The function that holds the code, where the place is unknown and the program has symbols.
    package let function: String?
    /// Where the code is: of several copies the first one's.
    package let address: UInt64
    /// The literals of the message, between which there are values; nil for one that is unknown.
    package let texts: [String?]
    /// Whether the build was optimized, without which nothing is known of any statement.
    package let isOptimized: Bool
    /// How often the code stands in the program: inlining, specialization of generics and the
    /// unrolling of loops copy it.
    package internal(set) var copies: Int

    /// How many statements of the source it may be: without optimization each copy is one.
    package var count: Int { isOptimized ? 1 : copies }
}

extension Statement.Severity: Comparable {
    /// Whether the left one is surely more severe; what is less known comes later.
    package static func < (left: Statement.Severity, right: Statement.Severity) -> Bool {
        left.order < right.order
    }

    private var order: Int {
        switch self {
        case .exactly(let level): Int(level.rawValue) * 2
        case .upTo(let level): Int(level.rawValue) * 2 + 1
        case .unknown: .max
        }
    }

    /// The least severe level that it can be.
    package var bound: Level? {
        switch self {
        case .exactly(let level), .upTo(let level): level
        case .unknown: nil
        }
    }
}

extension Statement.Severity: CustomStringConvertible {
    package var description: String {
        switch self {
        case .exactly(let level): level.description
        case .upTo(let level): "up to \(level)"
        case .unknown: "unknown"
        }
    }
}

extension Statement {
    /// What makes two pieces of code copies of one statement.
    struct Identity: Hashable {
        let severity: Severity
        let module: String?
        let file: String?
        let line: UInt32?
        /// The function or, without one, the address of what has no other place.
        let function: String?
        let address: UInt64?
        let texts: [String?]
        let isOptimized: Bool
    }

    var identity: Identity {
        let hasPlace = file != nil || line != nil || function != nil
        return Identity(
            severity: severity,
            module: module,
            file: file,
            line: line,
            function: function,
            address: hasPlace ? nil : address,
            texts: texts,
            isOptimized: isOptimized
        )
    }

    /// Whether it is listed before another one: by level, module, file and line.
    static func isListed(_ left: Statement, before right: Statement) -> Bool {
        if left.severity != right.severity { return left.severity < right.severity }
        // What has no place comes last.
        for (left, right) in [
            (left.module, right.module), (left.file, right.file), (left.function, right.function),
        ] where left != right {
            guard let left, let right else { return left != nil }
            return left < right
        }
        if left.line != right.line { return left.line ?? .max < right.line ?? .max }
        return left.address < right.address
    }
}
