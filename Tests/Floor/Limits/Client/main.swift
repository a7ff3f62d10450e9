// SPDX-License-Identifier: Apache-2.0

import Library
import Winnow

let log = Log("limits")
plain(log)
generic(log, 1)
inlinable(log)
inlinableGeneric(log, 1)
