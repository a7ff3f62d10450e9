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
    /// Which of them are claimed and not begun: the end, and above bit 32 the first, as both change
    /// together.
    private static let span = Atomic<UInt64>(0)

    private let places: UnsafeMutablePointer<RingRecord>

    /// Makes those of the worker.
    init() {
        unsafe places = .allocate(capacity: Self.capacity)
        Self.span.store(0, ordering: .relaxed)
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

    /// Numbers the records in the places, and has the end of the process count them; leaves out those of
    /// levels that no route takes: see `Delivery.accept`.
    ///
    /// - Parameters:
    ///   - range: The places.
    ///   - topology: The configuration that takes the records.
    /// - Returns: The places of the rest.
    func publish(_ range: Range<Int>, by topology: Topology) -> Range<Int> {
        var range = range
        var counts = unsafe RecordNumbers.counts(of: self[range.lowerBound], count: range.count)
        if RecordNumbers.levels(of: counts).rawValue & ~topology.levels.rawValue != 0 {
            range = compact(range, keeping: topology.levels)
            counts = unsafe RecordNumbers.counts(of: self[range.lowerBound], count: range.count)
        }
        guard !range.isEmpty else { return range }
        unsafe RecordNumbers.number(self[range.lowerBound], counts: counts, count: range.count)
        let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(topology).toOpaque())
        Self.topology.store(address, ordering: .relaxed)
        Self.span.store(Self.span(range.lowerBound, range.upperBound), ordering: .releasing)
        return range
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

    @inline(__always)
    private static func span(_ first: Int, _ end: Int) -> UInt64 {
        UInt64(truncatingIfNeeded: first) &<< 32 | UInt64(truncatingIfNeeded: end)
    }

    /// Notes that the worker brings a record to the sinks.
    ///
    /// - Parameters:
    ///   - index: Its place.
    ///   - end: The end of the places that were published with it.
    @inline(__always)
    func begin(_ index: Int, of end: Int) {
        Self.span.store(Self.span(index &+ 1, end), ordering: .releasing)
    }

    /// Calls the body with each record that was claimed and not begun, and the configuration that takes
    /// it: in the place of the worker.
    static func takeAll(_ body: (RecordHeader, Topology) -> Void) {
        let address = address.load(ordering: .acquiring)
        guard let places = unsafe UnsafePointer<RingRecord>(bitPattern: address) else { return }
        let span = span.load(ordering: .acquiring)
        let (first, end) = (Int(span >> 32), Int(span & 0xFFFF_FFFF))
        guard let known = unsafe UnsafeRawPointer(bitPattern: topology.load(ordering: .relaxed))
        else {
            return
        }
        // SAFETY: the address is that of a configuration, of which none is ever freed.
        let topology = unsafe Unmanaged<Topology>.fromOpaque(known).takeUnretainedValue()
        for index in first..<end {
            unsafe body(places[index].header, topology)
        }
        Self.span.store(Self.span(end, end), ordering: .relaxed)
    }

    /// Forgets the parent's: in the child of a fork.
    static func forgetParent() {
        address.store(0, ordering: .relaxed)
    }
}
