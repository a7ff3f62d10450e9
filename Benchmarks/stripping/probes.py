# SPDX-License-Identifier: Apache-2.0
"""What is left of a statement below the floor, and whose word sets the floor."""

import cost
from packages import DEBUG, LIBRARIES, RELEASE, TITLE, Package, output, table
from statements import IMPORT

TEXT = b"the literal of a debug statement"
MODES = (("-Onone", DEBUG), ("-O", RELEASE))

#: How a program is told to log all that it holds.
START = {
    "winnow": "try Winnow.start(\n"
    '    .init(routes: [.stderr()], filter: "debug", environment: .ignored))',
    "swift-log": "",
}
MAKE = {
    "winnow": 'let log = Log("LABEL")',
    "swift-log": 'var log = Logger(label: "LABEL"); log.logLevel = .trace',
}


def speech(library, label):
    """A statement at each of three levels."""
    return (
        f"{MAKE[library]}\n"
        'log.debug("the literal of a debug statement of LABEL")\n'
        'log.notice("the literal of a notice of LABEL")\n'
        'log.error("the literal of an error of LABEL")\n'
    ).replace("LABEL", label)


def speaker(library, label, libraries=()):
    """A program that logs, and calls libraries that do."""
    imports = [IMPORT[library], *(f"import {name}" for name in libraries), START[library]]
    calls = [f"speakOf{name}()\n" for name in libraries]
    return "\n".join(imports) + "\n" + speech(library, label) + "".join(calls)


def library_speaker(library, label):
    """A library with a function that logs the same."""
    body = speech(library, label)
    return f"{IMPORT[library]}\n\npublic func speakOf{label}() {{\n{body}}}\n"


def heard(text, label):
    """Which of a speaker's statements were logged."""
    levels = {"debug": f"a debug statement of {label}", "notice": f"a notice of {label}",
              "error": f"an error of {label}"}  # fmt: skip
    found = [level for level, part in levels.items() if any(
        line.rstrip().endswith(part) for line in text.splitlines())]
    return ", ".join(found) or "nothing"


def literal(program):
    """Whether the text of the debug statement is in a program."""
    return "left" if TEXT in program.read_bytes() else "gone"


def single(library, name, traits=(), settings=""):
    """A package with one speaker."""
    package = Package(library, name, traits or None)
    package.add("Single", {"main.swift": speaker(library, "Single")}, settings)
    return package


DEFINE = 'cSettings: [.define("WINNOW_MAX_LEVEL", to: "5")]'


def literals(say):
    """Literal and call of a debug statement below the floor `notice`, by what sets it."""
    packages = (
        ("Winnow, trait", single("winnow", "trait", ["MaxLogLevelNotice"])),
        ("Winnow, define of the target", single("winnow", "define", settings=DEFINE)),
        ("swift-log, trait", single("swift-log", "trait", ["MaxLogLevelNotice"])),
    )
    rows = []
    for label, package in packages:
        row = [label]
        for mode, flags in MODES:
            say(f"literals: {label}, {mode}")
            program = package.build(flags) / "Single"
            row.append(f"{literal(program)}; logs {heard(output(program), 'Single')}")
        rows.append(row)
    return table(["Floor `notice` by", "text of a debug statement at -Onone", "at -O"], rows)


def costs(say):
    """Instructions of a filtered and of a stripped call."""
    rows, programs = [], {}
    asked = (("winnow", ()), ("swift-log", ()), ("swift-log", ["MaxLogLevelNotice"]))
    for library, traits in asked:
        say(f"costs: {library} {' '.join(traits)}")
        package = Package(library, f"cost-{len(traits)}", traits or None)
        cost.add_to(package)
        programs[library, len(traits)] = package.build(RELEASE) / "Cost"
    stripped = cost.calls(programs["swift-log", 1])["stripped"]
    for label, program, more, gone in (
        ("Winnow", programs["winnow", 0], (), None),
        ("swift-log, a handler that is a level only", programs["swift-log", 0], (), stripped),
        ("swift-log, its own handler", programs["swift-log", 0], ("own",), stripped),
    ):
        results = cost.calls(program, *more)
        gone = results["stripped"] if gone is None else gone
        values = (results["filtered"], results["fields"], gone)
        rows.append([label, *(f"{value:.0f}" for value in values)])
    return table(["Library", "filtered", "filtered, with two fields", "stripped"], rows)


def targets(say):
    """Whether two targets of one package can have floors of their own."""
    rows = []
    settings = {
        "winnow": ('cSettings: [.define("WINNOW_MAX_LEVEL", to: "7")]',
                   'cSettings: [.define("WINNOW_MAX_LEVEL", to: "3")]'),
        "swift-log": ("", 'swiftSettings: [.define("MaxLogLevelError")]'),
    }  # fmt: skip
    for library, traits in (("winnow", ()), ("swift-log", ()), ("swift-log", ["MaxLogLevelError"])):
        say(f"targets: {library} {' '.join(traits)}")
        package = Package(library, f"targets-{len(traits)}", traits or None)
        for label, setting in zip(("Chatty", "Curt"), settings[library]):
            source = {f"{label}.swift": library_speaker(library, label)}
            package.add(label, source, setting, kind="target")
        package.add("Both", {"main.swift": speaker(library, "Both", ("Chatty", "Curt"))},
                    uses=['"Chatty"', '"Curt"'])  # fmt: skip
        text = output(package.build(RELEASE) / "Both")
        way = "define of each target" if library == "winnow" else (
            "trait of the package" if traits else "define of the target `Curt`")  # fmt: skip
        rows.append([TITLE[library], way, heard(text, "Chatty"), heard(text, "Curt")])
    return table(["Library", "`Curt` asks for `error` by", "`Chatty` logs", "`Curt` logs"], rows)


def graph_program(library, asked, mode):
    """Builds an application whose dependency asks for the floor `error`."""
    name = "graph-" + ("-".join(asked) or "nothing")
    dependency = Package(library, "Dependency", ["MaxLogLevelError"])
    dependency.products.append("Dependency")
    source = {"Dependency.swift": library_speaker(library, "Dependency")}
    dependency.add("Dependency", source, kind="target")
    dependency.save()
    package = Package(library, name, asked or None, [f'.package(path: "{dependency.path}")'])
    uses = ['.product(name: "Dependency", package: "Dependency")']
    main = {"main.swift": speaker(library, "Root", ["Dependency"])}
    package.add("Plain", main, uses=uses)
    if library == "winnow":
        package.add("Defined", main, DEFINE, uses=uses)
    return package.build(mode)


def graph(say):
    """What an application logs whose dependency asks for the floor `error`."""
    rows = []
    for asked in ((), ("MaxLogLevelNotice",)):
        for mode, flags in MODES:
            for library in LIBRARIES:
                say(f"graph: {library}, {mode}, the root asks for {' '.join(asked) or 'nothing'}")
                programs = graph_program(library, asked, flags)
                kinds = ("Plain", "Defined") if library == "winnow" else ("Plain",)
                for kind in kinds:
                    asks = [f"the trait `{trait}`" for trait in asked]
                    asks += ["the define 5 of its target"] if kind == "Defined" else []
                    rows.append([TITLE[library], mode,
                                 " and ".join(asks) or "nothing",
                                 heard(output(programs / kind), "Root")])  # fmt: skip
    head = ["Library", "Build", "The application asks for", "It logs"]
    return table(head, sorted(rows, reverse=True))
