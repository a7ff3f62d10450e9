// SPDX-License-Identifier: Apache-2.0

internal import CWinnow

/// The text of an error in the log: what a `LocalizedError` says of itself, and else the description.
///
/// `LocalizedError` is Foundation's, with which nobody links for the sake of a log. So the protocol is looked
/// up by its name, once, in what the program has loaded by its first error. Its requirements are looked at in
/// the description that the runtime has of it: a version of Foundation with others is left alone.
///
/// Source: docs/ABI/TypeMetadata.rst of Swift; include/swift/ABI/Metadata.h, `TargetProtocolDescriptor`.
enum ErrorText {
    /// Returns the text of an error.
    static func of(_ error: any Error) -> String {
        localized(error) ?? String(describing: error)
    }

    /// The protocol as a type, `any LocalizedError`; nil without Foundation.
    private static let localizedError: Any.Type? = {
        let names = ["20FoundationEssentials14LocalizedError_p", "10Foundation14LocalizedError_p"]
        return names.lazy.compactMap { _typeByName($0) }.first { isAsKnown($0) }
    }()

    /// Whether a type is that of a protocol that refines `Error`, and else requires four getters.
    private static func isAsKnown(_ type: Any.Type) -> Bool {
        // SAFETY: the metadata of a type lives as long as the process, and begins with its kind.
        let metadata = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
        // An existential of one protocol: behind the kind and the flags are their number and the protocol.
        guard unsafe metadata.load(as: UInt.self) == 0x303,
            unsafe metadata.load(fromByteOffset: 12, as: UInt32.self) == 1
        else { return false }
        let protocolType = unsafe metadata.load(fromByteOffset: 16, as: UnsafeRawPointer.self)
        let constraintCount = unsafe protocolType.load(fromByteOffset: 12, as: UInt32.self)
        let count = unsafe protocolType.load(fromByteOffset: 16, as: UInt32.self)
        guard constraintCount == 1, count == 5 else { return false }
        let requirements = unsafe protocolType + 24 + 12
        return (0..<5).allSatisfy { index in
            let flags = unsafe requirements.load(fromByteOffset: 8 * index, as: UInt32.self)
            // A base protocol; then getters of instances, without `async`.
            return flags & 0x3F == (index == 0 ? 0 : 0x13)
        }
    }

    /// Returns what a `LocalizedError` says of itself; nil for another one, and where it says nothing.
    private static func localized(_ error: any Error) -> String? {
        guard let localizedError else { return nil }
        func open<Existential>(_: Existential.Type) -> String? {
            func text<Failure: Error>(of error: Failure) -> String? {
                description(of: error, as: Existential.self)
            }
            return _openExistential(error, do: text)
        }
        return _openExistential(localizedError, do: open)
    }

    /// Returns the first getter's value of an error in the existential of one protocol.
    private static func description<Failure: Error, Existential>(
        of error: Failure,
        as _: Existential.Type
    ) -> String? {
        // Three words for the value, its type, and the table of its witnesses.
        guard MemoryLayout<Existential>.size == 40, let box = error as? Existential else {
            return nil
        }
        return unsafe withUnsafeBytes(of: box) { box in
            // That of an object may be a subclass of the type by which it is known here.
            let type = unsafe box.load(fromByteOffset: 24, as: UnsafeRawPointer.self)
            let table = unsafe box.load(fromByteOffset: 32, as: UnsafeRawPointer.self)
            // Behind the conformance and the table of `Error`.
            let getter = unsafe table.load(fromByteOffset: 16, as: UnsafeRawPointer.self)
            return unsafe withUnsafePointer(to: error) { value in
                unsafe withUnsafeTemporaryAllocation(of: String?.self, capacity: 1) { result in
                    // SAFETY: the requirement is a getter of the error's own type, and stores a whole text.
                    guard let result = result.baseAddress else { return nil }
                    unsafe cwinnow_witness_get_text(getter, value, type, table, result)
                    return unsafe result.move()
                }
            }
        }
    }
}
