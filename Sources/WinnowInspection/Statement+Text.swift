// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore
internal import WinnowFormatters

/// A statement as people read it.
extension Statement {
    /// The longest text of a message that is shown, in characters before escaping.
    private static let longestText = 100

    /// The place: the file and the line, or else what is known in their stead.
    var place: String {
        if let file, let line {
            let path = module.map { "\($0)/\(file)" } ?? file
            return "\(path.escaped(.line)):\(line)"
        }
        if let function {
            return "in \(function.escaped(.line))"
        }
        return "at 0x\(String(address, radix: 16))"
    }

    /// The message as the source has it.
    var message: String { Self.message(texts) }

    /// The message as the source has it, without the values; cut behind ``longestText``.
    static func message(_ texts: [String?]) -> String {
        let value = "\\(…)"
        if texts.isEmpty { return "\"\(value)\"" }
        // In quotes it would be a text.
        if texts == [nil] { return "<unknown literal>" }
        var result = ""
        var room = longestText
        for (index, text) in texts.enumerated() {
            if index > 0 { result += value }
            let text = text ?? "<unknown literal>"
            result += String(text.prefix(room)).escaped(.quotes)
            if text.count > room { return "\"\(result)\"…" }
            room -= text.count
        }
        return "\"\(result)\""
    }
}
