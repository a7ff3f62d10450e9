// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore

struct FilterTests {
    @Test(arguments: [
        ("a%2Cb=debug", "a,b"), ("a%3db=debug", "a=b"), ("a%20b=debug", "a b"),
        ("%2A=debug", "*"), ("a%3Bb=debug", "a;b"), ("100%25=debug", "100%"),
        ("caf%C3%A9=debug", "café"), ("a%2Eb=debug", "a.b"),
    ])
    func `an escape names any category`(text: String, category: String) {
        let filter = Filter(text)
        #expect(filter.problems == [])
        #expect(filter.levels(for: category) == .all)
        #expect(filter.levels(for: "other") == .upTo(.notice))
        // As a text it is one that is read in the same way.
        let again = Filter(filter.description)
        #expect(again.problems == [])
        #expect(again.levels(for: category) == .all)
    }

    @Test(arguments: ["100%=debug", "a%zz=debug", "a%00=debug", "a%E9=debug"])
    func `what is no escape, or no text, is told`(text: String) {
        #expect(Filter(text).problems.count == 1)
        #expect(Filter(text).levelsOfAny == .upTo(.notice))
    }

    @Test
    func `entries that no category matches are found, with what may have been meant`() {
        let filter = Filter("info,net=debug,netwrok=debug,db.*=error,x%2Cy=error,api.v1=off")
        let found = filter.entriesWithout(["", "net.http", "network", "db", "x,y", "api"])
        #expect(found.map(\.entry).sorted() == ["api.v1=off", "db.*=error", "netwrok=debug"])
        #expect(found.first { $0.entry.hasPrefix("netw") }?.suggestion == "network")
    }

    @Test func `what a filter says nothing of may have other levels than those at first`() {
        let filter = Filter("net=debug")
        #expect(filter.levels(for: "net".utf8.span, otherwise: [.error]) == .upTo(.debug))
        #expect(filter.levels(for: "db".utf8.span, otherwise: [.error]) == [.error])
        #expect(Filter("info").levels(for: "db".utf8.span, otherwise: []) == .upTo(.info))
        #expect(filter.ownText == "net=debug" && filter.description == "notice,net=debug")
    }

    static let matches: [(filter: String, category: String, levels: LevelSet)] = [
        // The default.
        ("", "net", .upTo(.notice)),
        ("debug", "net", .upTo(.debug)),
        ("debug", "", .upTo(.debug)),
        ("*=info", "net", .upTo(.info)),
        ("info,*=error", "net", .upTo(.error)),
        ("net=debug", "disk", .upTo(.notice)),
        // Whole components.
        ("net=debug", "net", .upTo(.debug)),
        ("net=debug", "net.http", .upTo(.debug)),
        ("net=debug", "net.http.client", .upTo(.debug)),
        ("net=debug", "network", .upTo(.notice)),
        ("net=debug", "ne", .upTo(.notice)),
        ("net=debug", "Net", .upTo(.notice)),
        ("net=debug", "my.net", .upTo(.notice)),
        // Only what is below.
        ("db.*=error", "db", .upTo(.notice)),
        ("db.*=error", "db.pool", .upTo(.error)),
        ("db.*=error", "db.pool.idle", .upTo(.error)),
        ("db.*=error", "dbx", .upTo(.notice)),
        // The most specific applies, wherever it stands.
        ("net=error,net.http=debug", "net.http", .upTo(.debug)),
        ("net.http=debug,net=error", "net.http", .upTo(.debug)),
        ("net.http=debug,net=error", "net.ftp", .upTo(.error)),
        ("db.*=error,db=debug", "db", .upTo(.debug)),
        ("db.*=error,db=debug", "db.pool", .upTo(.error)),
        ("db=debug,db.*=error", "db.pool", .upTo(.error)),
        // The last of equal entries applies.
        ("net=error,net=debug", "net", .upTo(.debug)),
        ("error,debug", "net", .upTo(.debug)),
        // Sets.
        ("net=off", "net", []),
        ("net=none", "net", []),
        ("net=ALL", "net", .all),
        ("net=error|debug", "net", [.error, .debug]),
        ("net=error | 7 |warn", "net", [.error, .debug, .warning]),
        ("error|debug", "net", [.error, .debug]),
        ("off", "net", []),
        // Blanks and empty entries.
        (" notice , net = debug ,, ", "net", .upTo(.debug)),
        ("\tinfo\t", "net", .upTo(.info)),
        (",", "net", .upTo(.notice)),
        // A name of a level is a category only before '='.
        ("warning=debug", "warning", .upTo(.debug)),
        ("warning", "warning", .upTo(.warning)),
    ]

    @Test(arguments: matches)
    func `a category lets through what its entry says`(
        filter: String,
        category: String,
        levels: LevelSet
    ) {
        let (filter, problems) = Filter.parse(filter)
        #expect(problems == [])
        #expect(filter.levels(for: category) == levels)
    }

    static let canonicalTexts: [(filter: String, text: String)] = [
        ("", "notice"),
        ("7", "debug"),
        ("net=WARN, *=crit ,db.*=none", "critical,db.*=off,net=warning"),
        ("b=err|7,a=all,b=err|info", "notice,a=debug,b=error|info"),
        ("db.*=info,db=error", "notice,db.*=info,db=error"),
    ]

    @Test(arguments: canonicalTexts)
    func `the description is a text that means the same`(filter: String, text: String) {
        #expect(Filter(filter).description == text)
        #expect(Filter(text).description == text)
    }

    static let problems: [(filter: String, problem: String)] = [
        ("net=debgu", "'net=debgu': unknown level 'debgu' at character 5; did you mean 'debug'?"),
        (
            "info, net = debgu",
            "'net = debgu': unknown level 'debgu' at character 13; did you mean 'debug'?"
        ),
        ("wraning", "'wraning': unknown level 'wraning' at character 1; did you mean 'warning'?"),
        ("net", "'net': unknown level 'net' at character 1; did you mean 'net=debug'?"),
        ("8", "'8': unknown level '8' (0 to 7) at character 1"),
        ("-1", "'-1': unknown level '-1' (0 to 7) at character 1"),
        ("07", "'07': unknown level '07' (0 to 7) at character 1"),
        ("net=6|10", "'net=6|10': unknown level '10' (0 to 7) at character 7"),
        ("net=8", "'net=8': unknown level '8' (0 to 7) at character 5"),
        ("a b", "'a b': unknown level 'a b' at character 1"),
        ("net=", "'net=': a level is missing at character 4"),
        ("net=,info", "'net=': a level is missing at character 5"),
        ("net=error|", "'net=error|': a level is missing at character 10"),
        ("net=error|off", "'net=error|off': unknown level 'off' at character 11"),
        (
            "net=error|inof",
            "'net=error|inof': unknown level 'inof' at character 11; did you mean 'info'?"
        ),
        ("=debug", "'=debug': a category is missing at character 1"),
        (".*=debug", "'.*=debug': a category is missing at character 1"),
        ("db*=debug", "'db*=debug': '*' stands alone or in '.*' at the end at character 1"),
        ("*.db=debug", "'*.db=debug': '*' stands alone or in '.*' at the end at character 1"),
        (
            "net==debug",
            "'net==debug': unknown level '=debug' at character 5; did you mean 'debug'?"
        ),
        ("é=debgu", "'é=debgu': unknown level 'debgu' at character 3; did you mean 'debug'?"),
        ("net=\u{1B}[2J", #"'net=\u{1b}[2J': unknown level '\u{1b}[2J' at character 5"#),
    ]

    @Test(arguments: problems)
    func `what is not understood is told with its place`(filter: String, problem: String) {
        #expect(Filter(filter).problems.map(\.description) == [problem])
    }

    @Test
    func `the rest applies`() {
        let filter: Filter = "info,net=debgu,noisy=off,oops"

        #expect(filter.default == .upTo(.info))
        #expect(filter.levels(for: "net") == .upTo(.info))
        #expect(filter.levels(for: "noisy") == [])
        #expect(filter.problems.map(\.position) == [10, 26])
    }

    @Test
    func `a problem quotes no more than 120 characters`() {
        let long = String(repeating: "x", count: 500)
        let cut = String(repeating: "x", count: 120)
        #expect(
            Filter("net=\(long)").problems.map(\.description)
                == ["'net=\(cut.dropLast(4))…': unknown level '\(cut)…' at character 5"]
        )
    }

    @Test
    func `no text is too strange`() {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array(
            "abn.*=|,,== \tdebugoff07é\u{301}\u{1F469}\u{200D}\r\n\0".unicodeScalars
        )
        for _ in 0..<10_000 {
            var text = ""
            for _ in 0..<Int.random(in: 0...24, using: &random) {
                let index = Int.random(in: alphabet.indices, using: &random)
                text.unicodeScalars.append(alphabet[index])
            }
            let (filter, problems) = Filter.parse(text)
            let count = text.unicodeScalars.count
            #expect(problems.allSatisfy { 1 <= $0.position && $0.position <= count }, "\(text)")
            #expect(Filter(filter.description).description == filter.description, "\(text)")
            #expect(filter.levels(for: text).rawValue <= 0xFF)
        }
    }
}
