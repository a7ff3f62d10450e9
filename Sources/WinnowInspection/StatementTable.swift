// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import WinnowCore

/// The log statements that a program holds, from the table that it carries.
package struct StatementTable: Sendable {
    /// The statements, each once, by level, module, file and line.
    package let statements: [Statement]
    /// The literals of messages that are made outside of a statement, sorted.
    package let looseTexts: [String]

    /// Reads the table of a program.
    ///
    /// - Throws: `InspectionProblem` where nothing can be told: it is no program, or Winnow is not
    ///   in it, or it is damaged.
    package init(_ source: some ByteSource) throws(InspectionProblem) {
        try self.init(try ELFImage(source))
    }

    /// Reads the table of a program whose headers are read.
    init<Source>(_ image: ELFImage<Source>) throws(InspectionProblem) {
        let notes = try image.winnowNotes()
        let tables = image.sections.filter { $0.name == CWINNOW_STATEMENTS_SECTION }
        try Self.check(image, notes: notes, tables: tables)
        var reader = StatementReader(image)
        for table in tables {
            try reader.read(table)
        }
        (statements, looseTexts) = try reader.finish()
    }

    /// Joins the tables of programs that run as one: code of one statement may be in several of them.
    init(joining tables: [StatementTable]) {
        var joined: [Statement] = []
        var indices: [Statement.Identity: Int] = [:]
        for statement in tables.flatMap(\.statements) {
            // An address says nothing beyond its own program.
            let identity = statement.identity.address == nil ? statement.identity : nil
            if let index = identity.flatMap({ indices[$0] }) {
                joined[index].copies += statement.copies
            } else {
                identity.map { indices[$0] = joined.count }
                joined.append(statement)
            }
        }
        statements = joined.sorted(by: Statement.isListed)
        looseTexts = Set(tables.flatMap(\.looseTexts)).sorted()
    }

    private static func check<Source>(
        _ image: ELFImage<Source>,
        notes: [UInt32?],
        tables: [ELFImage<Source>.Section]
    ) throws(InspectionProblem) {
        if image.sections.isEmpty { throw withoutSections(hasNote: !notes.isEmpty) }
        let known = UInt32(CWINNOW_STATEMENTS_VERSION)
        if let version = notes.first(where: { $0 != known }) {
            guard let version else { throw .damagedTable("the note of its version is too short") }
            throw InspectionProblem(
                .unknownVersion,
                "has a table of log statements of version \(version), and this tool reads version "
                    + "\(known)",
                "use the tool of the release of Winnow that the program is built with"
            )
        }
        if tables.contains(where: { $0.kind == ELFImage<Source>.Section.Kind.noBits }) {
            throw InspectionProblem(
                .noTable,
                "holds debug information only",
                "give the program that it was made from"
            )
        }
        if notes.isEmpty, tables.isEmpty { throw withoutWinnow(try image.neededLibraries()) }
    }

    private static func withoutSections(hasNote: Bool) -> InspectionProblem {
        InspectionProblem(
            .noTable,
            "has no section headers"
                + (hasNote ? ", though Winnow is in it" : "")
                + ", and without them the table of log statements cannot be found",
            "give the program as it was before sstrip or a packer removed them; strip keeps them"
        )
    }

    private static func withoutWinnow(_ needed: [String]) -> InspectionProblem {
        if let library = needed.first(where: { $0.hasPrefix("libWinnow") }) {
            return InspectionProblem(
                .noTable,
                "has no table of log statements; Winnow is not in it but in \(library), which it "
                    + "needs",
                "link Winnow statically, as SwiftPM does by default, or give what else it needs"
            )
        }
        return InspectionProblem(
            .noTable,
            "has no table of log statements, nor the note of a program with Winnow",
            "give a program that is linked with Winnow"
        )
    }
}
