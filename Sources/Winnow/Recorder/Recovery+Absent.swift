// SPDX-License-Identifier: Apache-2.0

#if !Recorder
/// The recovery in a build without the trait `Recorder`, which does not record either.
enum Recovery {
    static let isBuilt = false

    static func begin(in path: String, of identifier: String) {}
}
#endif
