// SPDX-License-Identifier: Apache-2.0

// A third-party module in Swift, which prints what nobody asked for.

import OriginProbe

/// Prints a line.
public func noisyPrint(_ line: String) {
    print(line)
}

/// Asks whose call it is.
@inline(never)
public func noisyOrigin() -> String {
    unsafe String(cString: origin_probe())
}

/// The same, from a generic function.
@inline(never)
public func noisyOriginOfGeneric<Value>(_ value: Value) -> String {
    withExtendedLifetime(value) { unsafe String(cString: origin_probe()) }
}

/// The same, from a closure that the standard library calls.
@inline(never)
public func noisyOriginOfClosure() -> String {
    [1].map { _ in unsafe String(cString: origin_probe()) }[0]
}

/// Returns a closure that asks whose call it is, for others to call.
@inline(never)
public func noisyClosure() -> @Sendable () -> String {
    { unsafe String(cString: origin_probe()) }
}

/// The same, behind a suspension.
public func noisyOriginOfAsync() async -> String {
    await Task.yield()
    return unsafe String(cString: origin_probe())
}

/// A type that streams what is printed to it.
public struct NoisyStream: TextOutputStream {
    /// Whose call the last write was.
    public var origin = ""

    /// Makes a stream that nothing was written to.
    public init() {}

    /// Notes whose call it is.
    public mutating func write(_ string: String) {
        origin = unsafe String(cString: origin_probe())
    }
}

/// A type that others than its module make noisy.
public protocol Noisy {
    /// Asks whose call it is.
    func origin() -> String
}

extension Noisy {
    /// Asks whose call it is, from an extension of the protocol.
    @inline(never)
    public func originOfExtension() -> String {
        unsafe String(cString: origin_probe())
    }
}

extension Int: Noisy {
    /// Asks whose call it is, from the witness of a conformance.
    public func origin() -> String {
        unsafe String(cString: origin_probe())
    }
}

extension String {
    /// Asks whose call it is, from an extension of a type of the standard library.
    @inline(never)
    public func noisyOrigin() -> String {
        unsafe String(cString: origin_probe())
    }
}

extension Array where Element == Int {
    /// Asks whose call it is, from an extension of one of its generic types.
    @inline(never)
    public func noisyOrigin() -> String {
        map { _ in unsafe String(cString: origin_probe()) }.joined()
    }
}

/// An object that asks whose call it is as it goes.
public final class NoisyObject {
    private let note: (String) -> Void

    /// Makes an object that tells whose call it was.
    public init(_ note: @escaping (String) -> Void) {
        self.note = note
    }

    deinit {
        note(unsafe String(cString: origin_probe()))
    }
}
