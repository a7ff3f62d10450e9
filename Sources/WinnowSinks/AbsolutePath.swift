// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// Paths that are opened again where chdir(2) may have led elsewhere.
package enum AbsolutePath {
    /// The path from the root on; the path as it is where the system cannot say, or that is too long.
    package static func of(_ path: String) -> String {
        guard let first = path.utf8.first, first != UInt8(ascii: "/") else { return path }
        // PATH_MAX of limits.h.
        let size = 4_096
        let folder = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) {
            buffer -> String? in
            // SAFETY: the call writes as many bytes as the buffer has, with a zero behind the path.
            guard let start = buffer.baseAddress,
                unsafe cwinnow_folder_current(start, buffer.count) == 0
            else { return nil }
            // Bytes that are no text would come out as others.
            return unsafe String(validatingCString: start)
        }
        guard let folder, folder.utf8.count + path.utf8.count + 1 < size else { return path }
        return "\(folder)/\(path)"
    }
}
