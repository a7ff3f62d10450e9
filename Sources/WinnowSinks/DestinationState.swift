// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// What a destination has taken.
@safe
struct DestinationState: ~Copyable {
    // SAFETY: the lock is there as long as this is.
    let lock = unsafe cwinnow_lock_make()
    /// The sinks that lead here; with the lock of the table held.
    var sinkCount = 0
    /// Whether the last bytes are a piece of a record that does not go on: a newline has to come next.
    private var isTorn = false
    /// The sink whose record is to be completed; 0 where there is none.
    private(set) var owner: UInt = 0
    private var record = ByteBuffer()
    private var written = 0
    private var header: RecordHeader?

    var isClear: Bool {
        @inline(__always) get { !isTorn && owner == 0 }
    }

    deinit {
        unsafe cwinnow_lock_free(lock)
    }

    mutating func owe(
        _ record: inout ByteBuffer,
        from written: Int,
        of header: RecordHeader,
        by owner: UInt
    ) {
        swap(&self.record, &record)
        self.written = written
        self.header = header
        self.owner = owner
    }

    mutating func clear(through stream: inout OutputStream) -> Int32 {
        while !isClear {
            let result = isTorn ? endLine(through: &stream) : goOn(through: &stream)
            if result > 0 { continue }
            let error = result == 0 ? EAGAIN : Int32(-result)
            if stream.failure(error).code == .unavailable { startAnew() }
            return error
        }
        return 0
    }

    private mutating func endLine(through stream: inout OutputStream) -> Int {
        let result = unsafe withUnsafeBytes(of: UInt8(ascii: "\n")) {
            unsafe stream.write($0.assumingMemoryBound(to: UInt8.self))
        }
        if result > 0 { isTorn = false }
        return result
    }

    private mutating func goOn(through stream: inout OutputStream) -> Int {
        let result = unsafe record.withRest(from: written) { unsafe stream.write($0) }
        if result > 0 { written += result }
        if written == record.count { forget() }
        return result
    }

    /// Starts the record over for the next reader: the part that was taken is gone with the last reader, or
    /// still lies in the pipe.
    private mutating func startAnew() {
        isTorn = isTorn || written > 0
        written = 0
    }

    mutating func takeOwed() -> RecordHeader? {
        defer { giveUp() }
        return header
    }

    /// Forgets the rest; what was taken is a fragment.
    mutating func giveUp() {
        startAnew()
        forget()
    }

    private mutating func forget() {
        owner = 0
        written = 0
        header = nil
        record.prepare()
    }

    /// Leaves what is owed to the parent of this process, which writes it.
    ///
    /// The parent's record may stay a fragment for long. The line that ends it here costs the parent's
    /// rest its place, and an empty line where the rest was written already; without it, a record of
    /// the child would be a part of the parent's.
    mutating func forgetParent() {
        unsafe cwinnow_lock_reset(lock)
        guard owner != 0 else { return }
        startAnew()
        owner = 0
        header = nil
        // Another thread may have been about to change it: its memory is not given back.
        unsafe withUnsafeMutablePointer(to: &record) { unsafe $0.initialize(to: ByteBuffer()) }
    }
}
