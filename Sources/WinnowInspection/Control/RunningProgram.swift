// SPDX-License-Identifier: Apache-2.0

internal import CWinnow
internal import CWinnowInspection
internal import WinnowCore

/// A process that shows its log.
package struct RunningProgram: Sendable {
    /// The process, as whoever looks knows it.
    package let processID: Int32
    /// The unit of systemd that it belongs to: the innermost one, such as that of a user's session; nil where there is
    /// none.
    package let unit: String?
    /// What it shows.
    package let page: ControlPage
    /// The file in which it does.
    let file: String
    /// How it was asked for new accounts; nil where nobody has.
    private(set) var question: Question?

    /// The question for new accounts.
    struct Question: Sendable {
        /// When, in nanoseconds since 1970.
        let time: UInt64
        /// Whether it lets others ask.
        let isAllowed: Bool
    }

    /// Returns those that the kernel lets us look at, in the order of their numbers.
    ///
    /// - Parameter complain: Is told of a process that shows a page which cannot be read, and of `/proc` where that
    ///   cannot be listed.
    /// - Returns: The processes.
    package static func all(
        complaining complain: (_ of: String, InspectionProblem) -> Void
    ) -> [RunningProgram] {
        var status: Int32 = 0
        let numbers = names(in: "/proc", status: &status).compactMap { Int32($0) }
        if status < 0 { complain("/proc", .unreachable(-status)) }
        return numbers.sorted().compactMap { processID in
            do throws(InspectionProblem) {
                return try RunningProgram(processID)
            } catch {
                // What may not be looked at, is gone by now or shows nothing is most of what runs.
                if error.code != .noTable, error.code != .unreadable {
                    complain("\(processID)", error)
                }
                return nil
            }
        }
    }

    /// Returns those that a word means: by the number of a process, the name of the program in the log, or the unit
    /// of systemd that the process belongs to, such as `myapp.service`.
    package static func all(named target: String) throws(InspectionProblem) -> [RunningProgram] {
        if let processID = Int32(target), processID > 0 { return [try RunningProgram(processID)] }
        let found = all { _, _ in }.filter {
            $0.page.identifier == target || units(of: $0.processID).contains(target)
        }
        guard found.isEmpty else { return found }
        throw .unknownTarget(target)
    }

    /// What a TARGET may be: the numbers, names and units of the processes that the kernel lets us look at.
    package static var targets: Set<String> {
        let words = all { _, _ in }.flatMap {
            ["\($0.processID)", $0.page.identifier] + ($0.unit.map { [$0] } ?? [])
        }
        return Set(words)
    }

    /// Has the process show its accounts as they are now, and looks again.
    ///
    /// - Parameter patience: How long to wait for it: one that logs nothing meanwhile shows what it last did.
    /// - Returns: What it shows then.
    /// - Throws: `InspectionProblem` if it shows nothing any more.
    package func refreshed(patience: Duration) throws(InspectionProblem) -> RunningProgram {
        let time = cwinnow_clock_realtime()
        let outcome = try? give(.report, patience: patience)
        var program = try RunningProgram(processID)
        program.question = Question(time: time, isAllowed: outcome != nil)
        return program
    }

    /// Creates what a process shows in a file.
    package init(_ processID: Int32, of unit: String?, showing page: ControlPage, in file: String) {
        self.processID = processID
        self.unit = unit
        self.page = page
        self.file = file
    }

    /// Looks at a process.
    ///
    /// - Throws: `InspectionProblem` if it shows no log, or not to us.
    private init(_ processID: Int32) throws(InspectionProblem) {
        let folder = "/proc/\(processID)/fd"
        var status: Int32 = 0
        let numbers = Self.names(in: folder, status: &status)
        guard status == 0 else { throw .unreachable(-status) }
        let prefix = "/memfd:" + CWINNOW_CONTROL_NAME
        let files = numbers.map { "\(folder)/\($0)" }.filter { Self.link($0).hasPrefix(prefix) }
        let ownNumber = Self.ownNumber(of: processID)
        // Who looks at another process has a page open that is not its own.
        for file in files {
            let page = try ControlPage(ProgramFile(path: file))
            guard page.processID == ownNumber else { continue }
            let unit = Self.units(of: processID).last
            self.init(processID, of: unit, showing: page, in: file)
            return
        }
        throw Self.hasEnded(processID) ? .ended : .noControlPage
    }

    /// Whether a process is over, and only its parent has not asked how it ended.
    ///
    /// Source: proc(5), `State` in `/proc/PID/status`.
    private static func hasEnded(_ processID: Int32) -> Bool {
        let lines = beginning(of: "/proc/\(processID)/status").split(separator: "\n")
        let state = lines.first { $0.hasPrefix("State:") }?.split(whereSeparator: \.isWhitespace)
        return state?.dropFirst().first == "Z"
    }

    /// Where its program can be read: in its own root, so that its libraries are found beside it, or by the process
    /// where it lies there no more.
    ///
    /// Source: proc(5), `/proc/PID/root` and `/proc/PID/exe`.
    package var programPath: String {
        let program = "/proc/\(processID)/exe"
        let path = "/proc/\(processID)/root" + Self.link(program)
        return (try? ProgramFile(path: path)) == nil ? program : path
    }

    /// The number by which a process knows itself: the last of those that it has in its namespaces.
    ///
    /// Source: proc(5), `NSpid`.
    private static func ownNumber(of processID: Int32) -> Int32 {
        let text = beginning(of: "/proc/\(processID)/status")
        let line = text.split(separator: "\n").first { $0.hasPrefix("NSpid:") }
        return line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int32($0) } ?? processID
    }

    /// The units of systemd that a process belongs to, by the folders of its control group.
    ///
    /// Source: systemd's documentation, CGROUP_DELEGATION.md.
    private static func units(of processID: Int32) -> [String] {
        beginning(of: "/proc/\(processID)/cgroup")
            .split { $0 == "/" || $0 == "\n" }
            .filter { $0.hasSuffix(".service") || $0.hasSuffix(".scope") }
            .map(String.init)
    }

    /// The first 4 KiB of a file of proc(5); nothing where it cannot be read.
    private static func beginning(of path: String) -> String {
        let descriptor = unsafe cwinnow_inspection_open_stream(path)
        guard descriptor >= 0 else { return "" }
        defer { cwinnow_inspection_close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe cwinnow_inspection_read_next(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(Int(max(count, 0))), as: UTF8.self)
    }

    private static func link(_ path: String) -> String {
        var text = [CChar](repeating: 0, count: 512)
        let length = unsafe cwinnow_inspection_link(path, &text, text.count)
        let bytes = text.prefix(Int(max(length, 0))).map(UInt8.init(bitPattern:))
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func names(in folder: String) -> [String] {
        var status: Int32 = 0
        return names(in: folder, status: &status)
    }

    private static func names(in folder: String, status: inout Int32) -> [String] {
        var names: [String] = []
        status = unsafe withUnsafeMutablePointer(to: &names) { list in
            // SAFETY: the calls of the body lie within this one, and the context is the array.
            unsafe cwinnow_inspection_list(
                folder,
                { context, name in
                    let list = unsafe context?.assumingMemoryBound(to: [String].self)
                    unsafe list?.pointee.append(String(cString: name))
                },
                list
            )
        }
        return names
    }
}

extension InspectionProblem {
    /// The process shows no log.
    fileprivate static var noControlPage: InspectionProblem {
        InspectionProblem(
            .noTable,
            "the process shows no log",
            "it does not use Winnow or has not logged yet, WINNOW_CONTROL=off hides its log, it has "
                + "closed all descriptors, or its system permits no memory files (memfd_create)"
        )
    }

    /// The process is over, and only its parent has not asked how it ended.
    fileprivate static var ended: InspectionProblem {
        InspectionProblem(.noTable, "the process has ended", "`winnow ps` lists those that log")
    }

    /// No process that we may look at is called so.
    fileprivate static func unknownTarget(_ target: String) -> InspectionProblem {
        let nearest = Suggestion.nearest(to: target, among: RunningProgram.targets.sorted())
        let others = cwinnow_inspection_user() == 0 ? "" : ", root may look at all,"
        return InspectionProblem(
            .noTable,
            "no process that you may look at shows a log of that name, or belongs to such a unit",
            nearest.map { "did you mean '\($0)'?" }
                ?? "`winnow ps` lists those that do\(others) and WINNOW_CONTROL=off hides a log"
        )
    }

    /// The kernel does not let us look at the process.
    fileprivate static func unreachable(_ error: Int32) -> InspectionProblem {
        switch error {
        case ENOENT:
            InspectionProblem(
                .unreadable,
                "there is no such process",
                "`winnow ps` lists those that log"
            )
        case EACCES, EPERM:
            InspectionProblem(
                .unreadable,
                "the kernel does not let you look at the process",
                "only root may, and who has its user and no fewer capabilities"
            )
        default:
            InspectionProblem(
                .unreadable,
                "its descriptors cannot be listed (\(systemErrorText(error)))",
                "look at another process"
            )
        }
    }
}
