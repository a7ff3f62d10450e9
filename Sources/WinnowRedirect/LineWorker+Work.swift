// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import CWinnowRedirect
internal import Synchronization
internal import WinnowCore
internal import WinnowPipeline

/// What the worker does with lines.
extension LineWorker {
    /// How long the thread rests after it has worked, so that it wakes for many lines at once.
    private static let restNanoseconds: UInt64 = 500_000
    /// How long the beginning of a line is waited for.
    private static let partialNanoseconds: UInt64 = 100_000_000
    /// How long a line is waited for at the end of the process, before it counts as stuck.
    private static let stuckNanoseconds: UInt64 = 200_000_000
    /// How often is looked whether somebody reads the streams, at an exit that waits for that.
    private static let lookNanoseconds: UInt64 = 20_000_000
    /// After how long the tables are looked at again, and the longest time until it is done once more.
    private static let (firstRenewal, lastRenewal): (UInt64, UInt64) = (1_000_000, 100_000_000)
    /// How often an object that another thread loads is looked at once more, each tenth of a
    /// second: ten seconds, as a large one may come from a slow disk.
    private static let awaitedLookLimit = 100

    /// Works as long as the process runs.
    func run() {
        round.acquire()
        threadID.store(cwinnow_thread_id(), ordering: .relaxed)
        var judgement = judge()
        var isOwingFlush = false
        var hasWorked = false
        while true {
            // First: what decides how long it waits is seen changed, or ends the wait.
            cwinnow_lines_prepare_take()
            let time = isOwingFlush ? Self.partialNanoseconds : patience(until: judgement.due)
            round.release()
            cwinnow_hooks_raise_broken_pipe()
            if hasWorked { cwinnow_thread_pause(Self.restNanoseconds) }
            let batch = unsafe cwinnow_lines_take(time)
            round.acquire()
            hasWorked = unsafe batch.size > 0
            if judgement.generation != generation.load(ordering: .acquiring) {
                judgement.tellRepeats(all: true)
                judgement = judge()
            }
            let passed = tally.passed.count
            unsafe rest.forEach(batch) { work(off: $0, by: &judgement) }
            // Who printed them may have flushed the stream when they were not there yet.
            if isOwingFlush || tally.passed.count > passed { isOwingFlush = !flushStreams() }
            judgement.tellRepeats(all: isToTell.exchange(false, ordering: .acquiring))
            _ = cwinnow_printed_flush(Self.partialNanoseconds)
            renewTables()
            reportLosses()
        }
    }

    /// Waits until what was printed so far is worked off: at exit(3), which waits as well until somebody
    /// has read what stdio holds.
    ///
    /// The time is what it takes at most besides the waiting for those who read.
    func awaitReaders(within nanoseconds: UInt64) {
        guard !Self.isCurrent else { return }
        let target = cwinnow_lines_put_count()
        var left = nanoseconds
        var taken = tally.taken.count
        while !cwinnow_lines_await(target, Self.lookNanoseconds), left >= Self.lookNanoseconds {
            let stream = printing.load(ordering: .relaxed)
            let isMoving = tally.taken.count != taken
            let isAwaited = stream != 0 && (isMoving || !cwinnow_hooks_can_print(stream))
            if !isAwaited { left -= Self.lookNanoseconds }
            taken = tally.taken.count
        }
    }

    /// Has the thread tell what it has collapsed, and waits for that: where no more is printed.
    func tellRepeats(within nanoseconds: UInt64) {
        guard !Self.isCurrent else { return }
        let deadline = cwinnow_clock_monotonic() + nanoseconds
        while tally.untold.count > 0, cwinnow_clock_monotonic() < deadline {
            isToTell.store(true, ordering: .releasing)
            cwinnow_lines_wake()
            cwinnow_thread_pause(1_000_000)
        }
    }

    /// Prints what is left, at the end of a process whose worker is slow, stuck, or hit by a signal,
    /// up to a time of the monotonic clock: nobody may read the stream.
    func printRest(until deadline: UInt64) {
        // What is passed on stands in the buffers of the streams, in front of it.
        PrintedStream.allCases.forEach { _ = cwinnow_hooks_flush_printed($0.rawValue) }
        guard cwinnow_lines_done_count() < cwinnow_lines_put_count() else { return }
        let batch = unsafe cwinnow_lines_seize()
        func printUntaken(_ line: QueuedLine) {
            if !line.printUntaken(until: deadline) { tally.unprinted.add() }
        }
        rest.forEachLeft(within: Self.stuckNanoseconds, printUntaken)
        unsafe LineRest().forEach(batch, printUntaken)
    }

    /// Has stdio write what passed; false where nobody reads it now: who prints would wait for this
    /// thread.
    private func flushStreams() -> Bool {
        PrintedStream.allCases.reduce(true) { cwinnow_hooks_flush_printed($1.rawValue) && $0 }
    }

    private func judge() -> LineJudgement {
        let generation = generation.load(ordering: .acquiring)
        let (rules, receiver) = present
        return LineJudgement(generation, rules, receiver, tally)
    }

    /// How long lines are waited for at most, 0 for ever, where there is something to tell at a time of
    /// the monotonic clock.
    private func patience(until due: UInt64?) -> UInt64 {
        let renewal = renewal.load(ordering: .relaxed)
        if let next = [due, renewal == 0 ? nil : renewal].compactMap(\.self).min() {
            let now = cwinnow_clock_monotonic()
            let left = next > now ? next - now : 1
            return cwinnow_printed_is_partial() ? min(left, Self.partialNanoseconds / 2) : left
        }
        return cwinnow_printed_is_partial() ? Self.partialNanoseconds / 2 : 0
    }

    /// Looks at the tables again where an object was loaded, and after a start or a dlopen(3) some
    /// times, as the loader may not be done, or resolve a name while a hook is put in its place.
    private func renewTables() {
        let now = cwinnow_clock_monotonic()
        if cwinnow_hooks_take_load() { beginRenewals() }
        let due = renewal.load(ordering: .relaxed)
        let isDue = due != 0 && now >= due
        cwinnow_hooks_renew(isDue)
        if isDue {
            let pause = renewalPause.load(ordering: .relaxed)
            let isLast = pause > Self.lastRenewal && !awaitsObjects()
            renewalPause.store(min(pause, Self.lastRenewal) * 10, ordering: .relaxed)
            renewal.store(isLast ? 0 : now + min(pause, Self.lastRenewal), ordering: .relaxed)
        } else if due == 0, cwinnow_hooks_are_waiting() {
            beginRenewals()
        }
    }

    /// Has the tables be looked at after 1, 11 and 111 ms.
    func beginRenewals() {
        awaitedLooks.store(Self.awaitedLookLimit, ordering: .relaxed)
        renewalPause.store(Self.firstRenewal * 10, ordering: .relaxed)
        renewal.store(cwinnow_clock_monotonic() + Self.firstRenewal, ordering: .relaxed)
    }

    /// Whether the tables are to be looked at on, for an object that the loader is not done with.
    ///
    /// One that looks so for good, as its tables can be written, is given up, and that is told.
    private func awaitsObjects() -> Bool {
        guard cwinnow_hooks_are_waiting() else { return false }
        let left = awaitedLooks.load(ordering: .relaxed)
        awaitedLooks.store(left &- 1, ordering: .relaxed)
        guard left <= 1 else { return true }
        if let name = unsafe cwinnow_hooks_give_up_waiting() {
            unsafe present.receiver?.report(
                "the redirect does not see what \(String(cString: name)) prints, as its tables can be "
                    + "written like those of an object that is being loaded; capture the descriptors "
                    + "to see it",
                fields: []
            )
        }
        return false
    }

    private func work(off line: QueuedLine, by judgement: inout LineJudgement) {
        tally.taken.add()
        let origin = judgement.origin(line.header.origin)
        let decision = judgement.decide(line, of: origin)
        // Whatever the rules say, why the process ended stands where it is looked for.
        let isToPrint = decision == .pass || line.isLastReport
        let isPrinted = isToPrint && pass(line)
        switch decision {
        case .log(let level, let category, let interval, let range):
            let text = unsafe UnsafeRawBufferPointer(rebasing: line.text[range])
            let form = LineForm(level: level, category: category ?? origin.name)
            let facts = LineFacts(line, of: origin)
            if interval > 0,
                unsafe judgement.absorbs(text, form, facts, within: interval)
            {
                tally.collapsed.add()
                tally.untold.add()
            } else {
                unsafe judgement.receiver?.log(text, as: form, line: facts)
                tally.logged.add()
            }
        case _ where isToPrint:
            isPrinted ? tally.passed.add() : tally.unprinted.add()
        case .blank:
            tally.blank.add()
        default:
            tally.dropped.add()
        }
    }

    private func pass(_ line: QueuedLine) -> Bool {
        printing.store(line.stream.rawValue, ordering: .relaxed)
        defer { printing.store(0, ordering: .relaxed) }
        return line.printUntaken()
    }
}

extension LineFacts {
    fileprivate init(_ line: QueuedLine, of origin: LineOrigin) {
        self.init(
            origin: origin,
            stream: line.stream,
            ending: line.ending,
            time: line.header.time,
            threadID: line.header.thread
        )
    }
}

extension QueuedLine {
    /// Whether it is of the report with which Swift ends a process.
    fileprivate var isLastReport: Bool {
        guard stream == .stderr, header.way == UInt8(CWINNOW_LINE_WAY_DESCRIPTOR.rawValue) else {
            return false
        }
        let line = unsafe String(decoding: text, as: UTF8.self)
        return line.contains("Fatal error: ") || line.hasPrefix("Current stack trace:")
            || Self.isFrame(line)
    }

    /// Whether it is a frame of the stack that follows the reason: number, image, address.
    private static func isFrame(_ line: String) -> Bool {
        guard let first = line.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        else { return false }
        let words = line.split(separator: " ", maxSplits: 3)
        return words.count == 4 && Int(digits: words[0]) != nil
            && words[2].hasPrefix("0x") && words[2].utf8.count == 18
    }
}
