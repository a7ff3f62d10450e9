// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowFormatters

struct PatternErrorTests {
    static let errors: [(pattern: String, problem: String)] = [
        ("", "the pattern is empty at character 1"),
        ("{tiem} {message}", "unknown name 'tiem' at character 2; did you mean 'time'?"),
        ("{time} {mesage}", "unknown name 'mesage' at character 9; did you mean 'message'?"),
        ("ü {elephant}", "unknown name 'elephant' at character 4"),
        (
            "{level-sequence}",
            "unknown name 'level-sequence' at character 2; did you mean 'level_sequence'?"
        ),
        ("{größe}", "unknown name 'größe' at character 2"),
        ("{}", "a name is missing at character 1"), ("x{ [] }", "a name is missing at character 2"),
        ("{:upper}", "unknown name 'upper' at character 3"),
        ("{time", "no '}' behind this '{', which is written '{{' at character 1"),
        ("a {", "no '}' behind this '{', which is written '{{' at character 3"),
        ("{a{b}}", "a '{' within braces at character 3"),
        ("a } b", "no '{' before this '}', which is written '}}' at character 3"),
        ("{{time}", "no '{' before this '}', which is written '}}' at character 7"),
        (
            "{time} \n",
            "a line feed, which every record ends with anyway, and only ends with at character 8"
        ),
        ("{time}\u{1B}[0m", "U+001B, which does harm in a line at character 7"),
        ("{\u{202E}time}", "U+202E, which does harm in a line at character 2"),
        ("{level:uper}", "unknown option 'uper' of 'level' at character 8; did you mean 'upper'?"),
        ("{level:name}", "unknown option 'name' of 'level' at character 8"),
        ("{line:upper}", "unknown option 'upper' of 'line' at character 7"),
        ("{fields:al}", "unknown option 'al' of 'fields' at character 9; did you mean 'all'?"),
        (
            "{message:quote}",
            "unknown option 'quote' of 'message' at character 10; did you mean 'quoted'?"
        ),
        (
            "{message:json:<7.7}",
            "a JSON value is not cut, as it would be none, but by '<7.7' at character 15"
        ),
        ("{level:}", "no option behind ':', which is written '::' at character 7"),
        ("{time: local}", "no option behind ':', which is written '::' at character 6"),
        ("{level:upper:number}", "a second option of 'level' at character 14"),
        ("{level:<7:>7}", "a second width at character 11"),
        ("{level:7}", "unknown option '7' of 'level' at character 8; did you mean '<7'?"),
        ("{pid} {Msg}", "unknown name 'pid' at character 2; did you mean 'process'?"),
        ("{Msg}", "unknown name 'Msg' at character 2; did you mean 'message'?"),
        ("{level:^7}", "unknown option '^7' of 'level' at character 8"),
        (
            "{level:<}",
            "invalid width '<' ('<9', '>9', '.9' or '<9.9', from 1 to 1000) at character 8"
        ),
        (
            "{level:<0}",
            "invalid width '<0' ('<9', '>9', '.9' or '<9.9', from 1 to 1000) at character 8"
        ),
        (
            "{level:>1001}",
            "invalid width '>1001' ('<9', '>9', '.9' or '<9.9', from 1 to 1000) at character 8"
        ),
        (
            "{level:.99999999999999999999}",
            "invalid width '.99999999999999999999' ('<9', '>9', '.9' or '<9.9', from 1 to 1000) at character 8"
        ),
        (
            "{level:<3x}",
            "invalid width '<3x' ('<9', '>9', '.9' or '<9.9', from 1 to 1000) at character 8"
        ),
        ("{time:rfc339}", "unknown time format 'rfc339' at character 7; did you mean 'rfc3339'?"),
        ("{time:rfc3339.12}", "invalid number of digits '12' (0 to 9) at character 15"),
        ("{time:sec.x}", "invalid number of digits 'x' (0 to 9) at character 11"),
        (
            "{time iso8601}",
            "behind 'time' only ':' and an option, or punctuation, not 'iso8601' at character 7"
        ),
        ("{field}", "the name of a field is missing, as in '{field:port}' at character 2"),
        ("{field:}", "the name of a field is missing, as in '{field:port}' at character 2"),
        ("{field: x}", "the name of a field is missing, as in '{field:port}' at character 2"),
        (
            "{message:quoted:.2}",
            "a quoted value is cut to at least '.3', not '.2' at character 17"
        ),
        (
            "{message:<9.1:quoted}",
            "a quoted value is cut to at least '.3', not '<9.1' at character 10"
        ),
        ("{field:port:hex}", "unknown option 'hex' of 'field' at character 13"),
    ]

    @Test(arguments: errors)
    func `what cannot be read is told with its place`(pattern: String, problem: String) {
        let error = #expect(throws: PatternError.self) { try PatternFormatter(pattern) }
        #expect(error?.pattern == pattern)
        // The pattern itself stands between quotes, with its control characters made visible.
        #expect(
            error.map { "\($0)".hasSuffix("': \(problem)") } == true,
            "\(error.map { "\($0)" } ?? "")"
        )
    }

    @Test func `the description names the pattern`() {
        let error = #expect(throws: PatternError.self) { try PatternFormatter("{tiem}\t{x}") }
        #expect(
            error?.description
                == #"'{tiem}\u{9}{x}': unknown name 'tiem' at character 2; did you mean 'time'?"#
        )
        #expect(error?.suggestion == "time")
        #expect(error?.position == 2)
    }
}
