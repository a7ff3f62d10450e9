// SPDX-License-Identifier: Apache-2.0

public import WinnowCore
internal import WinnowPipeline

extension Log {
    /// Logs what another logging API hands over, whose texts and place are no literals.
    ///
    /// For bridges. The floor of the build does not hold here: the other API has a floor of its
    /// own. MT-Safe, AS-Unsafe.
    ///
    /// - Parameters:
    ///   - level: The severity.
    ///   - message: The text, as it is.
    ///   - location: Where the other API was called.
    ///   - fields: Evaluated only when the record is accepted.
    public func bridge(
        _ level: Level,
        message: @autoclosure () -> String,
        location: @autoclosure () -> SourceLocation,
        fields: @autoclosure () -> [Field]
    ) {
        let statement = unsafe LogStatement(cell: cell, level: level.rawValue)
        guard let call = statement.open() else { return }
        var text = LogMessage(verbatim: message())
        statement.adopt(&text, for: call)
        let location = location()
        text.encoder.appendFields(fields())
        text.encoder.appendLocation(file: location.fileID, function: location.function)
        statement.close(text, file: "", function: "", line: location.line)
    }
}
