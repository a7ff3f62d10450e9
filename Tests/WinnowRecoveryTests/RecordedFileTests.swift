// SPDX-License-Identifier: Apache-2.0

import CWinnow
import Glibc
import Support
import Testing
import WinnowCore
import WinnowRecovery
import WinnowTesting

/// The file of a recorder; each test that makes one in a process of its own.
struct RecordedFileTests {
    @Test func `what the process has noted is read`() async {
        await #expect(processExitsWith: .success) {
            let folder = try MemoryFolder()
            try folder.begin()
            #expect(cwinnow_recorder_number() == 1)
            cwinnow_recorder_set_run(0x9F3C_01AA)
            for name in ["", "net", "db.pool"] { #expect(note(name)) }
            #expect(cwinnow_recorder_note_images() && cwinnow_recorder_note_images())
            let file = try #require(folder.read())
            #expect(file.processID == getpid() && file.run == 0x9F3C_01AA)
            #expect(file.identifier == "recorder test" && file.began > 0)
            #expect(Set(file.categories.values) == ["", "net", "db.pool"])
            #expect(file.images.contains { $0.path.hasSuffix("libc.so.6") })
            // Each once, however often they are noted.
            #expect(Set(file.images.map(\.path)).count == file.images.count)
        }
    }

    @Test func `a literal is read from the file that it stands in`() async {
        await #expect(processExitsWith: .success) {
            let folder = try MemoryFolder()
            try folder.begin()
            #expect(cwinnow_recorder_note_images())
            let file = try #require(folder.read())
            let literals = RecordedLiterals(of: file.images)
            let literal = EncodedLiteral("a literal of this very test: é")
            let found = literals.literal(for: literal)
            #expect(found != literal)
            #expect(unsafe found.bytes.elementsEqual(literal.bytes))
            #expect(literals.literal(for: literal) == found)
            // Neither an address that is none, nor one on the heap, nor what reaches beyond an image.
            let unknown = EncodedLiteral(RecordedLiterals.unknown)
            let heap = UInt64(UInt(bitPattern: ObjectIdentifier(folder)))
            let end = try #require(file.images.first?.segments.first?.addresses.upperBound)
            for address in [8, heap, end - 1] {
                let word = address | 3 &<< 48
                #expect(literals.literal(for: EncodedLiteral(word: word)) == unknown)
            }
            // Without its images, of a program that was built anew.
            let others = RecordedLiterals(of: [])
            #expect(others.literal(for: literal) == unknown)
        }
    }

    @Test func `regions are taken, given back and taken again`() async {
        await #expect(processExitsWith: .success) {
            let folder = try MemoryFolder()
            try folder.begin()
            let first = try #require(Region(100_000))
            first.number = 7
            let second = try #require(Region(500_000))
            #expect(first != second)
            #expect(Region(500_000) == nil && Region(.max) == nil && Region(0) == nil)
            #expect(first.giveBack())
            let again = try #require(Region(100_000))
            #expect(again == first && again.number == 0)
            var own: UInt64 = 0
            let isHeld = unsafe cwinnow_recorder_holds(&own)
            #expect(!isHeld)
            let regions = try #require(folder.read()).regions.filter {
                $0.kind == cwinnow_region_queue
            }
            #expect(regions.map(\.range.count).sorted() == [102_400, 503_808])
        }
    }

    @Test func `the lock stays with the process, whatever it closes, and goes with it`() async {
        await #expect(processExitsWith: .success) {
            let folder = try MemoryFolder()
            let pipe = makePipe()
            let child = fork_()
            if child == 0 {
                let isMade = (try? folder.begin()) != nil
                // A program may close what it does not know.
                for descriptor in Int32(3)..<256 where descriptor != pipe.writer {
                    close(descriptor)
                }
                var answer: UInt8 = isMade ? 1 : 0
                unsafe write(pipe.writer, &answer, 1)
                while true { pause() }
            }
            defer { kill(child, SIGKILL) }
            var answer: UInt8 = 0
            let count = unsafe read(pipe.reader, &answer, 1)
            #expect(count == 1 && answer == 1)
            let file = try #require(folder.open())
            #expect(cwinnow_descriptor_lock(file) == -EWOULDBLOCK)
            kill(child, SIGKILL)
            var status: Int32 = 0
            #expect(unsafe waitpid(child, &status, 0) == child)
            #expect(cwinnow_descriptor_lock(file) == 0)
            #expect(folder.read()?.processID == child)
        }
    }

    @Test func `a child has memory of its own, and does not keep its parent's lock`() async {
        await #expect(processExitsWith: .success) {
            let folder = try MemoryFolder()
            try folder.begin()
            let region = try #require(Region(4_096))
            region.number = 7
            let child = fork_()
            if child == 0 {
                cwinnow_recorder_forget_parent()
                let isForgotten = region.number == 0
                region.number = 8
                let other = try? MemoryFolder()
                let isMade = (try? other?.begin()) != nil && cwinnow_recorder_number() == 2
                cwinnow_recorder_end()
                if let other { unsafe rmdir(other.path) }
                // What it has of its parent's stays where it is.
                _exit(isForgotten && isMade && region.number == 8 ? 0 : 1)
            }
            var status: Int32 = 0
            #expect(unsafe waitpid(child, &status, 0) == child && status == 0)
            #expect(region.number == 7)
            // What a child inherits ends with the parent, but for one that was told of nothing.
            let file = try #require(folder.open())
            #expect(cwinnow_descriptor_lock(file) == -EWOULDBLOCK)
            cwinnow_recorder_end()
            #expect(folder.open() == nil)
        }
    }

    @Test func `a place where no file can be is refused with the reason`() async {
        await #expect(processExitsWith: .success) {
            let folder = try MemoryFolder()
            try folder.begin()
            // There is one of a process, whose memory may still be in use when it has ended.
            #expect(MemoryFolder.begin(in: folder.path) == -EBUSY)
            cwinnow_recorder_end()
            #expect(cwinnow_recorder_number() == 0 && folder.open() == nil)
            #expect(MemoryFolder.begin(in: folder.path) == -EBUSY)
        }
        await #expect(processExitsWith: .success) {
            let current = #filePath.split(separator: "/").dropLast().joined(separator: "/")
            // Where the sources are on a disk.
            let outcome = MemoryFolder.begin(in: "/\(current)")
            if outcome == 0 { cwinnow_recorder_end() }
            #expect(outcome == CWINNOW_RECORDER_NO_MEMORY || outcome == 0)
            #expect(MemoryFolder.begin(in: "/nowhere") == -ENOENT)
            let folder = try MemoryFolder()
            #expect(unsafe symlink("/dev/null", "\(folder.path)/file.winnow") == 0)
            #expect(MemoryFolder.begin(in: folder.path) == -EEXIST)
            #expect(unsafe unlink("\(folder.path)/file.winnow") == 0)
            var limit = rlimit(rlim_cur: 4_096, rlim_max: 1 << 30)
            #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            #expect(MemoryFolder.begin(in: folder.path) == -EFBIG)
            #expect(folder.open() == nil)
        }
    }

    @Test func `whatever is damaged, the file is read or refused`() async {
        await #expect(processExitsWith: .success) {
            let folder = try MemoryFolder()
            try folder.begin()
            for number in 0..<100 { _ = note("category \(number)") }
            _ = cwinnow_recorder_note_images()
            let sound = try #require(folder.bytes())
            var readCount = 0
            for seed in 0..<UInt64(300) {
                var random = SeededRandom(seed: seed)
                var bytes = sound
                for _ in 0..<200 {
                    let end = [300, 5_000, 100_000][Int.random(in: 0..<3, using: &random)]
                    // Behind what says that it is such a file.
                    bytes[.random(in: 12..<end, using: &random)] = .random(
                        in: 0...255,
                        using: &random
                    )
                }
                let file = try #require(RecordedFile(bytes))
                readCount += file.categories.count
                let literals = RecordedLiterals(of: file.images)
                for segment in file.images.flatMap(\.segments) {
                    let word = segment.addresses.lowerBound & 0xFFFF_FFFF_FFFF | 9 &<< 48
                    _ = literals.literal(for: EncodedLiteral(word: word))
                }
            }
            #expect(readCount > 300)
            for place in 0..<12 {
                var bytes = sound
                bytes[place] ^= 1
                #expect(RecordedFile(bytes) == nil)
            }
            #expect(RecordedFile(Array(sound.prefix(10_000))) == nil)
            #expect(RecordedFile([]) == nil)
        }
    }

    @Test func `no part of a file is read twice`() async {
        await #expect(processExitsWith: .success) {
            let folder = try MemoryFolder()
            try folder.begin()
            _ = Region(100_000)
            var bytes = try #require(folder.bytes())
            // A table all of whose entries are the first.
            let table = Int(cwinnow_recorder_table_offset)
            for index in 1..<Int(cwinnow_recorder_region_capacity) {
                bytes.replaceSubrange(
                    table + index * 24..<table + index * 24 + 24,
                    with: bytes[table..<table + 24]
                )
            }
            #expect(RecordedFile(bytes)?.regions.count == 1)
        }
    }
}
