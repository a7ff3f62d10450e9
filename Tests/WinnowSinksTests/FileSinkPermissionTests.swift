// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing
import WinnowCore
import WinnowSinks
import WinnowTesting

/// Who may read and write the files of a rotation, where the old one is another user's.
@Suite(
    .enabled(if: geteuid() == 0, "only root can become another user"),
    .timeLimit(.minutes(30))
)
struct FileSinkPermissionTests {
    /// Rotates a file of root's as another user; returns the status of the new file.
    ///
    /// In a process of its own, as its user is that of all threads.
    private static func rotated(
        _ mode: mode_t,
        ofGroup group: gid_t,
        as groups: [gid_t]
    ) throws -> stat {
        let folder = TemporaryFolder()
        let path = folder.file("app.log")
        unsafe chmod(folder.path, 0o777)
        File.make(path, "old\n")
        #expect(unsafe chown(path, 0, group) == 0)
        #expect(unsafe chmod(path, mode) == 0)
        let sink = try FileSink(path: path, formatter: PlainFormatter(), rotation: .size(4))
        #expect(unsafe setgroups(groups.count, groups) == 0)
        #expect(setegid(65_534) == 0)
        #expect(seteuid(65_534) == 0)
        try sink.write("new")
        seteuid(0)
        setegid(0)
        #expect(File.text(path + ".1") == "old\n")
        var status = stat()
        unsafe stat(path, &status)
        #expect(status.st_uid == 65_534)
        return status
    }

    /// Whether the thread that compresses is at work.
    private static var isCompressing: Bool {
        let tasks = Command.run(["/bin/sh", "-c", "cat /proc/\(getpid())/task/*/comm"]).output
        return String(decoding: tasks, as: UTF8.self).contains("winnow-files")
    }

    @Test func `an old file that cannot be read is told, and not tried again and again`() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let path = folder.file("app.log")
            unsafe chmod(folder.path, 0o777)
            File.make(path + ".1", "root's\n")
            unsafe chmod(path + ".1", 0o600)
            #expect(setegid(65_534) == 0)
            #expect(seteuid(65_534) == 0)
            let sink = try FileSink(
                path: path,
                formatter: PlainFormatter(),
                rotation: FileRotation(isCompressed: true)
            )
            try sink.write("new")
            let deadline = ContinuousClock.now + .nanoseconds(Int64(patience))
            // The thread that compresses says so, a second after it has found the file, and ends.
            var report: String?
            while report == nil, ContinuousClock.now < deadline {
                usleep(10_000)
                report = sink.takeReport()
            }
            let reason = "old files of \(path) cannot be compressed: Permission denied"
            #expect(report == reason)
            while Self.isCompressing, ContinuousClock.now < deadline { usleep(10_000) }
            #expect(!Self.isCompressing)
            seteuid(0)
            setegid(0)
            #expect(File.text(path + ".1") == "root's\n")
        }
    }

    @Test func `a file that only its owner may read is followed by one like that`() async {
        await #expect(processExitsWith: .success) {
            let status = try Self.rotated(0o600, ofGroup: 0, as: [])
            #expect(status.st_mode & 0o777 == 0o600)
        }
    }

    @Test func `a group of which the process is keeps its rights to the log`() async {
        await #expect(processExitsWith: .success) {
            let status = try Self.rotated(0o660, ofGroup: 4_000, as: [4_000])
            #expect(status.st_gid == 4_000)
            #expect(status.st_mode & 0o777 == 0o660)
        }
    }

    @Test func `another group gets none of the rights to the log`() async {
        await #expect(processExitsWith: .success) {
            let status = try Self.rotated(0o664, ofGroup: 4_000, as: [])
            #expect(status.st_gid == 65_534)
            #expect(status.st_mode & 0o777 == 0o604)
        }
    }
}
