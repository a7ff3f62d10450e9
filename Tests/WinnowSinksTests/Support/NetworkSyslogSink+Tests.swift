// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowFormatters
import WinnowNetwork
import WinnowSinks

/// Whether TLS can be had on this machine.
let isOpenSSLInstalled: Bool = unsafe dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL) != nil

extension NetworkSyslogSink {
    /// Has the sink begin its first attempt to connect.
    func beginConnecting() {
        #expect(failure { () throws(SinkError) in try write("none") }?.code == .busy)
    }

    /// Writes a record as soon as the sink takes one.
    func writeOnceConnected(_ message: String) {
        while failure({ () throws(SinkError) in try write(message) }) != nil { usleep(1_000) }
    }

    /// Why a record is not taken, once the first attempt to connect has ended.
    func failureOnceTried(_ message: String) -> SinkError? {
        while true {
            let error = failure { () throws(SinkError) in try write(message) }
            guard error?.code == .busy else { return error }
            usleep(1_000)
        }
    }
}

/// Creates a sink whose formatter has a short name and host.
func makeNetworkSink(_ server: SyslogServer) -> NetworkSyslogSink {
    NetworkSyslogSink(to: server, formatter: NetworkSyslogFormatter(identifier: "a", host: "h"))
}
