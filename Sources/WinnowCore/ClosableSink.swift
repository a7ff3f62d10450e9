// SPDX-License-Identifier: Apache-2.0

/// A sink that can do without what it has open, such as descriptors and connections, between records.
package protocol ClosableSink: Sink {
    /// Closes what the sink has open; the next record opens it again.
    ///
    /// Called when no configuration leads to the sink any more, and what waited is delivered: a record
    /// comes behind it only from a thread that was late. Law 1 of ``Sink`` holds for it.
    func close()
}
