// SPDX-License-Identifier: Apache-2.0

/// Does what many a library does: it tells standard output about itself, asked by nobody.
public enum NoisyLibrary {
    /// Gets ready, loudly.
    public static func warmUp() {
        print("NoisyLibrary: warming up")
        print("WARN NoisyLibrary: the cache is cold")
    }
}
