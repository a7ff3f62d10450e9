// SPDX-License-Identifier: Apache-2.0

public import WinnowCore
public import WinnowFormatters
public import WinnowPipeline
public import WinnowSinks

// The names that a program or another import may have as well, qualified: `Winnow.Formatter` where
// Foundation has a `Formatter` too, `Winnow.Log` where the program has a `Log`. The type `Winnow` hides
// the module of that name, so that each name has to be one of the type's.

/// The type `Log` by another name, for programs that have a `Log` of their own.
public typealias WinnowLog = Log

/// The loggers, qualified.
extension Winnow {
    /// The type `Log`, qualified.
    public typealias Log = WinnowLog
}

/// The values of logging, qualified.
extension Winnow {
    /// The type `Level`, qualified.
    public typealias Level = WinnowCore.Level
    /// The type `LevelSet`, qualified.
    public typealias LevelSet = WinnowCore.LevelSet
    /// The type `Record`, qualified.
    public typealias Record = WinnowCore.Record
    /// The type `Field`, qualified.
    public typealias Field = WinnowCore.Field
    /// The type `Fields`, qualified.
    public typealias Fields = WinnowCore.Fields
    /// The type `FieldValue`, qualified.
    public typealias FieldValue = WinnowCore.FieldValue
    /// The type `JSONText`, qualified.
    public typealias JSONText = WinnowCore.JSONText
    /// The type `Filter`, qualified.
    public typealias Filter = WinnowCore.Filter
    /// The type `FilterProblem`, qualified.
    public typealias FilterProblem = WinnowCore.FilterProblem
    /// The type `Formatter`, qualified.
    public typealias Formatter = WinnowCore.Formatter
    /// The type `Sink`, qualified.
    public typealias Sink = WinnowCore.Sink
    /// The type `SinkError`, qualified.
    public typealias SinkError = WinnowCore.SinkError
    /// The type `Facility`, qualified.
    public typealias Facility = WinnowCore.Facility
    /// The type `SourceLocation`, qualified.
    public typealias SourceLocation = WinnowCore.SourceLocation
    /// The type `LogMessage`, qualified.
    public typealias LogMessage = WinnowCore.LogMessage
    /// The type `LogPrivacy`, qualified.
    public typealias LogPrivacy = WinnowCore.LogPrivacy
    /// The type `LogAlignment`, qualified.
    public typealias LogAlignment = WinnowCore.LogAlignment
    /// The type `LogIntegerFormat`, qualified.
    public typealias LogIntegerFormat = WinnowCore.LogIntegerFormat
    /// The type `LogFloatFormat`, qualified.
    public typealias LogFloatFormat = WinnowCore.LogFloatFormat
    /// The type `LogBoolFormat`, qualified.
    public typealias LogBoolFormat = WinnowCore.LogBoolFormat
    /// The type `PrivacyPolicy`, qualified.
    public typealias PrivacyPolicy = WinnowCore.PrivacyPolicy
    /// The type `PrivateValue`, qualified.
    public typealias PrivateValue = WinnowCore.PrivateValue
    /// The type `MessageID`, qualified.
    public typealias MessageID = WinnowCore.MessageID
    /// The type `ByteBuffer`, qualified.
    public typealias ByteBuffer = WinnowCore.ByteBuffer
}

/// The formatters, qualified.
extension Winnow {
    /// The type `TextFormatter`, qualified.
    public typealias TextFormatter = WinnowFormatters.TextFormatter
    /// The type `JSONFormatter`, qualified.
    public typealias JSONFormatter = WinnowFormatters.JSONFormatter
    /// The type `LogfmtFormatter`, qualified.
    public typealias LogfmtFormatter = WinnowFormatters.LogfmtFormatter
    /// The type `PatternFormatter`, qualified.
    public typealias PatternFormatter = WinnowFormatters.PatternFormatter
    /// The type `BoundedFormatter`, qualified.
    public typealias BoundedFormatter = WinnowFormatters.BoundedFormatter
    /// The type `PatternError`, qualified.
    public typealias PatternError = WinnowFormatters.PatternError
    /// The type `LocalSyslogFormatter`, qualified.
    public typealias LocalSyslogFormatter = WinnowFormatters.LocalSyslogFormatter
    /// The type `Escaping`, qualified.
    public typealias Escaping = WinnowFormatters.Escaping
}

/// The sinks, qualified.
extension Winnow {
    /// The type `FileSink`, qualified.
    public typealias FileSink = WinnowSinks.FileSink
    /// The type `FileRotation`, qualified.
    public typealias FileRotation = WinnowSinks.FileRotation
    /// The type `JournalSink`, qualified.
    public typealias JournalSink = WinnowSinks.JournalSink
    /// The type `SyslogSink`, qualified.
    public typealias SyslogSink = WinnowSinks.SyslogSink
    /// The type `StreamSink`, qualified.
    public typealias StreamSink = WinnowSinks.StreamSink
    /// The type `InMemorySink`, qualified.
    public typealias InMemorySink = WinnowSinks.InMemorySink
    /// The type `StoredRecord`, qualified.
    public typealias StoredRecord = WinnowSinks.StoredRecord
}

/// The account, qualified.
extension Winnow {
    /// The type `SinkStatus`, qualified.
    public typealias SinkStatus = WinnowPipeline.SinkStatus
    /// The type `LossCause`, qualified.
    public typealias LossCause = WinnowPipeline.LossCause
    /// The type `LevelCounts`, qualified.
    public typealias LevelCounts = WinnowPipeline.LevelCounts
}
