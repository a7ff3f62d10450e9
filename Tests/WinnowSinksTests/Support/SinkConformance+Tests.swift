// SPDX-License-Identifier: Apache-2.0

import WinnowTesting

extension SinkConformance {
    /// The same checks, for a machine that is busy with other tests: more than enough for what is
    /// right, and waited for only where something is wrong.
    var patient: SinkConformance {
        var conformance = self
        conformance.patience = .seconds(120)
        return conformance
    }
}
