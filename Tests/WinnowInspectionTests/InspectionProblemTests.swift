// SPDX-License-Identifier: Apache-2.0

import Testing
import WinnowInspection

struct InspectionProblemTests {
    private func problem(_ bytes: [UInt8]) -> String {
        do throws(InspectionProblem) {
            return "no problem: \(try StatementTable(bytes).statements.count) statements"
        } catch {
            return error.text
        }
    }

    private func image() -> ProgramImage {
        var image = ProgramImage()
        image.addStatement(at: 0x1000, line: 1, level: 3, texts: ["a text"])
        return image
    }

    @Test
    func `what is no ELF file is told from one`() {
        let advice = ": give the path of a program or shared library, such as .build/release/NAME"
        #expect(problem([]) == "is empty" + advice)
        #expect(problem(Array("#!/bin/sh\n".utf8)) == "is not an ELF file" + advice)
        #expect(
            problem(Array("!<arch>\nmain.o/".utf8))
                == "is a static library: link it into a program, and give that"
        )
    }

    @Test
    func `another kind of ELF file is named`() {
        var image = image()
        image.type = 1
        #expect(
            problem(image.bytes)
                == "is an object file that is not linked: link it first, and give the program"
        )
        image.type = 4
        #expect(problem(image.bytes) == "is a core file: give the program that left it")
        image.type = 9
        #expect(problem(image.bytes).hasPrefix("is neither a program nor a shared library"))
    }

    @Test
    func `a program of another width, byte order or machine is named`() {
        let advice = ": Winnow keeps a table of log statements on x86-64 and aarch64 only"
        var bytes = image().bytes
        bytes[4] = 1
        #expect(problem(bytes) == "is not a 64-bit program" + advice)
        bytes = image().bytes
        bytes[5] = 2
        #expect(problem(bytes) == "is not a little-endian program" + advice)
        var image = image()
        image.machine = 243
        #expect(problem(image.bytes) == "is a program for another machine (e_machine 243)" + advice)
        image.machine = 183
        #expect(problem(image.bytes) == "no problem: 1 statements")
    }

    @Test
    func `without section headers it cannot be told, with Winnow or without`() {
        var image = image()
        image.sectionsAreStripped = true
        let advice =
            ", and without them the table of log statements cannot be found: "
            + "give the program as it was before sstrip or a packer removed them; strip keeps them"
        #expect(problem(image.bytes) == "has no section headers, though Winnow is in it" + advice)
        image.version = nil
        #expect(problem(image.bytes) == "has no section headers" + advice)
    }

    @Test
    func `a program without Winnow is told from one without statements`() {
        var image = ProgramImage(version: nil, hasTable: false)
        #expect(
            problem(image.bytes)
                == "has no table of log statements, nor the note of a program with Winnow: "
                + "give a program that is linked with Winnow"
        )
        // DT_NEEDED at 1 and at 11 of the names in the next section, which is number 4.
        let entries = [1, 1, 1, 11, 0, 0].flatMap { ProgramImage.little(UInt64($0)) }
        image.more = [
            .init(name: ".dynamic", kind: 6, link: 4, bytes: entries),
            .init(name: ".dynstr", kind: 3, bytes: Array("\0libc.so.6\0libWinnow.so\0".utf8)),
        ]
        #expect(
            problem(image.bytes)
                == "has no table of log statements; Winnow is not in it but in libWinnow.so, which "
                + "it needs: link Winnow statically, as SwiftPM does by default, or give what else "
                + "it needs"
        )
    }

    @Test
    func `a table of a later version is not read`() {
        var image = image()
        image.version = 2
        #expect(
            problem(image.bytes)
                == "has a table of log statements of version 2, and this tool reads version 1: "
                + "use the tool of the release of Winnow that the program is built with"
        )
    }

    @Test
    func `separate debug information is told from a program`() {
        var image = ProgramImage(hasTable: false)
        image.more = [.init(name: ".winnow.statements", kind: 8, address: 0x4000, bytes: [1, 2])]
        #expect(
            problem(image.bytes)
                == "holds debug information only: give the program that it was made from"
        )
    }

    @Test
    func `a damaged table is told, and how`() {
        let advice = ": build or copy the program again"
        let damaged = "the table of log statements is damaged: "
        var image = image()
        image.records[0].kind = 4
        #expect(problem(image.bytes) == damaged + "a record of the unknown kind 4" + advice)
        image = self.image()
        image.records[0].level = 8
        #expect(
            problem(image.bytes) == damaged + "a record with the level 8 and the floor 5" + advice
        )
        image = self.image()
        image.records[0].code = 0x9000
        #expect(
            problem(image.bytes) == damaged + "a record of code outside of the program" + advice
        )
        image = self.image()
        image.records[1].text = 0x9000
        #expect(problem(image.bytes) == damaged + "a text outside of the program" + advice)
        image = self.image()
        image.records[0].text = 0x9000
        #expect(problem(image.bytes) == damaged + "a file name outside of the program" + advice)
    }

    @Test
    func `a file that is cut anywhere is a problem, and never a shorter list`() {
        let bytes = image().bytes
        for count in bytes.indices {
            #expect(!problem(Array(bytes.prefix(count))).hasPrefix("no problem"), "\(count) bytes")
        }
        #expect(problem(bytes) == "no problem: 1 statements")
    }

    @Test
    func `a file that cannot be read is a problem`() throws {
        #expect(throws: InspectionProblem.self) { try ProgramFile(path: "/nowhere/at/all") }
        #expect(throws: InspectionProblem.self) { try ProgramFile(path: "/") }
        // It is no regular file, and has no end.
        #expect(throws: InspectionProblem.self) { try ProgramFile(path: "/dev/zero") }
    }
}
