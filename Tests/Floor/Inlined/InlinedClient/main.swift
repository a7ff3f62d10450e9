// SPDX-License-Identifier: Apache-2.0

import InlinedLibrary
import Winnow

let log = Log("inlined")
plain(log)
generic(log, 1)
inlinable(log)
inlinableGeneric(log, 1)
always(log)
for _ in 0..<4 { limited(log) }
limited(log)
limited(log)
