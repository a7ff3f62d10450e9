// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support
import Testing
import Winnow

/// What a record of very many bytes leaves in memory.
@Suite(.exclusivePipeline)
struct GiantRecordTests {
    @Test(arguments: [false, true])
    func `a giant record leaves no memory behind, whatever comes after it`(
        isDeferred: Bool
    ) async throws {
        // A process of its own: what others map meanwhile is not counted.
        await #expect(processExitsWith: .success) { [isDeferred = isDeferred as Bool] in
            let path = "/tmp/winnow-giant-\(getpid()).log"
            defer { unsafe unlink(path) }
            try Winnow.start(
                Winnow.Configuration(
                    routes: [.file(path)],
                    delivery: isDeferred ? .deferred : .immediate,
                    environment: .ignored
                )
            )
            let logPlainRecords = {
                for number in 0..<100 { Log.notice("plain \(number)") }
                #expect(Winnow.flush(deadline: .seconds(60)))
            }
            logPlainRecords()
            let before = virtualByteCount()
            Log.notice("\(String(repeating: "x", count: 200 << 20))")
            logPlainRecords()
            // malloc gives back at once what is that large, see M_MMAP_THRESHOLD of mallopt(3).
            #expect(virtualByteCount() - before < 100 << 20)
        }
    }
}
