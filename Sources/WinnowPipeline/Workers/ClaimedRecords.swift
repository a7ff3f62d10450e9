// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The records that the worker delivers next: taken out of the rings, in their order, and numbered.
///
/// Several are claimed at a time: numbering each record by itself would cost it two instructions that wait
/// for all earlier stores. Records that the worker has not brought to their sinks when the process ends are counted
/// by their numbers, as all records are: see ``RouteAccount/writeOff(_:)``.
@safe
struct ClaimedRecords: ~Copyable {
    // SAFETY: the worker alone reads and writes them.

    /// How many records are kept, as many as a batch has, and how many are claimed at a time.
    static let capacity = HeldRecords.capacity
    static let countAtATime = 32

    private var places: UnsafeMutablePointer<RingRecord>
    /// What shows them where the process records; nil where it does not.
    private var shown: UnsafeMutablePointer<cwinnow_recorder_claimed>?
    /// The number of the recorder's file that they lie in; 0 for none.
    private var recorder: UInt32 = 0

    init() {
        unsafe shown = nil
        unsafe places = .allocate(capacity: Self.capacity)
        prepare()
    }

    /// Has them lie in the file of the recorder, if there is one now: while no place holds a record.
    ///
    /// What they had before stays; a worker ends with the process.
    @inline(__always)
    mutating func prepare() {
        if cwinnow_recorder_number() != recorder { move() }
    }

    @inline(never)
    private mutating func move() {
        guard let shown = unsafe Recorder.claimed else { return }
        recorder = cwinnow_recorder_number()
        let memory = unsafe UnsafeMutableRawPointer(shown) + Int(cwinnow_recorder_unit)
        unsafe places = memory.bindMemory(to: RingRecord.self, capacity: Self.capacity)
        unsafe shown.pointee.stride = UInt64(unsafe MemoryLayout<RingRecord>.stride)
        unsafe self.shown = unsafe shown
    }

    /// Notes that all of them are in the hands of their sinks, and that their arguments may be written over.
    func release() {
        if let shown = unsafe shown { unsafe cwinnow_recorder_show_claimed(shown, 0, 0) }
    }

    /// The place of a record.
    subscript(index: Int) -> UnsafeMutablePointer<RingRecord> {
        @inline(__always) get { unsafe places + index }
    }

    /// Numbers the records in the places, but for records of levels that no route takes: see
    /// `Distribution.accept`.
    ///
    /// - Parameters:
    ///   - range: The places.
    ///   - plan: The configuration that was found in use.
    /// - Returns: The places of the numbered records.
    func number(_ range: Range<Int>, knowing plan: RoutingPlan) -> Range<Int> {
        var range = range
        var counts = unsafe RecordNumbers.counts(of: self[range.lowerBound], count: range.count)
        if RecordNumbers.levels(of: counts).rawValue & ~plan.levels.rawValue != 0 {
            range = compact(range, keeping: plan.levels)
            counts = unsafe RecordNumbers.counts(of: self[range.lowerBound], count: range.count)
        }
        guard !range.isEmpty else { return range }
        let end = UInt64(range.upperBound)
        if let shown = unsafe shown { unsafe cwinnow_recorder_announce_claimed(shown, end) }
        let first = unsafe self[range.lowerBound]
        unsafe RecordNumbers.number(first, counts: counts, count: range.count, shown: shown)
        if let shown = unsafe shown { unsafe cwinnow_recorder_show_claimed(shown, end, end) }
        return range
    }

    /// Finds the configuration that takes the next records, which have their numbers, and how far it takes them.
    ///
    /// - Parameters:
    ///   - range: The places of the records that are left.
    ///   - known: The configuration that was in use before they got their numbers.
    /// - Returns: Both.
    func run(
        of range: Range<Int>,
        knowing known: Unmanaged<RoutingPlan>
    ) -> (end: Int, plan: Unmanaged<RoutingPlan>) {
        let plan = unsafe owner(of: range.lowerBound, knowing: known)
        var end = range.upperBound
        // Once in the life of a configuration at most. The numbers of each level are given at another moment.
        if unsafe !known._withUnsafeGuaranteedRef({ $0.isLatest }) {
            end =
                range.first { place in
                    unsafe owner(of: place, knowing: known).toOpaque() != plan.toOpaque()
                } ?? end
        }
        return unsafe (end, plan)
    }

    @inline(__always)
    private func owner(
        of place: Int,
        knowing known: Unmanaged<RoutingPlan>
    ) -> Unmanaged<RoutingPlan> {
        let header = unsafe self[place].pointee.header
        return unsafe RoutingPlan.owner(of: header.level, header.levelSequence, knowing: known)
    }

    @inline(never)
    private func compact(_ range: Range<Int>, keeping levels: LevelSet) -> Range<Int> {
        var end = range.lowerBound
        for index in range {
            let record = unsafe self[index].pointee
            if unsafe levels.contains(record.header.level) {
                unsafe self[end].pointee = unsafe record
                end += 1
            } else {
                unsafe record.end()
            }
        }
        return range.lowerBound..<end
    }
}
