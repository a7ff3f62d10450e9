// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Returns the ends of a new pipe, which what another test starts does not hold open, not even for a
/// moment: FD_CLOEXEC set later would let it.
package func makePipe() -> (reader: Int32, writer: Int32) {
    var ends: [Int32] = [-1, -1]
    _ = unsafe pipe2(&ends, O_CLOEXEC)
    return (ends[0], ends[1])
}

// Glibc's module does not show it: it is declared for _GNU_SOURCE alone.
@_silgen_name("pipe2")
private func pipe2(_ ends: UnsafeMutablePointer<Int32>, _ flags: Int32) -> Int32
