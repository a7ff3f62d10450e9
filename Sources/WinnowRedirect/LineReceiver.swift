// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// What logs the lines that rules say are to be logged.
package protocol LineReceiver: Sendable {
    /// Logs a line; called on one thread.
    ///
    /// - Parameters:
    ///   - text: The bytes of the message, lent for the call.
    ///   - level: The severity.
    ///   - category: The category of the record.
    ///   - line: What else is known of the line.
    func log(
        _ text: UnsafeRawBufferPointer,
        level: Level,
        category: String,
        line: LineFacts
    )

    /// Says something of the redirect's own.
    func report(_ text: String, fields: [Field])
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
}
