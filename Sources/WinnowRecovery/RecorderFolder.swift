// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// A folder in which processes record.
package final class RecorderFolder: Sendable {
    /// What the names of the files end with.
    package static let suffix = CWINNOW_RECORDER_SUFFIX

    package let path: String
    private let descriptor: Int32

    /// Opens a folder.
    ///
    /// - Throws: The errno value of what is wrong with it.
    package init(_ path: String) throws(DeadFile.Refusal) {
        self.path = path
        descriptor = unsafe cwinnow_folder_open(path)
        if descriptor < 0 { throw .failed(-descriptor) }
    }

    deinit {
        if descriptor >= 0 { _ = cwinnow_descriptor_close(descriptor) }
    }

    /// The names of the files, sorted.
    package var names: [String] {
        final class Names { var list: [String] = [] }
        let names = Names()
        let context = unsafe Unmanaged.passUnretained(names).toOpaque()
        _ = unsafe cwinnow_folder_list(
            descriptor,
            { context, name in
                guard let context = unsafe context else { return }
                let text = unsafe String(cString: name)
                guard text.hasSuffix(RecorderFolder.suffix) else { return }
                unsafe Unmanaged<Names>.fromOpaque(context).takeUnretainedValue().list.append(text)
            },
            context
        )
        return names.list.sorted()
    }

    /// The identifier of the process that a file is of, empty where it never came to write one; nil where it cannot be
    /// read, or is no such file.
    package func identifier(of name: String) -> String? {
        let file = unsafe cwinnow_folder_open_file(descriptor, name)
        guard file >= 0 else { return nil }
        defer { _ = cwinnow_descriptor_close(file) }
        var bytes = [UInt8](repeating: 0, count: MemoryLayout<cwinnow_recorder_header>.size)
        let count = unsafe cwinnow_file_read(file, 0, &bytes, bytes.count)
        guard count == Int64(bytes.count) else { return count == 0 ? "" : nil }
        return RecordedFile.identifier(in: bytes)
    }

    /// Looks at a file, whatever is the matter with it, and changes nothing.
    package func look(at name: String) -> RecordedSight {
        RecordedSight(of: name, in: descriptor)
    }

    /// Takes the file of a process that is dead.
    ///
    /// - Throws: Why it is not recovered.
    package func take(_ name: String) throws(DeadFile.Refusal) -> DeadFile {
        try DeadFile(name, in: descriptor)
    }
}
