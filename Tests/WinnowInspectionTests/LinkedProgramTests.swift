// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WinnowCore
import WinnowInspection

/// A program is listed with the shared libraries that it brings along.
final class LinkedProgramTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("winnow-\(UUID().uuidString)").path

    init() throws {
        try FileManager.default.createDirectory(
            atPath: "\(folder)/lib",
            withIntermediateDirectories: true
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// An image with a statement of the level, or without Winnow where there is none.
    private func image(level: Int8?, needs: [String] = [], folders: String? = nil) -> ProgramImage {
        var image = ProgramImage()
        if let level {
            image.addStatement(at: 0x1000, file: "M\(level)/a.swift", line: 1, level: level)
        } else {
            image.version = nil
            image.hasTable = false
        }
        var names: [UInt8] = [0]
        var entries: [UInt8] = []
        for (kind, text) in needs.map({ (UInt64(1), $0) }) + [(29, folders ?? "")] {
            entries += ProgramImage.little(kind) + ProgramImage.little(UInt64(names.count))
            names += Array(text.utf8) + [0]
        }
        let first = UInt32(level == nil ? 3 : 5)
        image.more = [
            .init(name: ".dynstr", kind: 3, bytes: names),
            .init(name: ".dynamic", kind: 6, link: first, bytes: entries),
        ]
        return image
    }

    private func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }

    private func levels(of program: LinkedProgram) -> [String] {
        program.table.statements.map { "\($0.severity)" }
    }

    @Test(arguments: ["$ORIGIN/lib", "${ORIGIN}/lib", "/nowhere:$ORIGIN:$ORIGIN/lib"])
    func `the libraries of a program, and theirs, are listed with it`(folders: String) throws {
        let app = image(level: 3, needs: ["libA.so", "libc.so.6"], folders: folders)
        try write(app.bytes, to: "app")
        // Each needs the other one, as libraries may.
        try write(
            image(level: 5, needs: ["libB.so", "libA.so"], folders: "$ORIGIN").bytes,
            to: "lib/libA.so"
        )
        try write(
            image(level: 7, needs: ["libA.so"], folders: "$ORIGIN").bytes,
            to: "lib/libB.so"
        )
        let program = try LinkedProgram(path: "\(folder)/app")
        #expect(levels(of: program) == ["error", "notice", "debug"])
        #expect(program.libraries == ["\(folder)/lib/libA.so", "\(folder)/lib/libB.so"])
        let report = StatementReport(
            program: "app",
            libraries: program.libraries,
            table: program.table,
            expectation: Expectation(.notice)
        )
        #expect(report.verdict == .fails(1))
        #expect(report.text.contains("\nwith the library \(folder)/lib/libB.so\n3 statements: "))
        #expect(report.json.contains("\"libraries\": [\n    \"\(folder)/lib/libA.so\",\n"))
    }

    @Test func `a statement in the program and in its library is one, with two copies`() throws {
        try write(image(level: 3, needs: ["libA.so"], folders: "$ORIGIN").bytes, to: "app")
        try write(image(level: 3).bytes, to: "libA.so")
        let program = try LinkedProgram(path: "\(folder)/app")
        #expect(program.table.statements.map(\.copies) == [2])
    }

    @Test func `of a program without Winnow the libraries are listed`() throws {
        try write(image(level: nil, needs: ["libA.so"], folders: "$ORIGIN").bytes, to: "app")
        try write(image(level: 4).bytes, to: "libA.so")
        #expect(levels(of: try LinkedProgram(path: "\(folder)/app")) == ["warning"])
    }

    @Test func `a program without Winnow whose libraries have none is refused`() throws {
        try write(image(level: nil, needs: ["libA.so"], folders: "$ORIGIN").bytes, to: "app")
        try write(image(level: nil).bytes, to: "libA.so")
        let problem = #expect(throws: InspectionProblem.self) {
            try LinkedProgram(path: "\(folder)/app")
        }
        #expect(problem?.code == .noTable)
    }

    @Test func `a library that the loader would not find, or not take, is passed over`() throws {
        let needs = ["libNone.so", "libText.so", ""]
        try write(image(level: 3, needs: needs, folders: "$ORIGIN").bytes, to: "app")
        try write(Array("no library".utf8), to: "libText.so")
        let program = try LinkedProgram(path: "\(folder)/app")
        #expect(levels(of: program) == ["error"])
        #expect(program.libraries == [])
    }

    @Test func `what is wrong with a library names it`() throws {
        try write(image(level: 3, needs: ["libA.so"], folders: "$ORIGIN").bytes, to: "app")
        var library = image(level: 3)
        library.version = 99
        try write(library.bytes, to: "libA.so")
        let problem = #expect(throws: InspectionProblem.self) {
            try LinkedProgram(path: "\(folder)/app")
        }
        let words = "needs \(folder)/libA.so, which has a table of log statements of version 99"
        #expect(problem?.text.hasPrefix(words) == true, "\(problem?.text ?? "")")
    }
}
