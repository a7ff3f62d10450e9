// SPDX-License-Identifier: Apache-2.0

// A shared object in Swift, of a module with another name than the object's.

/// A function that says whose call it is.
public typealias Probe = @convention(c) () -> UnsafePointer<CChar>

/// Calls a function, and returns what it says.
@inline(never)
public func call(_ probe: Probe) -> UnsafePointer<CChar> {
    let origin = probe()
    precondition(origin[0] != 0)
    return origin
}

/// The same, by a name of C.
@_cdecl("swift_shared_call")
public func sharedCall(_ probe: Probe) -> UnsafePointer<CChar> {
    call(probe)
}
