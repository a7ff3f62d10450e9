// SPDX-License-Identifier: Apache-2.0

/// What a run measures.
struct Plan {
    /// Where files are written: to memory, so that figures are the loggers' own, and to a disk.
    let folders: (memory: String, disk: String)
    let isQuick: Bool
    /// The parts to measure.
    let measures: [Measure]

    /// How often a part is measured, each time in another process.
    func rounds(of measure: Measure) -> Int {
        switch measure {
        case .latency, .firstLap, .fields: isQuick ? 1 : 7
        case .first: isQuick ? 3 : 25
        case .throughput: isQuick ? 1 : 3
        case .cold, .arrival, .allocations, .memory, .stall: 1
        }
    }

    /// The measurings of a part in their order: contestants take turns.
    func jobs(of measure: Measure) -> [Job] {
        guard measures.contains(measure) else { return [] }
        return switch measure {
        case .latency: latency
        case .fields: [job(.fields, .winnowDeferred, .fields)]
        case .firstLap:
            [.winnowDeferred, .reference].map { job(.firstLap, $0, .values) }
        case .cold:
            [
                .clock, .winnowDeferred, .reference, .spdlogAsync, .swiftLogNoOp, .bareWrite,
                .winnowFile, .spdlogSync,
            ].map { job(.cold, $0, $0 == .clock ? .text : .values) }
        case .first:
            [.winnowDeferred, .winnowFile, .spdlogAsync, .spdlogSync].map {
                job(.first, $0, .values)
            }
        case .arrival:
            [.winnowDeferred, .spdlogAsync, .winnowPipe, .barePipe].map {
                job(.arrival, $0, .values)
            }
        case .throughput: throughput
        case .allocations: allocations
        case .memory:
            [.winnowDeferred, .winnowFile, .spdlogAsync].map {
                job(.memory, $0, .values, threads: isQuick ? 16 : 64)
            }
        case .stall: [job(.stall, .winnowDeferred, .values)]
        }
    }

    private var latency: [Job] {
        let inMemory = Contestant.allCases.flatMap { contestant in
            contestant.calls.map { job(.latency, contestant, $0) }
        }
        let onDisk: [Contestant] = [.winnowFile, .bareWrite, .spdlogSync]
        return inMemory + onDisk.map { job(.latency, $0, .values, folder: folders.disk) }
    }

    private var throughput: [Job] {
        let places = [folders.memory, folders.disk]
        return places.flatMap { folder in
            [1, 2, 4, 8].flatMap { threads in
                [.winnowDeferred, .spdlogAsync, .winnowFile, .spdlogSync].map {
                    job(.throughput, $0, .values, folder: folder, threads: threads)
                }
            }
        }
    }

    private var allocations: [Job] {
        let contestants: [Contestant] = [
            .winnowDeferred, .winnowFile, .winnowPipe, .winnowListener, .winnowJournal,
            .spdlogAsync, .spdlogSync, .swiftLogNoOp, .swiftLogFile, .glibcSyslog, .systemdJournal,
        ]
        return contestants.flatMap { contestant in
            contestant.calls.filter { $0 != .filtered && $0 != .stripped }
                .map { job(.allocations, contestant, $0) }
        }
    }

    private func job(
        _ measure: Measure,
        _ contestant: Contestant,
        _ call: Call,
        folder: String? = nil,
        threads: Int = 1
    ) -> Job {
        Job(
            measure: measure,
            contestant: contestant,
            call: call,
            folder: folder ?? folders.memory,
            threads: threads,
            isQuick: isQuick
        )
    }
}
