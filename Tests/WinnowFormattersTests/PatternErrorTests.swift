// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowFormatters

struct PatternErrorTests {
    static let errors: [(pattern: String, problem: String)] = [
        ("", "the pattern is empty at 1"),
        ("{tiem} {message}", "no name 'tiem' at 2; did you mean 'time'?"),
        ("{time} {mesage}", "no name 'mesage' at 9; did you mean 'message'?"),
        ("ü {elephant}", "no name 'elephant' at 4"),
        ("{level-sequence}", "no name 'level-sequence' at 2; did you mean 'level_sequence'?"),
        ("{größe}", "no name 'größe' at 2"),
        ("{}", "a name is missing at 1"), ("x{ [] }", "a name is missing at 2"),
        ("{:upper}", "no name 'upper' at 3"),
        ("{time", "no '}' behind this '{', which is written '{{' at 1"),
        ("a {", "no '}' behind this '{', which is written '{{' at 3"),
        ("{a{b}}", "a '{' within braces at 3"),
        ("a } b", "no '{' before this '}', which is written '}}' at 3"),
        ("{{time}", "no '{' before this '}', which is written '}}' at 7"),
        ("{time} \n", "a line feed, which every record ends with anyway, and only ends with at 8"),
        ("{time}\u{1B}[0m", "U+001B, which does harm in a line at 7"),
        ("{\u{202E}time}", "U+202E, which does harm in a line at 2"),
        ("{level:uper}", "no option 'uper' of 'level' at 8; did you mean 'upper'?"),
        ("{level:name}", "no option 'name' of 'level' at 8"),
        ("{line:upper}", "no option 'upper' of 'line' at 7"),
        ("{fields:al}", "no option 'al' of 'fields' at 9; did you mean 'all'?"),
        ("{message:quote}", "no option 'quote' of 'message' at 10; did you mean 'quoted'?"),
        ("{level:}", "no option behind ':', which is written '::' at 7"),
        ("{time: local}", "no option behind ':', which is written '::' at 6"),
        ("{level:upper:number}", "a second option of 'level' at 14"),
        ("{level:<7:>7}", "a second width at 11"),
        ("{level:7}", "no option '7' of 'level' at 8; did you mean '<7'?"),
        ("{pid} {Msg}", "no name 'pid' at 2; did you mean 'process'?"),
        ("{Msg}", "no name 'Msg' at 2; did you mean 'message'?"),
        ("{level:^7}", "no option '^7' of 'level' at 8"),
        ("{level:<}", "no width '<', as '<9', '>9', '.9' and '<9.9' are, from 1 to 1000 at 8"),
        ("{level:<0}", "no width '<0', as '<9', '>9', '.9' and '<9.9' are, from 1 to 1000 at 8"),
        (
            "{level:>1001}",
            "no width '>1001', as '<9', '>9', '.9' and '<9.9' are, from 1 to 1000 at 8"
        ),
        (
            "{level:.99999999999999999999}",
            "no width '.99999999999999999999', as '<9', '>9', '.9' and '<9.9' are, from 1 to 1000 at 8"
        ),
        ("{level:<3x}", "no width '<3x', as '<9', '>9', '.9' and '<9.9' are, from 1 to 1000 at 8"),
        ("{time:rfc339}", "no time format 'rfc339' at 7; did you mean 'rfc3339'?"),
        ("{time:rfc3339.12}", "no number of digits from 0 to 9: '12' at 15"),
        ("{time:sec.x}", "no number of digits from 0 to 9: 'x' at 11"),
        (
            "{time iso8601}",
            "behind 'time' only ':' and an option, or punctuation, not 'iso8601' at 7"
        ),
        ("{field}", "the name of a field is missing, as in '{field:port}' at 2"),
        ("{field:}", "the name of a field is missing, as in '{field:port}' at 2"),
        ("{field: x}", "the name of a field is missing, as in '{field:port}' at 2"),
        ("{field:port:hex}", "no option 'hex' of 'field' at 13"),
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
            error?.description == #"'{tiem}\u{9}{x}': no name 'tiem' at 2; did you mean 'time'?"#
        )
        #expect(error?.suggestion == "time")
        #expect(error?.position == 2)
    }
}
