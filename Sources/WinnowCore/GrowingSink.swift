// SPDX-License-Identifier: Apache-2.0

/// A sink whose destination can have more room, for a reader that comes when the process is gone.
package protocol GrowingSink: Sink {
    /// Gives the destination more room where it has none. Law 1 of ``Sink`` holds for it.
    func makeRoom()
}
