// SPDX-License-Identifier: Apache-2.0

import Glibc
import NoisyC
import RegexBuilder
import Winnow

/// Starts the redirect. The words, separated by commas:
///
///     stdout, stderr         captures the descriptor
///     log, pass, drop        what becomes of what no rule matches; else it is logged
///     text                   a rule that no line matches, but for which each is looked at
///     collapse               equal lines that are logged are collapsed for an hour; brief for a second
///     mixed                  lines with DROP are dropped, with PASS passed
///     printing               a rule whose expression prints and logs
///     unseen                 a rule for lines that come through a descriptor
///     stalled                a rule that blocks at the first line, until it is released
func start(_ words: String) {
    let words = words.split(separator: ",")
    var options: RedirectOptions = []
    var otherwise = RedirectAction.log(.notice)
    var rules: [RedirectRule] = []
    for word in words {
        switch word {
        case "stdout": options.insert(.stdoutDescriptor)
        case "stderr": options.insert(.stderrDescriptor)
        case "pass": otherwise = .pass
        case "drop": otherwise = .drop
        case "collapse": otherwise = .logParsed(collapsing: .seconds(3_600))
        case "brief": otherwise = .log(.notice, collapsing: .seconds(1))
        case "text": rules.append(.contains("what no line holds", .drop))
        case "mixed": rules += [.contains("DROP", .drop), .contains("PASS", .pass)]
        case "printing": rules.append(printingRule())
        case "unseen": rules.append(.descriptor(.drop))
        case "stalled": rules.append(Stall.rule())
        default: break
        }
    }
    do {
        try Redirect.start(rules: rules, otherwise: otherwise, options: options)
        account("started")
    } catch {
        account("error \(error)")
    }
}

/// An expression that says what it sees, and drops odd numbers.
private func printingRule() -> RedirectRule {
    .matches(
        Regex {
            "line "
            TryCapture {
                OneOrMore(.digit)
            } transform: { text -> Int? in
                print("rule prints \(text)")
                unsafe noisyc_complain("rule complains \(text)")
                Log("rule").notice(LogMessage(verbatim: "rule logs \(text)"))
                return Int(text).flatMap { $0 % 2 == 1 ? $0 : nil }
            }
        },
        requiring: "line ",
        .drop
    )
}

/// A rule that blocks, so that the queue behind it fills up.
enum Stall {
    private static let entered = Semaphore()
    private static let released = Semaphore()

    static func rule() -> RedirectRule {
        .matches(
            Regex {
                "stall"
                TryCapture {
                    ZeroOrMore(.any)
                } transform: { text -> Substring? in
                    stall()
                    return text
                }
            },
            requiring: "stall",
            .drop
        )
    }

    /// Blocks once.
    static func stall() {
        entered.signal()
        released.wait()
        released.signal()
    }

    static func release() {
        released.signal()
    }

    /// Prints what stalls, and then lines when it does.
    static func fill(_ count: Int) {
        print("stall")
        entered.wait()
        let filler = String(repeating: "x", count: 3_990)
        for number in 0..<count { print("\(number) \(filler)") }
    }
}

/// A semaphore of POSIX, which is the same in every program.
@safe
final class Semaphore: @unchecked Sendable {
    // SAFETY: sem_t is made to be shared, and is never moved.
    private let storage = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
        unsafe sem_init(storage, 0, 0)
    }

    func signal() {
        unsafe sem_post(storage)
    }

    func wait() {
        while unsafe sem_wait(storage) != 0 {}
    }
}
