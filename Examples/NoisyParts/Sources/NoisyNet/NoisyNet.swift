// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Does what many a Swift library does: it tells about itself, asked by nobody.
public enum NoisyNet {
    /// Gets ready, with `print`.
    public static func warmUp() {
        print("NoisyNet: warming up")
        print("WARN NoisyNet: the cache is cold")
    }

    /// Connects, with `print` in a task and NSLog.
    public static func connect() async {
        await Task { print("DEBUG NoisyNet: 3 addresses of example.org") }.value
        NSLog("%@", "NoisyNet: connected after 2 attempts")
    }
}
