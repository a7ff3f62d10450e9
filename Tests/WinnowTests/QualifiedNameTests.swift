// SPDX-License-Identifier: Apache-2.0

import Support
import Testing
import Winnow

// What a program may have called like Winnow's own types.
private struct Log {}
private struct Level {}
private struct Record {}
private struct Filter {}
private struct Sink {}
private struct Redirect {}
private struct FileSink {}
private struct JSONFormatter {}
private struct SinkStatus {}
private struct RedirectRule {}

/// Winnow's types in a program that has others of the same names.
@Suite(.exclusivePipeline)
struct QualifiedNameTests {
    @Test func `a name that the program has as well is Winnow's where it is qualified`() throws {
        #expect(Winnow.Log.self == WinnowLog.self && Winnow.Log.self != Log.self as Any.Type)
        #expect(Winnow.Redirect.self != Redirect.self as Any.Type)
        let formatter: any Winnow.Formatter = Winnow.JSONFormatter()
        #expect(type(of: formatter) != JSONFormatter.self as Any.Type)
        let sink: any Winnow.Sink = Winnow.InMemorySink()
        #expect(type(of: sink) != Sink.self as Any.Type)
        #expect(Winnow.Level.debug > Winnow.Level.error)
        let rule: Winnow.RedirectRule = .origin("Noisy*", .drop)
        #expect("\(rule)".isEmpty == false)
        install([ScriptedSink()])
        Winnow.Log("tests.names").debug("a statement of a logger whose type is qualified")
    }
}
