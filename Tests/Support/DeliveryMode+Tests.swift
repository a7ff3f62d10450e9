// SPDX-License-Identifier: Apache-2.0

package import WinnowPipeline

extension DeliveryMode {
    /// What every behavior that does not say otherwise holds in.
    package static let both: [DeliveryMode] = [.immediate, .deferred]
}
