// SPDX-License-Identifier: Apache-2.0

internal import CWinnowInspection
internal import CZlib
internal import WinnowCore

/// The lines of a file or of a stream, compressed by gzip(1) or not, which are read once and not kept.
package final class LineSource {
    /// The longest line, in bytes: a record is some mebibytes at most, and what is longer is none.
    private static let longestLine = 256 << 20
    private static let chunk = 1 << 20

    private let descriptor: Int32
    /// What decompresses the file; nil where it is not compressed.
    private var gzip: GzipReader?
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
        var bytes = try readHead()
        while !bytes.isEmpty {
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
            bytes = try read()
        }
        if isSkipping || !rest.isEmpty { body(isSkipping ? [] : rest[...], false) }
    }

    /// Reads the first bytes, and has what is compressed decompressed.
    private func readHead() throws(InspectionProblem) -> [UInt8] {
        var head = try read()
        // A pipe may bring them one by one.
        while head.count == 1 {
            let more = try read()
            guard !more.isEmpty else { break }
            head += more
        }
        guard GzipReader.recognizes(head) else { return head }
        gzip = try GzipReader(descriptor: descriptor, head: head)
        return try read()
    }

    private func read() throws(InspectionProblem) -> [UInt8] {
        var result: Int64 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.chunk) { buffer, filled in
            result = unsafe readNext(into: buffer)
            filled = max(Int(result), 0)
        }
        guard result >= 0 else { throw problem(Int32(-result)) }
        return bytes
    }

    private func readNext(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int64 {
        if let gzip { return unsafe gzip.read(into: buffer) }
        guard let start = buffer.baseAddress else { return 0 }
        // SAFETY: the call writes at most so many bytes, which the buffer has room for.
        return unsafe cwinnow_inspection_read_next(descriptor, start, buffer.count)
    }

    private func problem(_ code: Int32) -> InspectionProblem {
        guard gzip != nil else { return Self.unreadable(code) }
        return switch Int(code) {
        case czlib_truncated: .damagedGzip("ends in the middle of what gzip wrote")
        case czlib_damaged: .damagedGzip("is damaged: it is not what gzip wrote")
        default: Self.unreadable(code)
        }
    }

    private static func unreadable(_ code: Int32) -> InspectionProblem {
        InspectionProblem(
            .unreadable,
            "cannot be read (\(systemErrorText(code)))",
            "give a log in JSON lines that you may read, or - for standard input"
        )
    }
}

extension InspectionProblem {
    /// A compressed file cannot be decompressed to its end.
    fileprivate static func damagedGzip(_ matter: String) -> InspectionProblem {
        InspectionProblem(
            .damaged,
            matter,
            "copy it again, or verify what gzip -dc still gets out of it"
        )
    }
}

extension Ledger {
    /// Enters the lines of a file.
    ///
    /// A last line without an end that is no record is one that a program died in.
    package mutating func add(
        _ lines: LineSource,
        named name: String
    ) throws(InspectionProblem) {
        begin(name)
        try lines.forEachLine { line, isEnded in
            guard !line.isEmpty || !isEnded else { return add(.foreign) }
            let item = LogItem(line: line)
            let isTorn = item == .torn || item == .foreign && LogItem.mayBegin(with: line)
            if isTorn, !isEnded { return addTornEnd() }
            add(item)
            if item == .torn, let whole = LogItem.whole(behindTorn: line) { add(whole) }
        }
    }
}
