# SPDX-License-Identifier: Apache-2.0
"""The generated clients: the same log statements in Winnow and in swift-log."""

LEVELS = ("debug", "info", "notice", "warning", "error")
PER_FUNCTION, PER_FILE = 5, 100
PARAMETERS = "_ id: Int, _ seconds: Double, _ name: String, _ path: String"
ARGUMENTS = "id, seconds, name, path"

#: How a library is imported, and how the logger of a client is made.
IMPORT = {"winnow": "import Winnow", "swift-log": "import Logging"}
LOGGER = {"winnow": 'Log("client")', "swift-log": 'Logger(label: "client")'}
TYPE = {"winnow": "Log", "swift-log": "Logger"}
NAME = {"winnow": "log.category", "swift-log": "log.label"}


def call(library, level, kind, number):
    """A log statement: a literal, two interpolations, or these and two fields."""
    if kind == 0:
        return f'log.{level}("statement {number} is a literal only")'
    text = f'"statement {number} of \\(name) took \\(seconds) s"'
    if kind == 1:
        return f"log.{level}({text})"
    if library == "winnow":
        return f'log.{level}({text}, ("id", id), ("path", path))'
    return f'log.{level}({text}, metadata: ["id": "\\(id)", "path": "\\(path)"])'


def function(library, name, numbers, level, shared):
    """A function with a statement for each number: the levels and the kinds take turns.

    It does something else besides, with all that it is given, so that the optimizer does not drop
    one without statements.
    """
    logger = "" if shared else f", _ log: {TYPE[library]}"
    lines = [f"@inline(never)\nfunc {name}({PARAMETERS}{logger}) {{"]
    lines.append(f"    work({ARGUMENTS}, {'path' if shared else NAME[library]})")
    for number in numbers:
        chosen = level or LEVELS[number % len(LEVELS)]
        lines.append("    " + call(library, chosen, number % 3, number))
    return "\n".join(lines) + "\n}\n"


def client(library, count, level=None, statements=True, shared=True):
    """Files of a module with so many statements; without `statements`, its functions have none.

    A logger that is not `shared`, by a global variable, is an argument of every function.
    """
    files, calls = {}, []
    for start in range(0, count, PER_FILE):
        parts = [IMPORT[library] + "\n"]
        for first in range(start, min(start + PER_FILE, count), PER_FUNCTION):
            numbers = range(first, min(first + PER_FUNCTION, count)) if statements else ()
            parts.append(function(library, f"work{first}", numbers, level, shared))
            calls.append(f"work{first}")
        files[f"File{start // PER_FILE:02}.swift"] = "\n".join(parts)
    files["Program.swift"] = program(library, calls, shared)
    return files


def program(library, functions, shared=True):
    """The file with the logger, the work beside the statements, and the calls of all functions.

    It calls them by their addresses: what is called directly the optimizer gives a signature of its
    own, which depends on the statements.
    """
    logger = f"let log = {LOGGER[library]}"
    body = ["let id = CommandLine.arguments.count", "let name = CommandLine.arguments[0]",
            "let (seconds, path) = (Double(id), name)"]  # fmt: skip
    types = "Int, Double, String, String" + ("" if shared else f", {TYPE[library]}")
    body += [] if shared else [logger]
    body += [f"let functions: [({types}) -> Void] = ["]
    body += [*(f"    {name}," for name in functions), "]",
             f"for function in functions {{ function({ARGUMENTS}{'' if shared else ', log'}) }}",
             "print(total)"]  # fmt: skip
    return (
        f"{IMPORT[library]}\n\n{logger if shared else ''}\n"
        "nonisolated(unsafe) var total = 0\n\n@inline(never)\n"
        f"func work({PARAMETERS}, _ other: String) {{\n"
        "    total &+= id &+ Int(seconds) &+ name.utf8.count\n"
        "    total &+= path.utf8.count &+ other.utf8.count\n"
        "}\n\n@main\nenum Program {\n    static func main() {\n        "
        + "\n        ".join(body)
        + "\n    }\n}\n"
    )
