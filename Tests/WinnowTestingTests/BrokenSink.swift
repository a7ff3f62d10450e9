// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import WinnowCore
import WinnowFormatters
import WinnowTesting

/// A destination of lines in memory, which can be away, stalled, or moved.
final class LineStore: Sendable {
    private struct State {
        var places: [[[UInt8]]] = [[]]
        var isAway = false
        var isStalled = false
        var isFreed = false
    }

    private let state = Mutex(State())

    /// The lines of the present place.
    var lines: [[UInt8]] { state.withLock { $0.places.last ?? [] } }

    /// The number of the present place.
    var place: Int { state.withLock { $0.places.count - 1 } }

    var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }

    var isStalled: Bool {
        get { state.withLock { $0.isStalled && !$0.isFreed } }
        set { state.withLock { $0.isStalled = newValue } }
    }

    func add(_ bytes: [UInt8], at place: Int) {
        let lines = FormatterConformance.lines(bytes)
        state.withLock { $0.places[place] += lines }
    }

    /// Ends the stall, and each that a thread which was left behind may still begin.
    func free() {
        state.withLock { $0.isFreed = true }
    }

    func move() {
        state.withLock { $0.places.append([]) }
    }
}

/// A sink that keeps all laws but one, or all of them.
final class BrokenSink: Sink {
    /// What the sink does wrong.
    enum Fault: CaseIterable {
        case losesEveryTenth, deliversTwice, reorders, flushesNothing
        case swallowsFailure, deliversAndThrows, throwsAnotherCode, staysAway
        case waitsForEver, waitsLong, queuesWithoutBound, losesWhileStalled, callsAStallFailed
        case writesRawMessages, leavesEscapes, leavesBytes, dropsEmptyMessages
        case writesRawFields, writesRawCategories, writesRawPlaces, losesRecordsWithManyFields
        case losesRecordsWithNumbers
        case cutsLongMessages, partsLongMessages
        case knowsOneThread
        case readsLater
        case flushRepeats, flushFails
        case forgetsAtReopening, reopensToNothing
        case staysAtTheOldPlace
        case raisesSIGPIPE
        case leaksDescriptors
    }

    private struct State {
        var held: [[UInt8]] = []
        var last: [UInt8] = []
        var count = 0
        var thread: pthread_t?
        var place = 0
        var isBroken = false
        var later: [@Sendable () -> [UInt8]] = []
        var descriptors: [Int32] = []
    }

    private let fault: Fault?
    private let store: LineStore
    private let state = Mutex(State())

    init(_ fault: Fault?, store: LineStore) {
        self.fault = fault
        self.store = store
    }

    deinit {
        for descriptor in state.withLock({ $0.descriptors }) { close(descriptor) }
    }

    func write(_ record: borrowing Record) throws(SinkError) {
        if fault == .readsLater {
            let later = messageLater(record)
            return state.withLock { $0.later.append(later) }
        }
        let isEmpty = record.message.isEmpty
        let hasManyFields = record.fields.count > 1_000
        let bytes = format(record)
        try checkDestination(bytes)
        let stored = state.withLock { state in
            state.count += 1
            return pieces(of: bytes, isEmpty: isEmpty, hasManyFields: hasManyFields, in: &state)
        }
        let place = state.withLock { $0.place }
        for piece in stored { store.add(piece, at: place) }
    }

    func flush() throws(SinkError) {
        let (held, last, place) = state.withLock { state in
            let held = fault == .flushesNothing ? [] : state.held + state.later.map { $0() }
            state.held = []
            state.later = []
            return (held, state.last, state.place)
        }
        for line in held { store.add(line, at: place) }
        if fault == .flushRepeats { store.add(last, at: place) }
        if fault == .flushFails { throw SinkError(.failed, systemError: EIO) }
    }

    func reopen() throws(SinkError) {
        state.withLock { state in
            if fault == .forgetsAtReopening { state.held = [] }
            if fault == .reopensToNothing { state.isBroken = true }
            if fault != .staysAtTheOldPlace { state.place = store.place }
        }
    }
}

extension BrokenSink {
    private func format(_ record: borrowing Record) -> [UInt8] {
        var buffer = ByteBuffer()
        switch fault {
        case .writesRawMessages:
            record.appendMessage(to: &buffer)
            buffer.append("\n")
        case .leavesEscapes, .leavesBytes:
            record.appendMessage(to: &buffer)
            buffer.append("\n")
            let bytes = contents(of: buffer).dropLast().filter { byte in
                0x20..<0x7F ~= byte || (fault == .leavesEscapes ? byte == 0x1B : byte > 0xC2)
            }
            return bytes + [0x0A]
        case .writesRawFields:
            TextFormatter().format(record, into: &buffer)
            for field in record.fields { return contents(of: buffer) + "\(field.value)\n".utf8 }
        case .writesRawCategories:
            return Array("\(record.category) ".utf8) + formatted(record)
        case .writesRawPlaces:
            return Array("\(record.location.fileID) ".utf8) + formatted(record)
        case .losesRecordsWithNumbers:
            if record.fields.contains(where: { $0.value == .double(.infinity) }) { return [] }
            return formatted(record)
        default: return formatted(record)
        }
        return contents(of: buffer)
    }

    private func formatted(_ record: borrowing Record) -> [UInt8] {
        var buffer = ByteBuffer()
        TextFormatter().format(record, into: &buffer)
        return contents(of: buffer)
    }

    private func contents(of buffer: borrowing ByteBuffer) -> [UInt8] {
        buffer.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    /// Keeps the address of the message, and reads it when it is no longer the sink's.
    private func messageLater(_ record: borrowing Record) -> @Sendable () -> [UInt8] {
        unsafe record.withMessage { message in
            let address = UInt(bitPattern: message.baseAddress)
            let count = message.count
            return {
                guard let start = unsafe UnsafeRawPointer(bitPattern: address) else { return [] }
                return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count)) + [0x0A]
            }
        }
    }

    private func checkDestination(_ bytes: [UInt8]) throws(SinkError) {
        if state.withLock({ $0.isBroken }) { throw SinkError(.failed) }
        if store.isStalled { try meetStall() }
        guard store.isAway else { return }
        switch fault {
        case .deliversAndThrows: store.add(bytes, at: store.place)
        case .throwsAnotherCode: throw SinkError(.rejected)
        case .staysAway: state.withLock { $0.isBroken = true }
        case .raisesSIGPIPE: pthread_kill(pthread_self(), SIGPIPE)
        case .leaksDescriptors:
            let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
            state.withLock { $0.descriptors.append(descriptor) }
        case .swallowsFailure: return
        default: break
        }
        throw SinkError(.unavailable, systemError: ECONNREFUSED)
    }

    private func meetStall() throws(SinkError) {
        switch fault {
        case .waitsForEver: while store.isStalled { usleep(1_000) }
        case .waitsLong:
            usleep(1_100_000)
            throw SinkError(.busy, systemError: EAGAIN)
        case .losesWhileStalled, .queuesWithoutBound: return
        case .callsAStallFailed: throw SinkError(.failed)
        default: throw SinkError(.busy, systemError: EAGAIN)
        }
    }

    /// The bytes to store now: one piece where nothing is wrong.
    private func pieces(
        of bytes: [UInt8],
        isEmpty: Bool,
        hasManyFields: Bool,
        in state: inout State
    ) -> [[UInt8]] {
        defer { state.last = bytes }
        switch fault {
        case .losesEveryTenth where state.count % 10 == 0: return []
        case .deliversTwice where state.count % 10 == 0: return [bytes, bytes]
        case .reorders where state.count % 10 == 0:
            state.held.append(bytes)
            return []
        case .flushesNothing, .forgetsAtReopening:
            state.held.append(bytes)
            return []
        case .swallowsFailure where store.isAway: return []
        case .losesWhileStalled where store.isStalled: return []
        case .queuesWithoutBound where store.isStalled:
            state.held.append(bytes)
            return []
        case .dropsEmptyMessages where isEmpty: return []
        case .losesRecordsWithManyFields where hasManyFields: return []
        case .cutsLongMessages: return [Array(bytes.prefix(8_192))]
        case .partsLongMessages where bytes.count > 8_192:
            return [Array(bytes.prefix(8_192)), Array(bytes.dropFirst(8_192))]
        case .knowsOneThread:
            if state.thread == nil { state.thread = pthread_self() }
            return state.thread == pthread_self() ? [bytes] : []
        default: return [bytes]
        }
    }
}
