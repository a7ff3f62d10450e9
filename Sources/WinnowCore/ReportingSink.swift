// SPDX-License-Identifier: Apache-2.0

/// A sink that has something to say about itself: what it says goes into its own log.
///
/// It is asked behind the delivery that follows a failure, and behind each where it may have something
/// to say without one.
package protocol ReportingSink: Sink {
    /// Whether it may have something to say without a failure; the same for as long as it lives.
    var mayReport: Bool { get }

    /// Takes what it has to say; nil where there is nothing. Law 1 of ``Sink`` holds for it.
    func takeReport() -> String?
}
