// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What is said of a filter whose entries are for no category, and of categories that nobody wrote.
struct FilterEntryTests {
    private static let text =
        "filter: 'netwrok=debug': no category has matched it so far; did you mean 'network'?"

    @Test
    func `an entry that no category has matched is told once at the exit with the nearest name`()
        throws
    {
        let outcome = try Program.run(
            ["categories", "categories"],
            environment: ["WINNOW_LOG": "netwrok=debug,net=info,n.*=debug"]
        )
        let warnings = outcome.log.filter { $0.contains(" warning [winnow] ") }
        #expect(warnings.count == 2)
        #expect(warnings.count { $0.hasSuffix(Self.text) } == 1)
        #expect(
            warnings.count {
                $0.hasSuffix("filter: 'n.*=debug': no category has matched it so far")
            } == 1
        )
    }

    @Test
    func `an entry that no category has matched is told while the program runs`() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Program.path)
        process.arguments = ["categories", "wait"]
        process.environment = ["WINNOW_LOG": "netwrok=debug"]
        let (input, errors) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        var text = ""
        // The program waits for a line, and so does not end before it has said it.
        while !text.contains(Self.text), process.isRunning {
            text += String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
        }
        #expect(text.contains(Self.text))
        try input.fileHandleForWriting.close()
        text += String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(text.ranges(of: Self.text).count == 1)
    }

    @Test
    func `entries that categories have matched are not told`() throws {
        let outcome = try Program.run(
            ["categories"],
            environment: ["WINNOW_LOG": "net.*=debug,network=debug,off,db=info"]
        )
        #expect(outcome.log.filter { $0.contains("[winnow]") } == [])
    }

    @Test
    func `thousands of categories are told once`() throws {
        let few = try Program.run(["many-categories=4000"], environment: ["WINNOW_LOG": "error"])
        #expect(few.log == [])
        let many = try Program.run(["many-categories=9000"], environment: ["WINNOW_LOG": "error"])
        #expect(many.log.count == 1)
        #expect(
            many.log.first?.contains("there are 4096 categories, each of which takes some 200")
                == true
        )
    }
}
