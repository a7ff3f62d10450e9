// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore
internal import WinnowFormatters

/// The streams that a tool writes to, without Foundation.
package enum StandardStream: Int32, Sendable {
    case output = 1
    case error = 2

    /// Writes all of a text.
    ///
    /// - Returns: What went wrong in the words of libc; nil if nothing did.
    @discardableResult
    package func write(_ text: String) -> String? {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBufferPointer { bytes in
                // SAFETY: write(2) reads the bytes and keeps no pointer.
                unsafe cwinnow_descriptor_write(rawValue, bytes.baseAddress, bytes.count)
            }
            guard written > 0 else { return systemErrorText(Int32(-written)) }
            rest = rest.dropFirst(Int(written))
        }
        return nil
    }

    /// Writes that a tool cannot do its work with a file: one line, which names the file, whatever stands
    /// in it and in the problem, which may quote the file's contents.
    package static func complain(of file: String, _ problem: String) {
        error.write("winnow: \(file.escaped(.line)): \(problem.escaped(.line))\n")
    }
}
