// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// A server on the network that a route leads to, and what the route says of its messages.
///
/// This is all that `Winnow` knows of one: a build without the trait `Network` has no type that conforms.
/// The description is the server as `WINNOW_SINKS` names it. Making a value connects to nothing.
package protocol NetworkDestination: Sendable, CustomStringConvertible {
    /// The names of the options that an entry of `WINNOW_SINKS` may have for the server, except
    /// `facility`, which is the route's.
    var options: [String] { get }

    /// Sets one of these options.
    ///
    /// - Throws: The problem of a value that the option does not have.
    mutating func set(_ value: OptionValue) throws(FilterProblem)

    /// What is wrong that code can say and the environment cannot; nil if a sink can be made.
    var problem: String? { get }

    /// What each start warns of; nil if there is nothing.
    var warning: String? { get }

    /// Makes the sink, which connects with the first record.
    func sink(identifier: String, facility: Facility) -> any Sink
}
