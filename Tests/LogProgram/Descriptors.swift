// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// What the program has taken, so that there is none left.
private nonisolated(unsafe) var taken: [Int32] = []

/// Takes all descriptors, of which there are fewer from now on.
func takeDescriptors() {
    // Dispatch traps where it finds none for its epoll(7), and for what wakes its main queue: it gets them before.
    DispatchQueue.main.sync {}
    let isReady = DispatchSemaphore(value: 0)
    let timer = DispatchSource.makeTimerSource()
    timer.setEventHandler { isReady.signal() }
    timer.schedule(deadline: .now())
    timer.activate()
    isReady.wait()
    var limit = rlimit()
    unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = min(limit.rlim_cur, 64)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    while case let copy = dup(0), copy >= 0 { unsafe taken.append(copy) }
}

func giveDescriptorsBack(_ count: Int) {
    unsafe taken.suffix(count).forEach { close($0) }
    unsafe taken.removeLast(min(count, taken.count))
}
