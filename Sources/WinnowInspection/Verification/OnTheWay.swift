// SPDX-License-Identifier: Apache-2.0

/// What is held of records on their way: those that have their numbers and are not written yet.
///
/// A thread takes the numbers of a record and then writes it, and the kernel may suspend it between
/// the two, so that others overtake it. Where a log begins or ends at such a moment, because a file
/// was rotated or copied, or the program killed, a number is missing in it and yet nothing was lost.
/// Each thread has one record on its way at most; a worker writes in the order of the numbers.
enum OnTheWay {
    /// The most threads that have one at the same moment.
    static let threads = 64

    /// By how many numbers of the run, at most, others overtake one.
    ///
    /// No law of the kernel's: a thread may be suspended for long. Where two threads did nothing but
    /// log, on two processors that others used as well, one in five moments found a record overtaken
    /// by more than 64 others, and none by more than 2 047; this is eight times as much.
    static let distance: UInt64 = 16_384

    /// For how many records of the log a thread that has one on its way was silent before it,
    /// however long that took.
    ///
    /// Four times as many as there are threads: one that logs no less than the others is silent for
    /// longer before one record in fifty.
    static let silence = 4 * threads

    /// For how long a thread that has one on its way was silent before it, in microseconds, however
    /// much the others logged: the kernel may suspend it between two records as well.
    ///
    /// Where two processors had three to twenty-four threads that did nothing but log, and a signal
    /// ended them, none was silent for more than 50 ms, in which the others logged up to 8 000
    /// records; this is four times as long.
    static let suspension: UInt64 = 200_000
}

/// Missing numbers of a level that need not be lost.
struct Excuse: Sendable, Hashable {
    /// How many of the numbers in the ranges, as reports or other levels may account for the rest.
    var count: UInt64 = 0
    var ranges: [ClosedRange<UInt64>] = []

    /// Whether it is all of them.
    var isWhole: Bool { ranges.size == count }
}
