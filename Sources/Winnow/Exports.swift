// SPDX-License-Identifier: Apache-2.0

// The one import that users write: what they name of the lower floors comes with it.
@_exported public import WinnowCore
@_exported public import WinnowFormatters
@_exported public import WinnowSinks

@_exported public import struct WinnowPipeline.LevelCounts
@_exported public import enum WinnowPipeline.LossCause
@_exported public import struct WinnowPipeline.SinkStatus

#if Systemd
@_exported public import WinnowStore

/// The reader of the journal, qualified: see Winnow+Names.swift.
extension Winnow {
    /// The type `LogStore`, qualified.
    public typealias LogStore = WinnowStore.LogStore
    /// The type `LogStoreError`, qualified.
    public typealias LogStoreError = WinnowStore.LogStoreError
}
#endif
