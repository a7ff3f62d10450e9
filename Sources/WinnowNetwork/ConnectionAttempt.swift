// SPDX-License-Identifier: Apache-2.0

internal import COpenSSL
internal import CWinnow
internal import Synchronization
internal import WinnowCore

/// One attempt to connect to a server, on a thread of its own, as the look-up of a name may take
/// seconds that no caller has.
final class ConnectionAttempt: @unchecked Sendable {
    // SAFETY: the thread sets `connection`, `error`, `turn` and `addressCount` before `isOver`, and has done with them then;
    // after that law 1 of `Sink`, one call at a time, guards them.

    /// The time that each address of the server has to answer, and that TLS may take.
    private static let milliseconds: Int32 = 5_000

    private let server: SyslogServer
    private let isDone = Atomic<Bool>(false)
    private var connection: NetworkConnection?
    /// Why there is no connection, once the attempt is over.
    private(set) var error: SinkError?
    /// The number of the address to begin with; that of the one which took the connection, once the
    /// attempt is over.
    private(set) var turn: UInt32
    /// How many addresses the server has, once the attempt is over.
    private(set) var addressCount: UInt32 = 1

    private init(to server: SyslogServer, turn: UInt32) {
        self.server = server
        self.turn = turn
    }

    /// Starts an attempt.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - turn: The number of the address to begin with; it may be larger than their count.
    /// - Returns: It; nil where the system grants no thread.
    static func start(to server: SyslogServer, turn: UInt32) -> ConnectionAttempt? {
        if server.transport == .tls { copenssl_prepare_end() }
        let attempt = ConnectionAttempt(to: server, turn: turn)
        return OwnThread.start("winnow-connect", attempt.run) == 0 ? attempt : nil
    }

    /// Whether the attempt is over.
    var isOver: Bool { isDone.load(ordering: .acquiring) }

    /// Returns the connection, which is the caller's from then on; nil where there is none.
    func takeConnection() -> NetworkConnection? {
        isOver ? connection.take() : nil
    }

    /// Leaves it alone for good: in the child of a fork, where it is the parent's, whose connection
    /// must not be ended.
    func leave() {
        _ = unsafe Unmanaged.passRetained(self)
    }

    private func run() {
        do throws(SinkError) {
            connection = try NetworkConnection(
                to: server,
                turn: &turn,
                addressCount: &addressCount,
                milliseconds: Self.milliseconds
            )
        } catch {
            self.error = error
        }
        isDone.store(true, ordering: .releasing)
    }
}
