// SPDX-License-Identifier: Apache-2.0

/// Which entries are to be read, and how.
struct Query: Sendable {
    var store: LogStore
    var matches: [LogStore.Match]
    var position: LogStore.Position
    var isNewestFirst = false
    var isFollowing = false
}
