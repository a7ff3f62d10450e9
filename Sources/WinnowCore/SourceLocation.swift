// SPDX-License-Identifier: Apache-2.0

/// The place of a log call in the source.
///
/// A value: MT-Safe, AS-Unsafe heap.
public struct SourceLocation: Sendable, Hashable {
    /// The module and the file, as `#fileID` gives them: `MyModule/Server.swift`.
    public var fileID: String
    /// The function, as `#function` gives it.
    public var function: String
    /// The line, from 1; 0 if it is unknown.
    public var line: UInt32

    /// Creates a location.
    public init(fileID: String, function: String, line: UInt32) {
        self.fileID = fileID
        self.function = function
        self.line = line
    }

    /// The module: the part of the file before the first slash, or empty if there is none.
    public var module: String {
        guard let slash = fileID.firstIndex(of: "/") else { return "" }
        return String(fileID[..<slash])
    }
}
