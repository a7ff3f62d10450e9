// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// What logs the lines that rules say are to be logged.
package protocol LineReceiver: Sendable {
    /// Logs a line; called on one thread.
    ///
    /// - Parameters:
    ///   - text: The bytes of the message, lent for the call.
    ///   - form: The level and the category.
    ///   - line: What else is known of the line.
    func log(_ text: UnsafeRawBufferPointer, as form: LineForm, line: LineFacts)

    /// Says something of the redirect's own.
    func report(_ text: String, fields: [Field])
}

/// How a line is logged.
package struct LineForm: Sendable, Hashable {
    package let level: Level
    package let category: String
}

/// What is known of a line besides its text.
package struct LineFacts: Sendable {
    package let origin: LineOrigin
    package let stream: PrintedStream
    package let ending: CapturedLine.Ending
    /// When it was printed, in nanoseconds since 1970.
    package let time: UInt64
    /// The thread that printed it, as in gettid(2); 0 where nobody knows.
    package let threadID: Int32
    /// How many lines it stands for that equal one that was logged before; 0 where it is one itself.
    package var repeated: UInt64 = 0
}
