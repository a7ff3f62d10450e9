// SPDX-License-Identifier: Apache-2.0

/// A set of levels that a filter, a category or a route lets through.
///
/// Any set is allowed; ``upTo(_:)`` creates the usual one. Bit *n* of the raw value stands for the
/// level with raw value *n*, as in the masks of the Apple System Log (`ASL_FILTER_MASK`). Unlike
/// there, the empty set lets nothing through.
///
/// A value: MT-Safe. Its own methods and initializers compute with the mask and are AS-Safe;
/// ``description``, and what `OptionSet` adds, are AS-Unsafe heap.
@frozen
public struct LevelSet: OptionSet, Sendable, Hashable {
    /// The mask: bit *n* stands for the level of raw value *n*.
    public let rawValue: UInt8

    /// Creates a set from its mask.
    @export(implementation) @inline(__always)
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Creates the set that holds one level.
    @export(implementation) @inline(__always)
    public init(_ level: Level) {
        self.init(rawValue: 1 &<< level.rawValue)
    }

    /// Only ``Level/emergency``.
    public static let emergency = LevelSet(.emergency)
    /// Only ``Level/alert``.
    public static let alert = LevelSet(.alert)
    /// Only ``Level/critical``.
    public static let critical = LevelSet(.critical)
    /// Only ``Level/error``.
    public static let error = LevelSet(.error)
    /// Only ``Level/warning``.
    public static let warning = LevelSet(.warning)
    /// Only ``Level/notice``.
    public static let notice = LevelSet(.notice)
    /// Only ``Level/info``.
    public static let info = LevelSet(.info)
    /// Only ``Level/debug``.
    public static let debug = LevelSet(.debug)

    /// All eight levels.
    public static let all = LevelSet(rawValue: 0xFF)

    /// The given level and all more severe ones: `ASL_FILTER_MASK_UPTO`, `LOG_UPTO`.
    @export(implementation)
    public static func upTo(_ level: Level) -> LevelSet {
        LevelSet(rawValue: 0xFF &>> (7 &- level.rawValue))
    }

    /// The least severe of the levels; nil where there is none.
    package var leastSevere: Level? {
        Level(rawValue: UInt8(truncatingIfNeeded: 7 - rawValue.leadingZeroBitCount))
    }

    /// Whether the set holds the level.
    @export(implementation) @inline(__always)
    public func contains(_ level: Level) -> Bool {
        // In the width of a register, where it is one instruction.
        UInt32(rawValue) & (1 &<< UInt32(level.rawValue)) != 0
    }
}

extension LevelSet: CustomStringConvertible {
    /// The set as it is written in a filter: `notice` for an up-to set, `error|debug`, or `off`.
    public var description: String {
        if isEmpty { return "off" }
        if let level = Level.allCases.first(where: { self == .upTo($0) }) {
            return level.description
        }
        return Level.allCases.filter(contains).map(\.description).joined(separator: "|")
    }
}
