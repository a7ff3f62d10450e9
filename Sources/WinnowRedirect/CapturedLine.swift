// SPDX-License-Identifier: Apache-2.0

/// A line that was printed.
///
/// A value: MT-Safe, AS-Unsafe heap.
public struct CapturedLine: Sendable, Hashable {
    /// What ended a line.
    @frozen
    public enum Ending: UInt8, Sendable, Hashable, CaseIterable {
        /// A line break, as it should be.
        case newline
        /// Nothing came for a tenth of a second.
        case timeout
        /// The line is longer than 64 KiB; the next one of its thread goes on with it.
        case length
        /// Code of another origin printed on the same thread.
        case origin
        /// The thread, the stream or the capture came to an end.
        case closed
    }

    /// The text, without its line break; bytes that are not UTF-8 are U+FFFD.
    public let text: String
    /// The bytes of the text.
    public let bytes: [UInt8]
    /// The module that printed it.
    public let origin: LineOrigin
    /// Where it was printed.
    public let stream: PrintedStream
    /// What ended it.
    public let ending: Ending

    package init(
        bytes: [UInt8],
        origin: LineOrigin,
        stream: PrintedStream,
        ending: Ending
    ) {
        text = String(decoding: bytes, as: UTF8.self)
        self.bytes = bytes
        self.origin = origin
        self.stream = stream
        self.ending = ending
    }
}

extension CapturedLine: CustomStringConvertible {
    /// The origin and the text.
    public var description: String { "\(origin.name): \(text)" }
}
