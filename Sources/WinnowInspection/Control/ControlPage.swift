// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
package import WinnowCore

/// What a process shows of its log: see `CWinnowControl.h`.
///
/// Its bytes are whatever somebody has written there; what contradicts itself is left out.
package struct ControlPage: Sendable {
    /// A category.
    package struct Category: Sendable, Hashable {
        /// The name; empty for the static methods of `Log`.
        package let name: String
        /// The levels that it lets through now.
        package let levels: LevelSet
    }

    /// The process, as it knows itself: in a container another number than outside.
    package let processID: Int32
    /// The identity of the run; nil until it has logged.
    package let run: UInt32?
    /// When the log began, in nanoseconds since 1970.
    package let began: UInt64
    /// The floor with which the program's Winnow was built; nil where it lets nothing through.
    package let floor: Level?
    /// The name of the program in the log.
    package let identifier: String
    /// What the process says of its levels, and of orders.
    package let state: ControlState
    /// The accounts of its sinks; nil where it has shown none.
    package let accounts: ControlAccounts?
    /// The categories by their names, the empty one first.
    package let categories: [Category]

    /// Reads a page.
    ///
    /// - Throws: `InspectionProblem` if it is none, or one of another version.
    package init(_ source: some ByteSource) throws(InspectionProblem) {
        let header = try source.bytes(
            at: 0,
            count: UInt64(MemoryLayout<cwinnow_control_header>.size),
            of: "the header of the control page"
        )
        guard header.starts(with: CWINNOW_CONTROL_MAGIC.utf8) else {
            throw InspectionProblem(.damaged, "it is no control page", "look at another process")
        }
        let version: UInt32 = header.number(\cwinnow_control_header.version)
        guard version == CWINNOW_CONTROL_VERSION else {
            let advice = "use the tool of the version that the program is built with"
            throw InspectionProblem(
                .unknownVersion,
                "it has a control page of another version of Winnow",
                advice
            )
        }
        processID = header.number(\cwinnow_control_header.process_id)
        let run: UInt32 = header.number(\cwinnow_control_header.run)
        self.run = run == 0 ? nil : run
        began = header.number(\cwinnow_control_header.began)
        floor = Level(severity: header.number(\cwinnow_control_header.floor))
        identifier = header.text(
            \cwinnow_control_header.identifier,
            count: header.number(\cwinnow_control_header.identifier_length)
        )
        state = try ControlState(source)
        accounts = try ControlAccounts(source)
        let count: UInt32 = header.number(\cwinnow_control_header.cell_count)
        categories = try Self.categories(
            in: source,
            // The first is there always.
            count: min(max(count, 1), UInt32(cwinnow_control_cell_capacity)),
            state: state
        )
    }

    private static func categories(
        in source: some ByteSource,
        count: UInt32,
        state: ControlState
    ) throws(InspectionProblem) -> [Category] {
        let stride = MemoryLayout<cwinnow_cell>.stride
        let cells = try source.bytes(
            at: UInt64(cwinnow_control_cells_offset),
            count: UInt64(count) * UInt64(stride),
            of: "the cells of the control page"
        )
        let names = try source.bytes(
            at: UInt64(cwinnow_control_names_offset),
            count: UInt64(cwinnow_control_name_capacity),
            of: "the names of the control page"
        )
        // Names that are told apart take no more than their place: others would fill the memory.
        var left = names.count
        let categories = (0..<Int(count)).compactMap { index -> Category? in
            let held: UInt32 = cells.integer(at: index * stride)
            let closer: UInt32 = cells.integer(at: index * stride + 4)
            guard index > 0 else {
                return Category(name: "", levels: state.levels(of: "", held: held, closer: closer))
            }
            let offset: UInt32 = cells.integer(at: index * stride + 8)
            let length: UInt32 = cells.integer(at: index * stride + 12)
            guard length > 0, length <= left, let name = name(in: names, at: offset, count: length)
            else { return nil }
            left -= Int(length)
            return Category(
                name: name,
                levels: state.levels(of: name, held: held, closer: closer)
            )
        }
        return categories.sorted { $0.name < $1.name }
    }

    private static func name(in names: [UInt8], at offset: UInt32, count: UInt32) -> String? {
        let start = Int(offset) - Int(cwinnow_control_names_offset)
        guard start >= 0, start <= names.count, Int(count) <= names.count - start else {
            return nil
        }
        return String(decoding: names[start..<start + Int(count)], as: UTF8.self)
    }
}

extension Level {
    /// The level of a number from -1, none, to 7.
    fileprivate init?(severity: Int32) {
        guard let value = UInt8(exactly: severity) else { return nil }
        self.init(rawValue: value)
    }
}
