# SPDX-License-Identifier: Apache-2.0
"""What a thousand debug statements leave in a program, floor by floor."""

import pathlib
import subprocess
import tempfile

import statements
from packages import RELEASE, Package, table

COUNT = 1_000
SECTION = ".winnow.statements"

#: The floors of both, the most verbose first; the number of Winnow's, -1 for nothing at all.
FLOORS = (
    ("debug", 7), ("info", 6), ("notice", 5), ("warning", 4), ("error", 3), ("critical", 2),
    ("alert", 1), ("emergency", 0), ("none", -1),
)  # fmt: skip
ONLY_WINNOW = ("alert", "emergency")


def sections(program):
    """The sizes of the loaded sections, by name."""
    lines = subprocess.run(
        ["readelf", "-SW", program], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    sizes = {}
    for line in lines:
        words = line.partition("]")[2].split()
        if len(words) >= 7 and words[0].startswith(".") and "A" in words[6]:
            sizes[words[0]] = sizes.get(words[0], 0) + int(words[4], 16)
    return sizes


class Size:
    """The sizes of a program without symbols and debug information."""

    def __init__(self, program):
        with tempfile.TemporaryDirectory() as folder:
            stripped = pathlib.Path(folder) / "stripped"
            subprocess.run(["strip", "-o", stripped, program], check=True)
            self.file = stripped.stat().st_size
            parts = sections(stripped)
        self.loaded = sum(parts.values())
        self.table = parts.get(SECTION, 0)


def name(number):
    """The target of a floor; all names have one length, as they are in the program."""
    return f"Size{'N' if number < 0 else number}"


def add(package, target, settings="", with_statements=True, shared=False):
    """Adds a program of a thousand debug statements, or the same without them."""
    sources = statements.client(package.library, COUNT, "debug", with_statements, shared)
    package.add(target, sources, settings)


def winnow(floors):
    """The package with a target for each floor, and one without statements."""
    package = Package("winnow", "sizes")
    for number in floors:
        define = f'cSettings: [.define("WINNOW_MAX_LEVEL", to: "{number}")]'
        add(package, name(number), define)
    add(package, "SizeE", with_statements=False)
    return package


def swift_log(floor):
    """The package with the trait of a floor."""
    traits = () if floor == "debug" else (f"MaxLogLevel{floor.capitalize()}",)
    package = Package("swift-log", f"sizes-{floor}", traits or None)
    add(package, "SizeS")
    add(package, "SizeE", with_statements=False)
    return package


def shared(say):
    """What is left below the floor where the logger is a global variable."""
    rows = []
    for library in ("winnow", "swift-log"):
        say(f"sizes: {library}, a global logger")
        package = Package(library, "shared", ["MaxLogLevelNotice"])
        add(package, "SizeS", shared=True)
        add(package, "SizeE", with_statements=False, shared=True)
        file, loaded, _ = left(package.build(RELEASE), "SizeS")
        rows.append([library, grouped(file), grouped(loaded)])
    return table(["A global logger, floor `notice`", "file", "loaded"], rows)


def grouped(number):
    """A number with a space between its groups of three digits."""
    return f"{number:,}".replace(",", " ")


def left(programs, target):
    """What the statements of a target leave: bytes of the file, loaded ones, those of the table."""
    full, empty = Size(programs / target), Size(programs / "SizeE")
    return full.file - empty.file, full.loaded - empty.loaded, full.table - empty.table


def measure(say):
    """The table of all floors."""
    say(f"sizes: winnow, {len(FLOORS)} floors")
    programs = winnow([number for _, number in FLOORS]).build(RELEASE)
    rows = []
    for floor, number in FLOORS:
        file, loaded, records = left(programs, name(number))
        row = [f"`{floor}`", number, grouped(file), grouped(loaded), grouped(records)]
        if floor in ONLY_WINNOW:
            row += ["has no such level", ""]
        else:
            say(f"sizes: swift-log, floor {floor}")
            other = left(swift_log(floor).build(RELEASE), "SizeS")
            row += [grouped(other[0]), grouped(other[1])]
        rows.append(row)
    floors = table(
        ["Floor", "Number", "Winnow: file", "loaded", "of which the table",
         "swift-log: file", "loaded"], rows,
    )  # fmt: skip
    return f"{floors}\n\n{shared(say)}"
