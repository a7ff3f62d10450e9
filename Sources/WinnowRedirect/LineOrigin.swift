// SPDX-License-Identifier: Apache-2.0

/// The module that printed a line.
public struct LineOrigin: Sendable, Hashable {
    /// The name of the module: of a Swift module, a C or C++ target, or a shared object without `lib`
    /// and `.so`; `descriptor` for what no hook has seen, but came through a captured descriptor.
    public let name: String
    /// Whether the name is a guess, as the program has no symbols, and may be another module's.
    public let isApproximate: Bool
    /// Whether the line came through a captured descriptor: from a child, or by a raw write(2).
    public let isDescriptor: Bool

    package init(name: String, isApproximate: Bool = false, isDescriptor: Bool = false) {
        self.name = name
        self.isApproximate = isApproximate
        self.isDescriptor = isDescriptor
    }

    /// What came through a captured descriptor.
    package static let descriptor = LineOrigin(name: "descriptor", isDescriptor: true)
}

extension LineOrigin: CustomStringConvertible {
    /// The name, with `~` behind it where it is a guess, as rules spell it.
    ///
    /// MT-Safe, AS-Unsafe heap.
    public var description: String { isApproximate ? name + "~" : name }
}
