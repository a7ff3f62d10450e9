// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

extension Winnow.Configuration {
    /// What is wrong with the identifier of the code.
    var identifierProblems: [Winnow.ConfigurationProblem] {
        [identifier.flatMap { Self.problem(ofIdentifier: $0, "identifier") }].compactMap(\.self)
    }

    /// What is wrong with an identifier: nobody could type it behind `journalctl -t`.
    static func problem(
        ofIdentifier text: String,
        _ source: String
    ) -> Winnow.ConfigurationProblem? {
        let hasControl = text.unicodeScalars.contains {
            $0.properties.generalCategory == .control
        }
        guard hasControl else { return nil }
        let reason = "an identifier holds no control characters"
        return Winnow.ConfigurationProblem(source, entry: text, reason: reason)
    }
}

/// The words of the environment for the values of a configuration. Case does not matter.
extension Winnow.Color {
    static let names = allCases.map(\.rawValue)

    package init?(parsing word: some StringProtocol) {
        self.init(rawValue: word.lowercased())
    }
}

extension PrivacyPolicy {
    static let names = ["redact", "hash", "show"]

    package init?(parsing word: some StringProtocol) {
        switch word.lowercased() {
        case "redact": self = .redact
        case "hash": self = .hash
        case "show": self = .show
        default: return nil
        }
    }
}

extension Facility {
    static let names = allCases.map(\.name)

    /// The names as they are told to who wrote another one.
    package static let choices =
        names.filter { !$0.hasPrefix("local") }.joined(separator: ", ") + ", local0 to local7"

    /// Creates the facility of a name or of a number.
    ///
    /// Source: syslog(3); `security` is the old name of `auth`.
    package init?(parsing word: some StringProtocol) {
        let name = word.lowercased()
        let facility = Facility.allCases.first { $0.name == name || "\($0.rawValue)" == name }
        if let facility {
            self = facility
        } else if name == "kernel" {
            self = .kernel
        } else if name == "security" {
            self = .auth
        } else {
            return nil
        }
    }
}
