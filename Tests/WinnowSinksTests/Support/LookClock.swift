// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The clock by which a sink finds that it is time to look again: 100 ms after the last look.
enum LookClock {
    /// Waits until a sink that has looked just now looks again.
    ///
    /// The coarse clock stands still for as long as the machine gives it no tick, which sleep does not wait for.
    static func wait() {
        let last = nanoseconds(CLOCK_REALTIME)
        while nanoseconds(CLOCK_REALTIME_COARSE) < last + 100_000_000 { usleep(1_000) }
    }

    private static func nanoseconds(_ clock: clockid_t) -> Int {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
