// SPDX-License-Identifier: Apache-2.0

internal import WinnowCore

/// Who has given an order, as they say: whoever may write to the page may write any.
struct Author: Sendable {
    let userID: UInt32
    let processID: Int32

    var fields: [Field] {
        [
            Field("winnow_uid", .unsigned(UInt64(userID))),
            Field("winnow_pid", .integer(Int64(processID))),
        ]
    }
}
