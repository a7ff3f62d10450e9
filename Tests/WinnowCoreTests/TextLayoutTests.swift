// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore

/// What the encoder knows of the standard library's texts.
struct TextLayoutTests {
    @Test
    func `the words of a text say where its bytes are`() {
        for length in 0...300 {
            let ascii = String(repeating: "x", count: length)
            let wide = String(repeating: "\u{E9}", count: length)
            var roomy = ""
            roomy.reserveCapacity(400)
            roomy += ascii
            let part = String("<\(wide)>".dropFirst().dropLast())
            for text in [ascii, wide, roomy, part] {
                #expect(TextLayout.isKnown(text), "\(text)")
            }
        }
    }
}
