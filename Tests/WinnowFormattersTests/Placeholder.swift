// SPDX-License-Identifier: Apache-2.0
import Testing
import WinnowCore
import WinnowTesting

struct SmokeTests {
    @Test func `message decodes`() {
        let s = "a string that is long enough"
        withRecord(
            "hi \(3, as: "n") \(s) \(2.5, format: .fixed(precision: 1)) [\(7, align: .right(columns: 4))] \(s, privacy: .private) \(255, format: .hex(includePrefix: true))",
            fields: ["port": 80, "x": nil]
        ) { r in
            print(r.message, r.fields, r.location, r.category)
        }
        withRecord("") { r in #expect(r.message == "") }
    }
}
