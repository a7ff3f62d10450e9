// SPDX-License-Identifier: Apache-2.0

/// All that a run has found.
struct Report: Codable {
    var machine: Machine
    /// What was measured.
    var results: [Result] = []
    /// What was not measured, and why.
    var skipped: [String] = []
    /// What the figures are held against.
    var bar: [Bar] = []

    /// The figures of one kind of measuring.
    struct Result: Codable {
        var measure: Measure
        var contestant: Contestant
        var call: Call
        /// The file system of its files.
        var place: String
        var threads: Int
        /// The median of all rounds.
        var figures: Figures
        /// The figures of each round.
        var rounds: [Figures]
    }

    /// Returns the only result of this kind; nil where it was not measured.
    func result(
        _ measure: Measure,
        _ contestant: Contestant,
        _ call: Call,
        place: String? = nil,
        threads: Int? = nil
    ) -> Result? {
        results.first {
            $0.measure == measure && $0.contestant == contestant && $0.call == call
                && (place == nil || $0.place == place)
                && (threads == nil || $0.threads == threads)
        }
    }

    /// Returns the least reading of a figure in all rounds: what else the machine does only adds.
    func least(_ name: String, _ measure: Measure, _ contestant: Contestant, _ call: Call)
        -> Double?
    {
        result(measure, contestant, call)?.rounds.compactMap { $0[name] }.min()
    }
}

extension Report.Result {
    /// Adds up rounds.
    init(_ job: Job, place: String, rounds: [Figures]) {
        self.init(
            measure: job.measure,
            contestant: job.contestant,
            call: job.call,
            place: place,
            threads: job.threads,
            figures: [:],
            rounds: rounds
        )
        for name in Set(rounds.flatMap(\.keys)) {
            figures[name] = Samples(rounds.compactMap { $0[name] }).percentile(50)
        }
    }
}
