// SPDX-License-Identifier: Apache-2.0

/// How a process comes to its end: what decides how long may be waited for others.
package enum ProcessEnd: Sendable {
    /// By exit(3), or by a return from `main`, which waits for whoever reads the streams of stdio.
    case exit
    /// By a signal, or by _exit(2): within a deadline.
    case killed
    /// By a fault, unless a handler of the program's own mends it: then it goes on.
    case mendable
}
