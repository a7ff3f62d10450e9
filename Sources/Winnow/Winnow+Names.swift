// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

/// The names that another import may have as well, qualified: `Winnow.Formatter` where Foundation
/// has a `Formatter` too.
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
    /// The type `Filter`, qualified.
    public typealias Filter = WinnowCore.Filter
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
    /// The type `ByteBuffer`, qualified.
    public typealias ByteBuffer = WinnowCore.ByteBuffer
}
