// SPDX-License-Identifier: Apache-2.0

import CWinnow
import Glibc
import Testing
import WinnowRecovery

/// A folder in memory, with the one file of a recorder in it.
final class MemoryFolder: Sendable {
    static let fileName = "file.winnow"
    let path: String

    init() throws {
        path = "/dev/shm/winnow-test-\(getpid())-\(UInt32.random(in: 0...(.max)))"
        try #require(unsafe mkdir(path, 0o700) == 0)
    }

    deinit {
        unsafe unlink("\(path)/\(Self.fileName)")
        for name in (try? RecorderFolder(path))?.names ?? [] { unsafe unlink("\(path)/\(name)") }
        unsafe rmdir(path)
    }

    /// Begins to record in a folder; returns what `cwinnow_recorder_begin` does.
    static func begin(in path: String) -> Int32 {
        var header = cwinnow_recorder_header()
        let identifier = Array("recorder test".utf8)
        header.identifier_length = UInt32(identifier.count)
        unsafe withUnsafeMutableBytes(of: &header.identifier) {
            unsafe $0.copyBytes(from: identifier)
        }
        return unsafe cwinnow_recorder_begin(path, fileName, &header, 1)
    }

    /// Begins to record.
    func begin() throws {
        try #require(Self.begin(in: path) == 0)
    }

    /// Opens a file; nil where there is none.
    func open(_ name: String = fileName) -> Int32? {
        let file = unsafe cwinnow_file_open("\(path)/\(name)")
        return file < 0 ? nil : file
    }

    /// The bytes of a file.
    func bytes(of name: String = fileName) -> [UInt8]? {
        guard let file = open(name) else { return nil }
        defer { close(file) }
        let size = Int(cwinnow_descriptor_size(file))
        var bytes = [UInt8](repeating: 0, count: size)
        return unsafe cwinnow_file_read(file, 0, &bytes, size) == Int64(size) ? bytes : nil
    }

    /// The names of the files of recorders.
    func names() -> [String] { (try? RecorderFolder(path))?.names ?? [] }

    /// The bytes of the one file of a recorder, whatever its name.
    func anyBytes() -> [UInt8]? { names().first.flatMap { bytes(of: $0) } }

    /// What stands in the file.
    func read() -> RecordedFile? { bytes().flatMap { RecordedFile($0) } }
}

/// Notes a category of a name, whose cell lies at an address: at one that no other has, if nobody says where.
func note(_ name: String, at address: UInt? = nil) -> Bool {
    let bytes = Array(name.utf8)
    let other = 0x1_0000 + bytes.reduce(0) { $0 * 31 + UInt($1) } % 0x10_0000 * 16
    guard let cell = unsafe UnsafeRawPointer(bitPattern: address ?? other) else { return false }
    return unsafe cwinnow_recorder_note_category(cell, bytes, bytes.count)
}

/// A region of the file.
struct Region: Equatable {
    let address: UInt

    /// Takes one for what waits; nil where there is no room.
    init?(_ byteCount: UInt64) {
        let kind = UInt32(cwinnow_region_queue)
        address = UInt(bitPattern: unsafe cwinnow_recorder_take(kind, byteCount))
        if address == 0 { return nil }
    }

    /// Gives it back; returns whether it was one.
    func giveBack() -> Bool {
        unsafe pointer.map { unsafe cwinnow_recorder_give_back($0) } ?? false
    }

    /// Its first number.
    var number: UInt64 {
        get { unsafe pointer?.load(as: UInt64.self) ?? 0 }
        nonmutating set { unsafe pointer?.storeBytes(of: newValue, as: UInt64.self) }
    }

    private var pointer: UnsafeMutableRawPointer? {
        unsafe UnsafeMutableRawPointer(bitPattern: address)
    }
}

/// fork(2): Swift's overlay hides it.
@_silgen_name("fork")
func fork_() -> Int32
