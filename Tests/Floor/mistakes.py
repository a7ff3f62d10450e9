# SPDX-License-Identifier: Apache-2.0
"""What is natural to write: what compiles, and what the compiler says first of what does not."""

import faults

# What the statements are about.
PRELUDE = """
import Foundation
import Winnow
struct Failure: Error {}
func statement(
    _ log: Log, _ level: Level, _ name: String, _ number: Int, _ absent: Int?, _ date: Date,
    _ members: [String: Any], _ list: [Field], _ failure: any Error
) throws {
"""
NINE = ", ".join(f'("{name}", number)' for name in "abcdefghi")
RUN_TIME_NAME = "the name in a pair is a literal; write fields: [name: value]"
NO_PAIR = 'a field is a pair, ("name", value); or write \\(value) in the message'
NO_METADATA = 'write fields: in place of metadata:, or pairs: ("name", value)'
NINTH = 'write up to eight pairs, and more as fields: ["name": value]'
# A statement, and what the compiler says of it first, behind `is unavailable: ` where it begins so.
MISTAKES = {
    f'log.notice("m", {NINE})': NINTH,
    f'Log.log(level, "m", errno: 2, {NINE}, ("j", 1))': NINTH,
    'log.notice("m", ("a", 1), fields: members)': "behind pairs, write fields: Fields(…)",
    'log.log(level, "m", ("a", 1), fields: list)': "behind pairs, write fields: Fields(…)",
    'log.notice("m", (name, number))': RUN_TIME_NAME,
    'log.notice("m", ("a", 1), (name, number))': RUN_TIME_NAME,
    'log.log(level, "m", error: failure, (name, number))': RUN_TIME_NAME,
    'log.notice("x", name)': NO_PAIR,
    'log.notice("%d things of %@", number, name)': NO_PAIR,
    'log.log(level, "x", number)': NO_PAIR,
    'log.error("m", failure)': "write error: before an error",
    'log.log(level, "m", failure)': "write error: before an error",
    'log.notice("m", ["a": 1])': "write fields: before a dictionary",
    'log.notice("m", metadata: ["a": "b"])': NO_METADATA,
    'log.notice("m", metadata: ["a": "\\(name)", "b": .string(name)])': NO_METADATA,
    'log.notice("m", metadata: members)': NO_METADATA,
    'log.log(level, "m", metadata: ["a": "b"])': NO_METADATA,
    'log.notice { "m" }': "write the message in parentheses: it is evaluated only if it is logged",
    'log.log(level) { "m" }': "write the message in parentheses: it is evaluated only if it is logged",
    'log.notice("m") { print(number) }': 'a statement takes no closure; log.interval("…") { … } times one',
    '_ = log.with((name, number))': "the name in a pair is a literal; write with(fields: [name: value])",
    '_ = log.with("a", number)': 'a field is a pair; write with(("name", value))',
    '_ = log.with(["a": number])': "'with' has been renamed to 'with(fields:)'",
    "Log.withContext((name, number)) {}": (
        "the name in a pair is a literal; write withContext(fields: [name: value])"
    ),
    'log.notice("at \\(date, format: .iso8601)")': (
        "import Foundation and write \\(value.formatted(.iso8601))"
    ),
    "try Winnow.setFilter(name)": "write setFilter(Filter(text))",
    # What the forms above must not hide.
    'log.notice("m \\(number, privacy: .privat)")': "type 'LogPrivacy' has no member 'privat'",
    'log.notice("m \\(number, format: .hexx)")': "type 'LogIntegerFormat' has no member 'hexx'",
    'log.notice("m", ("a", number.size))': "value of type 'Int' has no member 'size'",
    'log.notice("m", errno: name)': "cannot convert value of type 'String' to expected argument type 'Int32?'",
    "log.notice(name)": "cannot convert value of type 'String' to expected argument type 'LogMessage'",
    'log.notice("m " + name)': "cannot convert value of type 'String' to expected argument type 'LogMessage'",
    "log.error(failure)": (
        "cannot convert value of type 'any Error' to expected argument type 'LogMessage'"
    ),
}
NATURAL = (
    'log.notice("m", ("a", 1), fields: ["b": 2])',
    'log.log(level, "m", error: failure, ("a", 1), ("b", members), fields: Fields(members))',
    'log.notice("m", fields: members)',
    'log.notice("m", fields: [name: number])',
    'log.notice("m", fields: list)',
    'log.notice("m", fields: [:])',
    "_ = log.with(fields: members)",
    'log.notice("\\(absent, default: "none") \\(absent, default: "none", as: "a", format: .hex)")',
    'log.notice("at \\(date.formatted(.iso8601))")',
    'try Winnow.setFilter("net=\\(level)")',
)


def results(work):
    """Yields the text and the problems of each statement; all are compiled at once."""
    folder = work / "mistakes"
    folder.mkdir(parents=True, exist_ok=True)
    faults.build_library(folder)
    statements = (*MISTAKES, *NATURAL)
    # Each in a scope of its own, on a line of its own.
    lines = [*PRELUDE.strip().splitlines(), *(f"    do {{ {statement} }}" for statement in statements), "}"]
    first = len(PRELUDE.strip().splitlines()) + 1
    _, output = faults.type_check(folder, 7, "\n".join(lines) + "\n")
    said = {}
    for line in output.splitlines():
        place, found, message = line.partition(": error: ")
        if found and "Faulty.swift:" in place:
            said.setdefault(int(place.split("Faulty.swift:")[1].split(":")[0]), message)
    for number, statement in enumerate(statements, first):
        message = said.pop(number, "nothing").partition(" is unavailable: ")
        message = message[2] or message[0]
        expected = MISTAKES.get(statement, "nothing")
        yield f"the compiler says of {statement}: {expected}", [] if message == expected else [message]
    if said:
        yield "the compiler says no more", list(said.values())
