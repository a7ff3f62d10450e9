// SPDX-License-Identifier: Apache-2.0

/// A sink that counts a record as delivered when its destination has taken a part of it, and sends the
/// rest later.
package protocol OwingSink: Sink {
    /// Gives up the records whose rest is still here, and returns their headers.
    ///
    /// Nothing that the destination takes later stands behind the part where the sink can help it.
    /// Law 1 of ``Sink`` holds for it.
    func takeOwed() -> [RecordHeader]
}
