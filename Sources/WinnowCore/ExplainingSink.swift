// SPDX-License-Identifier: Apache-2.0

/// A sink that knows more of its failures than the text of an errno value says.
package protocol ExplainingSink: Sink {
    /// Says in words why it threw the error; nil where the error says it.
    ///
    /// Any thread may call it, at any time.
    func explain(_ error: SinkError) -> String?
}
