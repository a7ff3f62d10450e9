// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

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

    /// Creates the facility of a name or of a number.
    ///
    /// Source: syslog(3); `security` is the old name of `auth`.
    package init?(parsing word: some StringProtocol) {
        let name = word.lowercased()
        if let facility = Facility.allCases.first(where: { $0.name == name || "\($0)" == name }) {
            self = facility
        } else if name == "security" {
            self = .auth
        } else if let number = UInt8(name), name == "\(number)" {
            self.init(rawValue: number)
        } else {
            return nil
        }
    }
}
