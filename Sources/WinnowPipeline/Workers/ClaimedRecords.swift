// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import WinnowCore

/// The records that the worker delivers next: taken out of the rings, in their order, and numbered.
///
/// Several are claimed at a time: numbering each record by itself would cost it two instructions that wait
/// for all earlier stores. Those that the end of the process finds here, in place of the worker, have
/// their numbers and are counted as lost under them.
@safe
struct ClaimedRecords: ~Copyable {
    // SAFETY: the worker writes a record before it publishes it, and the end of the process reads those
    // that are published, which stay as they are while the worker is inside a sink, or has ended.

    /// The records that are kept: those of a batch, and so many are claimed at a time.
    static let capacity = HeldRecords.capacity
    static let countAtATime = 32

    /// Where the worker's lie, and the configuration that takes them.
    private static let address = Atomic<UInt>(0)
    private static let topology = Atomic<UInt>(0)
    /// Which of them are claimed and not begun, and how far the one before them has come: see ``Span``.
    private static let span = Atomic<UInt64>(Span().word)

    /// What changes together: a word of the span.
    private struct Span {
        /// How many stops the record before the first has reached; this many if there is none.
        static let reachedAll = 255

        /// The first that is not begun.
        var first = 0
        /// The end of those that are claimed.
        var end = 0
        var reached = reachedAll

        @inline(__always)
        var word: UInt64 {
            UInt64(truncatingIfNeeded: reached &<< 48 | first &<< 24 | end)
        }

        @inline(__always)
        init(first: Int = 0, end: Int = 0, reached: Int = reachedAll) {
            self.first = first
            self.end = end
            self.reached = reached
        }

        @inline(__always)
        init(_ word: UInt64) {
            let word = Int(truncatingIfNeeded: word)
            self.init(first: word >> 24 & 0xFF_FFFF, end: word & 0xFF_FFFF, reached: word >> 48)
        }
    }

    private let places: UnsafeMutablePointer<RingRecord>

    /// Makes those of the worker.
    init() {
        unsafe places = .allocate(capacity: Self.capacity)
        Self.span.store(Span().word, ordering: .relaxed)
        unsafe Self.address.store(UInt(bitPattern: places), ordering: .releasing)
    }

    deinit {
        Self.address.store(0, ordering: .releasing)
        unsafe places.deallocate()
    }

    /// The place of a record.
    subscript(index: Int) -> UnsafeMutablePointer<RingRecord> {
        @inline(__always) get { unsafe places + index }
    }

    /// Numbers the records in the places; leaves out those of levels that no route takes: see
    /// `Delivery.accept`.
    ///
    /// - Parameters:
    ///   - range: The places.
    ///   - topology: The configuration that was found in use.
    /// - Returns: The places of the rest.
    func number(_ range: Range<Int>, knowing topology: Topology) -> Range<Int> {
        var range = range
        var counts = unsafe RecordNumbers.counts(of: self[range.lowerBound], count: range.count)
        if RecordNumbers.levels(of: counts).rawValue & ~topology.levels.rawValue != 0 {
            range = compact(range, keeping: topology.levels)
            counts = unsafe RecordNumbers.counts(of: self[range.lowerBound], count: range.count)
        }
        guard !range.isEmpty else { return range }
        unsafe RecordNumbers.number(self[range.lowerBound], counts: counts, count: range.count)
        return range
    }

    /// Has the end of the process count the next records, which have their numbers, up to the first one of
    /// another configuration.
    ///
    /// - Parameters:
    ///   - range: The places of those that are left.
    ///   - known: The configuration that was in use before they got their numbers.
    /// - Returns: The end of the places, and the configuration that takes the records.
    func publish(
        _ range: Range<Int>,
        knowing known: Unmanaged<Topology>
    ) -> (end: Int, topology: Unmanaged<Topology>) {
        let topology = unsafe owner(of: range.lowerBound, knowing: known)
        var end = range.upperBound
        // Once in the life of a configuration at most. The numbers of each level are given at another moment.
        if unsafe !known._withUnsafeGuaranteedRef({ $0.isLatest }) {
            end =
                range.first { place in
                    unsafe owner(of: place, knowing: known).toOpaque() != topology.toOpaque()
                } ?? end
        }
        Self.topology.store(unsafe UInt(bitPattern: topology.toOpaque()), ordering: .relaxed)
        Self.span.store(Span(first: range.lowerBound, end: end).word, ordering: .releasing)
        return unsafe (end, topology)
    }

    @inline(__always)
    private func owner(
        of place: Int,
        knowing known: Unmanaged<Topology>
    ) -> Unmanaged<Topology> {
        let header = unsafe self[place].pointee.header
        return unsafe Topology.owner(of: header.level, header.levelSequence, knowing: known)
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

    /// Notes that the worker brings a record to the sinks, and to the first of them now.
    ///
    /// - Parameters:
    ///   - index: Its place.
    ///   - end: The end of the places that were published with it.
    @inline(__always)
    func begin(_ index: Int, of end: Int) {
        Self.span.store(Span(first: index &+ 1, end: end, reached: 1).word, ordering: .releasing)
    }

    /// Notes that the worker brings the record that it has begun to a further sink; it leaves that to the
    /// end of the process where that has asked for it.
    @inline(never)
    static func reach(_ index: Int) {
        RingReader.endWhereAbandoned()
        var span = Span(span.load(ordering: .relaxed))
        span.reached = index + 1
        Self.span.store(span.word, ordering: .releasing)
    }

    /// Calls the body with each record that was claimed, and the stops that the worker has not brought it to:
    /// in its place.
    static func takeAll(_ body: (RecordHeader, RouteStops.Stop) -> Void) {
        let address = address.load(ordering: .acquiring)
        guard let places = unsafe UnsafePointer<RingRecord>(bitPattern: address) else { return }
        let span = Span(Self.span.load(ordering: .acquiring))
        guard let known = unsafe UnsafeRawPointer(bitPattern: topology.load(ordering: .relaxed))
        else {
            return
        }
        // SAFETY: the address is that of a configuration, of which none is ever freed.
        let topology = unsafe Unmanaged<Topology>.fromOpaque(known).takeUnretainedValue()
        let stops = unsafe topology.stops.all
        var (index, stop) = (span.first - 1, span.reached)
        if index < 0 { (index, stop) = (0, 0) }
        while index < span.end {
            unsafe stops.dropFirst(stop).forEach { unsafe body(places[index].header, $0) }
            (index, stop) = (index + 1, 0)
        }
        Self.span.store(Span(first: span.end, end: span.end).word, ordering: .relaxed)
    }

    /// Forgets the parent's: in the child of a fork.
    static func forgetParent() {
        address.store(0, ordering: .relaxed)
    }
}
