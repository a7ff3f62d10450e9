// SPDX-License-Identifier: Apache-2.0

/// How long Winnow waits, for what, and why so long: all times of the delivery, in nanoseconds.
///
/// A change here changes what the docs promise; what they name is said.
enum Bounds {
    // Computed: a debug build makes a stored one at its first use, and locks that out for others meanwhile,
    // also in the child of a fork.
    fileprivate static var microsecond: UInt64 { 1_000 }
    fileprivate static var millisecond: UInt64 { 1_000_000 }
    fileprivate static var second: UInt64 { 1_000_000_000 }

    /// How long anybody waits for another who is inside a sink of Winnow's.
    ///
    /// Sinks that keep their law return within some tens of milliseconds: see `Sink`.
    static var sink: UInt64 { 200 * millisecond }

    /// How long somebody who has something better to do waits for a lock that is held for moments.
    static var politeness: UInt64 { 20 * millisecond }

    /// How long a flush may take that others have asked for.
    static var orderedFlush: UInt64 { 10 * second }

    /// How long it is not tried again to start a thread that the system had no room for.
    ///
    /// An attempt in vain costs some 20 µs, which no log call is to pay again and again.
    static var threadStart: UInt64 { 100 * millisecond }
}

/// The end of the process, or of a configuration.
extension Bounds {
    enum End {
        /// How long the sinks have to take what waits for them: "two seconds" in README, Delivery.md
        /// and Faults.md.
        ///
        /// A service that is stopped has 90 s by systemd and 10 s by Docker; a tool is waited for by somebody.
        static var sinks: UInt64 { 2 * second }

        /// How much of that is kept to report, to a sink that takes records too slowly, what it has not taken.
        static var report: UInt64 { 500 * millisecond }

        /// How long they have in addition for records that were on their way by then.
        static var lateRecords: UInt64 { 100 * millisecond }

        /// How long the calls that have not returned are waited for, and how long of the time of the sinks: a
        /// thread may get no processor for so long where ten others want it.
        static var calls: UInt64 { 100 * millisecond }
        static var callsOfBusyMachine: UInt64 { second }
        static var callPause: UInt64 { 200 * microsecond }

        /// How long the threads that log are held back, so that records which have a number arrive; and how often
        /// one looks whether it may go on.
        static var gate: UInt64 { 200 * millisecond }
        static var gatePause: UInt64 { 10 * millisecond }

        /// How long the worker of the rings is waited for to come out of a sink, and how often that is looked
        /// at.
        static var worker: UInt64 { 200 * millisecond }
        static var workerPause: UInt64 { millisecond }

        /// How long the worker of the rings waits for room at a sink: the others have to get what lies in the
        /// rings before the process is gone.
        static var room: UInt64 { 25 * millisecond }

        /// How long the end of a child that nobody told of its fork may take: time for a busy machine, as only
        /// a lock that is never given back takes all of it.
        static var untoldChild: UInt64 { second }
        /// How much of that the sinks have to take the report, behind the waits for the worker.
        static var reportOfUntoldChild: UInt64 { 250 * millisecond }

        /// How long faults do not wait for the sinks after one that did in vain: some programs mend many
        /// faults.
        static var faultPause: UInt64 { 60 * second }

        /// How long the thread sleeps at a time that has left its work to the end of the process, for good.
        static var abandonedPause: UInt64 { second }
    }
}

/// A log call.
extension Bounds {
    enum Caller {
        /// How long it waits for room in its ring where nobody says otherwise, with pauses that double:
        /// "50 ms by default" in Delivery.md.
        static var ring: UInt64 { 50 * millisecond }
        static var shortestRingPause: UInt64 { 20 * microsecond }
        static var longestRingPause: UInt64 { 500 * microsecond }

        /// How long it waits for room in the queue of a sink: "at most half a second" in README
        /// and Faults.md.
        static var room: UInt64 { 500 * millisecond }
        /// How long it sleeps before it looks again.
        static var roomPause: UInt64 { 5 * millisecond }
        /// How long no caller waits after a wait in vain, "two seconds" in README: a sink that is slower than the
        /// program must not make the program as slow.
        static var afterVain: UInt64 { 2 * second }
        /// How long anybody waits for room if no record is settled meanwhile: then the sink is stuck, and nobody
        /// waits until it moves again.
        static var stuck: UInt64 { 250 * millisecond }

        /// How long it delivers what others have left, and how long callers leave a sink alone then that took
        /// nothing.
        static var help: UInt64 { 5 * millisecond }
        static var helpPause: UInt64 { 100 * millisecond }
    }
}

/// The worker of the rings.
extension Bounds {
    enum RingWorker {
        /// How long it naps after the last record, and for how long each time.
        ///
        /// Waking it costs a log call one system call, 5 to 20 µs on virtual processors; with naps, at
        /// most one call per millisecond pays for it. On such machines, a nap sometimes ends milliseconds late,
        /// while a thread that is woken runs after some 10 µs: who logs seldom is better off with waking.
        static var naps: UInt64 { millisecond }
        static var nap: UInt64 { 100 * microsecond }

        /// How many further naps a round with records saves up, and how many there are at most, which take 10 to
        /// 15 ms: two or three turns of another program on the processor.
        static var napsSavedByRound: Int { 2 }
        static var mostNapsSaved: Int { 100 }

        /// How long it waits for sinks at most before it gives room in the rings back: for all together, as a
        /// sink that is behind must not keep the others from their records.
        static var sinks: UInt64 { 10 * millisecond }

        /// How often who waits for its answer looks whether it is still there.
        static var answerPause: UInt64 { 10 * millisecond }
    }
}

/// The workers of the sinks.
extension Bounds {
    enum SinkWorker {
        /// The pause after a round in which a sink took something; it doubles with each round in which none
        /// did, to the long pause, which suits a receiver that waits for a processor.
        static var shortPause: UInt64 { 2 * millisecond }
        static var longPause: UInt64 { 20 * millisecond }
        /// After so long in vain, it doubles on to the longest one, which costs nothing.
        static var hope: UInt64 { 2 * second }
        static var longestPause: UInt64 { 500 * millisecond }

        /// How long the one of Winnow's sinks waits for them in a round, each for an equal part of that.
        static var sinks: UInt64 { 20 * millisecond }
        /// How long a round takes at most, but for the record that the sink takes then.
        static var round: UInt64 { 20 * millisecond }
        /// How often, and how long, it gives way while there is always something to do: who waits for the lock
        /// of the sink, or to fork, would not get it for one that is free between two rounds.
        static var restInterval: UInt64 { 5 * millisecond }
        static var rest: UInt64 { 50 * microsecond }

        /// How long a flush sleeps before it looks again what waits.
        static var flushPause: UInt64 { 5 * millisecond }

        /// How long a flush waits for a sink of the program's own before it looks after the others.
        static var flushWait: UInt64 { 20 * millisecond }
        /// How often who waits for records that wait looks at them.
        static var goalPause: UInt64 { millisecond }
    }
}

/// A fork.
extension Bounds {
    enum Fork {
        /// How long it waits for the sinks to take what waits, and again for the workers to rest and for whoever is
        /// inside a sink; and how much of the latter for the workers.
        static var sinks: UInt64 { 200 * millisecond }
        static var workers: UInt64 { 150 * millisecond }
        /// How long a worker rests that always finds something to do.
        static var workerRest: UInt64 { 100 * microsecond }
    }
}

/// What other sinks are told of one that takes nothing.
extension Bounds {
    enum News {
        /// How long a failure must have lasted to be told, and how long it may take a receiver that is only
        /// busy to get a processor.
        static var failure: UInt64 { second }
        static var busy: UInt64 { 5 * second }
        /// The least time between two announcements, so that a sink that comes and goes does not fill the other
        /// logs.
        static var pause: UInt64 { 60 * second }
    }
}

/// The times of records that a thread has stamped by the counter of the processor.
extension Bounds {
    enum Clock {
        /// How old the moment may be that the rate is measured from.
        static var base: UInt64 { second }
        /// The steps back that are errors of reading and no clock that was set.
        static var error: UInt64 { millisecond }
        /// How long a measurement of the rate must take for the next one to be checked against it.
        static var measurement: UInt64 { 100 * millisecond }
    }
}
