# SPDX-License-Identifier: Apache-2.0
"""The floor of a statement is that of the module that it is written in, whoever compiles it in the end.

A library has a floor of its own, its client another. What is inlined or specialised in the client is
decided before the library hands it out. The exception is what is inlined without an optimizer, which is
done first: it has its client's.

What is inlined at several places is still one statement: with a rate limit, it has one budget.
"""

import shutil

import package
from build import compiler_flags, product, run, shared, swift_build
from program import tokens_in

PAIRS = ((-1, 7), (7, -1))
FUNCTIONS = ("plain", "generic", "inlinable", "inlinablegeneric", "always")
CROSS_MODULE = ("-c", "release", *compiler_flags("-cross-module-optimization"))


def write(folder, library, client):
    """Writes the package of the library and its client."""
    winnow = '.product(name: "Winnow", package: "winnow")'
    for name in ("InlinedLibrary", "InlinedClient"):
        (folder / "Sources" / name).mkdir(parents=True, exist_ok=True)
        for file in (package.FOLDER / "Inlined" / name).glob("*.swift"):
            (folder / "Sources" / name / file.name).write_text(file.read_text())
    targets = package.target("InlinedLibrary", [winnow], library)
    targets += package.target("InlinedClient", ['"InlinedLibrary"', winnow], client).replace(
        ".target", ".executableTarget"
    )
    (folder / "Package.swift").write_text(
        f"""// swift-tools-version:6.2
import PackageDescription
let package = Package(
    name: "inlined",
    dependencies: [.package(name: "winnow", path: "{package.REPOSITORY}")],
    targets: [
{targets}    ]
)
"""
    )


def cells(folder, scratch, flags):
    """Yields the text and the problems of each cell of a mode; the package is gone in the end."""
    for library, client in PAIRS:
        write(folder, library, client)
        status, output = swift_build(folder, scratch, flags)
        made = product(scratch, "InlinedClient") if status == 0 else None
        printed, logged = run(made.path) if made else ("", "")
        seen = tokens_in(printed, "inlined") if made else None
        texts = tokens_in(made.loaded, "inlined") if made else None
        for name in FUNCTIONS:
            is_clients = name == "always" and "debug" in flags
            floor, whose = (client, "its client's") if is_clients else (library, "the library's")
            text = f"{' '.join(flags)}; library at {library}, client at {client}: {name} has {whose} floor"
            if seen is None:
                yield text, [output[-600:]]
            elif (f"inlined_{name}" in seen) != (floor >= 5):
                yield text, [f"evaluated: {sorted(seen)}"]
            elif not is_clients and (f"inlined_{name}_text" in texts) != (floor >= 5):
                yield text, ["its text is left" if floor < 5 else "its text is not found"]
            else:
                yield text, []
        floor = client if "debug" in flags else library
        count = logged.count('"message":"copies of 1 statement"')
        text = f"{' '.join(flags)}; library at {library}, client at {client}: copies share a rate limit"
        yield text, [] if count == (floor >= 5) else [f"records: {count}"]
    shutil.rmtree(folder)


def results(work):
    """Yields the cells of both builds as they are without flags."""
    for configuration in ("release", "debug"):
        flags = ("-c", configuration, "--disable-index-store")
        yield from cells(work / f"inlined-{configuration}", shared(configuration), flags)


def whole_results(work):
    """Yields the same, and those of a build in which other modules compile more than what is inlinable."""
    yield from results(work)
    yield from cells(work / "inlined", work / "inlined-cross-module", CROSS_MODULE)
