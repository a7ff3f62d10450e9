// SPDX-License-Identifier: Apache-2.0

/// A sink whose destination may be gone for good, such as a pipe without a reader.
package protocol LastingSink: Sink {
    /// Whether no later attempt can reach the destination. Law 1 of ``Sink`` holds for it.
    var isGone: Bool { get }
}
