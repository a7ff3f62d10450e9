// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// What no sink could be told, on standard error.
enum LastWords {
    /// What descriptor 2 was when the log was started; empty where it was nothing that takes words.
    static let standardError: [UInt64] = {
        let descriptor = cwinnow_descriptor_original(2)
        return cwinnow_descriptor_kind(descriptor) < 0 ? [] : identity(of: descriptor)
    }()

    private static func identity(of descriptor: Int32) -> [UInt64] {
        var device: UInt64 = 0
        var inode: UInt64 = 0
        let status = unsafe cwinnow_descriptor_identity(descriptor, &device, &inode)
        return status == 0 ? [device, inode] : []
    }

    /// The bytes of the largest pipe that a process may make without more: pipe(7), pipe-max-size.
    private static let greatestPipe: Int32 = 1 << 20

    /// Says the words; returns whether standard error took them.
    @discardableResult
    static func say(_ words: String) -> Bool {
        // If the program has since opened something else under that number, it is not for log output.
        let descriptor = cwinnow_descriptor_original(2)
        guard !standardError.isEmpty, identity(of: descriptor) == standardError
        else { return false }
        var text = "winnow: \(words)\n"
        return text.withUTF8 {
            // A full pipe that nobody reads would keep the process from ending; if it is writable, PIPE_BUF
            // bytes fit. One that is read later, as by a pager, is enlarged for this.
            guard
                cwinnow_descriptor_wait_writable(descriptor, 0) > 0
                    || cwinnow_descriptor_grow_pipe(descriptor, Self.greatestPipe) == 0
            else { return false }
            let count = min($0.count, 4_096)
            return unsafe cwinnow_descriptor_write_pipe(descriptor, $0.baseAddress, count) == count
        }
    }
}
