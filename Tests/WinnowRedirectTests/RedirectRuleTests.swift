// SPDX-License-Identifier: Apache-2.0

import RegexBuilder
import Testing
import WinnowCore
import WinnowRedirect

struct RedirectRuleTests {
    /// The rules as the design spells them.
    static let rules: [RedirectRule] = [
        .origin("NoisyNet", .log(.debug)),
        .contains("deprecated", .drop),
        .prefix("WARN ", .log(.warning)),
        .matches(#/code=\d+/#, requiring: "code=", .log(.error)),
        .descriptor(.log(.notice)),
        .stream(.stderr, .log(.info, category: "errors")),
    ]

    @Test
    func `the first rule that a line meets decides`() {
        let rules = RedirectRuleTests.rules
        let net = LineOrigin(name: "NoisyNet")

        #expect(decide("deprecated", by: rules, origin: net) == "debug|deprecated")
        #expect(decide("WARN deprecated", by: rules) == "drop")
        #expect(decide("WARN code=1", by: rules) == "warning|WARN code=1")
        #expect(decide("a code=12", by: rules, stream: .stderr) == "error|a code=12")
        #expect(decide("a code=x", by: rules, stream: .stderr) == "info@errors|a code=x")
        #expect(decide("text", by: rules, origin: .descriptor) == "notice|text")
        #expect(decide("text", by: rules) == "pass")
        #expect(decide("text", by: [], otherwise: .drop) == "drop")
    }

    @Test
    func `a rule may be for descriptors and for a text at once`() {
        let rules: [RedirectRule] = [.contains("deprecated", .drop).throughDescriptor()]
        #expect(decide("deprecated", by: rules, origin: .descriptor) == "drop")
        #expect(decide("new", by: rules, origin: .descriptor) == "pass")
        #expect(decide("deprecated", by: rules) == "pass")
    }

    static let patterns: [(pattern: String, matching: [String], other: [String])] = [
        ("Noisy", ["Noisy"], ["noisy", "NoisyNet", "Nois", ""]),
        ("Noisy*", ["Noisy", "NoisyNet", "Noisy*"], ["ANoisy", "noisyNet"]),
        ("*Net", ["Net", "NoisyNet"], ["NoisyNets", "net"]),
        ("*is*", ["Noisy", "is", "isis"], ["Nosy"]),
        ("a*b*c", ["abc", "aXbYc", "abbc", "abcbc"], ["acb", "ab", "ac", "abcd"]),
        ("ab*ab", ["abab", "abXab"], ["ab", "aba"]),
        ("**", ["", "a"], []),
        ("*", ["", "Noisy", "descriptor"], []),
        ("c:*", ["c:puts"], ["c"]),
        ("é*", ["éa"], ["e\u{301}"]),
        ("", [""], ["a"]),
    ]

    @Test(arguments: patterns)
    func `a pattern matches whole names`(pattern: String, matching: [String], other: [String]) {
        for name in matching {
            #expect(
                decide("a", by: [.origin(pattern, .drop)], origin: LineOrigin(name: name))
                    == "drop",
                "\(name)"
            )
        }
        for name in other {
            #expect(
                decide("a", by: [.origin(pattern, .drop)], origin: LineOrigin(name: name))
                    == "pass",
                "\(name)"
            )
        }
    }

    @Test
    func `a pattern of many asterisks takes no time to speak of`() {
        let pattern = String(repeating: "*a", count: 500) + "*b"
        let name = String(repeating: "a", count: 2_000)

        #expect(
            decide("a", by: [.origin(pattern, .drop)], origin: LineOrigin(name: name)) == "pass"
        )
    }

    @Test
    func `an origin that is a guess meets only rules that take guesses`() {
        let guess = LineOrigin(name: "Noisy", isApproximate: true)

        #expect(decide("a", by: [.origin("Noisy", .drop)], origin: guess) == "pass")
        #expect(decide("a", by: [.origin("N*", .drop)], origin: guess) == "pass")
        #expect(decide("a", by: [.contains("a", .drop).from("Noisy")], origin: guess) == "pass")
        #expect(decide("a", by: [.origin("*", .drop)], origin: guess) == "drop")
        #expect(decide("a", by: [.contains("a", .drop)], origin: guess) == "drop")
        let asked = RedirectRule.origin("Noisy", .drop).approximateOriginsToo()
        #expect(decide("a", by: [asked], origin: guess) == "drop")
        #expect(decide("a", by: [asked], origin: LineOrigin(name: "Noisy")) == "drop")
        #expect(decide("a", by: [asked], origin: LineOrigin(name: "Other")) == "pass")
    }

    @Test
    func `all conditions of a rule must hold`() {
        let rule = RedirectRule.prefix("WARN ", .drop).from("Noisy*").on(.stderr).containing("x")
            .matching(#/\d/#, requiring: "1")
        let net = LineOrigin(name: "NoisyNet")

        #expect(decide("WARN x1", by: [rule], origin: net, stream: .stderr) == "drop")
        #expect(decide("WARN x1", by: [rule], origin: net, stream: .stdout) == "pass")
        #expect(decide("WARN x2", by: [rule], origin: net, stream: .stderr) == "pass")
        #expect(decide("WARN 1", by: [rule], origin: net, stream: .stderr) == "pass")
        #expect(decide(" WARN x1", by: [rule], origin: net, stream: .stderr) == "pass")
        #expect(
            decide("WARN x1", by: [rule], origin: LineOrigin(name: "Net"), stream: .stderr)
                == "pass"
        )
    }

    @Test
    func `rules for descriptors can name the stream, and their origin has a name`() {
        let rules: [RedirectRule] = [
            .descriptor(.drop).on(.stderr), .origin("descriptor", .log(.info)),
        ]

        #expect(decide("a", by: rules, origin: .descriptor, stream: .stderr) == "drop")
        #expect(decide("a", by: rules, origin: .descriptor, stream: .stdout) == "info|a")
        #expect(decide("a", by: [rules[0]], stream: .stderr) == "pass")
    }

    @Test
    func `a condition that nothing can meet is met by nothing`() {
        let rule = RedirectRule.stream(.stdout, .drop).on(.stderr)

        #expect(decide("a", by: [rule], stream: .stdout) == "pass")
        #expect(decide("a", by: [rule], stream: .stderr) == "pass")
    }

    @Test
    func `the verdict is for all lines of an origin where no text is asked`() {
        func verdict(_ rules: [RedirectRule], _ otherwise: RedirectAction) -> RuleSelection.Verdict
        {
            RuleSet(rules, otherwise: otherwise)
                .verdict(origin: LineOrigin(name: "Noisy"), stream: .stdout)
        }

        #expect(verdict([], .pass) == .pass)
        #expect(verdict([], .drop) == .drop)
        #expect(verdict([], .log(.info)) == .text)
        #expect(verdict([.origin("Noisy", .drop), .contains("a", .pass)], .pass) == .drop)
        #expect(verdict([.contains("a", .pass), .origin("Noisy", .drop)], .pass) == .text)
        #expect(verdict([.contains("a", .drop), .origin("Noisy", .drop)], .pass) == .drop)
        #expect(verdict([.contains("a", .pass).from("Other")], .drop) == .drop)
        #expect(verdict([.contains("a", .pass).on(.stderr)], .drop) == .drop)
        #expect(verdict([.contains("a", .pass), .contains("b", .pass)], .pass) == .pass)
        #expect(verdict([.contains("a", .pass), .contains("b", .drop)], .pass) == .text)
        #expect(verdict([.origin("Noisy", .logParsed(otherwise: .info))], .pass) == .text)
    }

    @Test
    func `expressions of any output match, and one that throws does not`() {
        struct Failure: Error {}
        let built = Regex {
            "code="
            TryCapture {
                OneOrMore(.digit)
            } transform: { text throws -> Int in
                guard let number = Int(text), number < 100 else { throw Failure() }
                return number
            }
        }
        let rule = RedirectRule.matches(built, requiring: "code=", .drop)

        #expect(decide("a code=12", by: [rule]) == "drop")
        #expect(decide("a code=120", by: [rule]) == "pass")
        #expect(decide("ab", by: [.matchesSlowly(#/(a)(?<name>b)/#, .drop)]) == "drop")
        #expect(decide("b", by: [.contains("b", .drop).matchingSlowly(#/a/#)]) == "pass")
        #expect(decide("", by: [.matchesSlowly(#/^$/#, .drop)]) == "drop")
    }

    @Test
    func `a line without the literal never reaches the expression`() {
        let rule = RedirectRule.matches(#/a/#, requiring: "b", .drop)

        #expect(decide("a", by: [rule]) == "pass")
        #expect(decide("ab", by: [rule]) == "drop")
    }

    @Test
    func `an empty text is in every line`() {
        #expect(decide("", by: [.contains("", .drop)]) == "drop")
        #expect(decide("", by: [.prefix("", .drop)]) == "drop")
        #expect(decide("a", by: [.prefix("", .drop)]) == "drop")
        #expect(decide("a", by: [.matches(#/a/#, requiring: "", .drop)]) == "drop")
    }
}
