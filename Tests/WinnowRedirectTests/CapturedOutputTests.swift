// SPDX-License-Identifier: Apache-2.0

import Foundation
import NoisyC
import NoisySwift
import Testing
import WinnowCore
import WinnowRedirect

/// What a scope captures: what its task prints, and nothing else, while this process' tests print too.
struct CapturedOutputTests {
    private struct Failure: Error {}

    @Test func `200 tasks at once have their own lines each`() async throws {
        let results = try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
            for task in 0..<200 {
                group.addTask {
                    let lines = try await withCapturedOutput {
                        for number in 0..<50 {
                            print(task, terminator: " ")
                            await Task.yield()
                            number % 2 == 0 ? print(number) : unsafe noisyc_puts("\(number)")
                            await Task.yield()
                        }
                    }
                    return (task, lines.map(\.text))
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        let expected = (0..<50).map(String.init)
        for task in 0..<200 {
            // The two halves of a line come from two modules, for every other one.
            let lines = results[task] ?? []
            let text = lines.joined(separator: " ").split(separator: " ").map(String.init)
            let isOwn = text == expected.flatMap { ["\(task)", $0] }
            #expect(isOwn, "\(task): \(lines.prefix(5))")
        }
    }

    @Test func `lines have their origin, stream and end`() throws {
        let lines = try withCapturedOutput {
            noisyPrint("printed")
            unsafe noisyc_complain("complained")
            unsafe noisyc_write("written")
            print("tail", terminator: "")
        }
        #expect(lines.map(\.text) == ["printed", "complained", "written", "tail"])
        #expect(lines.map(\.stream) == [.stdout, .stderr, .stdout, .stdout])
        #expect(lines.map(\.ending) == [.newline, .newline, .newline, .closed])
        #expect(lines.prefix(3).map(\.origin.name) == ["NoisySwift", "NoisyC", "NoisyC"])
        #expect(lines.allSatisfy { !$0.origin.isApproximate && !$0.origin.isDescriptor })
    }

    @Test func `an inner scope has its lines, the outer one the rest`() async throws {
        var inner: [CapturedLine] = []
        let outer = try await withCapturedOutput {
            print("before")
            inner = try await withCapturedOutput {
                print("within")
                await Task.yield()
                NSLog("%@", "spoken")
            }
            print("after")
        }
        #expect(outer.map(\.text) == ["before", "after"])
        #expect(inner.count == 2)
        #expect(inner.first?.text == "within")
        #expect(inner.last?.text.hasSuffix("spoken") == true)
    }

    @Test func `a task that outlives the inner scope prints into the outer one`() async throws {
        let outer = try await withCapturedOutput {
            let (ended, end) = AsyncStream.makeStream(of: Void.self)
            var late: Task<Void, Never>?
            let inner = try await withCapturedOutput {
                late = Task {
                    for await _ in ended {}
                    print("late")
                }
                print("within")
            }
            #expect(inner.map(\.text) == ["within"])
            end.finish()
            await late?.value
        }
        #expect(outer.map(\.text) == ["late"])
    }

    @Test func `child tasks and unstructured ones are within, detached ones are not`() async throws
    {
        let lines = try await withCapturedOutput {
            async let child: Void = { print("child") }()
            await Task { print("unstructured") }.value
            await child
            await Task.detached { print("", terminator: "") }.value
            await withTaskGroup { group in
                for number in 0..<4 { group.addTask { print("group \(number)") } }
            }
        }
        #expect(
            Set(lines.map(\.text)) == [
                "child", "unstructured", "group 0", "group 1", "group 2", "group 3",
            ]
        )
        #expect(lines.count == 6)
        let outside = Holder()
        let none = try await withCapturedOutput {
            // An outer scope of its own, as the test runner's output is no place to look.
            await Task.detached {
                outside.lines = (try? withCapturedOutput { print("detached") }) ?? []
            }.value
        }
        #expect(none.isEmpty)
        #expect(outside.lines.map(\.text) == ["detached"])
    }

    /// What one task hands to another that waits for it.
    private final class Holder: @unchecked Sendable {
        // SAFETY: written before the task ends that is waited for.
        var lines: [CapturedLine] = []
    }

    @Test func `what the body throws comes out, and the scope is closed`() async throws {
        #expect(throws: Failure.self) {
            try withCapturedOutput {
                print("lost with the error")
                throw Failure()
            }
        }
        await #expect(throws: Failure.self) {
            try await withCapturedOutput {
                await Task.yield()
                throw Failure()
            }
        }
        let next = try await withCapturedOutput { print("next") }
        #expect(next.map(\.text) == ["next"])
    }

    @Test func `a task that outlives its scope prints elsewhere`() async throws {
        let gate = AsyncStream.makeStream(of: Void.self)
        var late: Task<Void, Never>?
        let lines = try await withCapturedOutput {
            late = Task {
                for await _ in gate.stream { break }
                print("", terminator: "")
            }
            print("in time")
        }
        gate.continuation.yield()
        await late?.value
        #expect(lines.map(\.text) == ["in time"])
    }

    @Test func `the value of the body comes with the lines`() async throws {
        let (lines, result) = try await withCapturedOutput {
            print("computed")
            return 42
        }
        #expect(lines.map(\.text) == ["computed"])
        #expect(result == 42)
        let (asyncLines, text) = try await withCapturedOutput {
            print("later")
            await Task.yield()
            return "value"
        }
        #expect(asyncLines.map(\.text) == ["later"])
        #expect(text == "value")
    }

    @Test func `bytes that are no text are kept`() throws {
        let lines = try withCapturedOutput {
            let bytes: [UInt8] = [0, 0xFF, 0x41, 0x0D, 0x0A, 0x0A, 0xC3]
            FileHandle.standardOutput.write(Data(bytes))
        }
        #expect(lines.map(\.bytes) == [[0, 0xFF, 0x41, 0x0D], [], [0xC3]])
        #expect(lines.map(\.ending) == [.newline, .newline, .closed])
    }
}
