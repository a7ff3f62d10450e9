// SPDX-License-Identifier: Apache-2.0

/// Hashes that replace private values: equal values can be recognized, but no value can be guessed.
package enum PrivateHash {
    /// A salt of this process: Swift's own is no secret where the environment says
    /// SWIFT_DETERMINISTIC_HASHING.
    private static let salt = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))

    /// Draws the salt before any fork: if another thread was drawing it, the child would wait forever.
    package static func prepare() {
        _ = salt
    }

    /// Returns the hash of a text, equal for equal texts in this process and its forks.
    static func digest(of text: UnsafeRawBufferPointer) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(salt.0)
        hasher.combine(salt.1)
        unsafe hasher.combine(bytes: text)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
