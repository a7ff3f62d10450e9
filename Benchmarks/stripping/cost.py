# SPDX-License-Identifier: Apache-2.0
"""What a filtered and a stripped call cost, in instructions."""

import concurrent.futures
import re
import subprocess

CALLS = 20_000

#: Keeps the loop, its index in a register and what is in it, and is no instruction.
FENCE = (
    "static inline __attribute__((always_inline)) void fence(long index) "
    '{ __asm__ volatile("" : : "r"(index) : "memory"); }\n'
)

#: The same probe: what is logged, and how the filter is closed below `error`.
PROBE = """
import Fence
import LIBRARY

DECLARATIONS

@main
enum Cost {
    static func main() throws {
        SETUP
        let count = Int(CommandLine.arguments[2]) ?? 0
        switch CommandLine.arguments[1] {
        case "filtered": filtered(count, log)
        case "fields": fields(count, log, name: CommandLine.arguments[0])
        case "stripped": stripped(count, log)
        default: empty(count)
        }
    }

    @inline(never)
    static func empty(_ count: Int) {
        for index in 0..<count { fence(index) }
    }

    @inline(never)
    static func filtered(_ count: Int, _ log: LOGGER) {
        for index in 0..<count { fence(index); log.notice("call \\(index)") }
    }

    @inline(never)
    static func fields(_ count: Int, _ log: LOGGER, name: String) {
        for index in 0..<count { fence(index); log.notice("call \\(index)", FIELDS) }
    }

    @inline(never)
    static func stripped(_ count: Int, _ log: LOGGER) {
        for index in 0..<count { fence(index); log.debug("call \\(index)") }
    }
}
"""

WINNOW = {
    "LIBRARY": "Winnow",
    "LOGGER": "Log",
    "FIELDS": '("index", index), ("name", name)',
    "DECLARATIONS": "",
    "SETUP": "try Winnow.start(\n"
    '            .init(routes: [.stderr()], filter: "error", environment: .ignored))\n'
    '        let log = Log("bench")',
}
SWIFT_LOG = {
    "LIBRARY": "Logging",
    "LOGGER": "Logger",
    "FIELDS": 'metadata: ["index": "\\(index)", "name": "\\(name)"]',
    "DECLARATIONS": """
/// The smallest handler that has a level.
struct Quiet: LogHandler {
    var logLevel = Logger.Level.error
    var metadata = Logger.Metadata()
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
    func log(event: LogEvent) {}
}
""",
    "SETUP": "var log = Logger(label: \"bench\", factory: { _ in Quiet() })\n"
    "        if CommandLine.arguments.count > 3 { log = Logger(label: \"bench\") }\n"
    "        log.logLevel = .error",
}


def source(values):
    """The probe in the words of a library."""
    text = PROBE
    for word in ("DECLARATIONS", "SETUP", "LIBRARY", "LOGGER", "FIELDS"):
        text = text.replace(word, values[word])
    return text


def add_to(package):
    """Adds the probe to a package."""
    if not any('"Fence"' in target for target in package.targets):
        package.add_c("Fence", FENCE)
    values = WINNOW if package.library == "winnow" else SWIFT_LOG
    package.add("Cost", {"Cost.swift": source(values)}, uses=['"Fence"'])


def count(program, case, calls, *more):
    """The instructions of a whole run."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    result = subprocess.run(
        [*command, str(program), case, str(calls), *more],
        capture_output=True, text=True, timeout=300, check=True,
    )
    return int(re.search(r"Collected : (\d+)", result.stderr).group(1))


def slope(program, case, *more):
    """The instructions of one call and of its turn of the loop; both runs are made at a time."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(count, program, case, number, *more) for number in (CALLS, 2 * CALLS)]
        once, twice = (run.result() for run in runs)
    return (twice - once) / CALLS


def calls(program, *more):
    """The instructions of a call, by its case."""
    loop = slope(program, "empty", *more)
    cases = ("filtered", "fields", "stripped")
    # The sum with 0 makes a 0 of a -0.
    return {case: round(slope(program, case, *more) - loop, 1) + 0 for case in cases}
