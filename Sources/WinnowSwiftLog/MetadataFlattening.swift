// SPDX-License-Identifier: Apache-2.0

#if SwiftLog

internal import Logging
internal import WinnowCore

/// Turns swift-log's metadata, which nests, into fields, which do not.
///
/// A dictionary becomes one field for each of its leaves, under their keys joined by dots; an
/// array becomes compact JSON. Numbers and truth values that swift-log holds as such keep their type. Keys are in the order of their UTF-8, as swift-log's have none.
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
            var writer = JSONWriter()
            writer.write(value)
            return .json(JSONText(valid: writer.text))
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

extension JSONWriter {
    /// Writes a value with what it holds, the members of dictionaries in the order of their names.
    fileprivate mutating func write(_ value: Logger.MetadataValue) {
        switch value {
        case .string(let text): write(string: text)
        case .stringConvertible(let value): write(describing: value)
        case .array(let elements): write(array: elements) { $0.write($1) }
        case .dictionary(let members):
            let sorted = members.sorted { $0.key < $1.key }
            write(object: sorted) { $0.write($1) }
        }
    }
}

#endif
