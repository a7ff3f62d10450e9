// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

extension Winnow {
    /// The recorder: what was accepted outlives the process, in a file in memory.
    ///
    /// However the process ends, the next start with the same identifier in the same folder delivers what the sinks had
    /// not taken. See <doc:AfterACrash>.
    ///
    /// A value: MT-Safe, AS-Unsafe heap.
    public struct Recorder: Sendable, Hashable {
        /// The folder, which must lie on a tmpfs, as `/run/myapp` does.
        public var folder: String
        /// The size of the file in bytes, from 1 048 576 to 268 435 456, all of which are taken at the start.
        public var byteCount: Int

        /// Creates a recorder.
        ///
        /// - Parameters:
        ///   - folder: The folder, as an absolute path.
        ///   - byteCount: The size of the file in bytes, from 1 048 576 to 268 435 456.
        public init(folder: String, byteCount: Int = 16 << 20) {
            self.folder = folder
            self.byteCount = byteCount
        }
    }
}

/// What is said of a recorder in words.
extension Winnow.Recorder {
    private static let byteCounts = 1 << 20...256 << 20
    private static let allowedSizes = "bytes as 16M, from 1M to 256M"

    /// What is wrong with one of the code's.
    var problems: [Winnow.ConfigurationProblem] {
        var problems: [Winnow.ConfigurationProblem] = []
        if let reason = Self.reason(against: folder) {
            problems.append(Winnow.ConfigurationProblem("recorder", entry: folder, reason: reason))
        }
        if !Self.byteCounts.contains(byteCount) {
            let reason =
                "a recorder has from \(Self.byteCounts.lowerBound)"
                + " to \(Self.byteCounts.upperBound) bytes"
            let entry = "byteCount: \(byteCount)"
            problems.append(Winnow.ConfigurationProblem("recorder", entry: entry, reason: reason))
        }
        return problems
    }

    /// Reads a folder, behind which options may stand: `/run/myapp?size=4M`.
    init(parsing entry: Substring) throws(FilterProblem) {
        let halves = entry.halves(separatedBy: "?")
        let folder = halves?.before ?? entry
        self.init(folder: try PercentEscapes.decoded(folder, as: "a folder", in: entry))
        if let reason = Self.reason(against: self.folder) {
            throw FilterProblem(entry: entry, reason: reason, at: folder)
        }
        guard let options = halves?.behind else { return }
        for option in options.split(separator: "&", omittingEmptySubsequences: false) {
            try set(option, in: entry)
        }
    }

    private mutating func set(_ option: Substring, in entry: Substring) throws(FilterProblem) {
        guard let (name, text) = option.halves(separatedBy: "=") else {
            let reason = "option \(quoted(option)) has no value"
            throw FilterProblem(entry: entry, reason: reason, at: option)
        }
        guard name.lowercased() == "size" else {
            throw FilterProblem(
                entry: entry,
                reason: "unknown option \(quoted(name))",
                at: name,
                suggestion: Suggestion.nearest(to: name, among: ["size"])
            )
        }
        let value = OptionValue(text, of: "size", in: entry)
        byteCount = try value.parsed(allowed: Self.allowedSizes) { word in
            word.byteCount.flatMap { Self.byteCounts.contains($0) ? $0 : nil }
        }
    }

    private static func reason(against folder: String) -> String? {
        folder.hasPrefix("/") ? nil : "a recorder's folder is an absolute path"
    }
}
