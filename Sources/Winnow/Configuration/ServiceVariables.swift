// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// The variables that a container is given for the services beside it, where the name of one begins with
/// `winnow`: nobody meant them for the log.
///
/// Source: kubernetes.io/docs/concepts/services-networking/service, "Environment variables".
struct ServiceVariables {
    /// What the names of each service begin with: `WINNOW` for the service `winnow`.
    private let services: [(prefix: String, names: [String])]

    /// Finds them.
    ///
    /// - Parameters:
    ///   - names: The names of variables that nothing reads, sorted.
    ///   - environment: The environment, for their values.
    init(among names: [String], of environment: Environment) {
        let prefixes = names.compactMap { name -> String? in
            if name.hasSuffix("_SERVICE_HOST") { return String(name.dropLast(13)) }
            // The links of Docker have this one and not the other.
            guard name.hasSuffix("_PORT"), environment[name].map(Self.isAddress) == true else {
                return nil
            }
            return String(name.dropLast(5))
        }
        services = Set(prefixes).sorted().map { prefix in
            let port = "\(prefix)_PORT"
            let starts = ["\(port)_", "\(prefix)_SERVICE_"]
            return (
                prefix, names.filter { $0 == port || starts.contains(where: $0.hasPrefix) }
            )
        }
    }

    /// Whether the value of a port is the address of a service, as `tcp://10.0.0.1:80`.
    private static func isAddress(_ value: String) -> Bool {
        value[...].halves(separatedBy: ":")?.behind.hasPrefix("//") == true
    }

    /// Whether a variable is one of a service.
    func contains(_ name: String) -> Bool {
        services.contains { $0.names.contains(name) }
    }

    /// One line for each service.
    var problems: [Winnow.ConfigurationProblem] {
        services.map { prefix, names in
            let service = String(prefix.lowercased().map { $0 == "_" ? "-" : $0 })
            return Winnow.ConfigurationProblem(
                "\(prefix)_*",
                reason: "\(names.count) variables of a service \(quoted(service)) are ignored"
            )
        }
    }
}
