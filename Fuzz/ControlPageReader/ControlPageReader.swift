// SPDX-License-Identifier: Apache-2.0

import CWinnow
import Changes
import WinnowCore
import WinnowInspection

/// A page in memory: what the input changes of one that a process has written.
private final class Page: ByteSource {
    // SAFETY: libFuzzer has one thread.
    nonisolated(unsafe) static let shared = Page()

    private var bytes = [UInt8](repeating: 0, count: Int(cwinnow_control_size))
    private var changed: [(place: Int, bytes: [UInt8])] = []

    var size: UInt64 { UInt64(bytes.count) }

    private init() {
        var header = cwinnow_control_header()
        header.version = CWINNOW_CONTROL_VERSION
        header.process_id = 7
        header.cell_count = 3
        header.identifier_length = 3
        write(unsafe withUnsafeBytes(of: header) { unsafe Array($0) }, at: 0)
        write(Array(CWINNOW_CONTROL_MAGIC.utf8), at: 0)
        for index in 1..<3 {
            let name = UInt32(cwinnow_control_names_offset) + UInt32(index)
            let cell = cwinnow_cell(held: 0x1F0, closer: 0, name_offset: name, name_length: 2)
            let stride = MemoryLayout<cwinnow_cell>.stride
            let place = Int(cwinnow_control_cells_offset) + index * stride
            write(unsafe withUnsafeBytes(of: cell) { unsafe Array($0) }, at: place)
        }
        changed = []
    }

    func write(_ new: [UInt8], at place: Int) {
        let range = place..<place + new.count
        changed.append((place, Array(bytes[range])))
        bytes.replaceSubrange(range, with: new)
    }

    /// Takes the changes back.
    func restore() {
        while let old = changed.popLast() {
            bytes.replaceSubrange(old.place..<old.place + old.bytes.count, with: old.bytes)
        }
    }

    func read(at offset: UInt64, count: Int) throws(InspectionProblem) -> [UInt8] {
        Array(bytes[Int(offset)..<Int(offset) + count])
    }
}

/// Reads the page as the tool does, and writes all that the tool would say of it.
@_cdecl("LLVMFuzzerTestOneInput")
public func readPage(_ input: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let page = unsafe Page.shared
    let input = unsafe Array(UnsafeBufferPointer(start: input, count: count))
    for change in Change.all(of: input, within: Int(cwinnow_control_size)) {
        page.write(change.bytes, at: change.place)
    }
    defer { page.restore() }
    guard let read = try? ControlPage(page) else { return 0 }
    let program = RunningProgram(7, of: nil, showing: read, in: "")
    precondition(!program.text.isEmpty && ![program].text.isEmpty && ![program].json.isEmpty)
    let filter: Filter = "info,a=debug,@*~b*=error"
    _ = read.limits(of: filter)
    return 0
}
