// SPDX-License-Identifier: Apache-2.0

import CWinnowRedirect
import Glibc
import NoisyC
import Testing

/// A stack that no thread has, as a fiber's: two pages, behind which nothing is mapped.
@safe private final class ForeignStack {
    private static let pageSize = 4096
    let bytes: UnsafeMutableRawPointer

    init() throws {
        let pages = unsafe mmap(
            nil,
            3 * Self.pageSize,
            PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS,
            -1,
            0
        )
        unsafe bytes = try #require(pages)
        let guardPage = unsafe bytes + 2 * Self.pageSize
        try #require(unsafe mprotect(guardPage, Self.pageSize, PROT_NONE) == 0)
    }

    deinit {
        unsafe _ = munmap(bytes, 3 * Self.pageSize)
    }

    /// The first address behind the stack.
    var end: UInt { unsafe UInt(bitPattern: bytes) + 2 * UInt(Self.pageSize) }

    func address(_ offset: Int) -> UInt {
        unsafe UInt(bitPattern: bytes) + UInt(offset)
    }

    /// Leaves what a function does at an offset: the frame above, and where it returns to.
    func push(at offset: Int, above: UInt, returningTo address: UInt) {
        unsafe bytes.storeBytes(of: above, toByteOffset: offset, as: UInt.self)
        unsafe bytes.storeBytes(of: address, toByteOffset: offset + 8, as: UInt.self)
    }

    func originName(at offset: Int) -> String {
        let number = unsafe cwinnow_origin_of(bytes + offset)
        return unsafe withUnsafePointer(to: cwinnow_origin_at(number).pointee.name) {
            unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
        }
    }
}

struct OriginStackTests {
    /// An address in a function of libdispatch, which is stepped over by its frame pointers.
    private static let inRuntime = address(of: "dispatch_sync_f")
    private static let inNoisyC = {
        let function: @convention(c) () -> UnsafePointer<CChar> = unsafe noisyc_origin
        return unsafe unsafeBitCast(function, to: UInt.self) + 4
    }()
    /// What a frame pointer has where the frame is of an `async` function.
    private static let asyncMark: UInt = 1 << 60

    private static func address(of symbol: String) -> UInt {
        unsafe UInt(bitPattern: dlsym(nil, symbol)) + 4
    }

    @Test func `frames of another stack are walked as far as they lead`() throws {
        let stack = try ForeignStack()
        stack.push(at: 64, above: stack.address(512), returningTo: Self.inRuntime)
        stack.push(at: 512, above: stack.address(4096), returningTo: Self.inRuntime)
        stack.push(at: 4096, above: 0, returningTo: Self.inNoisyC)
        #expect(stack.originName(at: 64) == "NoisyC")
    }

    @Test func `the mark of an async frame is no part of its address`() throws {
        let stack = try ForeignStack()
        stack.push(at: 64, above: stack.address(512) | Self.asyncMark, returningTo: Self.inRuntime)
        stack.push(at: 512, above: Self.asyncMark, returningTo: Self.inNoisyC)
        #expect(stack.originName(at: 64) == "NoisyC")
    }

    @Test func `what is not mapped is not read`() throws {
        let stack = try ForeignStack()
        for above in [stack.end, stack.end - 8, stack.end + 4096, 0, 8, UInt.max & ~7] {
            stack.push(at: 64, above: above, returningTo: Self.inRuntime)
            #expect(stack.originName(at: 64) == "unknown")
        }
    }

    @Test func `frames that lead back or beside end the walk`() throws {
        let stack = try ForeignStack()
        for above in [stack.address(64), stack.address(0), stack.address(129)] {
            stack.push(at: 64, above: above, returningTo: Self.inRuntime)
            #expect(stack.originName(at: 64) == "unknown")
        }
    }

    @Test func `a return address that is in no code is no one's`() throws {
        let stack = try ForeignStack()
        for address in [0, 1, UInt.max, stack.address(0), UInt(1) << 47] {
            stack.push(at: 64, above: 0, returningTo: address)
            #expect(stack.originName(at: 64) == "unknown")
        }
    }

    @Test func `a signal handler on its own stack leads to what it interrupted`() {
        #expect(unsafe String(cString: noisyc_origin_through_signal()) == "NoisyC")
    }

    @Test func `errno is kept`() throws {
        let stack = try ForeignStack()
        stack.push(at: 64, above: stack.end + 64, returningTo: Self.inRuntime)
        errno = ENOTTY
        _ = unsafe cwinnow_origin_of(stack.bytes + 64)
        #expect(errno == ENOTTY)
    }
}
