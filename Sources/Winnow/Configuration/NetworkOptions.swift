// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore
internal import WinnowFormatters
internal import WinnowSinks

extension Winnow {
    /// What a route to a syslog server says of its messages; nil stands for the default.
    package struct NetworkOptions: Sendable, Hashable {
        /// The lengths in bytes that the longest message may have.
        static let messageByteCounts = 1_024...131_072
        static let allowedByteCounts =
            "\(messageByteCounts.lowerBound) to \(messageByteCounts.upperBound), or 1K to 128K"

        package var enterprise: UInt32?
        package var version: String?
        package var messageByteCount: Int?
    }
}

extension Winnow.NetworkOptions {
    /// Makes the sink of a route.
    func sink(
        to server: SyslogServer,
        identifier: String,
        facility: Facility
    ) -> NetworkSyslogSink {
        let byteCount = messageByteCount ?? NetworkSyslogFormatter.defaultByteCount
        let formatter = NetworkSyslogFormatter(
            identifier: identifier,
            facility: facility,
            enterprise: enterprise ?? NetworkSyslogFormatter.exampleEnterprise,
            version: version,
            byteCount: min(byteCount, server.transport.greatestByteCount)
        )
        return NetworkSyslogSink(to: server, formatter: formatter)
    }

    /// The number of a word, 1 to 4294967295; nil where it is none.
    static func enterprise(parsing word: some StringProtocol) -> UInt32? {
        guard word.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt32(word) else {
            return nil
        }
        return number > 0 ? number : nil
    }

    /// The bytes of a size, a number or one with `K` for 1 024; nil where it is none, or no message
    /// may be so long or so short.
    static func messageByteCount(parsing word: some StringProtocol) -> Int? {
        guard let bytes = word.byteCount, messageByteCounts.contains(bytes) else { return nil }
        return bytes
    }
}
