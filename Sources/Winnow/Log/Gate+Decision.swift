// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore
internal import WinnowPipeline

/// What is decided where the mask of a category does not say it all.
extension Gate {
    /// Returns the place of a statement that is let through, with a mark where its text decides; nil where it is held
    /// back.
    ///
    /// What has no file and no line is what other code hands over, and was decided before. Starts the log where nothing has. Keeps
    /// errno.
    static func decided(
        _ log: Log,
        _ file: EncodedLiteral,
        _ place: StatementPlace
    ) -> StatementPlace? {
        if !Pipeline.isRunning { Startup.startFromEnvironment() }
        if unsafe place.line == 0 && file.bytes.isEmpty { return place }
        let candidate = unsafe RecordCandidate(
            category: log.cell,
            level: place.level,
            file: file.bytes,
            line: place.line
        )
        return switch unsafe Control.verdict(on: candidate) {
        case .letThrough: place
        case .byText: place.forText
        case .heldBack: nil
        }
    }

    /// Opens a record that is let through; nil where there is no room for it.
    static func open(
        _ log: Log,
        _ file: EncodedLiteral,
        _ function: EncodedLiteral,
        _ place: StatementPlace
    ) -> UnsafeMutablePointer<UInt8>? {
        guard let level = Level(rawValue: place.level),
            let start = unsafe Pipeline.open(level)?.assumingMemoryBound(to: UInt8.self)
        else { return nil }
        unsafe writeHeader(before: start, log, file, function, place)
        return unsafe start
    }

    /// Whether the open record, whose message is known now, is let through.
    static func isWanted(_ message: LogMessage.StringInterpolation) -> Bool {
        let header = unsafe header.pointee
        guard header.place.isForText else { return true }
        let site = header.place.isLimited ? LimitedSite.at(literal: header.file) : nil
        let start = unsafe cwinnow_cursor_header() + CallHeader.byteCount
        let candidate = unsafe RecordCandidate(
            category: header.category,
            level: header.place.level,
            file: (site?.file ?? header.file).bytes,
            line: header.place.line,
            text: message.firstLiteral(from: start)
        )
        return unsafe Control.verdict(on: candidate) == .letThrough
    }

    /// Whether a record of other code is let through, which says where it comes from and what it says.
    ///
    /// Starts the log where nothing has. Keeps errno.
    static func admits(
        _ log: Log,
        _ level: UInt8,
        _ location: SourceLocation?,
        _ text: String
    ) -> Bool {
        if !Pipeline.isRunning { Startup.startFromEnvironment() }
        var (file, text) = (location?.fileID ?? "", text)
        return file.withUTF8 { file in
            text.withUTF8 { text in
                let candidate = unsafe RecordCandidate(
                    category: log.cell,
                    level: level,
                    file: UnsafeRawBufferPointer(file),
                    line: location?.line ?? 0,
                    text: UnsafeRawBufferPointer(text)
                )
                return unsafe Control.verdict(on: candidate) == .letThrough
            }
        }
    }
}
