// SPDX-License-Identifier: Apache-2.0

extension UInt64 {
    /// Creates the nanoseconds of so many seconds: none for fewer than none, and the greatest
    /// number for more than fit, which as a time since 1970 are those from 21 July 2554 on.
    ///
    /// Seconds come from the names and times of files, which anybody may have set, and from options.
    init(nanosecondsOf seconds: Int) {
        let (product, isTooLarge) = UInt64(Swift.max(seconds, 0))
            .multipliedReportingOverflow(by: 1_000_000_000)
        self = isTooLarge ? .max : product
    }
}
