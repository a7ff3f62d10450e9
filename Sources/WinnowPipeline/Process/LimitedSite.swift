// SPDX-License-Identifier: Apache-2.0

package import CWinnow
package import Synchronization
package import WinnowCore

/// A statement with a rate limit: its budget, for all threads.
///
/// A place in the source is not enough to know one by: a macro puts several statements at one place, and
/// so does a function that hands on the place of its caller. What tells them apart is the message, and that
/// is not made where the limit holds the call back. So there are two kinds of site. A *code* is for
/// one address from which a place is logged. Its first call is let through, and its message tells which
/// *statement* it is of: the one with these literals. Where the compiler has made copies of a statement, as of a
/// loop that it unrolls, the codes of the copies thus lead to one statement.
///
/// A limit is encoded in one number: n > 0 lets the first of every n calls through, n < 0 the first call
/// in every -n nanoseconds, and 0 means no limit; `once` is the first of `Int64.max`. Sites are never
/// freed, because there are no more of them than statements in the program, with copies. Finding one costs a hash and
/// a walk along a short chain, without a lock.
package final class LimitedSite: Sendable {
    /// The file of the place.
    package let file: EncodedLiteral
    private let line: UInt32
    private let column: UInt32
    /// Which of the sites of the place it is: an address, a hash of literals with ``statementBit``, or the
    /// level of an interval.
    private let key: UInt64
    private let following: LimitedSite?
    /// Of a code, the address of its statement's site, once that is known.
    private let statementAddress = Atomic<UInt>(0)
    /// Of a code, the limit of a call whose message is still to tell the statement.
    package let limit = Atomic<Int64>(0)
    private let calls = Atomic<UInt64>(0)
    /// When the next call is let through, on the monotonic clock.
    private let due = Atomic<UInt64>(0)
    private let suppressed = Atomic<UInt64>(0)
    /// What was suppressed last: the address of its category, and its level.
    private let lastCategory = Atomic<UInt>(0)
    private let lastLevel = Atomic<UInt8>(0)

    private init(
        _ file: EncodedLiteral,
        _ place: StatementPlace,
        _ key: UInt64,
        before: LimitedSite?
    ) {
        self.file = file
        line = place.line
        column = place.column
        self.key = key
        following = before
    }

    /// Whether one more call is let through; counts it where it is not.
    ///
    /// MT-Safe.
    package func admits(
        limit: Int64,
        category: UnsafeMutablePointer<cwinnow_cell>,
        level: UInt8
    ) -> Bool {
        if limit > 0 ? takesTurn(of: UInt64(limit)) : takesTime(limit.magnitude) { return true }
        // The number waits for the next record that is let through, or for the end of the process.
        if suppress(1) { Ending.prepare() }
        lastCategory.store(UInt(bitPattern: category), ordering: .relaxed)
        lastLevel.store(level, ordering: .relaxed)
        return false
    }

    /// Returns how many calls were held back since the last one that was told, and begins anew.
    ///
    /// MT-Safe.
    private func takeSuppressed() -> UInt64 {
        let count = suppressed.exchange(0, ordering: .relaxed)
        if count > 0 { cwinnow_ending_note_pending(false) }
        return count
    }

    /// Counts calls as held back; returns whether there were none.
    private func suppress(_ count: UInt64) -> Bool {
        let isFirst = suppressed.add(count, ordering: .relaxed).oldValue == 0
        if isFirst { cwinnow_ending_note_pending(true) }
        return isFirst
    }

    /// Takes the number of calls held back since it was last reported, for a record that reports it; puts
    /// the number back if that record is lost, because nothing else would report it.
    ///
    /// MT-Safe.
    ///
    /// - Parameters:
    ///   - level: The level of the record.
    ///   - log: Logs the record, with the number.
    package func tellSuppressed(at level: UInt8, _ log: (UInt64) -> Void) {
        let count = takeSuppressed()
        guard count > 0 else { return log(0) }
        let before = ThreadRole.lostCopies
        log(count)
        let lost = ThreadRole.lostCopies - before
        let routes = RoutingPlan.current?.routes ?? []
        let wanted = LevelSet(rawValue: 1 &<< level)
        guard lost >= routes.count(where: { $0.levels.isSuperset(of: wanted) }) else { return }
        _ = suppress(count)
    }

    private func takesTurn(of period: UInt64) -> Bool {
        calls.add(1, ordering: .relaxed).oldValue % period == 0
    }

    private func takesTime(_ interval: UInt64) -> Bool {
        let now = cwinnow_clock_monotonic()
        let due = due.load(ordering: .relaxed)
        guard now >= due else { return false }
        // The thread that moves the time on is the one that is let through.
        return self.due.compareExchange(
            expected: due,
            desired: now &+ interval,
            ordering: .relaxed
        ).exchanged
    }

    private func isAt(_ file: EncodedLiteral, _ place: StatementPlace, _ key: UInt64) -> Bool {
        guard self.key == key, line == place.line, column == place.column else { return false }
        // Each module has literals of its own for what it inlines.
        return unsafe self.file == file || self.file.bytes.elementsEqual(file.bytes)
    }
}

/// Which statement a call is of.
extension LimitedSite {
    /// What the key of a statement's site has, and no address.
    private static let statementBit: UInt64 = 1 &<< 63

    /// Returns the site of the code at an address that logs a place.
    ///
    /// MT-Safe, AS-Unsafe heap.
    package static func ofCode(
        _ address: UInt,
        _ file: EncodedLiteral,
        _ place: StatementPlace
    ) -> LimitedSite {
        at(file, place, UInt64(address) & ~statementBit)
    }

    /// Returns the site of the intervals of one level at a place, whose names are made behind the limit.
    ///
    /// MT-Safe, AS-Unsafe heap.
    package static func ofInterval(_ file: EncodedLiteral, _ place: StatementPlace) -> LimitedSite {
        at(file, place, UInt64(place.level))
    }

    /// Whether the site is a statement, and not a code or an interval.
    package var isStatement: Bool { key & Self.statementBit != 0 }

    /// The site in the form of a literal, which has no text.
    package var literal: EncodedLiteral {
        let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
        return EncodedLiteral(word: UInt64(address))
    }

    /// Returns the site that has the form of a literal.
    package static func at(literal: EncodedLiteral) -> LimitedSite? {
        site(at: UInt(truncatingIfNeeded: literal.word))
    }

    /// The statement of a code; nil until its first message has told it.
    ///
    /// MT-Safe.
    package var statement: LimitedSite? {
        Self.site(at: statementAddress.load(ordering: .acquiring))
    }

    /// Returns the statement of a code, whose message has literals with the hash.
    ///
    /// MT-Safe, AS-Unsafe heap.
    package func statement(ofLiterals hash: UInt64, at place: StatementPlace) -> LimitedSite {
        let site = Self.at(file, place, hash | Self.statementBit)
        let address = unsafe UInt(bitPattern: Unmanaged.passUnretained(site).toOpaque())
        statementAddress.store(address, ordering: .releasing)
        return site
    }
}

/// All statements with a rate limit.
extension LimitedSite {
    private static let chainCount = 256

    /// The heads of the chains: addresses of sites that are never released.
    // SAFETY: never freed, and only used by atomic operations.
    private nonisolated(unsafe) static let chains = {
        let chains = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: chainCount)
        for index in 0..<chainCount { unsafe (chains + index).initialize(to: Atomic(0)) }
        return unsafe chains
    }()

    /// Returns a site of a place, made at the first call with its key.
    private static func at(
        _ file: EncodedLiteral,
        _ place: StatementPlace,
        _ key: UInt64
    ) -> LimitedSite {
        let index = (place.line &* 31 &+ place.column) % UInt32(chainCount)
        let chain = unsafe chains + Int(index)
        while true {
            let head = unsafe chain.pointee.load(ordering: .acquiring)
            let first = site(at: head)
            if let known = first?.find(file, place, key) { return known }
            let new = unsafe Unmanaged.passRetained(LimitedSite(file, place, key, before: first))
            let address = unsafe UInt(bitPattern: new.toOpaque())
            let outcome = unsafe chain.pointee.compareExchange(
                expected: head,
                desired: address,
                ordering: .acquiringAndReleasing
            )
            if outcome.exchanged { return unsafe new.takeUnretainedValue() }
            // Another thread was first: perhaps with this very place.
            unsafe new.release()
        }
    }

    /// Says of each statement how many records it has held back since the last one that it let through,
    /// to the sinks that take records of the level.
    static func reportSuppressed() {
        for index in 0..<chainCount {
            var next = unsafe site(at: (chains + index).pointee.load(ordering: .acquiring))
            while let site = next {
                site.report()
                next = site.following
            }
        }
    }

    /// Makes the heads of the chains, before there is a child of a fork.
    static func prepareForFork() {
        _ = unsafe chains.pointee.add(0, ordering: .relaxed)
    }

    /// Forgets what was held back, which the parent reports: in the child of a fork.
    static func forgetParent() {
        for index in 0..<chainCount {
            var next = unsafe site(at: (chains + index).pointee.load(ordering: .acquiring))
            while let site = next {
                _ = site.takeSuppressed()
                next = site.following
            }
        }
    }

    private static func site(at address: UInt) -> LimitedSite? {
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return nil }
        // SAFETY: a site is at the address, which was retained for good.
        return unsafe Unmanaged<LimitedSite>.fromOpaque(pointer).takeUnretainedValue()
    }

    private func find(
        _ file: EncodedLiteral,
        _ place: StatementPlace,
        _ key: UInt64
    ) -> LimitedSite? {
        var next: LimitedSite? = self
        while let site = next {
            if site.isAt(file, place, key) { return site }
            next = site.following
        }
        return nil
    }

    private func report() {
        let count = takeSuppressed()
        guard count > 0, let level = Level(rawValue: lastLevel.load(ordering: .relaxed)),
            let cell = unsafe UnsafeMutablePointer<cwinnow_cell>(
                bitPattern: lastCategory.load(ordering: .relaxed)
            )
        else { return }
        let category = unsafe String(decoding: cell.name, as: UTF8.self)
        let place = unsafe "\(String(decoding: file.bytes, as: UTF8.self)):\(line)"
        let records = count == 1 ? "1 record was" : "\(count) records were"
        let origin = category.isEmpty ? place : "\(category), \(place)"
        News.announce(
            "\(records) suppressed by the rate limit at \(origin)",
            level: level,
            fields: [
                Field("suppressed", .unsigned(count)), Field("suppressed_category", category),
                Field("suppressed_at", place),
            ],
            onlyWhereTaken: true
        )
    }
}
