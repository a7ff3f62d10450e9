// SPDX-License-Identifier: Apache-2.0

internal import CSystemd

/// The shared library that reads journals, once it is loaded.
@safe
package struct Systemd: @unchecked Sendable {
    /// The name that all distributions give it.
    package static let name = "libsystemd.so.0"

    private static let shared = Result { () throws(LogStoreError) in try Systemd(loading: name) }

    // SAFETY: the functions are bound once, before anyone sees them, and stay for ever.
    let functions: UnsafePointer<csystemd_library>

    private init(loading name: String) throws(LogStoreError) {
        var reason = ""
        let library = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { text in
            // SAFETY: the call writes at most 512 bytes and always terminates them.
            let base = unsafe text.baseAddress.unsafelyUnwrapped
            let library = unsafe csystemd_library_load(name, base, 512)
            if unsafe library == nil { reason = unsafe String(cString: base) }
            return unsafe library
        }
        guard let library = unsafe library else {
            throw LogStoreError(.libraryMissing, name, detail: reason)
        }
        unsafe functions = library
    }

    /// Returns the library, which the first call loads.
    ///
    /// MT-Safe.
    static func library(_ name: String) throws(LogStoreError) -> Systemd {
        name == Self.name ? try shared.get() : try Systemd(loading: name)
    }
}
