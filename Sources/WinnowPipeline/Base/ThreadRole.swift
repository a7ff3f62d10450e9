// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// What this thread is to the sinks: which of them run on it now, and whether it reads the rings.
enum ThreadRole {
    /// The bit that stands for all sinks, and is no sink's own.
    static let bitOfAll: UInt64 = 1 &<< 63

    /// The sinks that run on this thread now, by their bits.
    static var activeSinks: UInt64 {
        @inline(__always) get { unsafe cwinnow_thread_role_now().pointee.active_sinks }
        @inline(__always) set { unsafe cwinnow_thread_role_now().pointee.active_sinks = newValue }
    }

    /// Whether this thread reads the rings.
    static var readsRings: Bool {
        get { unsafe cwinnow_thread_role_now().pointee.is_worker }
        set { unsafe cwinnow_thread_role_now().pointee.is_worker = newValue }
    }

    /// Whether a sink runs on this thread now, or the thread reads the rings.
    static var isInsideSink: Bool { activeSinks != 0 || readsRings }

    /// How often a route has lost a record within its log call, of all calls of this thread: who makes a call compares
    /// the number before and after it.
    static var lostCopies: UInt64 {
        get { unsafe cwinnow_thread_role_now().pointee.lost_copies }
        set { unsafe cwinnow_thread_role_now().pointee.lost_copies = newValue }
    }

    /// How many records sinks have logged on this thread.
    static var postponedCount: UInt64 {
        get { unsafe cwinnow_thread_role_now().pointee.postponed_count }
        set { unsafe cwinnow_thread_role_now().pointee.postponed_count = newValue }
    }
}
