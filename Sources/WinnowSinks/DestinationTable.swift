// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// The destinations of all stream sinks of the process, by what they lead to.
enum DestinationTable {
    // SAFETY: the variables are read and written with the lock held, which is never freed. Under it,
    // nothing waits.
    private nonisolated(unsafe) static let lock = unsafe cwinnow_lock_make()
    /// An array, as there are few, and the type of a dictionary takes 0.05 ms to make.
    private nonisolated(unsafe) static var places: [Entry] = unsafe []
    /// Destinations that end in a fragment and that no sink leads to any more; a sink may come yet.
    private nonisolated(unsafe) static var left: [FileIdentity] = []
    private nonisolated(unsafe) static var ownerCount: UInt = 0

    typealias Place = UnsafeMutablePointer<DestinationState>
    private typealias Entry = (identity: FileIdentity, place: Place)

    /// How many of those are remembered: some that a program opens anew.
    private static let leftLimit = 64

    /// Returns the destination for one sink more, and what tells this sink from others.
    static func join(_ identity: FileIdentity) -> (Place, UInt) {
        _ = isForkAware
        unsafe cwinnow_lock_acquire(lock)
        defer { unsafe cwinnow_lock_release(lock) }
        let place = unsafe places.first { unsafe $0.identity == identity }?.place ?? made(identity)
        unsafe left.removeAll { $0 == identity }
        unsafe place.pointee.sinkCount += 1
        unsafe ownerCount += 1
        return unsafe (place, ownerCount)
    }

    private static func made(_ identity: FileIdentity) -> Place {
        let place = Place.allocate(capacity: 1)
        unsafe place.initialize(to: DestinationState())
        unsafe places.append((identity, place))
        return unsafe place
    }

    /// Gives the destination back.
    static func leave(_ place: Place, to identity: FileIdentity) {
        unsafe cwinnow_lock_acquire(lock)
        defer { unsafe cwinnow_lock_release(lock) }
        unsafe place.pointee.sinkCount -= 1
        guard unsafe place.pointee.sinkCount == 0 else { return }
        // Whatever gets the same identity later must not get a record that was not meant for it.
        unsafe place.pointee.giveUp()
        if unsafe place.pointee.isClear { return remove(identity) }
        unsafe left.append(identity)
        if unsafe left.count > leftLimit { unsafe remove(left.removeFirst()) }
    }

    private static func remove(_ identity: FileIdentity) {
        guard let index = unsafe places.firstIndex(where: { unsafe $0.identity == identity })
        else { return }
        let place = unsafe places.remove(at: index).place
        unsafe place.deinitialize(count: 1)
        unsafe place.deallocate()
    }

    /// Whether a fork finds the table whole.
    private static let isForkAware =
        cwinnow_at_fork(
            { unsafe cwinnow_lock_acquire(lock) },
            { unsafe cwinnow_lock_release(lock) },
            { forgetParent() }
        ) == 0

    private static func forgetParent() {
        unsafe cwinnow_lock_reset(lock)
        unsafe places.forEach { unsafe $0.place.pointee.forgetParent() }
    }
}
