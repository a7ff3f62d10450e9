// SPDX-License-Identifier: Apache-2.0

import CWinnow
import Changes
import Glibc
import WinnowCore
import WinnowFormatters
import WinnowPipeline
import WinnowRecovery
import WinnowTesting

/// The file of a recorder: what the input changes of one that a process has written.
private final class File {
    // SAFETY: libFuzzer has one thread.
    nonisolated(unsafe) static let shared = File()

    private static let pageByteCount = Int(cwinnow_recorder_unit)
    private var bytes: [UInt8]
    /// The pages that hold something, which alone are changed.
    private let pages: [Int]
    private var changed: [(place: Int, byte: UInt8)] = []

    private init() {
        let made = Recording.make()
        bytes = made
        pages = (0..<made.count / Self.pageByteCount).filter { page in
            let start = page * Self.pageByteCount
            return made[start..<start + Self.pageByteCount].contains { $0 != 0 }
        }
    }

    /// The bytes of these pages.
    var changeableByteCount: Int { pages.count * Self.pageByteCount }

    func make(_ change: Change) {
        for (offset, byte) in change.bytes.enumerated() {
            let index = change.place + offset
            let place =
                pages[index / Self.pageByteCount] * Self.pageByteCount + index % Self.pageByteCount
            changed.append((place, bytes[place]))
            bytes[place] = byte
        }
    }

    /// Takes the changes back.
    func restore() {
        while let old = changed.popLast() { bytes[old.place] = old.byte }
    }

    var content: RecordedFile? { RecordedFile(bytes) }
}

/// What this process records: what waits for a sink, what lies in a ring, and what the worker has taken of that.
private enum Recording {
    private static let folder = "/dev/shm"
    private static let name = "winnow-fuzz.\(getpid()).winnow"

    /// Returns the bytes of the file.
    static func make() -> [UInt8] {
        var header = cwinnow_recorder_header()
        guard unsafe cwinnow_recorder_begin(folder, name, &header, 1) == 0 else {
            fatalError("no file of a recorder can be made in \(folder)")
        }
        defer { cwinnow_recorder_end() }
        cwinnow_recorder_set_run(7)
        guard unsafe cwinnow_recorder_note_category(cell, Array("net".utf8), 3),
            cwinnow_recorder_note_images()
        else { fatalError("the file has no room") }
        var queue = SinkQueue(capacity: 10_000, name: "file:/var/log/x")
        for number in 1...3 { waitForSink(number, in: &queue) }
        fillRing()
        return read()
    }

    /// The address of the category's cell, which nobody reads.
    private static var cell: UnsafeMutablePointer<cwinnow_cell> {
        guard let cell = unsafe UnsafeMutablePointer<cwinnow_cell>(bitPattern: 0x4000) else {
            fatalError("no address")
        }
        return unsafe cell
    }

    /// Lends the header and the arguments of a record.
    private static func withRecord(
        _ number: Int,
        _ body: (RecordHeader, UnsafeMutableRawPointer, Int) -> Void
    ) {
        let message: LogMessage =
            "number \(number) of \(2.5, as: "some"), \("a text", align: .right(columns: 9))"
        var encoder = message.encoder
        encoder.adopt()
        encoder.appendFields([
            Field("port", .integer(Int64(number))),
            Field("list", FieldValue(describing: ["x", "y"])),
            Field("secret", PrivateValue("p")),
        ])
        encoder.appendErrno(2)
        encoder.close()
        guard let owner = encoder.owner else { return }
        let start = unsafe Encoder.start(of: owner)
        let count = unsafe encoder.position - start
        var header = unsafe RecordHeader(category: cell, level: .notice)
        header.byteCount = UInt64(RecordHeader.byteCount + count)
        header.sequence = UInt64(number)
        header.levelSequence = UInt64(number)
        unsafe body(header, start, count)
        withExtendedLifetime(owner) {}
    }

    private static func waitForSink(_ number: Int, in queue: inout SinkQueue) {
        unsafe withRecord(number) { header, arguments, _ in
            _ = unsafe queue.append(header, arguments: arguments)
        }
    }

    /// Has three records lie in a ring, of which the worker has taken two, and given one its numbers.
    private static func fillRing() {
        let storage = UInt64(CWINNOW_RING_MINIMUM)
        let whole = storage + UInt64(CWINNOW_RING_STRUCTURE_BYTES)
        let claims = UInt64(cwinnow_recorder_unit) + 4 * 112
        guard
            let region = unsafe cwinnow_recorder_take(UInt32(cwinnow_region_ring), whole),
            let claimed = unsafe cwinnow_recorder_take(UInt32(cwinnow_region_claimed), claims)
        else { fatalError("the file has no room for a ring") }
        let ring = unsafe cwinnow_ring_make_in(region, storage)
        let shown = unsafe claimed.assumingMemoryBound(to: cwinnow_recorder_claimed.self)
        unsafe shown.pointee.stride = 112
        for number in 4...6 {
            unsafe withRecord(number) { header, arguments, count in
                let place = UnsafeMutableRawPointer(unsafe ring.pointee.cursor)
                var header = header
                let call = unsafe withUnsafeBytes(of: &header) {
                    unsafe Array($0[RecordHeader.callOffset...])
                }
                unsafe place.copyMemory(from: call, byteCount: CallHeader.byteCount)
                let body = unsafe place + CallHeader.byteCount
                unsafe body.copyMemory(from: arguments, byteCount: count)
                let claim = unsafe claimed + Int(cwinnow_recorder_unit) + (number - 4) * 112
                unsafe claim.storeBytes(of: header, as: RecordHeader.self)
                unsafe claim.storeBytes(
                    of: body,
                    toByteOffset: RecordHeader.byteCount,
                    as: UnsafeMutableRawPointer.self
                )
                _ = unsafe cwinnow_ring_close(ring, body + count, UInt64(number))
                if number == 5 { unsafe cwinnow_ring_set_taken(ring, cwinnow_ring_published(ring)) }
            }
        }
        unsafe cwinnow_recorder_show_claimed(shown, 2, 1)
        unsafe cwinnow_ring_lose(ring, 3, 9)
    }

    private static func read() -> [UInt8] {
        let file = unsafe cwinnow_file_open("\(folder)/\(name)")
        let count = Int(cwinnow_descriptor_size(file))
        var bytes = [UInt8](repeating: 0, count: count)
        guard unsafe cwinnow_file_read(file, 0, &bytes, count) == Int64(count) else {
            fatalError("the file cannot be read")
        }
        close(file)
        return bytes
    }
}

/// Recovers what the file holds, and writes every record as a sink would.
@_cdecl("LLVMFuzzerTestOneInput")
public func recoverFile(_ input: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let file = unsafe File.shared
    let input = unsafe Array(UnsafeBufferPointer(start: input, count: count))
    Change.all(of: input, within: file.changeableByteCount).forEach(file.make)
    defer { file.restore() }
    recover(file)
    return 0
}

private func recover(_ file: File) {
    guard let content = file.content else { return }
    let remains = RecordedRemains(content)
    let literals = RecordedLiterals(of: content.images)
    precondition(remains.records.count <= 1 << 16)
    for left in remains.records {
        let record = unsafe RecordedRecord(left, in: content, literals) { _ in
            unsafe cwinnow_category_default()
        }
        guard let record else { continue }
        record.withRecord(privacy: .hash) { record in
            precondition(!record.formatted(by: JSONFormatter()).isEmpty)
            precondition(!record.formatted(by: TextFormatter()).isEmpty)
        }
    }
    for loss in remains.losses { precondition(loss.count > 0) }
}
