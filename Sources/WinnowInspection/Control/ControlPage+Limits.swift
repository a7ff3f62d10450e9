// SPDX-License-Identifier: Apache-2.0

package import WinnowCore

/// What a filter cannot bring about in a process.
extension ControlPage {
    /// Returns a sentence for each entry that is for no category of the process, and for levels that it does not have.
    package func limits(of filter: Filter) -> [String] {
        let unmatched = filter.entriesWithout(categories.map(\.name)).map { entry, suggestion in
            "no category has matched '\(entry)' so far"
                + (suggestion.map { "; did you mean '\($0)'?" } ?? "")
        }
        let levels = filter.levelsNamed
        let built = floor.map(LevelSet.upTo) ?? []
        let stripped = levels.subtracting(built)
        let untaken = levels.intersection(built).subtracting(state.taken)
        return unmatched
            + (stripped.isEmpty
                ? [] : ["its build has no statements at \(stripped): see `winnow stripped`"])
            + (untaken.isEmpty ? [] : ["no sink of it takes \(untaken)"])
    }
}
