// SPDX-License-Identifier: Apache-2.0

package import Testing
internal import WinnowCore
internal import WinnowPipeline

/// Runs the tests that set up the process's one pipeline one after the other, each within a bound.
///
/// The bound counts from the moment when the test has the pipeline. `.timeLimit` counts what the test waits
/// for the others before it as well, which on a slow machine is many minutes.
package struct ExclusivePipeline: TestTrait, SuiteTrait, TestScoping {
    private static let turnstile = Turnstile()
    private static let limit = Duration.seconds(30 * 60)

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        await Self.turnstile.enter()
        // What an earlier test's sink never took is not told to this one's.
        Pipeline.install(RoutingPlan(routes: [], privacy: .redact))
        let watch = Task {
            try await Task.sleep(for: Self.limit)
            Issue.record("\(test.name) has had the pipeline for more than \(Self.limit)")
        }
        defer { watch.cancel() }
        do {
            try await function()
        } catch {
            await Self.turnstile.leave()
            throw error
        }
        await Self.turnstile.leave()
    }
}

extension Trait where Self == ExclusivePipeline {
    /// The test has the process's pipeline to itself.
    package static var exclusivePipeline: ExclusivePipeline { ExclusivePipeline() }
}

/// Lets one task in at a time, in the order of arrival.
private actor Turnstile {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func enter() async {
        if isTaken {
            await withCheckedContinuation { waiting.append($0) }
        }
        isTaken = true
    }

    func leave() {
        guard waiting.isEmpty else { return waiting.removeFirst().resume() }
        isTaken = false
    }
}
