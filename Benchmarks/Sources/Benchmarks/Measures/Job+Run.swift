// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Job {
    /// Measures in this process, which ends afterwards.
    func run() throws -> Figures {
        let file = "\(folder)/winnow-benchmark-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try UsedMemory.provide(byteCount, at: file)
        switch measure {
        case .latency: return try LatencyMeasure(job: self, file: file).run()
        case .firstLap: return try FirstLapMeasure(job: self, file: file).run()
        case .fields: return try FieldsMeasure(job: self, file: file).run()
        case .cold: return try ColdMeasure(job: self, file: file).run()
        case .first: return try FirstCallMeasure(job: self, file: file).run()
        case .arrival: return try ArrivalMeasure(job: self, file: file).run()
        case .throughput: return try ThroughputMeasure(job: self, file: file).run()
        case .allocations: return try AllocationMeasure(job: self, file: file).run()
        case .memory: return try MemoryMeasure(job: self, file: file).run()
        case .stall: return try StallMeasure(job: self).run()
        }
    }

    /// The bytes that the job's files have at most.
    private var byteCount: Int {
        measure == .throughput && !isQuick ? 128 << 20 : 32 << 20
    }
}
