// SPDX-License-Identifier: Apache-2.0

/// Why nothing can be told of a program's log statements.
package struct InspectionProblem: Error, Sendable, Hashable {
    /// The kind of problem.
    package enum Code: Sendable, Hashable {
        /// The file cannot be opened or read.
        case unreadable
        /// The file is no ELF file.
        case notELF
        /// It is an ELF file, but no program or shared library, or none for a machine on which
        /// Winnow keeps a table.
        case unsupported
        /// The file ends too early, or contradicts itself.
        case damaged
        /// There is no table to be found.
        case noTable
        /// The table is of another version of Winnow.
        case unknownVersion
    }

    /// The kind of problem.
    package let code: Code
    /// What is the matter and what to do, as words that follow the name of the file.
    package let text: String

    /// Creates a problem from what is the matter and what to do about it.
    init(_ code: Code, _ matter: String, _ advice: String) {
        self.init(code, text: "\(matter): \(advice)")
    }

    private init(_ code: Code, text: String) {
        self.code = code
        self.text = text
    }

    /// The problem of a library, as one of the program that needs it.
    func inLibrary(_ path: String) -> InspectionProblem {
        InspectionProblem(code, text: "needs \(path), which \(text)")
    }

    /// A part of the file lies, or leads, outside of it.
    static func truncated(_ part: String) -> InspectionProblem {
        InspectionProblem(
            .damaged,
            "\(part) reaches beyond the end of the file, which is truncated or damaged",
            "build or copy the program again"
        )
    }

    /// A part of the file is larger than any linker writes it.
    static func oversized(_ part: String) -> InspectionProblem {
        InspectionProblem(
            .damaged,
            "\(part) is larger than that of any program, so the file is damaged",
            "build or copy the program again"
        )
    }

    /// The table says what no build writes.
    static func damagedTable(_ matter: String) -> InspectionProblem {
        InspectionProblem(
            .damaged,
            "the table of log statements is damaged: \(matter)",
            "build or copy the program again"
        )
    }
}

extension InspectionProblem: CustomStringConvertible {
    package var description: String { text }
}
