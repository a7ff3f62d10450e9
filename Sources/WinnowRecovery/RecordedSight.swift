// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowPipeline

/// What is seen of the file of a recorder by who does not take it.
///
/// Nothing is changed.
package struct RecordedSight: Sendable {
    /// What is the matter with a file.
    package enum State: Sendable, Hashable {
        /// Its process is dead, and nobody recovers it yet.
        case dead
        /// Its process lives, or somebody recovers it.
        case inUse
        /// Its process has not got so far as to log yet, or has died before.
        case halfMade
        /// It belongs to another user, with the number of that one.
        case foreign(UInt32)
        /// It is no regular file.
        case irregular
        /// It is not what a recorder has written.
        case alien
        /// It has a layout of another version.
        case otherVersion(UInt32)
        /// It ends in front of what was recorded.
        case truncated
        /// It is larger than that of any recorder.
        case oversized
        /// It has been removed meanwhile.
        case gone
        /// It cannot be read, with the errno value.
        case failed(Int32)
    }

    package let name: String
    /// Its size.
    package private(set) var byteCount: UInt64 = 0
    package private(set) var state = State.gone
    /// What stands in it: all for one that is dead, what it begins with for one in use, else nil.
    package private(set) var content: RecordedFile?

    /// The bytes in front of the regions.
    private static let headByteCount = Int(cwinnow_recorder_regions_offset)

    /// Looks at a file.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - folder: The descriptor of its folder.
    init(of name: String, in folder: Int32) {
        self.name = name
        var owner: UInt32 = 0
        let file = unsafe cwinnow_recorded_look(folder, name, &byteCount, &owner)
        guard file >= 0 else {
            state =
                switch -file {
                case ENOENT: .gone
                case EPERM: .foreign(owner)
                case EINVAL, ELOOP: .irregular
                default: .failed(-file)
                }
            return
        }
        defer { _ = cwinnow_descriptor_close(file) }
        read(file)
    }

    private mutating func read(_ file: Int32) {
        guard byteCount <= DeadFile.greatestByteCount else { return state = .oversized }
        let head = DeadFile.read(file, min(Self.headByteCount, Int(byteCount)))
        guard let head else { return state = .failed(EIO) }
        if let state = Self.state(of: head) { return self.state = state }
        // Not before it has its beginning: a process that makes it could not lock it meanwhile.
        let isInUse = cwinnow_recorded_is_in_use(file)
        guard isInUse >= 0 else { return state = .failed(-isInUse) }
        let all = isInUse == 0 ? DeadFile.read(file, Int(byteCount)) : head
        guard let all, let content = RecordedFile(all) else { return state = .failed(EIO) }
        self.content = content
        state = isInUse == 0 ? .dead : .inUse
    }

    /// What is wrong with what a file begins with; nil for nothing.
    private static func state(of head: [UInt8]) -> State? {
        let magic = CWINNOW_RECORDER_MAGIC.utf8
        if head.prefix(magic.count).allSatisfy({ $0 == 0 }) { return .halfMade }
        guard head.starts(with: magic) else { return .alien }
        guard head.count >= MemoryLayout<cwinnow_recorder_header>.size else { return .truncated }
        let version = head.number(\cwinnow_recorder_header.version, at: 0)
        guard version == CWINNOW_RECORDER_VERSION else { return .otherVersion(version) }
        return head.count < headByteCount ? .truncated : nil
    }

    /// The bytes that are not there any more of those that the file had when it was made.
    package var missingByteCount: UInt64 {
        guard state == .dead, let made = content?.byteCount, made > byteCount,
            made <= DeadFile.greatestByteCount
        else { return 0 }
        return made - byteCount
    }

    /// Whether the file is of an identifier, or may be by its name where the identifier cannot be read.
    package func mayBe(of identifier: String) -> Bool {
        guard let content else { return name.hasPrefix(Recorder.beginning(of: identifier)) }
        return content.isOf(identifier)
    }
}

extension RecordedFile {
    /// Whether its process had an identifier, of which a long one is cut in the file.
    package func isOf(_ identifier: String) -> Bool {
        self.identifier == Self.shown(identifier)
    }

    /// An identifier as it stands in a file.
    package static func shown(_ identifier: String) -> String {
        let capacity = Int(cwinnow_recorder_identifier_capacity)
        return String(decoding: identifier.utf8.prefix(capacity), as: UTF8.self)
    }
}
