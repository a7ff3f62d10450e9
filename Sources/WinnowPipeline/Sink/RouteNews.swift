// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// What is to be said of a route on the others.
enum RouteNews {
    /// Its sink takes no records, for so many nanoseconds.
    case stall(Stall, UInt64)
    /// It takes records again, and how many were lost meanwhile.
    case recovery(UInt64, lost: UInt64)

    /// Returns the news of a sink in words, with its error as `explain` puts it.
    func text(of name: String, explain: (SinkError) -> String) -> String {
        switch self {
        case .stall(let stall, let time):
            let reason = explain(stall.error)
            return "\(name) has taken no records for \(Self.seconds(time)) s: \(reason)"
        case .recovery(let time, let lost):
            let losses =
                switch lost {
                case 0: "none of its records is lost"
                case 1: "1 of its records is lost"
                default: "\(lost) of its records are lost"
                }
            return "\(name) takes records again, for \(Self.seconds(time)) s it did not; \(losses)"
        }
    }

    /// A time in seconds, with one decimal.
    static func seconds(_ nanoseconds: UInt64) -> String {
        let tenths = nanoseconds / 100_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}
