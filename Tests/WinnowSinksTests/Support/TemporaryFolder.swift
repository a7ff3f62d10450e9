// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Support

/// A folder of one test, removed with what is in it.
final class TemporaryFolder {
    let path: String

    init() {
        var template = Array("/tmp/winnow-sinks-XXXXXX".utf8CString)
        path = unsafe String(cString: mkdtemp(&template))
    }

    deinit {
        _ = Command.run(["/bin/rm", "-rf", path])
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }
}

/// Files as a test sees them.
enum File {
    static func text(_ path: String) -> String {
        exists(path) ? String(decoding: bytes(path), as: UTF8.self) : "<missing>"
    }

    /// The bytes of a file; none of one that is missing.
    static func bytes(_ path: String) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        return Descriptor.readAll(descriptor)
    }

    static func make(_ path: String, _ text: String = "") {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        defer { close(descriptor) }
        _ = Descriptor.write(descriptor, Array(text.utf8))
    }

    static func permissions(_ path: String) -> UInt32 {
        var status = stat()
        unsafe lstat(path, &status)
        return status.st_mode & 0o7777
    }

    static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }
}

/// Descriptors as a test uses them.
enum Descriptor {
    /// Reads up to the end, or to what is there of a non-blocking descriptor.
    static func readAll(_ descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
    }

    /// Reads what is there now, whether or not the descriptor blocks.
    static func readAvailable(_ descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&wait, 1, 0) == 1 {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return bytes
    }

    /// Returns the first other descriptor of this process that leads where the ones given do, or -1.
    static func copy(of numbers: Int32...) -> Int32 {
        let opened = opened
        let path = opened.first { $0.number == numbers[0] }?.path
        return opened.first { $0.path == path && !numbers.contains($0.number) }?.number ?? -1
    }

    /// Returns the first descriptor of this process that is open on the path, or -1.
    static func opened(on path: String) -> Int32 {
        opened.first { $0.path == path }?.number ?? -1
    }

    /// How many descriptors of this process are open on files whose paths begin so.
    static func count(of path: String) -> Int {
        opened.count { $0.path.hasPrefix(path) }
    }

    /// All that are open, and on what: other tests of the process hold hundreds open at times.
    private static var opened: [(number: Int32, path: String)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { Int32($0) }.sorted().map { descriptor in
            var target = [CChar](repeating: 0, count: 256)
            let count = unsafe readlink("/proc/self/fd/\(descriptor)", &target, 255)
            let bytes = target.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }
            return (descriptor, String(decoding: bytes, as: UTF8.self))
        }
    }

    /// Returns the first descriptor of this process that is connected to the port of this machine.
    static func number(ofSocketTo port: UInt16) -> Int32? {
        (0..<1_024).first { descriptor in
            var peer = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let status = unsafe withUnsafeMutablePointer(to: &peer) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe getpeername(descriptor, $0, &size)
                }
            }
            return status == 0 && Int32(peer.sin_family) == AF_INET
                && peer.sin_port == port.bigEndian
        }
    }

    /// Returns the first descriptor of this process that is connected to the local socket.
    static func number(ofSocketTo path: String) -> Int32? {
        (0..<1_024).first { descriptor in
            var peer = sockaddr_un()
            var size = socklen_t(MemoryLayout<sockaddr_un>.size)
            let status = unsafe withUnsafeMutablePointer(to: &peer) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe getpeername(descriptor, $0, &size)
                }
            }
            guard status == 0, Int32(peer.sun_family) == AF_UNIX else { return false }
            return unsafe withUnsafeBytes(of: &peer.sun_path) {
                unsafe $0.starts(with: path.utf8)
            }
        }
    }

    static func write(_ descriptor: Int32, _ bytes: [UInt8]) -> Int {
        unsafe Glibc.write(descriptor, bytes, bytes.count)
    }

    static func isNonBlocking(_ descriptor: Int32) -> Bool {
        fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0
    }

    /// Makes a pseudo-terminal, whose other end the test holds.
    static func terminal() -> (main: Int32, terminal: Int32) {
        let main = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var number: UInt32 = 0
        var isLocked: Int32 = 0
        // TIOCSPTLCK and TIOCGPTN of ioctl_tty(2), which are macros.
        _ = unsafe ioctl(main, 0x4004_5431, &isLocked)
        _ = unsafe ioctl(main, 0x8004_5430, &number)
        return unsafe (main, open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC))
    }

    static func pipe() -> (reader: Int32, writer: Int32) { makePipe() }
}
