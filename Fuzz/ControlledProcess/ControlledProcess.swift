// SPDX-License-Identifier: Apache-2.0

import CWinnow
import CWinnowInspection
import Changes
import Glibc
import Winnow
import WinnowCore
import WinnowFormatters
import WinnowPipeline
import WinnowSinks

/// A process that logs while others write to its page.
private enum Process {
    private static let logs = [Log("net"), Log("net.http"), Log("db")]

    /// The page of this process.
    // SAFETY: it is there for as long as the process.
    nonisolated(unsafe) private static let page =
        unsafe UnsafeMutableRawPointer(cwinnow_control_cells()) - Int(cwinnow_control_cells_offset)

    /// The number of inputs.
    // SAFETY: libFuzzer has one thread.
    nonisolated(unsafe) private static var count = 0
    nonisolated(unsafe) private static var orderNumber: UInt32 = 0

    /// Starts the log at the first access.
    static let start: Void = {
        let descriptor = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
        let sink = StreamSink(descriptor: descriptor, formatter: TextFormatter())
        do {
            try Winnow.start(.init(routes: [.sink(sink)], filter: "info", environment: .ignored))
        } catch {
            fatalError("the log does not start: \(error)")
        }
        log()
    }()

    /// Writes the changes to the page as a hostile process would, and logs after each.
    static func obey(_ changes: [Change]) {
        unsafe count += 1
        for change in changes {
            let place = unsafe UnsafeMutableRawBufferPointer(
                start: page + change.place,
                count: change.bytes.count
            )
            unsafe place.copyBytes(from: change.bytes)
            announce(at: change.place)
            log()
        }
        if unsafe count % 1_024 == 0 { check() }
    }

    /// Gives what was written the number of an order that has come, if it lies in the place of one.
    private static func announce(at place: Int) {
        let slot = (place - Int(cwinnow_control_order_offset)) / Int(cwinnow_control_order_stride)
        guard place >= Int(cwinnow_control_order_offset), slot < Int(cwinnow_control_slot_count)
        else { return }
        unsafe orderNumber &+= 2
        let order = Int(cwinnow_control_order_offset) + slot * Int(cwinnow_control_order_stride)
        unsafe page.storeBytes(of: orderNumber, toByteOffset: order, as: UInt32.self)
        unsafe cwinnow_inspection_have_look(page)
    }

    private static func log() {
        for (index, log) in logs.enumerated() {
            log.debug("debug \(index)")
            log.notice("notice \(index)", ("index", index))
            _ = log.isEnabled(.error)
        }
        Log.warning("warning")
    }

    /// Ends the process if the account is not exact.
    private static func check() {
        Winnow.flush(deadline: .seconds(60))
        for account in Pipeline.accounts {
            precondition(account.accepted == account.delivered + account.lostTotal + account.queued)
        }
    }
}

/// Has the process log, and others write what the input says.
@_cdecl("LLVMFuzzerTestOneInput")
public func obey(_ input: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    Process.start
    let input = unsafe Array(UnsafeBufferPointer(start: input, count: count))
    Process.obey(Change.all(of: input, within: Int(cwinnow_control_size)))
    return 0
}
