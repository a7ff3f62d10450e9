// SPDX-License-Identifier: Apache-2.0

/// One measuring, in a process of its own: what a logger has set up cannot be undone.
struct Job: Codable, Hashable {
    var measure: Measure
    var contestant: Contestant
    var call: Call
    /// Where its files are.
    var folder: String
    /// The threads that log.
    var threads = 1
    /// Whether few samples are enough.
    var isQuick: Bool
}

/// What is measured.
enum Measure: String, Codable, CaseIterable {
    /// What a call costs its caller, in nanoseconds.
    case latency
    /// What fields cost beyond the same values in the message.
    case fields
    /// What bursts cost in the first lap through a thread's ring, whose pages the kernel has not provided yet.
    case firstLap
    /// The same as ``latency`` with a cache that holds other things.
    case cold
    /// What the first calls of a process cost, and the start before them.
    case first
    /// How long it takes from a call until the kernel has its record.
    case arrival
    /// How many records a second end in the file, and what the worker's processor time is.
    case throughput
    /// How often a call allocates.
    case allocations
    /// What a thread that logs holds of memory.
    case memory
    /// What a call costs where nobody reads what is written, and what the account says.
    case stall
}

/// Numbers by their names: a name ends with its unit.
typealias Figures = [String: Double]
