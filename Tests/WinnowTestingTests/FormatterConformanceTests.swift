// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WinnowCore
import WinnowFormatters
import WinnowTesting

struct FormatterConformanceTests {
    @Test func `our formatters keep the laws`() throws {
        let formatters: [any Formatter] = [
            TextFormatter(), TextFormatter(time: .none, location: true),
            TextFormatter(levelPrefix: true), JSONFormatter(), LogfmtFormatter(),
            try PatternFormatter(PatternFormatter.textPattern),
            try PatternFormatter(
                "{category:quoted} {location} {file:<9.9}{function}{module:quoted} "
                    + "{field:field}{field:rendered:quoted}{fields:all} {message}"
            ),
        ]
        for formatter in formatters { try FormatterConformance(formatter).run().verify() }
    }

    /// A formatter that breaks a law.
    struct Broken: Formatter {
        enum Fault {
            case empties, leavesLineFeeds, leavesEscapes, leavesCategories, leavesPlaces, counts
            case losesTheEnd
        }

        final class Count: Sendable {
            let value = Mutex(0)
        }

        let fault: Fault
        private let count = Count()

        init(_ fault: Fault) {
            self.fault = fault
        }

        func format(_ record: borrowing Record, into buffer: inout ByteBuffer) {
            switch fault {
            case .empties:
                buffer.removeAll()
                LogfmtFormatter().format(record, into: &buffer)
            case .leavesLineFeeds:
                record.appendMessage(to: &buffer)
                buffer.append("\n")
            case .leavesEscapes:
                LogfmtFormatter().format(record, into: &buffer)
                buffer.truncate(to: buffer.count - 1)
                buffer.append("\u{1B}[0m\n")
            case .leavesCategories:
                buffer.append(record.category)
                LogfmtFormatter().format(record, into: &buffer)
            case .leavesPlaces:
                buffer.append(record.location.function)
                LogfmtFormatter().format(record, into: &buffer)
            case .counts:
                buffer.append(
                    decimal: Int64(
                        count.value.withLock {
                            $0 += 1; return $0
                        }
                    )
                )
                LogfmtFormatter().format(record, into: &buffer)
            case .losesTheEnd:
                LogfmtFormatter().format(record, into: &buffer)
                buffer.truncate(to: buffer.count - 1)
            }
        }
    }

    @Test(arguments: [
        (Broken.Fault.empties, ConformanceLaw.appending, "leaves"),
        (.leavesLineFeeds, .oneRecord, "that nobody wrote"),
        (.leavesEscapes, .oneRecord, "with U+1B"),
        (.leavesCategories, .oneRecord, "in the category"),
        (.leavesPlaces, .oneRecord, "in the place"),
        (.losesTheEnd, .oneRecord, "run into each other"),
        (.counts, .independence, "before"),
    ])
    func `a formatter that breaks a law is found out`(
        fault: Broken.Fault,
        law: ConformanceLaw,
        seen: String
    ) {
        let report = FormatterConformance(Broken(fault)).run()
        #expect(report.failed.contains(law), "\(report)")
        #expect(report.description.contains(seen), "\(report)")
        #expect(throws: ConformanceError.self) { try report.verify() }
    }
}
