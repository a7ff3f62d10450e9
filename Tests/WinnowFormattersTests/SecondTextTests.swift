// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowCore
import WinnowFormatters

/// A buffer knows the text of the second that was written last.
struct SecondTextTests {
    /// Nanoseconds around the ends of seconds, minutes, days, leap days, years, and of what there is.
    private static let times: [UInt64] = {
        let seconds: [UInt64] = [
            0, 1, 59, 60, 86_399, 86_400, 951_782_399, 951_868_800, 1_709_164_800, 1_798_761_599,
            1_798_761_600, 4_107_542_400, 18_446_744_072,
        ]
        let fractions: [UInt64] = [0, 999, 1_000, 123_456_789, 999_999_999]
        return seconds.flatMap { second in fractions.map { second * 1_000_000_000 + $0 } }
            + [.max, .max - 1_000_000_000]
    }()

    @Test func `what is written does not depend on what was written before`() {
        // Forwards, backwards as a clock that is set back, and each behind each with steps of 7 and 31.
        let orders = [
            Self.times, Self.times.reversed(), Self.times.indices.map { Self.times[$0 * 7 % 67] },
            Self.times.indices.map { Self.times[$0 * 31 % 67] },
        ]
        #expect(Self.times.count == 67)
        var buffer = ByteBuffer()
        for time in orders.joined() {
            #expect(text(of: time, isLocal: false, in: &buffer) == text(of: CivilTime(time)))
        }
    }

    @Test func `a buffer that changes between UTC and local time mixes up nothing`() async {
        await #expect(processExitsWith: .success) {
            setTimeZone("ABC-05:30")
            var buffer = ByteBuffer()
            for time in [1_795_253_415_123_456_000, 1_795_253_415_987_654_321] as [UInt64] {
                let utc = text(of: time, isLocal: false, in: &buffer)
                let local = text(of: time, isLocal: true, in: &buffer)
                #expect(utc == text(of: CivilTime(time)))
                #expect(local == text(of: CivilTime(local: time)))
            }
            #expect(
                text(of: 1_795_253_415_000_001_000, isLocal: true, in: &buffer)
                    == "2026-11-21T15:00:15.000001+05:30"
            )
        }
    }

    @Test func `local time changes its offset within a buffer`() async {
        await #expect(processExitsWith: .success) {
            setTimeZone("CET-1CEST,M3.5.0,M10.5.0/3")
            var buffer = ByteBuffer()
            let summer = "2026-03-29T03:00:00.000000+02:00"
            let winter = "2026-03-29T01:59:59.999999+01:00"
            for _ in 0..<2 {
                #expect(text(of: 1_774_745_999_999_999_999, isLocal: true, in: &buffer) == winter)
                #expect(text(of: 1_774_746_000_000_000_000, isLocal: true, in: &buffer) == summer)
            }
        }
    }

    @Test func `a zone west of UTC has its date before 1970`() async {
        await #expect(processExitsWith: .success) {
            setTimeZone("ABC+05:00")
            var buffer = ByteBuffer()
            #expect(
                text(of: 0, isLocal: true, in: &buffer) == "1969-12-31T19:00:00.000000-05:00"
            )
        }
    }
}

private func text(of timestamp: UInt64, isLocal: Bool, in buffer: inout ByteBuffer) -> String {
    buffer.removeAll()
    buffer.append(rfc3339: timestamp, isLocal: isLocal)
    return String(decoding: contents(of: buffer), as: UTF8.self)
}

private func text(of time: CivilTime) -> String {
    var buffer = ByteBuffer()
    buffer.append(rfc3339: time)
    return String(decoding: contents(of: buffer), as: UTF8.self)
}
