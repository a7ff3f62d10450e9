# SPDX-License-Identifier: Apache-2.0
"""Checks the tables of CONTRIBUTING.md that list the threads and the locks against the code.

Each thread that the sources start by its name has a row, and each row a thread; the locks stand with their
comments in the order of their ranks.
"""

import pathlib
import re
import sys

RANKS = pathlib.Path("Sources/WinnowPipeline/Base/LockRank.swift")
START = re.compile(
    r"(?:OwnThread\.start|ServiceThread|DetachedCall\.run|cwinnow_thread_start)\(\s*\"(winnow[a-z-]*)\""
    r"|StaticString = \"(winnow[a-z-]*)\""
)
ROW = re.compile(r"^\| `([\w-]+)` \| (.*) \|$")


def rows(heading):
    """Returns the rows of the table that begins with the heading, in their order."""
    lines = pathlib.Path("CONTRIBUTING.md").read_text().splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith(heading))
    table = []
    for line in lines[start + 2:]:
        row = ROW.match(line)
        if row is None:
            break
        table.append(row.groups())
    return table


def threads():
    """Returns the names of the threads that the sources start."""
    found = set()
    for path in pathlib.Path("Sources").rglob("*"):
        if path.suffix in (".swift", ".c", ".h"):
            for names in START.findall(path.read_text()):
                found.update(filter(None, names))
    return found


def main():
    wrong = []
    listed = {name for name, _ in rows("| Thread |")}
    started = threads()
    for name in sorted(started ^ listed):
        wrong.append(f"{name}: " + ("has no row" if name in started else "is started nowhere"))
    ranks = re.findall(r"    /// (.*)\n    case (\w+)$", RANKS.read_text(), re.MULTILINE)
    if rows("| Lock |") != [(name, text) for text, name in ranks]:
        wrong.append(f"the table of locks is not that of {RANKS}")
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    sys.exit(1 if wrong else 0)


main()
