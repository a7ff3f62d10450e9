// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What hands over records before those that wait are delivered for the last time, for the floors above;
/// within half a second, except at ``ProcessEnd/exit``.
///
/// It may be set while the process ends on another thread, which finds it whole or not at all.
final class EndHook: Sendable {
    /// The address of the present one, which is never released; 0 if there is none.
    private static let current = Atomic<UInt>(0)

    private let body: @Sendable (ProcessEnd) -> Void

    private init(_ body: @escaping @Sendable (ProcessEnd) -> Void) {
        self.body = body
    }

    /// Whether one is set.
    static var isSet: Bool { current.load(ordering: .acquiring) != 0 }

    /// Sets it, for as long as the process lives.
    static func set(_ body: @escaping @Sendable (ProcessEnd) -> Void) {
        let pointer = unsafe Unmanaged.passRetained(EndHook(body)).toOpaque()
        current.store(UInt(bitPattern: pointer), ordering: .releasing)
    }

    /// Runs it, if one is set.
    static func run(at end: ProcessEnd) {
        let address = current.load(ordering: .acquiring)
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return }
        // SAFETY: the address is that of an object that `set` has retained for good.
        unsafe Unmanaged<EndHook>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.body(end) }
    }
}
