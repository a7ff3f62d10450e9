// SPDX-License-Identifier: Apache-2.0

/// How long nothing is logged before a record: at random, so that no timer keeps step with it.
///
/// They are chosen by what Winnow's worker does meanwhile. It looks into the rings every 0.1 ms for a
/// millisecond after a record, for up to 15 ms after many, and then sleeps until a record wakes it.
enum Pause: String, CaseIterable {
    case brief = "0.2 to 0.8 ms"
    case short = "2 to 5 ms"
    case medium = "25 to 35 ms"
    case long = "1.05 to 1.15 s"

    var nanoseconds: ClosedRange<UInt64> {
        switch self {
        case .brief: 200_000...800_000
        case .short: 2_000_000...5_000_000
        case .medium: 25_000_000...35_000_000
        case .long: 1_050_000_000...1_150_000_000
        }
    }

    /// Those that have a bound, of light load: after the first there are some thousand records a
    /// second.
    static let bounded: [Pause] = [.short, .medium, .long]

    /// The name of the figures of the calls themselves.
    var call: String { "call after \(rawValue)" }

    /// How many records are logged: as many as the longest job has time for.
    func count(isQuick: Bool) -> Int {
        switch self {
        case .brief, .short: isQuick ? 500 : 4_000
        case .medium: isQuick ? 200 : 3_000
        case .long: isQuick ? 10 : 120
        }
    }
}
