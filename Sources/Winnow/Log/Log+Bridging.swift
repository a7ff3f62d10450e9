// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
public import WinnowCore
internal import WinnowPipeline

extension Log {
    /// The levels at which a record would be accepted now, whatever the floor of the build: in the task that asks, and
    /// in some statement, if a rule is for statements.
    ///
    /// For bridges to an API that tests the level itself. It starts the system if nothing has started
    /// it yet. MT-Safe, AS-Unsafe.
    public var acceptedLevels: LevelSet {
        if !Pipeline.isRunning { Startup.startFromEnvironment() }
        return unsafe Control.levels(of: cell)
    }

    /// Logs a record of another logging API, whose texts and place are not literals.
    ///
    /// For bridges. The floor of the build does not apply here: the other API has a floor of its
    /// own. MT-Safe, AS-Unsafe.
    ///
    /// - Parameters:
    ///   - level: The severity.
    ///   - message: The text, as it is; evaluated, as `location` is, if the filter lets the level through in the
    ///     category.
    ///   - error: As in a log statement: a field, and the end of the message.
    ///   - location: Where the other API was called; rules for statements go by it.
    ///   - fields: Evaluated only when the record is accepted.
    public func bridge(
        _ level: Level,
        message: @autoclosure () -> String,
        error: @autoclosure () -> (any Error)? = nil,
        location: @autoclosure () -> SourceLocation,
        fields: @autoclosure () -> [Field]
    ) {
        let statement = Statement(log: self, level: level.rawValue)
        guard statement.isLetThrough else { return }
        let (location, said) = (location(), message())
        guard let call = statement.open(at: location, saying: said) else { return }
        var text = LogMessage(verbatim: said)
        statement.adopt(&text, for: call)
        text.encoder.append(error: error(), errno: nil, messageID: nil)
        text.encoder.appendFields(fields())
        text.encoder.appendLocation(file: location.fileID, function: location.function)
        Gate.setLine(location.line)
        statement.close(&text)
    }
}
