// SPDX-License-Identifier: Apache-2.0

// Makes one kind of call so many times: the difference between two counts is the call's cost.

import Winnow

/// What the log calls of a run look like, and where they go.
enum Case: String, CaseIterable {
    /// A level that the filter closes.
    case filtered
    /// A level that a release build leaves out.
    case stripped
    /// A literal, to a sink that does nothing.
    case text
    /// An integer, a floating-point number and a text in the message, to the same sink.
    case values
    /// A literal and three fields, to the same sink.
    case fields
    /// The call of `values` where delivery is deferred: what it costs its caller.
    case deferred
    /// The call of `fields` where delivery is deferred.
    case deferredFields = "deferred-fields"
    /// The call of `deferred` by a logger that has a field of its own: ten more bytes of a text.
    case deferredWith = "deferred-with"
    /// The call of `deferred` in a task that has such a field.
    case deferredContext = "deferred-context"
    /// The same in a task without one, in a program where others have.
    case deferredElsewhere = "deferred-elsewhere"
    /// The call of `values` where delivery is deferred, to a file: what the worker's thread does for
    /// it, from the ring to the file.
    case worker
    /// The same of `fields`.
    case workerFields = "worker-fields"
    /// A literal and a value as a line of a file, which has it when the call returns.
    case file
    /// The same as a line of standard error, which is a pipe that is read.
    case pipe
    /// A `print` of a literal and a value, without a redirect.
    case printed
    /// The same where a redirect looks at the origin of each line and lets it pass.
    case printPassed = "print-passed"
    /// The same where the origin's lines are dropped.
    case printDropped = "print-dropped"
    /// The same where they are logged: what it costs the thread that prints.
    case printLogged = "print-logged"
}

extension Case {
    /// Whether the worker delivers.
    var isDeferred: Bool { rawValue.hasPrefix("deferred") || isOfWorker }

    /// Whether it is about the worker's thread.
    var isOfWorker: Bool { self == .worker || self == .workerFields }

    /// Where the records go.
    func route(to file: String) -> Winnow.Route {
        switch self {
        case .file, .worker, .workerFields: .file(file)
        case .pipe: .stderr()
        default: .sink(NullSink())
        }
    }

    /// What the redirect does with the lines; nil where there is none.
    var action: RedirectAction? {
        switch self {
        case .printPassed: .pass
        case .printDropped: .drop
        case .printLogged: .log(.notice)
        default: nil
        }
    }
}

/// Takes records and does nothing with them.
final class NullSink: Sink {
    func write(_ record: borrowing Record) throws(SinkError) {}
}

@main
enum CallCost {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let name = arguments.first, let kind = Case(rawValue: name),
            let count = arguments.dropFirst().first.flatMap(Int.init), arguments.count <= 3
        else {
            print("usage: CallCost CASE COUNT [FILE]")
            print("cases: \(Case.allCases.map(\.rawValue).joined(separator: " "))")
            return
        }
        let file = arguments.dropFirst(2).first ?? "/dev/null"
        try Winnow.start(
            Winnow.Configuration(
                routes: [kind.route(to: file)],
                filter: kind == .filtered ? "error" : "debug",
                delivery: kind.isDeferred ? deferred : .immediate,
                environment: .ignored
            )
        )
        if let action = kind.action {
            // A rule for another origin: each is looked at.
            try Redirect.start(rules: [.origin("Other", .drop)], otherwise: action)
        }
        run(kind, count: count, log: Log("bench"))
        // Longer than the exit would wait: under valgrind a million records take a minute.
        if kind.isOfWorker { _ = Winnow.flush(deadline: .seconds(600)) }
    }

    /// A queue that holds all calls of a run: how often one waits for room depends on the scheduler.
    static let deferred = Winnow.Delivery.deferred(queueByteCount: 64 << 20)

    static func run(_ kind: Case, count: Int, log: Log) {
        switch kind {
        case .filtered: filtered(count, log)
        case .stripped: stripped(count, log)
        case .text: text(count, log)
        case .values, .deferred, .worker: values(count, log, name: "a text of 23 characters")
        case .deferredWith:
            values(count, log.with(("request", "a8f3b1c2d4")), name: "a text of 23 characters")
        case .deferredContext:
            Log.withContext(("request", "a8f3b1c2d4")) {
                values(count, log, name: "a text of 23 characters")
            }
        case .deferredElsewhere:
            Log.withContext(("request", "a8f3b1c2d4")) {}
            values(count, log, name: "a text of 23 characters")
        case .fields, .deferredFields, .workerFields:
            fields(count, log, name: "a text of 23 characters")
        case .file, .pipe: file(count, log)
        case .printed, .printPassed, .printDropped, .printLogged: printed(count)
        }
    }

    @inline(never)
    static func filtered(_ count: Int, _ log: Log) {
        for index in 0..<count { log.notice("call \(index)") }
    }

    @inline(never)
    static func stripped(_ count: Int, _ log: Log) {
        for index in 0..<count { log.debug("call \(index)") }
    }

    @inline(never)
    static func text(_ count: Int, _ log: Log) {
        for _ in 0..<count { log.notice("a message without values") }
    }

    @inline(never)
    static func values(_ count: Int, _ log: Log, name: String) {
        for index in 0..<count { log.notice("call \(index) took \(0.25) s for \(name)") }
    }

    @inline(never)
    static func fields(_ count: Int, _ log: Log, name: String) {
        for index in 0..<count {
            log.notice("call", ("index", index), ("seconds", 0.25), ("name", name))
        }
    }

    @inline(never)
    static func file(_ count: Int, _ log: Log) {
        for index in 0..<count { log.notice("call \(index)") }
    }

    @inline(never)
    static func printed(_ count: Int) {
        for index in 0..<count { print("call \(index) of a noisy module") }
    }
}
