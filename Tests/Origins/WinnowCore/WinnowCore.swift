// SPDX-License-Identifier: Apache-2.0

// A module with the name of one of Winnow's, which are stepped over.

import OriginProbe

/// Asks whose call it is, on behalf of its caller.
@inline(never)
public func askInWinnow() -> String {
    String(cString: origin_probe())
}
