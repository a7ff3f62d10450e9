// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// The file of a program or a library, which is the one that the process had loaded.
///
/// It is not mapped: a file that is cut meanwhile is an error and not a signal.
final class ImageFile: Sendable {
    private let descriptor: Int32

    /// Opens the file of an image; nil where there is none any more, or another one.
    init?(of image: RecordedImage) {
        guard image.path.hasPrefix("/") else { return nil }
        descriptor = unsafe cwinnow_file_open(image.path)
        guard descriptor >= 0, isFile(of: image) else { return nil }
    }

    /// A build id that is shorter than any linker's tells nothing.
    private static let leastBuildIDByteCount = 8

    /// The path comes from a file that others may have written: so nothing is read of what is no program.
    ///
    /// Source: GNU ld, `--build-id`; elf(5).
    private func isFile(of image: RecordedImage) -> Bool {
        guard read(at: 0, count: 4) == [0x7F] + Array("ELF".utf8) else { return false }
        if image.buildID.count >= Self.leastBuildIDByteCount {
            return read(at: image.buildIDOffset, count: image.buildID.count) == image.buildID
        }
        var facts = cwinnow_file_facts()
        return unsafe cwinnow_descriptor_facts(descriptor, &facts) == 0
            && facts.byte_count == image.byteCount && facts.modified == image.modified
    }

    deinit {
        if descriptor >= 0 { _ = cwinnow_descriptor_close(descriptor) }
    }

    /// Returns so many bytes; nil where they are not all there.
    func read(at offset: UInt64, count: Int) -> [UInt8]? {
        guard offset <= UInt64(Int64.max) - UInt64(count) else { return nil }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            guard let start = buffer.baseAddress else { return }
            // SAFETY: the call writes at most `count` bytes, which the buffer has room for.
            filled = max(0, Int(unsafe cwinnow_file_read(descriptor, offset, start, count)))
        }
        return bytes.count == count ? bytes : nil
    }
}
