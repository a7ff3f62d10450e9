// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A day of the Gregorian calendar.
package struct CivilDate {
    package let year: Int
    package let month: Int
    package let day: Int

    /// The seconds from 1 March of the year 0, which days are counted from here, to 1970.
    package static let secondsBefore1970 = 719_468 * 86_400

    /// The day that was asked for last, and its date, in one word, as records that share a day are many
    /// exactly when the cost matters: above bit 32 the days, below them year, month and day.
    private static let lastAnswer = Atomic<UInt64>(0)

    /// Returns the date of a day, by the days since 1 March of the year 0.
    ///
    /// MT-Safe, AS-Safe.
    package init(days: Int) {
        let known = Self.lastAnswer.load(ordering: .relaxed)
        guard known &>> 32 == UInt64(days), known != 0 else {
            self.init(computing: days)
            let date = UInt64(year) &<< 9 | UInt64(month) &<< 5 | UInt64(day)
            Self.lastAnswer.store(UInt64(days) &<< 32 | date, ordering: .relaxed)
            return
        }
        self.init(
            year: Int(known &>> 9 & 0x7F_FFFF),
            month: Int(known &>> 5 & 0xF),
            day: Int(known & 0x1F)
        )
    }

    private init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// Counting from March puts the leap day last, and from the year 0 keeps all terms positive.
    ///
    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
    private init(computing days: Int) {
        let (era, dayOfEra) = days.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let isNextYear = monthFromMarch >= 10
        year = era * 400 + yearOfEra + (isNextYear ? 1 : 0)
        month = monthFromMarch + (isNextYear ? -9 : 3)
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    }
}
