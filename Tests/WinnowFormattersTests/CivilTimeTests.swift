// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import WinnowCore
import WinnowFormatters

struct CivilTimeTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"),
            (951_782_399, "2000-02-28T23:59:59.000000Z"),
            (951_782_400, "2000-02-29T00:00:00.000000Z"),
            (951_868_800, "2000-03-01T00:00:00.000000Z"),
            (1_709_164_800, "2024-02-29T00:00:00.000000Z"),
            (1_735_603_200, "2024-12-31T00:00:00.000000Z"),
            (1_740_787_199, "2025-02-28T23:59:59.000000Z"),
            (1_740_787_200, "2025-03-01T00:00:00.000000Z"),
            (1_777_593_599, "2026-04-30T23:59:59.000000Z"),
            (1_798_761_599, "2026-12-31T23:59:59.000000Z"),
            (1_798_761_600, "2027-01-01T00:00:00.000000Z"),
            (4_107_542_399, "2100-02-28T23:59:59.000000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000000Z"),
        ] as [(UInt64, String)]
    )
    func `the date in UTC follows the Gregorian calendar`(second: UInt64, expected: String) {
        #expect(rfc3339(CivilTime(second * 1_000_000_000)) == expected)
    }

    @Test func `a fraction is cut to microseconds`() {
        let time = CivilTime(1_795_253_415_123_456_999)
        #expect(rfc3339(time) == "2026-11-21T09:30:15.123456Z")
        #expect(rfc3339(CivilTime(1_795_253_415_000_001_000)) == "2026-11-21T09:30:15.000001Z")
    }

    @Test func `the greatest timestamp has four digits for its year`() {
        #expect(rfc3339(CivilTime(.max)) == "2554-07-21T23:34:33.709551Z")
    }

    @Test(
        arguments: [
            (3_600, "2026-11-21T10:30:15.123456+01:00"),
            (0, "2026-11-21T09:30:15.123456+00:00"),
            (20_700, "2026-11-21T15:15:15.123456+05:45"),
            (-12_600, "2026-11-21T06:00:15.123456-03:30"),
            (50_400, "2026-11-21T23:30:15.123456+14:00"),
            (-36_000, "2026-11-20T23:30:15.123456-10:00"),
        ] as [(Int, String)]
    )
    func `an offset moves the time and stands behind it`(offset: Int, expected: String) {
        #expect(rfc3339(CivilTime(1_795_253_415_123_456_000, offset: offset)) == expected)
    }

    @Test func `a zone west of UTC has a date before 1970`() {
        #expect(rfc3339(CivilTime(0, offset: -18_000)) == "1969-12-31T19:00:00.000000-05:00")
    }

    @Test(
        arguments: zip(
            [1, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335],
            [
                "Jan  2 00:00:00", "Feb  1 00:00:00", "Mar  2 00:00:00", "Apr  2 00:00:00",
                "May  2 00:00:00", "Jun  2 00:00:00", "Jul  2 00:00:00", "Aug  2 00:00:00",
                "Sep  2 00:00:00", "Oct  2 00:00:00", "Nov  2 00:00:00", "Dec  2 00:00:00",
            ]
        )
    )
    func `syslog has English months and days padded by a space`(day: Int, expected: String) {
        #expect(rfc3164(CivilTime(UInt64(day) * 86_400_000_000_000)) == expected)
    }

    @Test func `syslog has days of two digits and the time of day`() {
        #expect(rfc3164(CivilTime(1_795_253_415_123_456_000)) == "Nov 21 09:30:15")
    }

    @Test func `local time is that of the system's zone`() async {
        await #expect(processExitsWith: .success) {
            setTimeZone("ABC-05:30")
            let time = CivilTime(local: 1_795_253_415_123_456_000)
            let again = CivilTime(local: 1_795_253_415_987_654_000)
            #expect(rfc3339(time) == "2026-11-21T15:00:15.123456+05:30")
            #expect(rfc3339(again) == "2026-11-21T15:00:15.987654+05:30")
        }
    }

    @Test func `a zone whose file has an offset of a day or more is UTC`() async {
        await #expect(processExitsWith: .success) {
            let path = "/tmp/winnow-zone-\(getpid())"
            defer { unsafe unlink(path) }
            let offsets: [(Int32, String)] = [
                (86_399, "2026-11-22T09:30:14.000000+23:59"),
                (-86_399, "2026-11-20T09:31:16.000000-23:59"),
                (86_400, ""), (-86_400, ""), (360_000, ""), (-524_289, ""), (.max, ""),
                (.min + 1, ""),
            ]
            for (index, (offset, expected)) in offsets.enumerated() {
                writeZone(offset: offset, to: path)
                setTimeZone(":/")
                setTimeZone(":\(path)")
                // Each in a second of its own: the answer for one is kept.
                let seconds = 1_795_253_415 + UInt64(index) * 60
                let utc = rfc3339(CivilTime(seconds * 1_000_000_000)).dropLast()
                let time = rfc3339(CivilTime(local: seconds * 1_000_000_000))
                #expect(time == (expected.isEmpty ? "\(utc)+00:00" : expected))
            }
        }
    }

    @Test func `local time changes its offset with daylight saving`() async {
        await #expect(processExitsWith: .success) {
            setTimeZone("CET-1CEST,M3.5.0,M10.5.0/3")
            #expect(
                rfc3339(CivilTime(local: 1_774_745_999_000_000_000))
                    == "2026-03-29T01:59:59.000000+01:00"
            )
            #expect(
                rfc3339(CivilTime(local: 1_774_746_000_000_000_000))
                    == "2026-03-29T03:00:00.000000+02:00"
            )
        }
    }
}

/// Writes a file of a zone with one offset, in seconds east of UTC.
///
/// Source: RFC 8536, section 3, version 1.
private func writeZone(offset: Int32, to path: String) {
    // No leap seconds, no transitions, one type, whose name has four bytes.
    let counts: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4]
    let type = (0..<4).map { UInt8(truncatingIfNeeded: offset >> (24 - $0 * 8)) } + [0, 0]
    let bytes =
        Array("TZif".utf8) + [UInt8](repeating: 0, count: 16) + counts + type + Array("ABC\0".utf8)
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    #expect(unsafe write(descriptor, bytes, bytes.count) == bytes.count)
    close(descriptor)
}

private func rfc3339(_ time: CivilTime) -> String {
    var buffer = ByteBuffer()
    buffer.append(rfc3339: time)
    return String(decoding: contents(of: buffer), as: UTF8.self)
}

private func rfc3164(_ time: CivilTime) -> String {
    var buffer = ByteBuffer()
    buffer.append(rfc3164: time)
    return String(decoding: contents(of: buffer), as: UTF8.self)
}
