// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import Synchronization

/// The memory of a queue: pieces of it, which are given back in the order in which they were taken.
///
/// A position counts all bytes that were ever taken. Each piece has a word in front that holds its size, and none
/// wraps: a filler skips the end of the memory. It comes from the kernel with the first piece, and its pages go back
/// part by part when they are not needed any more.
///
/// Where the process records, it lies in the recorder's file, which shows where the pieces are that are complete: see
/// `cwinnow_recorder_queue`.
@safe
struct QueueMemory: ~Copyable {
    // SAFETY: positions from the oldest piece to `tail` lie in the memory, and each of a piece or of a filler has a word
    // that says where the next one is.

    private static let wordByteCount: UInt64 = 8
    /// The mark of a filler in the word.
    private static let filler: UInt64 = 1 &<< 63
    /// The bytes whose pages go back together, except those of the first part: a queue that is often empty uses no
    /// other.
    private static let partByteCount: UInt64 = 256 << 10

    /// The bytes that it has, unless a piece takes more.
    private let usualByteCount: UInt64
    /// Whose pieces they are, for who reads the file.
    private let name: String
    private var base: UnsafeMutableRawPointer?
    private var byteCount: UInt64 = 0
    /// Where it is shown which pieces there are; nil where the memory is in no file.
    private var shown: UnsafeMutablePointer<cwinnow_recorder_queue>?
    /// The number of the recorder's file that there was when the memory was made, and the bytes that it was to have.
    private var recorder: UInt32 = 0
    private var wantedByteCount: UInt64 = 0
    /// The oldest piece, and the end of the last one.
    private var head: UInt64 = 0
    private var tail: UInt64 = 0
    /// The piece that somebody reads, which stays where it is though it may be given back meanwhile.
    private var lent: UInt64?
    /// The end of the parts that went back.
    private var discarded: UInt64 = 0

    init(byteCount: Int, name: String) {
        usualByteCount = Self.rounded(UInt64(byteCount), to: Self.partByteCount)
        self.name = name
        unsafe base = nil
        unsafe shown = nil
    }

    deinit {
        // In the child of a fork, a sink that has forked still reads what is lent: so the memory stays.
        if lent == nil { giveBack() }
    }

    var isEmpty: Bool { head == tail }

    /// The bytes of records for which it is made: in the file of a recorder it may be smaller than usual.
    var recordByteCount: Int { unsafe shown == nil ? .max : Int(byteCount) / 9 * 4 }

    /// The oldest piece; nil where there is none.
    var first: UnsafeMutableRawPointer? { unsafe isEmpty ? nil : piece(at: head) }

    /// Takes a piece of so many bytes, which begins at a multiple of eight; nil where there is no room.
    ///
    /// Where there is no other piece, and none is lent, there always is, unless memory has run out.
    mutating func take(_ count: Int) -> UnsafeMutableRawPointer? {
        let need = Self.wordByteCount + Self.rounded(UInt64(count), to: Self.wordByteCount)
        if isEmpty, lent == nil { beginAnew(with: need) }
        guard byteCount > 0 else { return nil }
        let rest = byteCount - tail % byteCount
        let skipped = rest < need ? rest : 0
        guard tail + skipped + need - (lent ?? head) <= byteCount else { return nil }
        if skipped > 0 {
            if isEmpty { head += skipped } else { put(skipped | Self.filler, at: tail) }
            tail += skipped
        }
        put(need, at: tail)
        defer { tail += need }
        return unsafe piece(at: tail)
    }

    /// Shows that what was taken is complete.
    @inline(__always)
    func show() {
        if let shown = unsafe shown { unsafe cwinnow_recorder_show_queue(shown, head, tail) }
    }

    /// Shows what is lost, which needs no piece.
    mutating func show(_ losses: inout cwinnow_recorder_losses) {
        if unsafe shown == nil, isEmpty, lent == nil { beginAnew(with: Self.wordByteCount) }
        if let shown = unsafe shown { unsafe cwinnow_recorder_show_losses(shown, &losses) }
    }

    /// Gives the oldest piece back, which must exist.
    mutating func giveBackFirst() {
        head += word(at: head)
        if !isEmpty, word(at: head) & Self.filler != 0 { head += word(at: head) & ~Self.filler }
        show()
        discard()
    }

    /// Lends the oldest piece, in the place of the one that is lent; none where there is none.
    mutating func lendFirst() -> UnsafeMutableRawPointer? {
        lent = isEmpty ? nil : head
        showLoan()
        discard()
        return unsafe first
    }

    /// Takes back the piece that is lent, if it is this one.
    mutating func endLoan(of piece: UnsafeRawPointer) {
        guard let lent, let own = unsafe self.piece(at: lent), unsafe UnsafeRawPointer(own) == piece
        else { return }
        endLoan()
    }

    /// Takes back whatever is lent.
    mutating func endLoan() {
        lent = nil
        showLoan()
        discard()
    }

    /// Shows the child of a fork what is lent.
    private func showLoan() {
        guard let shown = unsafe shown else { return }
        guard let lent, let piece = unsafe address(of: lent) else {
            return unsafe cwinnow_recorder_show_loan(shown, nil, 0)
        }
        unsafe cwinnow_recorder_show_loan(shown, piece, word(at: lent))
    }

    /// Begins at the beginning, with memory for the first piece: less than usual where there is no more.
    private mutating func beginAnew(with need: UInt64) {
        let least = Self.rounded(need, to: Self.partByteCount)
        let wanted = max(usualByteCount, least)
        if wantedByteCount != wanted || byteCount < least || recorder != cwinnow_recorder_number() {
            free()
            wantedByteCount = wanted
            recorder = cwinnow_recorder_number()
            if !makeInFile(wanted, least: least) {
                if recorder != 0 { Self.tellOfNoRoom(for: name) }
                if !make(wanted) { _ = make(least) }
            }
        }
        if byteCount > 0 { tail = Self.rounded(tail, to: byteCount) }
        head = tail
        discarded = tail
        show()
    }

    private static let hasTold = Atomic<Bool>(false)

    /// Says once that what waits for a sink is not in the file.
    @inline(never)
    private static func tellOfNoRoom(for sink: String) {
        guard !hasTold.exchange(true, ordering: .relaxed) else { return }
        LastWords.say(
            "the recorder has no room for what waits for \(sink): a larger one would keep it"
        )
    }

    /// Takes the memory now, as later there may be no room in the file of the recorder.
    mutating func reserve() {
        if byteCount == 0, isEmpty, lent == nil { beginAnew(with: Self.wordByteCount) }
    }

    /// Makes memory in the file of the recorder: a quarter of it at most, and less where there is no more.
    ///
    /// - Returns: False where the process does not record, or there is no room for the least.
    private mutating func makeInFile(_ wanted: UInt64, least: UInt64) -> Bool {
        let share = cwinnow_recorder_byte_count() / 4 / Self.partByteCount * Self.partByteCount
        var count = recorder == 0 ? 0 : max(min(wanted, share), least)
        while count >= least, unsafe shown == nil {
            unsafe shown = unsafe RecorderRegion.takeQueue(count, name: name)
            if unsafe shown == nil { count = count / 2 / Self.partByteCount * Self.partByteCount }
        }
        guard let shown = unsafe shown else { return false }
        unsafe base = unsafe RecorderRegion.memory(of: shown)
        byteCount = count
        return true
    }

    /// Makes memory of so many bytes; false where there is none.
    private mutating func make(_ count: UInt64) -> Bool {
        unsafe base = unsafe cwinnow_memory_make(count)
        byteCount = unsafe base == nil ? 0 : count
        return byteCount > 0
    }

    /// Gives the pages of the parts back that nobody needs any more.
    private mutating func discard() {
        guard byteCount > 0, unsafe shown == nil else { return }
        let isUnused = isEmpty && lent == nil
        let part = Self.partByteCount
        let end = isUnused ? Self.rounded(tail, to: part) : (lent ?? head) / part * part
        while discarded < end {
            let place = discarded % byteCount
            // Unless younger pieces have come to it again.
            if let base = unsafe base, place > 0, tail <= discarded + byteCount {
                unsafe cwinnow_memory_discard(base + Int(place), part)
            }
            discarded += part
        }
    }

    private mutating func free() {
        giveBack()
        unsafe shown = nil
        unsafe base = nil
        byteCount = 0
    }

    private func giveBack() {
        if let shown = unsafe shown {
            unsafe RecorderRegion.giveBack(shown, byteCount: byteCount)
        } else if let base = unsafe base {
            unsafe cwinnow_memory_free(base, byteCount)
        }
    }

    private func piece(at position: UInt64) -> UnsafeMutableRawPointer? {
        unsafe address(of: position).map { unsafe $0 + Int(Self.wordByteCount) }
    }

    private func address(of position: UInt64) -> UnsafeMutableRawPointer? {
        unsafe base.map { unsafe $0 + Int(position % byteCount) }
    }

    private func word(at position: UInt64) -> UInt64 {
        unsafe address(of: position)?.load(as: UInt64.self) ?? 0
    }

    private func put(_ word: UInt64, at position: UInt64) {
        unsafe address(of: position)?.storeBytes(of: word, as: UInt64.self)
    }

    private static func rounded(_ count: UInt64, to unit: UInt64) -> UInt64 {
        (count + unit - 1) / unit * unit
    }
}
