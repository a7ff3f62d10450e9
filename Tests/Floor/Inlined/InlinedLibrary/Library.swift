// SPDX-License-Identifier: Apache-2.0

public import Winnow

// A library whose target has a floor of its own, in the forms that its clients may compile.

/// A function that only the library compiles.
@inline(never)
public func plain(_ log: Log) {
    log.notice("inlined_plain_text \(noted("inlined_plain"))")
}

/// A function that clients may compile, where the optimizer is let see it.
@inline(never)
public func generic<Value: Sendable>(_ log: Log, _ value: Value) {
    log.notice("inlined_generic_text \(value) \(noted("inlined_generic"))")
}

/// A function that clients compile.
@inlinable
public func inlinable(_ log: Log) {
    log.notice("inlined_inlinable_text \(noted("inlined_inlinable"))")
}

/// A generic function that clients compile.
@inlinable
public func inlinableGeneric<Value: Sendable>(_ log: Log, _ value: Value) {
    log.notice("inlined_inlinablegeneric_text \(value) \(noted("inlined_inlinablegeneric"))")
}

/// A function that is compiled wherever it is called, without an optimizer too.
@inlinable
@inline(always)
public func always(_ log: Log) {
    log.notice("inlined_always_text \(noted("inlined_always"))")
}

/// A function with a rate limit, of which each caller has a copy.
@inlinable
@inline(always)
public func limited(_ log: Log) {
    log.once.notice("copies of \(1) statement")
}

/// Prints that an argument was evaluated.
@inline(never)
public func noted(_ token: StaticString) -> String {
    print("effect \(token)")
    return "value"
}
