# SPDX-License-Identifier: Apache-2.0
"""What must not compile: a define that is no level, and arguments of the wrong type at any floor."""

import package
from build import swift_build

ALLOWED = "takes the number of a level, 0 (emergency) to 7 (debug), or -1 for none at all"
NO_LEVELS = ("8", "-2", "debug", "")
SOUND = "import Winnow\nfunc log(_ log: Log) { log.debug(\"text\") }\n"
# A line of a statement that does not compile, and a word of what the compiler says.
ILL_TYPED = {
    'log.debug("text \\(missing)")': "missing",
    'log.debug("text", ("name", absent))': "absent",
    'log.debug("text", errno: "text")': "Int32",
    'log.debug("text", error: 1)': "Error",
    "log.debug(1)": "LogMessage",
    'log.log("debug", "text")': "Level",
}


def write(folder, define, source):
    """Writes a package of one target."""
    winnow = '.product(name: "Winnow", package: "winnow")'
    target = package.target("Faulty", [winnow], define).rstrip(",\n")
    (folder / "Sources/Faulty").mkdir(parents=True, exist_ok=True)
    (folder / "Sources/Faulty/Faulty.swift").write_text(source)
    (folder / "Package.swift").write_text(
        f"""// swift-tools-version:6.2
import PackageDescription
let package = Package(
    name: "faulty",
    dependencies: [.package(name: "winnow", path: "{package.REPOSITORY}")],
    targets: [{target.strip()}]
)
"""
    )


def results(work):
    """Yields the text and the problems of each cell."""
    folder, scratch = work / "faulty", work / "faulty-build"
    for define in (*NO_LEVELS, "-1"):
        write(folder, define, SOUND)
        status, output = swift_build(folder, scratch, [])
        if define == "-1":
            yield "a target's define -1 compiles", [] if status == 0 else [output[-600:]]
        else:
            said = status != 0 and ALLOWED in output
            yield f"a target's define '{define}' is an error that says what is allowed", (
                [] if said else [f"status {status}: {output[-600:]}"]
            )
    status, output = swift_build(folder, work / "faulty-whole", ["-Xcc", "-DWINNOW_MAX_LEVEL=8"])
    said = status != 0 and ALLOWED in output
    yield "-Xcc -DWINNOW_MAX_LEVEL=8 is an error that says what is allowed", (
        [] if said else [f"status {status}: {output[-600:]}"]
    )
    for statement, word in ILL_TYPED.items():
        write(folder, "-1", f"import Winnow\nfunc log(_ log: Log) {{\n    {statement}\n}}\n")
        status, output = swift_build(folder, scratch, [])
        lines = [line for line in output.splitlines() if "Faulty.swift:3:" in line and "error:" in line]
        found = status != 0 and any(word in line for line in lines)
        yield f"does not compile below the floor either: {statement}", (
            [] if found else [f"status {status}: {lines or output[-600:]}"]
        )
