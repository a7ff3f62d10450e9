// SPDX-License-Identifier: Apache-2.0

// Shows the whole of it: a category, a level for each record, and values that are fields as well.

import Winnow

let log = Log("quickstart")
let port = 8080

log.notice("listening on port \(port, as: "port")")
log.warning("disk is \(91, as: "used_percent") % full", ("mount", "/var"))
log.error("cannot open the configuration", errno: 2, ("path", "/etc/quickstart.conf"))
