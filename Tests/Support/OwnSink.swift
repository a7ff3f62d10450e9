// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization
package import WinnowCore

/// A sink of a program's own that keeps the messages it gets, and runs code with each.
package final class OwnSink: Sink {
    private let texts = Guarded<[String]>([])
    private let flushCount = Atomic<Int>(0)
    private let onWrite: @Sendable (String) throws(SinkError) -> Void
    private let onFlush: @Sendable () throws(SinkError) -> Void

    package init(
        _ onWrite: @escaping @Sendable (String) throws(SinkError) -> Void = { _ in },
        onFlush: @escaping @Sendable () throws(SinkError) -> Void = {}
    ) {
        self.onFlush = onFlush
        self.onWrite = onWrite
    }

    package var messages: [String] { texts.withLock { $0 } }

    /// How often it was flushed.
    package var flushes: Int { flushCount.load(ordering: .relaxed) }

    package func write(_ record: borrowing Record) throws(SinkError) {
        let message = record.message
        try onWrite(message)
        texts.withLock { $0.append(message) }
    }

    package func flush() throws(SinkError) {
        flushCount.add(1, ordering: .relaxed)
        try onFlush()
    }
}

/// A sink of a program's own that leaves all to a scripted one.
package final class Disguise: Sink {
    private let sink: ScriptedSink

    package init(_ sink: ScriptedSink) {
        self.sink = sink
    }

    package func write(_ record: borrowing Record) throws(SinkError) {
        try sink.write(record)
    }
}

/// What keeps a sink until it is opened.
package final class Gate: Sendable {
    private let isOpen = Atomic<Bool>(false)

    package init() {}

    package func open() { isOpen.store(true, ordering: .releasing) }

    package func pass() {
        while !isOpen.load(ordering: .acquiring) { usleep(1_000) }
    }
}
