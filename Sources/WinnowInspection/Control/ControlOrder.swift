// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import CWinnowInspection
internal import WinnowCore

/// What a process is to do.
package enum ControlOrder: Sendable {
    /// Lets the levels of a filter through, for a time or for good.
    case set(String, for: Duration?)
    /// Lets the levels of the program's own filter through again.
    case reset
    /// Opens the destinations of all sinks anew.
    case reopen
    /// Waits until the sinks have what was accepted.
    case flush
    /// Shows the accounts of its sinks as they are.
    case report

    /// What has become of it.
    package enum Outcome: Sendable, Hashable {
        case done
        /// The process does it still.
        case begun
        /// It has not looked yet: it does with its next log call.
        case waiting
        /// It has not understood it.
        case refused
        /// It could not do it, or not all in its time: why, or nil where that is not known any more.
        case failed(String?)
        /// The time of the order had passed before it looked.
        case late
        /// Another order has taken its place.
        case replaced
    }
}

extension RunningProgram {
    /// Gives the process an order, and waits for its answer.
    ///
    /// - Parameters:
    ///   - order: What it is to do; it lies there until the process looks.
    ///   - patience: How long to wait until the process looks.
    ///   - timeToFinish: How long to wait in addition until it is done with what it has begun.
    /// - Returns: What has become of it by then.
    /// - Throws: `InspectionProblem` if the process cannot be given one.
    package func give(
        _ order: ControlOrder,
        patience: Duration,
        timeToFinish: Duration = .zero
    ) throws(InspectionProblem) -> ControlOrder.Outcome {
        var descriptor: Int32 = -1
        var error: Int32 = 0
        guard let page = unsafe cwinnow_inspection_map_control(file, &descriptor, &error) else {
            throw .closed(-error)
        }
        defer { unsafe cwinnow_inspection_unmap_control(page, descriptor) }
        var written = try order.written()
        let number = unsafe cwinnow_inspection_give_order(page, descriptor, &written)
        guard number > 0 else { throw .busy }
        let name = Name(slot: Int(written.slot), number: UInt32(number))
        let times = (patience, patience + timeToFinish)
        return unsafe answer(to: name, in: page, within: times)
    }

    /// An order that was given: its place in the page, and its number there.
    private struct Name {
        let slot: Int
        let number: UInt32
    }

    private func answer(
        to name: Name,
        in page: UnsafeMutableRawPointer,
        within times: (begun: Duration, done: Duration)
    ) -> ControlOrder.Outcome {
        let clock = ContinuousClock()
        let start = clock.now
        var pauses = 0
        while true {
            let outcome = unsafe outcome(of: name, in: page)
            if outcome != .waiting, outcome != .begun { return outcome }
            let time = outcome == .begun ? times.done : times.begun
            guard clock.now < start + time else { return outcome }
            cwinnow_thread_pause(Self.pause)
            pauses += 1
            // The process has set its cells meanwhile, or another order has.
            if outcome == .waiting, pauses % Self.pausesPerReminder == 0 {
                unsafe cwinnow_inspection_have_look(page)
            }
        }
    }

    /// How long to wait before the answer is looked for again, in nanoseconds, and how often until all cells are told
    /// to look once more.
    private static let pause: UInt64 = 1_000_000
    private static let pausesPerReminder = 100

    private func outcome(
        of name: Name,
        in page: UnsafeMutableRawPointer
    ) -> ControlOrder.Outcome {
        var state = cwinnow_control_state()
        guard unsafe cwinnow_inspection_copy_state(page, &state) == 0 else { return .waiting }
        let answer = unsafe withUnsafeBytes(of: state.answers) { bytes in
            unsafe bytes.bindMemory(to: cwinnow_control_answer.self)[name.slot]
        }
        guard answer.number == name.number else {
            let slot = UInt32(name.slot)
            return unsafe cwinnow_inspection_is_last(page, slot, name.number) ? .waiting : .replaced
        }
        return switch Int(answer.outcome) {
        case cwinnow_control_done: .done
        case cwinnow_control_begun: .begun
        case cwinnow_control_refused: .refused
        case cwinnow_control_late: .late
        default: .failed(reason(of: name))
        }
    }

    /// Why an order could not be carried out, as the process shows it beside its accounts.
    private func reason(of name: Name) -> String? {
        guard let source = try? ProgramFile(path: file),
            let accounts = try? ControlAccounts(source), let failure = accounts.failure,
            failure.slot == name.slot, failure.number == name.number
        else { return nil }
        return failure.text
    }
}

extension ControlOrder {
    /// The order as it is written into the page.
    fileprivate func written() throws(InspectionProblem) -> cwinnow_control_order {
        var order = cwinnow_control_order()
        order.user_id = cwinnow_inspection_user()
        order.process_id = cwinnow_process_id()
        order.given = cwinnow_clock_realtime()
        order.kind = UInt32(kind)
        order.slot = UInt32(slot)
        guard case .set(let filter, let duration) = self else { return order }
        order.duration = duration?.nanosecondsClamped ?? .max
        guard filter.utf8.count <= MemoryLayout.size(ofValue: order.filter) else {
            let matter = "the filter has more than \(cwinnow_control_filter_capacity) bytes"
            throw InspectionProblem(.unsupported, matter, "name fewer categories")
        }
        order.filter_length = UInt32(filter.utf8.count)
        unsafe withUnsafeMutableBytes(of: &order.filter) { unsafe $0.copyBytes(from: filter.utf8) }
        return order
    }

    private var kind: Int {
        switch self {
        case .set: cwinnow_control_set
        case .reset: cwinnow_control_reset
        case .reopen: cwinnow_control_reopen
        case .flush: cwinnow_control_flush
        case .report: cwinnow_control_report
        }
    }

    /// Its place in the page.
    private var slot: Int {
        switch self {
        case .set, .reset: cwinnow_control_slot_levels
        case .reopen: cwinnow_control_slot_reopen
        case .flush: cwinnow_control_slot_flush
        case .report: cwinnow_control_slot_report
        }
    }
}

extension InspectionProblem {
    /// The page of the process cannot be written to.
    fileprivate static func closed(_ error: Int32) -> InspectionProblem {
        switch error {
        case EPERM:
            InspectionProblem(
                .unreadable,
                "the process lets others only read its levels",
                "it was started with WINNOW_CONTROL=read"
            )
        case EBADF:
            InspectionProblem(
                .damaged,
                "it shows no control page any more",
                "run the command again"
            )
        default:
            InspectionProblem(
                .unreadable,
                "its control page cannot be written to (\(systemErrorText(error)))",
                "only root may, and who has its user and no fewer capabilities"
            )
        }
    }

    /// Another one gives it an order.
    fileprivate static var busy: InspectionProblem {
        InspectionProblem(
            .unreadable,
            "another process has kept its control page for a second",
            "run the command again"
        )
    }
}
