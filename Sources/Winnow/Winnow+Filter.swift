// SPDX-License-Identifier: Apache-2.0

public import WinnowCore

extension Winnow {
    /// The levels that each category lets through, as far as the program says.
    ///
    /// They are those of the last ``setFilter(_:)`` or, since the last start, of the configuration as the
    /// environment has changed it. Levels that `winnow set` has set from outside stand above them, and are not
    /// told here. Before the log has started, this starts it. MT-Safe, AS-Unsafe.
    public static var filter: Filter { Startup.filter }

    /// Changes the levels that each category lets through, while the program runs.
    ///
    /// ```swift
    /// let before = Winnow.filter
    /// try Winnow.setFilter("notice,net=debug")    // for a while, or until the next start
    /// try Winnow.setFilter(before)
    /// ```
    /// The new filter takes the place of the whole old one, that of `WINNOW_LOG` too, and applies to calls
    /// that begin after this returns. Where `winnow set` has set levels from outside, these stand above it until
    /// they end. Sinks, their levels and their queues stay as they are, and nothing that was accepted is lost.
    /// It cannot bring back statements that the build has stripped. MT-Safe, AS-Unsafe.
    ///
    /// - Throws: ``ConfigurationError`` if the filter has ``Filter/problems``; the old one then stays.
    public static func setFilter(_ filter: Filter) throws(ConfigurationError) {
        guard filter.problems.isEmpty else {
            throw ConfigurationError(filter.problems.map { .init("filter", $0) })
        }
        Startup.setFilter(filter)
    }

    /// What is natural to write, for the compiler to answer with what to write instead.
    ///
    /// MT-Safe, AS-Safe.
    @available(*, unavailable, message: "write setFilter(Filter(text))")
    public static func setFilter(_ text: String) throws(ConfigurationError) {}
}
