// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowSinks

/// When a file is to make way, and what old files are called.
struct FileRotationTests {
    /// A time of a zone in nanoseconds since 1970, as date(1) knows it.
    private static func date(_ zone: String, _ time: String) -> UInt64 {
        let (_, output) = Command.run(
            ["/usr/bin/env", "TZ=\(zone)", "/bin/date", "-d", time, "+%s"]
        )
        let digits = String(decoding: output, as: UTF8.self).prefix { $0.isNumber }
        return (UInt64(digits) ?? 0) * 1_000_000_000
    }

    /// Days of 23 and 25 hours, a day without midnight, and hours that do not begin at a whole one of
    /// UTC.
    @Test func `a period ends with the local hour or day, over every change of the clocks`() async {
        await #expect(processExitsWith: .success) {
            let cases: [(String, FileRotation.Period, String, String)] = [
                ("Europe/Berlin", .day, "2027-03-28 00:30", "2027-03-29 00:00"),
                ("Europe/Berlin", .day, "2027-03-28 00:00", "2027-03-29 00:00"),
                ("Europe/Berlin", .day, "2027-03-27 23:59:59", "2027-03-28 00:00"),
                ("Europe/Berlin", .day, "2027-10-31 00:00", "2027-11-01 00:00"),
                ("Europe/Berlin", .hour, "2027-03-28 01:30", "2027-03-28 03:00"),
                ("Europe/Berlin", .hour, "2027-10-31 01:10", "2027-10-31 02:00 +0200"),
                ("Europe/Berlin", .hour, "2027-10-31 02:30 +0200", "2027-10-31 02:00 +0100"),
                ("America/Santiago", .day, "2026-09-05 12:00", "2026-09-06 01:00"),
                ("America/Santiago", .day, "2026-09-06 01:00", "2026-09-07 00:00"),
                ("Asia/Kolkata", .hour, "2026-11-21 10:59:59", "2026-11-21 11:00"),
                ("Asia/Kolkata", .day, "2026-12-31 10:00", "2027-01-01 00:00"),
                ("UTC", .day, "2028-02-28 10:00", "2028-02-29 00:00"),
            ]
            for (zone, period, time, end) in cases {
                unsafe setenv("TZ", zone, 1)
                tzset()
                let rotation = FileRotation(period: period)
                let found = rotation.end(ofPeriodAt: Self.date(zone, time) + 5)
                #expect(found == Self.date(zone, end), "\(zone), \(time)")
            }
        }
    }

    @Test func `without a period no time is the end`() {
        #expect(FileRotation.size(1).end(ofPeriodAt: 7) == .max)
    }

    @Test(arguments: FileRotation.Period.allCases)
    func `a period that ends behind the last time there is has no end`(
        period: FileRotation.Period
    ) {
        #expect(FileRotation(period: period).end(ofPeriodAt: .max) == .max)
    }

    @Test(arguments: [
        (RotatedName(.number(1)), ".1"),
        (RotatedName(.number(120), isCompressed: true), ".120.gz"),
        (
            RotatedName(.date(second: 1_795_253_415, offset: 3_600, ordinal: 1)),
            ".2026-11-21T103015+0100"
        ),
        (
            RotatedName(
                .date(second: 1_795_253_415, offset: -16_200, ordinal: 3),
                isCompressed: true
            ),
            ".2026-11-21T050015-0430-3.gz"
        ),
        (
            RotatedName(.date(second: 18_446_744_073, offset: 0, ordinal: 1)),
            ".2554-07-21T233433+0000"
        ),
    ])
    func `a name is read as it is written`(name: RotatedName, suffix: String) {
        #expect(name.suffix == suffix)
        #expect(RotatedName(suffix: suffix[...]) == name)
    }

    @Test(arguments: [
        "", ".", "1", ".0", ".01", ".+1", ".-1", ".1.gz.gz", ".1.bz2", ".gz", ".2026-11-21",
        ".2026-13-21T103015+0100", ".2026-11-31T103015+0100", ".2026-11-21T103015+0100-1",
        ".2026-11-21T103015+0100-", ".2026-11-21T993015+0100", ".2026-11-21T103015 0100", ".old",
        ".1~", ".99999999999999999999", ".2554-07-21T233434+0000", ".2600-01-01T000000+0000",
        ".9999-12-31T235959-9959", ".1969-12-31T235959+0000", ".0000-01-01T000000+0000",
    ])
    func `what nobody has written here is no old file`(suffix: String) {
        #expect(RotatedName(suffix: suffix[...]) == nil)
    }

    @Test func `names tell which file is later`() {
        let names: [RotatedName] = [
            RotatedName(.number(1)),
            RotatedName(.number(2), isCompressed: true),
            RotatedName(.date(second: 20, offset: 0, ordinal: 2)),
            RotatedName(.date(second: 20, offset: 3_600, ordinal: 1)),
            RotatedName(.date(second: 10, offset: 7_200, ordinal: 1)),
        ]
        for (index, name) in names.enumerated() {
            for (other, second) in names.enumerated() where other != index {
                let isLater = name.isLater(than: second)
                let isDated = index >= 2
                let isOtherDated = other >= 2
                // A number is from before or after a change of the naming: it counts as older.
                let expected = isDated == isOtherDated ? index < other : isDated
                #expect(isLater == expected, "\(name.suffix) \(second.suffix)")
            }
        }
    }

    @Test(arguments: [
        (FileRotation(size: 0), "the size is at least 1, not 0"),
        (.size(10, keep: -1), "the number of files to keep is at least 0, not -1"),
        (
            FileRotation(kept: .init(age: 0)), "the age of files to keep is at least 1, not 0"
        ),
        (
            FileRotation(link: "a/b"),
            #"the link is a name in the folder of the file, not "a/b""#
        ),
        (FileRotation(link: ""), #"the link is a name in the folder of the file, not """#),
        (FileRotation(link: "app.log"), #"the link has a name of the log's files, "app.log""#),
        (FileRotation(link: "app.log.1"), #"the link has a name of the log's files, "app.log.1""#),
        (
            FileRotation(naming: .date, link: "app.log.12.gz"),
            #"the link has a name of the log's files, "app.log.12.gz""#
        ),
        (
            FileRotation(link: "app.log.2026-11-21T000000+0100"),
            #"the link has a name of the log's files, "app.log.2026-11-21T000000+0100""#
        ),
        (
            FileRotation(link: ".app.log.gz-1-2"),
            #"the link has a name of the log's files, ".app.log.gz-1-2""#
        ),
    ])
    func `a rotation without meaning is refused`(rotation: FileRotation, reason: String) {
        let error = #expect(throws: FileRotationProblem.self) {
            try rotation.check(for: "/var/log/app.log")
        }
        #expect(error?.reason == reason)
    }

    @Test(arguments: [
        "current", "app.log.01", "app.log.0", "app.log.current", "app", "other.log.1",
    ])
    func `a link may have a name that no file of the log gets`(name: String) throws {
        try FileRotation(link: name).check(for: "/var/log/app.log")
    }
}
