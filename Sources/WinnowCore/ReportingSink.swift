// SPDX-License-Identifier: Apache-2.0

/// A sink that has something to say about itself that is no reason to refuse a record: it is asked
/// behind each delivery, and what it says goes into its own log.
package protocol ReportingSink: Sink {
    /// Whether it may ever have something to say; the same for as long as it lives.
    var mayReport: Bool { get }

    /// Takes what it has to say; nil where there is nothing. Law 1 of ``Sink`` holds for it.
    func takeReport() -> String?
}
