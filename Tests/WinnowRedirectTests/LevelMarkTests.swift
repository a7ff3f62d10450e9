// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowRedirect

/// Decides on a line by the rules; the text of a line that is logged is what is left of it.
func decide(
    _ line: String,
    by rules: [RedirectRule] = [],
    otherwise: RedirectAction = .pass,
    origin: LineOrigin = LineOrigin(name: "Noisy"),
    stream: PrintedStream = .stdout,
    nsLogLevel: Level = .notice
) -> String {
    decide(
        Array(line.utf8),
        by: RuleSet(rules, otherwise: otherwise, nsLogLevel: nsLogLevel),
        origin: origin,
        stream: stream
    )
}

func decide(
    _ line: [UInt8],
    by rules: RuleSet,
    origin: LineOrigin = LineOrigin(name: "Noisy"),
    stream: PrintedStream = .stdout
) -> String {
    let selection = rules.selection(origin: origin, stream: stream)
    let decision = unsafe line.withUnsafeBytes { unsafe selection.decide($0) }
    switch decision {
    case .drop: return "drop"
    case .pass: return "pass"
    case .blank: return "blank"
    case .log(let level, let category, _, let range):
        let text = String(decoding: line[range], as: UTF8.self)
        return "\(level)\(category.map { "@\($0)" } ?? "")|\(text)"
    }
}

struct LevelMarkTests {
    static let taken: [(line: String, result: String)] = [
        ("<0>text", "emergency|text"), ("<6>text", "info|text"), ("<7> text", "debug|text"),
        ("[INFO] text", "info|text"), ("[ERROR]: text", "error|text"),
        ("[ info ]  text", "info|text"), ("[WARN ]text", "warning|text"), ("[crit]", "critical|"),
        ("INFO: text", "info|text"), ("WARN: text", "warning|text"), ("Error: text", "error|text"),
        ("warning: text", "warning|text"), ("WARNING:root:text", "warning|root:text"),
        ("  DEBUG: text", "debug|text"), ("info:\ttext", "info|text"), ("ERROR:", "error|"),
        ("fatal: no repository", "critical|no repository"), ("SEVERE: text", "error|text"),
        ("\u{1B}[1;33mWARN\u{1B}[0m: text", "warning|text"),
        ("\u{1B}[32m[INFO]\u{1B}[0m text", "info|text"),
    ]

    @Test(arguments: taken)
    func `a mark at the beginning gives the level and is taken off`(line: String, result: String) {
        #expect(decide(line, otherwise: .logParsed(otherwise: .alert)) == result)
    }

    static let staying: [(line: String, level: Level)] = [
        ("WARN text", .warning), ("ERROR 404 not found", .error), ("TRACE", .debug),
        ("INFO\ttext", .info), ("\u{1B}[31mERROR\u{1B}[0m text", .error),
        // glog
        ("I0923 12:34:56.789012 1234 main.cc:9] text", .info),
        ("W0923 12:34:56.789012 1234 main.cc:9] text", .warning),
        ("E0923 12:34:56 1 main.cc:9] text", .error),
        ("F20260923 12:34:56.789012 1 main.cc:9] text", .critical),
        // GLib
        ("(prog:123): GLib-CRITICAL **: 12:34:56.789: text", .warning),
        ("(prog:123): GLib-GObject-WARNING **: 12:34:56.789: text", .warning),
        ("(my prog (1):123): Gtk-ERROR **: 12:34:56.789: text", .error),
        ("** (process:1): WARNING **: text", .warning),
        ("** (process:1): ERROR **: text", .error), ("** Message: text", .notice),
        ("Gtk-Message: 12:34:56.789: text", .notice),
        ("GLib-INFO: 12:34:56.789: text", .info),
        ("(prog:123): GLib-DEBUG: 12:34:56.789: text", .debug),
        (
            "(p:1): GLib-\u{1B}[1;35mCRITICAL\u{1B}[0m **: \u{1B}[34m12:34:56.789\u{1B}[0m: text",
            .warning
        ),
        ("** (p:1): \u{1B}[1;33mWARNING\u{1B}[0m **: text", .warning),
        // JSON
        (#"{"level":"info","msg":"text"}"#, .info), (#"{ "severity" : "ERROR" }"#, .error),
        (#"{"ts":1.5,"a":[1,{"level":"debug"}],"lvl":"warn"}"#, .warning),
        (#"{"msg":"a \"level\":\"debug\" b","level":50}"#, .error),
        (#"{"level":30,"pid":1}"#, .info), (#"{"Level":3}"#, .error), (#"{"level":60}"#, .critical),
        (#"{"log.level":"WARN"}"#, .warning), (#"{"level":"bad","severity":"notice"}"#, .notice),
        (#"{"a":{"level":"debug"},"level":"alert"}"#, .alert),
        // logfmt
        ("level=warn msg=text", .warning),
        (#"time="2026-11-21 10:00:00" level=error msg="a""#, .error),
        (#"msg="level=debug" lvl=crit"#, .critical), ("level=INFO+2 msg=text", .info),
        (#"time=1 level="warning""#, .warning), ("a=1 severity=2", .critical),
        // Behind a time
        ("2026-11-21 10:00:00 [error] 1#1: text", .error),
        ("2026/11/21 10:00:00 [warn] text", .warning),
        ("2026-11-21T10:00:00Z INFO text", .info),
        ("2026-11-21T10:00:00.123456Z  WARN mod: text", .warning),
        ("2026-11-21T10:00:00+0100 info label : [Module] text", .info),
        ("2026-11-21T10:00:00+01:00 error label: text", .error),
        ("2026-11-21 10:00:00,123 - name - WARNING - text", .warning),
        ("2026-11-21 10:00:00.123 | CRITICAL | mod:f:1 - text", .critical),
        ("[2026-11-21 10:00:00.123] [info] text", .info),
        ("[2026-11-21 10:00:00.123] [net] [error] text", .error),
        ("[2026-11-21T10:00:00Z INFO  mod] text", .info),
        ("10:00:00.123 [main] DEBUG c.F - text", .debug),
        ("2026-11-21 10:00:00.123 UTC [123] FATAL:  text", .critical),
        ("2026-11-21T10:00:00.123456Z 0 [Warning] [MY-1] text", .warning),
        ("2026-11-21T10:00:00Z level=debug msg=a", .debug),
        (#"2026-11-21 10:00:00 {"level":"error"}"#, .error), ("10:00:00 ERROR: text", .error),
    ]

    @Test(arguments: staying)
    func `a mark within a line gives the level and stays`(line: String, level: Level) {
        #expect(decide(line, otherwise: .logParsed(otherwise: .alert)) == "\(level)|\(line)")
    }

    static let none = [
        "", " ", "text", "information on errors", "Error opening a file", "warning signs", "error",
        "<8>text", "<6", "<a>", "<16>text", "<>", "[", "[]", "[INFO", "[INFOS] text", "[1] text",
        "[info text] a", "error::Kind", "info://host", "trace:1", "errors: 1", "ERRORS: 1", ":",
        "{",
        "{}", #"{"level"}"#, #"{"level":}"#, #"{"level":"inf"#, #"{"a":"level"}"#,
        #"{"level":300}"#,
        #"{"level":8}"#, #"{"level":5.5}"#, #"["level","info"]"#, #"{"a":["level","info"]}"#,
        "level=", "level", "level=loud", "set level=debug", #"a="level=debug"#, "level=INFO+",
        "I0923 text", "E0308 mismatched types", "X0923 12:34:56 text", "(", "(EE) text",
        "(prog:123) GLib-ERROR: text", "(prog): GLib-WARNING **: text", "** text",
        "GLib-INFO: text",
        "2026-11-21", "2026-11-21 10:00:00", "2026-11-21 text", "2026-11-21 10:00:00 text ERROR",
        "2026-11-21 10:00:00x ERROR", "10:00", "12 ERROR", "[2026-11-21 10:00:00", "1",
        "\u{1B}", "\u{1B}[", "\u{1B}[31", "\u{1B}[31m", "\0", "\u{FEFF}INFO: text",
    ]

    @Test(arguments: none)
    func `a line without a mark has the level of the rule and stays whole`(line: String) {
        #expect(decide(line, otherwise: .logParsed(otherwise: .alert)) == "alert|\(line)")
    }
}
