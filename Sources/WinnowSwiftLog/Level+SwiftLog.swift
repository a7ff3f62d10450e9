// SPDX-License-Identifier: Apache-2.0

#if SwiftLog

public import Logging
public import WinnowCore

extension Level {
    /// Creates the level that stands for one of swift-log's seven.
    ///
    /// | swift-log | Winnow |
    /// |---|---|
    /// | `trace`, `debug` | ``Level/debug`` |
    /// | `info` | ``Level/info`` |
    /// | `notice` | ``Level/notice`` |
    /// | `warning` | ``Level/warning`` |
    /// | `error` | ``Level/error`` |
    /// | `critical` | ``Level/critical`` |
    ///
    /// MT-Safe, AS-Safe.
    public init(_ level: Logger.Level) {
        switch level {
        case .trace, .debug: self = .debug
        case .info: self = .info
        case .notice: self = .notice
        case .warning: self = .warning
        case .error: self = .error
        case .critical: self = .critical
        }
    }
}

extension Logger.Level {
    /// Creates swift-log's level for one of Winnow's eight; all above `critical` become that.
    ///
    /// MT-Safe, AS-Safe.
    public init(_ level: Level) {
        switch level {
        case .emergency, .alert, .critical: self = .critical
        case .error: self = .error
        case .warning: self = .warning
        case .notice: self = .notice
        case .info: self = .info
        case .debug: self = .debug
        }
    }

    /// Creates the most verbose of swift-log's levels that the set lets through.
    ///
    /// It is `critical` for a set that lets through nothing that swift-log has.
    init(mostVerboseOf levels: LevelSet) {
        // swift-log asks with each call.
        self = levels.contains(.debug) ? .trace : levels.leastSevere.map(Self.init) ?? .critical
    }
}

#endif
