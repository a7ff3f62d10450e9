// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// What tells a file, a pipe or a socket from others: its number in its file system.
///
/// Source: stat(2), `st_dev` and `st_ino`.
struct FileIdentity: Hashable {
    private(set) var device: UInt64 = 0
    private(set) var inode: UInt64 = 0

    /// Creates the identity of nothing.
    init() {}

    /// Creates the identity of what a descriptor leads to; that of nothing where it is not open.
    init(of descriptor: Int32) {
        // SAFETY: fstat(2) fills in both numbers.
        _ = unsafe cwinnow_descriptor_identity(descriptor, &device, &inode)
    }

    /// Creates the identity of what a path leads to, itself where that is a symbolic link; nil
    /// where there is nothing.
    init?(at path: String) {
        // SAFETY: lstat(2) reads the path, and keeps no pointer.
        guard unsafe cwinnow_path_identity(path, &device, &inode) == 0 else { return nil }
    }
}
