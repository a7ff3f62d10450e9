// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support
import Testing
import Winnow
import WinnowPipeline

/// What `error:` tells of an error with a text of its own.
@Suite(.exclusivePipeline)
struct LocalizedErrorTests {
    private struct Small: LocalizedError {
        var errorDescription: String? { "the disk is full" }
    }

    private struct Large: LocalizedError, CustomStringConvertible {
        let path = "/var/log"
        let sizes = [1, 2, 3]
        let number = 4
        var errorDescription: String? { "\(path) has no room for \(sizes), the \(number)th time" }
        var failureReason: String? { "a reason" }
        var description: String { "described" }
    }

    private final class Object: LocalizedError {
        let name = "an object that is shared by some"
        var errorDescription: String? { name }
    }

    private enum Generic<Value: Sendable>: LocalizedError {
        case of(Value)
        var errorDescription: String? {
            if case .of(let value) = self { "has \(value)" } else { nil }
        }
    }

    private class Base: Error, @unchecked Sendable {}

    /// Known as `Base` where it is thrown; the text is that of its own type.
    private final class Derived<Value>: Base, Told, @unchecked Sendable {}

    fileprivate protocol Told: LocalizedError {}

    private struct Silent: LocalizedError, CustomStringConvertible {
        var description: String { "described" }
    }

    private struct Plain: Error, CustomStringConvertible {
        var description: String { "plain" }
    }

    private static let errors: [(error: any Error, text: String)] = [
        (Small(), "the disk is full"),
        (Large(), "/var/log has no room for [1, 2, 3], the 4th time"),
        (Object(), "an object that is shared by some"),
        (Generic.of(7), "has 7"), (Generic.of("a text"), "has a text"),
        (Derived<Int>() as Base, "Derived<Int>"), (Silent(), "described"), (Plain(), "plain"),
        (CancellationError(), "CancellationError()"),
    ]

    @Test(arguments: DeliveryMode.both)
    func `error tells the errorDescription of a LocalizedError, and else the description`(
        delivery: DeliveryMode
    ) {
        let sink = ScriptedSink()
        install([sink], delivery: delivery)
        for (error, _) in Self.errors { Log("tests.error").error("failed", error: error) }
        let texts = Self.errors.map(\.text)
        #expect(sink.settledEntries.map(\.message) == texts.map { "failed: \($0)" })
        #expect(sink.settledEntries.map(\.fields) == texts.map { [Field("error", $0)] })
    }
}

extension LocalizedErrorTests.Told {
    fileprivate var errorDescription: String? { "\(Self.self)" }
}
