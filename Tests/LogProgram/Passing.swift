// SPDX-License-Identifier: Apache-2.0

import Dispatch
import NoisySwift
import Winnow

/// Prints from two modules at once: what one of them prints is passed by rules that must read it, and
/// so by another thread.
func printWhatPasses(_ count: Int) {
    do {
        try Redirect.start(rules: [.contains("never printed", .drop).from("NoisySwift")])
    } catch {
        print("error: \(error)")
    }
    DispatchQueue.concurrentPerform(iterations: 2) { thread in
        for number in 0..<count {
            if thread == 0 {
                print("own \(number)")
            } else {
                noisyPrint("read \(number)")
            }
        }
    }
    Redirect.drain()
}
