// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// An option in an entry of `WINNOW_SINKS` for a syslog server.
package enum ServerOption: String, CaseIterable {
    case enterprise, size, framing
    /// The options of TLS.
    case ca, cert, key, insecure
}

extension SyslogDestination {
    package var options: [String] {
        let options: [ServerOption] =
            switch server.transport {
            case .udp: [.enterprise, .size]
            case .tcp: [.enterprise, .size, .framing]
            case .tls: ServerOption.allCases
            }
        return options.map(\.rawValue)
    }

    package mutating func set(_ value: OptionValue) throws(FilterProblem) {
        switch ServerOption(rawValue: value.option) {
        case .enterprise:
            enterprise = try value.parsed(allowed: "1 to \(UInt32.max)", by: Self.enterprise)
        case .size:
            let lengths = Self.messageByteCounts
            let allowed = "\(lengths.lowerBound) to \(lengths.upperBound), or 1K to 128K"
            messageByteCount = try value.parsed(allowed: allowed) { word in
                word.byteCount.flatMap { lengths.contains($0) ? $0 : nil }
            }
        case .framing:
            server.framing = try value.parsed(among: ["octets", "lf"]) {
                ["octets": .octetCounting, "lf": .lineFeed][$0.lowercased()]
            }
        case .ca: server.identity.authorities = try value.path()
        case .cert: server.identity.certificate = try value.path()
        case .key: server.identity.key = try value.path()
        case .insecure:
            server.identity.isVerified = try value.parsed(among: ["yes", "no"]) {
                ["yes": false, "no": true][$0.lowercased()]
            }
        case nil: break
        }
    }

    /// The number of a word, 1 to 4294967295; nil where it is none.
    private static func enterprise(parsing word: Substring) -> UInt32? {
        let number = Int(digits: word).flatMap(UInt32.init(exactly:))
        return number == 0 ? nil : number
    }
}
