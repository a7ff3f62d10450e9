// SPDX-License-Identifier: Apache-2.0

/// Readings of one kind.
struct Samples {
    private let sorted: [Double]

    init(_ values: [Double]) {
        sorted = values.sorted()
    }

    /// The least reading that so many percent do not exceed; 0 where there is none.
    func percentile(_ percent: Double) -> Double {
        guard !sorted.isEmpty else { return 0 }
        let rank = Int((percent / 100 * Double(sorted.count)).rounded(.up))
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }

    /// The least reading and the percentiles, as figures.
    func figures(_ name: String) -> Figures {
        [
            Shape.figure(name, "least"): sorted.first ?? 0,
            Shape.figure(name, "p50"): percentile(50),
            Shape.figure(name, "p99"): percentile(99),
            Shape.figure(name, "p99.9"): percentile(99.9),
        ]
    }
}

/// How calls follow each other.
enum Shape: String, CaseIterable {
    /// 1 000 back to back, and then the queue is emptied.
    case burst1000 = "burst 1000"
    /// 20 back to back, and then a pause.
    case burst20 = "burst 20"
    /// One, and then a pause.
    case single = "single"

    /// The name of a figure in nanoseconds a call.
    static func figure(_ shape: String, _ percentile: String) -> String {
        "\(shape) \(percentile) ns"
    }
}
