// SPDX-License-Identifier: Apache-2.0

extension Float {
    /// The double that reads as the float does: 0.1 for the float 0.1, and not 0.10000000149.
    var doubleAsWritten: Double { Double(description) ?? Double(self) }
}
