// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowRedirect

struct PrintedStreamTests {
    @Test func `a stream is the descriptor of its number`() {
        #expect(PrintedStream.allCases.map(\.rawValue) == [1, 2])
    }
}
