// SPDX-License-Identifier: Apache-2.0

internal import CWinnowInspection
internal import WinnowCore

/// The lines of a file or of a stream, which are read once and not kept.
package final class LineSource {
    /// The longest line, in bytes: a record is some mebibytes at most, and what is longer is none.
    private static let longestLine = 256 << 20
    private static let chunk = 1 << 20

    private let descriptor: Int32
    /// Whether the line that is being read is too long, and its bytes are left out.
    private var isSkipping = false

    /// Opens a file; `-` is standard input.
    package init(path: String) throws(InspectionProblem) {
        // SAFETY: the call keeps no pointer.
        let result =
            path == "-" ? 0 : unsafe path.withCString { unsafe cwinnow_inspection_open_stream($0) }
        guard result >= 0 else { throw Self.unreadable(-result) }
        descriptor = result
    }

    deinit {
        if descriptor > 0 { cwinnow_inspection_close(descriptor) }
    }

    /// Calls the body with each line, without its line feed, and with whether it has one.
    package func forEachLine(
        _ body: (ArraySlice<UInt8>, _ isEnded: Bool) -> Void
    ) throws(InspectionProblem) {
        var rest: [UInt8] = []
        while true {
            let bytes = try read()
            guard !bytes.isEmpty else { break }
            // What was there holds no line feed.
            var searched = rest.count
            rest += bytes
            var start = 0
            while let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                body(isSkipping ? [] : rest[start..<end], true)
                isSkipping = false
                start = end + 1
                searched = start
            }
            rest.removeFirst(start)
            if rest.count > Self.longestLine {
                isSkipping = true
                rest = []
            }
        }
        if isSkipping || !rest.isEmpty { body(isSkipping ? [] : rest[...], false) }
    }

    private func read() throws(InspectionProblem) -> [UInt8] {
        var result: Int64 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.chunk) { buffer, filled in
            guard let start = buffer.baseAddress else { return }
            // SAFETY: the call writes at most so many bytes, which the buffer has room for.
            result = unsafe cwinnow_inspection_read_next(descriptor, start, Self.chunk)
            filled = max(Int(result), 0)
        }
        guard result >= 0 else { throw Self.unreadable(Int32(-result)) }
        return bytes
    }

    private static func unreadable(_ code: Int32) -> InspectionProblem {
        InspectionProblem(
            .unreadable,
            "cannot be read (\(systemErrorText(code)))",
            "give a log in JSON lines that you may read, or - for standard input"
        )
    }
}

extension Ledger {
    /// Enters the lines of a file.
    ///
    /// A last line without an end that is no record is one that a program died in.
    package mutating func add(_ lines: LineSource) throws(InspectionProblem) {
        try lines.forEachLine { line, isEnded in
            guard !line.isEmpty || !isEnded else { return add(.foreign) }
            let item = LogItem(line: line)
            add(item == .foreign && !isEnded ? .torn : item)
        }
    }
}
