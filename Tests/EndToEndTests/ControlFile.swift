// SPDX-License-Identifier: Apache-2.0

import CWinnow
import Glibc
import Testing
import Winnow
import WinnowInspection

/// The page of this process, as another one would open it.
struct ControlFile {
    let descriptor: Int32
    /// Its number in the process.
    let number: Int32

    static func all() -> [Int32] {
        (3..<1_024).filter { number in
            var text = [CChar](repeating: 0, count: 64)
            let length = unsafe readlink("/proc/self/fd/\(number)", &text, text.count)
            let link = text.prefix(max(length, 0)).map(UInt8.init(bitPattern:))
            return String(decoding: link, as: UTF8.self).hasPrefix("/memfd:winnow:")
        }
    }

    static func open(_ flags: Int32) -> ControlFile? {
        guard let number = all().first else { return nil }
        let descriptor = unsafe Glibc.open("/proc/self/fd/\(number)", flags | O_CLOEXEC)
        return descriptor < 0 ? nil : ControlFile(descriptor: descriptor, number: number)
    }

    /// Sets which levels a cell holds back; returns what pwrite(2) does.
    func setHeld(_ held: UInt32, ofCell index: Int) -> Int {
        var held = held
        let offset = Int(cwinnow_control_cells_offset) + index * MemoryLayout<cwinnow_cell>.stride
        return unsafe pwrite(descriptor, &held, 4, offset)
    }

    /// Whether the process has taken the last order about levels.
    var isOrderTaken: Bool {
        var (given, taken) = (UInt32(0), UInt32(0))
        let answers = MemoryLayout<cwinnow_control_state>.offset(of: \.answers) ?? 0
        let place = Int(cwinnow_control_state_offset) + answers
        unsafe pread(descriptor, &given, 4, Int(cwinnow_control_order_offset))
        unsafe pread(descriptor, &taken, 4, place)
        return given == taken
    }

    /// Writes anything anywhere.
    func scribble() {
        var bytes = (0..<64).map { _ in UInt8.random(in: 0...255) }
        let sizes = [256, Int(cwinnow_control_size)]
        let starts = [
            0, cwinnow_control_cells_offset, cwinnow_control_order_offset,
            cwinnow_control_state_offset,
        ]
        let places = starts.flatMap { start in
            sizes.map { Int(start) + Int.random(in: 0..<$0) }
        }
        for place in places where place + bytes.count <= Int(cwinnow_control_size) {
            unsafe pwrite(descriptor, &bytes, bytes.count, place)
        }
    }
}

/// Gives an order to this process, as another one would.
@discardableResult
func give(
    _ order: ControlOrder,
    patience: Duration = .zero
) throws -> ControlOrder.Outcome {
    let program = try #require(try RunningProgram.all(named: "\(getpid())").first)
    return try program.give(order, patience: patience)
}

extension ControlOrder.Outcome {
    /// Why the process could not carry it out; nil where it could.
    var reason: String? {
        if case .failed(let reason) = self { reason } else { nil }
    }
}

extension Winnow.Configuration {
    static func control(
        _ control: Winnow.ControlUse,
        filter: Filter = "notice",
        routes: [Winnow.Route] = [.sink(Winnow.InMemorySink(capacity: 10), name: "memory")]
    ) -> Winnow.Configuration {
        Winnow.Configuration(
            identifier: "control test",
            routes: routes,
            filter: filter,
            control: control,
            environment: .ignored
        )
    }
}

/// fork(2), and a fork that no handler is told of: Swift's overlay hides both.
@_silgen_name("fork")
func fork_() -> Int32
@_silgen_name("_Fork")
func untoldFork() -> Int32
