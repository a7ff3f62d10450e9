// SPDX-License-Identifier: Apache-2.0

/// The names of functions, as people want to read them.
enum FunctionName {
    /// Returns module, types and base name from what the demangler of Swift writes.
    ///
    /// What the compiler made of the function, the closures within it and its types are left out:
    /// `generic specialization <Swift.Int> of App.describe<A>(A) -> ()` is `App.describe`.
    static func short(_ name: String) -> String {
        var rest = name[...]
        if rest.contains("specialization <"), let range = lastRange(of: "> of ", in: rest) {
            rest = rest[range.upperBound...]
        }
        if let range = lastRange(of: "resume partial function for ", in: rest) {
            rest = rest[range.upperBound...]
        }
        for prefix in ["merged ", "static "] where rest.hasPrefix(prefix) {
            rest = rest.dropFirst(prefix.count)
        }
        while rest.hasPrefix("closure #") || rest.hasPrefix("implicit closure #"),
            let range = firstRange(of: " in ", in: rest)
        {
            rest = rest[range.upperBound...]
        }
        if rest.hasPrefix("(extension in "), let range = firstRange(of: "):", in: rest) {
            rest = rest[range.upperBound...]
        }
        let result = baseName(rest)
        return result.isEmpty ? name : result
    }

    /// The name up to its generic or other parameters, without the marks of private ones.
    private static func baseName(_ text: Substring) -> String {
        var result = ""
        var rest = text
        while let character = rest.first {
            // `App.(secret in _5E2A)(Swift.Int) -> ()` is App.secret. Each search ends at the next
            // parenthesis, so that all of them take the time of one.
            if character == "(", result.hasSuffix("."),
                let end = rest.dropFirst().firstIndex(where: { "()".contains($0) }),
                rest[end] == ")",
                let range = firstRange(of: " in _", in: rest[..<end])
            {
                result += rest[..<range.lowerBound].dropFirst()
                rest = rest[rest.index(after: end)...]
                continue
            }
            // An operator has such characters right behind the point.
            if "(< ".contains(character), !result.hasSuffix(".") { break }
            result.append(character)
            rest = rest.dropFirst()
        }
        return result
    }

    private static func firstRange(of part: String, in text: Substring) -> Range<String.Index>? {
        var start = text.startIndex
        while start < text.endIndex {
            if text[start...].hasPrefix(part) {
                return start..<text.index(start, offsetBy: part.count)
            }
            start = text.index(after: start)
        }
        return nil
    }

    private static func lastRange(of part: String, in text: Substring) -> Range<String.Index>? {
        var found: Range<String.Index>?
        var rest = text
        while let range = firstRange(of: part, in: rest) {
            found = range
            rest = rest[range.upperBound...]
        }
        return found
    }
}
