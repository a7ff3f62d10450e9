# SPDX-License-Identifier: Apache-2.0
"""What must not compile: a define that is no level, and arguments of the wrong type, and the names that
other loggers have for levels, at any floor."""

import shutil
import subprocess

import package
from build import shared, swift_build

# As the other debug builds that share the scratch path.
FLAGS = ("--disable-index-store",)

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
    "log.debug(log.category)": "LogMessage",
    'log.warn("text")': "'warn' has been renamed to 'warning'",
    'Log.trace("text", ("name", 1))': "'trace' has been renamed to 'debug'",
    'log.with(("name", 1)).verbose("text")': "'verbose' has been renamed to 'debug'",
    'Log.fatal("text", errno: 1)': "'fatal' has been renamed to 'critical'",
    'log.once.fault("text")': "'fault' has been renamed to 'critical'",
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


def build_library(folder):
    """Builds a client, and with it the library that `type_check` compiles against."""
    write(folder, "-1", SOUND)
    return swift_build(folder, shared("debug"), FLAGS)


def type_check(folder, define, source):
    """Compiles a client of the library by hand: where `swift build -Xcc` has the define, it compiles the
    library with it as well, which is all the same. Returns the status and what was said."""
    file = folder / "Faulty.swift"
    file.write_text(source)
    products = (shared("debug") / "debug").resolve()
    importer = [f"-DWINNOW_MAX_LEVEL={define}"]
    for include in sorted((package.REPOSITORY / "Sources").glob("*/include")):
        importer += [f"-fmodule-map-file={include}/module.modulemap", "-I", include]
    command = ["swiftc", "-typecheck", "-swift-version", "6", "-I", products / "Modules", file]
    command += ["-module-cache-path", products / "ModuleCache"]
    command += [part for flag in importer for part in ("-Xcc", flag)]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return result.returncode, result.stdout


def is_told(status, output):
    """Returns the problems of what should say which defines there are."""
    return [] if status != 0 and ALLOWED in output else [f"status {status}: {output[-600:]}"]


def results(work):
    """Yields the text and the problems of each cell."""
    folder = work / "faulty"
    for define in NO_LEVELS:
        write(folder, define, SOUND)
        yield f"a target's define '{define}' is an error that says what is allowed", is_told(
            *swift_build(folder, shared("debug"), FLAGS)
        )
    status, output = build_library(folder)
    yield "a target's define -1 compiles", [] if status == 0 else [output[-600:]]
    status, output = type_check(folder, -1, SOUND)
    yield "-Xcc -DWINNOW_MAX_LEVEL=-1 compiles", [] if status == 0 else [output[-600:]]
    yield "-Xcc -DWINNOW_MAX_LEVEL=8 is an error that says what is allowed", is_told(
        *type_check(folder, 8, SOUND)
    )
    for statement, word in ILL_TYPED.items():
        source = f"import Winnow\nfunc log(_ log: Log) {{\n    {statement}\n}}\n"
        status, output = type_check(folder, -1, source)
        lines = [line for line in output.splitlines() if "Faulty.swift:3:" in line and "error:" in line]
        found = status != 0 and any(word in line for line in lines)
        yield f"does not compile below the floor either: {statement}", (
            [] if found else [f"status {status}: {lines or output[-600:]}"]
        )
    shutil.rmtree(folder)
