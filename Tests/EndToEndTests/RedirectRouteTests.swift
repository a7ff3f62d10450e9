// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Every way to print, and what a redirect makes of it.
struct RedirectRouteTests {
    /// Expects that all routes ran, and that what they called returned what it should.
    private func expectAllRan(_ run: PrintRun) {
        let ran = Set(run.account.filter { $0.hasPrefix("right ") })
        #expect(ran == Set(PrintRoute.all.map { "right \($0.module) \($0.name)" }))
        #expect(!run.account.contains { $0.hasPrefix("wrong ") }, "\(run.account)")
        #expect(run.outcome.status == 0)
    }

    /// Expects one record of the route's, from the category, and no more of it elsewhere.
    private func expectRecord(_ route: PrintRoute, in run: PrintRun, from category: String) {
        let records = run.records.filter { $0.message.contains("<\(route.name)>") }
        #expect(records.map(\.category) == [category], "\(route.name)")
        #expect(records.map(\.stream) == [route.stream], "\(route.name)")
        #expect(records.map(\.lineBreak) == [nil], "\(route.name)")
        let all = run.output + run.errors
        #expect(!all.contains { $0.contains("<\(route.name)>") }, "\(route.name)")
    }

    /// Expects that the route's line is printed once, where it would be, and not logged.
    private func expectPrinted(_ route: PrintRoute, in run: PrintRun) {
        let (there, elsewhere) =
            route.stream == "stdout" ? (run.output, run.errors) : (run.errors, run.output)
        #expect(there.filter { $0.contains("<\(route.name)>") }.count == 1, "\(route.name)")
        #expect(!elsewhere.contains { $0.contains("<\(route.name)>") }, "\(route.name)")
        #expect(!run.messages.contains { $0.contains("<\(route.name)>") }, "\(route.name)")
    }

    @Test func `hooks see what modules call, and know the module`() throws {
        let run = try PrintRun(["start", "routes", "account"])
        expectAllRan(run)
        for route in PrintRoute.all {
            if route.layer == .hook {
                expectRecord(route, in: run, from: route.module)
            } else {
                expectPrinted(route, in: run)
            }
        }
        #expect(run.records.count == PrintRoute.all.count { $0.layer == .hook })
        #expect(run.count("logged") == run.records.count)
        run.expectSound()
    }

    @Test func `with the descriptors nothing is left but children of fork`() throws {
        let run = try PrintRun(["start=stdout,stderr", "routes", "account"])
        expectAllRan(run)
        for route in PrintRoute.all {
            switch route.layer {
            case .hook: expectRecord(route, in: run, from: route.module)
            case .descriptor: expectRecord(route, in: run, from: "descriptor")
            case .nothing: expectPrinted(route, in: run)
            }
        }
        run.expectSound()
    }

    /// Lines without the time and the process that NSLog prints.
    private func comparable(_ lines: [String]) -> [String] {
        lines.map { $0.contains("<NSLog stderr>") ? String($0.drop { $0 != "<" }) : $0 }.sorted()
    }

    @Test(arguments: [
        "start=pass", "start=text,pass", "start=stdout,stderr,pass",
        "start=stdout,stderr,text,pass",
    ])
    func `what passes is what is printed without a redirect`(start: String) throws {
        let plain = try PrintRun(["routes"])
        let run = try PrintRun([start, "routes", "account"])
        expectAllRan(run)
        #expect(comparable(run.output) == comparable(plain.output))
        #expect(comparable(run.errors) == comparable(plain.errors))
        #expect(run.outcome.stdout.utf8.count == plain.outcome.stdout.utf8.count)
        #expect(run.records.isEmpty)
        run.expectSound()
    }

    @Test func `what is dropped is nowhere`() throws {
        let run = try PrintRun(["start=stdout,stderr,drop", "routes", "account"])
        expectAllRan(run)
        let left = PrintRoute.all.filter { $0.layer == .nothing }.map { "<\($0.name)>" }
        #expect(run.output.sorted() == left.sorted())
        #expect(run.errors.isEmpty)
        #expect(run.records.isEmpty)
    }

    @Test(arguments: ["start", "start=stdout,stderr"])
    func `wide characters come through descriptors`(start: String) throws {
        let run = try PrintRun([start, "route=wcout", "account"])
        #expect(run.account.contains("right NoisyCxx wcout"))
        let isCaptured = start != "start"
        #expect(run.output == (isCaptured ? [] : ["<wcout>"]))
        #expect(run.records.map(\.category) == (isCaptured ? ["descriptor"] : []))
    }
}
