// SPDX-License-Identifier: Apache-2.0

#if SwiftLog

internal import Logging
internal import WinnowCore

/// Turns swift-log's metadata, which nests, into fields, which do not.
///
/// A dictionary becomes one field for each of its leaves, under their keys joined by dots; an
/// array becomes a text, which is its compact JSON. Numbers and truth values that swift-log holds
/// as such keep their type. Keys are in the order of their UTF-8, as swift-log's have none.
struct MetadataFlattening {
    /// How private a value is, by the attributes that it was given.
    let privacy: WinnowLogHandler.PrivacyRule?
    private(set) var fields: [Field] = []

    init(privacy: WinnowLogHandler.PrivacyRule?) {
        self.privacy = privacy
    }

    /// Appends the fields of a dictionary; the prefix is what its keys follow after a dot.
    mutating func append(_ metadata: Logger.Metadata, prefix: String = "") {
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            append(value, name: prefix.isEmpty ? key : "\(prefix).\(key)")
        }
    }

    private mutating func append(_ value: Logger.MetadataValue, name: String) {
        switch value {
        case .dictionary(let members) where !members.isEmpty:
            append(members, prefix: name)
        default:
            var field = Field(name, fieldValue(of: value))
            field.privacy = strictestPrivacy(of: value)
            fields.append(field)
        }
    }

    private func fieldValue(of value: Logger.MetadataValue) -> FieldValue {
        switch value {
        case .string(let text): return .string(text)
        case .stringConvertible(let value): return FieldValue(describing: value)
        case .array, .dictionary:
            var json = ""
            value.writeJSON(to: &json)
            return .string(json)
        }
    }

    /// The privacy of a value: that of its most private leaf.
    private func strictestPrivacy(of value: Logger.MetadataValue) -> LogPrivacy {
        guard let privacy else { return .public }
        switch value {
        case .string: return .public
        case .stringConvertible: return privacy(value.attributes)
        case .array(let elements):
            return .strictest(of: elements.map(strictestPrivacy))
        case .dictionary(let members):
            return .strictest(of: members.values.map(strictestPrivacy))
        }
    }
}

extension LogPrivacy {
    /// The privacy that satisfies all of the given ones.
    fileprivate static func strictest(of all: [LogPrivacy]) -> LogPrivacy {
        let order: [LogPrivacy] = [.sensitive, .private, .private(mask: .hash)]
        return order.first(where: all.contains) ?? .public
    }
}

extension Logger.MetadataValue {
    /// Appends the value as JSON without white space.
    fileprivate func writeJSON(to json: inout String) {
        switch self {
        case .string(let text): json.appendJSONString(text)
        case .stringConvertible(let value):
            switch FieldValue(describing: value) {
            case .integer(let number): json += number.description
            case .unsigned(let number): json += number.description
            case .double(let number) where number.isFinite: json += number.description
            case .bool(let truth): json += truth.description
            case let other: json.appendJSONString(other.description)
            }
        case .array(let elements):
            json.appendJSONList(elements, between: "[", and: "]") { $1.writeJSON(to: &$0) }
        case .dictionary(let members):
            let sorted = members.sorted { $0.key < $1.key }
            json.appendJSONList(sorted, between: "{", and: "}") { json, member in
                json.appendJSONString(member.key)
                json += ":"
                member.value.writeJSON(to: &json)
            }
        }
    }
}

extension String {
    fileprivate mutating func appendJSONList<Element>(
        _ elements: [Element],
        between opening: String,
        and closing: String,
        _ write: (inout String, Element) -> Void
    ) {
        self += opening
        for (index, element) in elements.enumerated() {
            if index > 0 { self += "," }
            write(&self, element)
        }
        self += closing
    }

    /// Appends a text in quotes.
    ///
    /// Source: RFC 8259, section 7.
    fileprivate mutating func appendJSONString(_ text: String) {
        self += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": self += "\\\""
            case "\\": self += "\\\\"
            case "\n": self += "\\n"
            case "\r": self += "\\r"
            case "\t": self += "\\t"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                self += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: unicodeScalars.append(scalar)
            }
        }
        self += "\""
    }
}

#endif
