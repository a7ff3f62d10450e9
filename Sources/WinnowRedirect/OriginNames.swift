// SPDX-License-Identifier: Apache-2.0

internal import CWinnowRedirect

extension LineOrigin {
    /// The origin of a number of CWinnowOrigin.h.
    init(number: UInt32) {
        // SAFETY: an origin lives as long as the process and does not change.
        let origin = unsafe cwinnow_origin_at(number).pointee
        let name = unsafe withUnsafeBytes(of: origin.name) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        self.init(
            name: name,
            isApproximate: origin.is_approximate,
            isDescriptor: number == CWINNOW_ORIGIN_DESCRIPTOR
        )
    }
}
