# SPDX-License-Identifier: Apache-2.0
"""Checks that the folders of a module name each other in one direction only.

The folders of each module stand in an order below; a file may name the types of its own folder and of
those that come before it. A type is declared where `class`, `struct`, `enum`, `actor`, `protocol` or
`typealias` stands in front of its name and nothing says `private`; it is named where its name stands
outside comments and strings.
"""

import pathlib
import re
import sys

ORDER = {
    "Sources/WinnowPipeline": [
        "Base", "Sink", "Account", "Route", "Plan", "Thread", "Workers", "Process",
    ],
}

QUIET = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
DECLARATION = re.compile(
    r"^[ \t]*(?:@\w+(?:\([^)]*\))?\s+)*"
    r"(?:(?:public|package|internal|final|indirect|open)\s+)*"
    r"(?:class|struct|enum|actor|protocol|typealias)\s+(\w+)",
    re.MULTILINE,
)


def sources(module, folders):
    """Returns the code of each file with the rank of its folder; says which have none."""
    found, wrong = {}, []
    for path in sorted(pathlib.Path(module).rglob("*.swift")):
        folder = path.relative_to(module).parts[0]
        if folder in folders:
            code = QUIET.sub(lambda match: "\n" * match.group().count("\n"), path.read_text())
            found[path] = (folders.index(folder), code)
        else:
            wrong.append(f"{path}: in none of the folders of {module}: {' '.join(folders)}")
    return found, wrong


def sites(found):
    """Yields each place where a file names a type of a later folder."""
    ranks = {}
    for rank, code in found.values():
        for name in DECLARATION.findall(code):
            ranks.setdefault(name, rank)
    for path, (rank, code) in found.items():
        for number, line in enumerate(code.splitlines(), 1):
            for name in re.findall(r"\b[A-Z]\w*", line):
                if ranks.get(name, -1) > rank:
                    yield f"{path}:{number}: names {name}, which is of a later folder"


def main():
    wrong = []
    for module, folders in ORDER.items():
        found, lost = sources(module, folders)
        wrong += lost + list(sites(found))
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    sys.exit(1 if wrong else 0)


main()
