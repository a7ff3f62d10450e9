// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder of a test's own, removed with the last reference.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("winnow-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The lines of a file of the folder.
    func lines(of name: String) throws -> [String] {
        try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }
}
