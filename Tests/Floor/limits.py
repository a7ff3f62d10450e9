# SPDX-License-Identifier: Apache-2.0
"""The known limit: the floor is that of the module that compiles the code in the end.

A library has a floor of its own, its client another. What only the library compiles has the library's.
A generic function that clients may specialise has the client's where they do: for one that is
@inlinable that is so in every release build, for any other with cross-module optimization. (An
@inlinable function that is not generic has the floor of whoever compiles the copy that is called, which
the optimizer decides; no cell states it.)
"""

import package
from build import compiler_flags, product, run, swift_build
from program import tokens_in

PAIRS = ((-1, 7), (7, -1))
FUNCTIONS = ("plain", "generic", "inlinablegeneric")
MODES = {"release": ((), {"inlinablegeneric"}), "cross-module-optimization": (
    compiler_flags("-cross-module-optimization"), {"generic", "inlinablegeneric"}
)}


def write(folder, library, client):
    """Writes the package of the library and its client."""
    winnow = '.product(name: "Winnow", package: "winnow")'
    for name in ("Library", "Client"):
        (folder / "Sources" / name).mkdir(parents=True, exist_ok=True)
        for file in (package.FOLDER / "Limits" / name).glob("*.swift"):
            (folder / "Sources" / name / file.name).write_text(file.read_text())
    targets = package.target("Library", [winnow], library)
    targets += package.target("Client", ['"Library"', winnow], client).replace(".target", ".executableTarget")
    (folder / "Package.swift").write_text(
        f"""// swift-tools-version:6.2
import PackageDescription
let package = Package(
    name: "limits",
    dependencies: [.package(name: "winnow", path: "{package.REPOSITORY}")],
    targets: [
{targets}    ]
)
"""
    )


def results(work):
    """Yields the text and the problems of each cell."""
    for mode, (flags, of_client) in MODES.items():
        for library, client in PAIRS:
            folder, scratch = work / "limits", work / f"limits-{mode}"
            write(folder, library, client)
            status, output = swift_build(folder, scratch, ["-c", "release", *flags])
            made = product(scratch, "Client") if status == 0 else None
            seen = tokens_in(run(made.path)[0], "limits") if made else None
            for name in FUNCTIONS:
                floor = client if name in of_client else library
                whose = "its client's" if name in of_client else "the library's"
                text = f"{mode}; library at {library}, client at {client}: {name} has {whose} floor"
                if seen is None:
                    yield text, [output[-600:]]
                elif (f"limits_{name}" in seen) != (floor >= 5):
                    yield text, [f"evaluated: {sorted(seen)}"]
                else:
                    yield text, []
