// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Rows and columns, printed as a table that reads as text and as Markdown.
struct Table {
    var title: String
    var header: [String]
    var rows: [[String]] = []

    var text: String {
        let widths = header.indices.map { column in
            ([header] + rows).map { $0[column].count }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            let padded = cells.enumerated().map { column, cell in
                let blanks = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + blanks : blanks + cell
            }
            return "| \(padded.joined(separator: " | ")) |"
        }
        let rule = widths.enumerated().map { column, width in
            String(repeating: "-", count: column == 0 ? width : width - 1)
                + (column == 0 ? "" : ":")
        }
        let lines = ["## \(title)\n", line(header), line(rule)] + rows.map(line)
        return lines.joined(separator: "\n")
    }
}

extension Double {
    /// The number with as many digits as say something.
    var short: String {
        switch abs(self) {
        case 0: "0"
        case ..<0.1: String(format: "%.3f", self)
        case ..<1: String(format: "%.2f", self)
        case ..<100 where self != rounded(): String(format: "%.1f", self)
        default: String(format: "%.0f", self)
        }
    }
}

extension Double? {
    /// The number; a dash where there is none.
    var short: String { map(\.short) ?? "–" }
}
