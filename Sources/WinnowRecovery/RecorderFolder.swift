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

    /// Takes the file of a process that is dead.
    ///
    /// - Throws: Why it is not recovered.
    package func take(_ name: String) throws(DeadFile.Refusal) -> DeadFile {
        try DeadFile(name, in: descriptor)
    }
}
