# SPDX-License-Identifier: Apache-2.0
"""Checks the links between symbols in the doc comments of the sources.

DocC looks only at the modules that it makes pages of. What stands between double backticks must be declared
somewhere: a name, and for a function its labels as well.
"""

import pathlib
import re
import sys

SOURCES = sorted(pathlib.Path("Sources").rglob("*.swift"))
LINK = re.compile(r"``([^`]+)``")
DECLARATION = re.compile(
    r"\b(?:func|var|let|struct|class|enum|protocol|typealias|actor|macro|associatedtype)\s+`?(\w+)`?"
)
CASES = re.compile(r"^\s*(?:indirect )?case (.*)$", re.MULTILINE)
TYPE = re.compile(r"\b(?:struct|class|enum|protocol|actor|typealias|extension)\s+(?:\w+\.)*(\w+)")
FUNCTION = re.compile(r"\b(?:func\s+`?(\w+)`?|(init)[?!]?)\s*(?:<[^(]*>)?\(")


def labels(text, start):
    """Returns the labels of the parameters that begin at the index, in the form of a link."""
    depth, found, begin = 1, [], start
    index = start
    while depth > 0:
        character = text[index]
        depth += character in "([{"
        depth -= character in ")]}"
        if depth == 0 or (depth == 1 and character == ","):
            label = re.match(r"\s*(?:@\w+\s+)*(\w+)", text[begin:index])
            if label:
                found.append(label.group(1) + ":")
            begin = index + 1
        index += 1
    return "".join(found)


def members(text):
    """Returns the types that a file declares or extends, and the names and functions that it declares."""
    names = set(DECLARATION.findall(text))
    for line in CASES.findall(text):
        names.update(re.findall(r"\w+", line))
    for function in FUNCTION.finditer(text):
        name = function.group(1) or function.group(2)
        names.add(f"{name}({labels(text, function.end())})")
    return set(TYPE.findall(text)), names


def main():
    texts = {path: path.read_text() for path in SOURCES}
    everywhere, of_type = set(), {}
    for text in texts.values():
        types, names = members(text)
        everywhere |= names
        for name in types:
            of_type.setdefault(name, set()).update(names)
    wrong = 0
    for path, text in texts.items():
        for number, line in enumerate(text.splitlines(), 1):
            for link in LINK.findall(line):
                *owners, last = link.split("-")[0].split("/")
                known = of_type.get(owners[-1], set()) if owners else everywhere
                if last in known:
                    continue
                print(f"{path}:{number}: nothing is declared as {link}", file=sys.stderr)
                wrong = 1
    sys.exit(wrong)


main()
