// SPDX-License-Identifier: Apache-2.0

/// How long a test waits for what must come, in nanoseconds: five minutes.
///
/// A busy machine has no say in whether it passes, and one that has failed is in no hurry.
package let patience: UInt64 = 300_000_000_000
