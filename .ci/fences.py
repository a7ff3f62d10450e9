# SPDX-License-Identifier: Apache-2.0
"""Makes Swift source of what the documentation shows, for the compiler to check.

usage: fences.py FOLDER FILE...

Each FILE is an article or a Swift file with documentation comments. What stands between ```swift and ```
becomes a function, or a type where it declares tests, in FOLDER/Code.swift or, where it is a part of a
Package.swift, in FOLDER/Manifest.swift. Problems are told with the place in FILE.
"""

import pathlib
import re
import sys

MANIFEST = re.compile(r"\.(package|target|testTarget|executableTarget)\(")


def fences(path):
    """Yields each block of Swift: the number of its first line, and its lines."""
    block = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if path.suffix == ".swift":
            comment = re.match(r"\s*/// ?(.*)", line)
            line = comment[1] if comment else ""
        if line == "```swift":
            block = (number + 1, [])
        elif line == "```" and block:
            yield block
            block = None
        elif block:
            block[1].append(line)


def filled(line):
    """The line with code in the place of each `…` that stands for some."""
    line = re.sub(r"\{ … \}", "{ more() }", line)
    return "more()" if line.strip() == "…" else line


def elements(lines):
    """The lines as elements of an array: a comma behind each that ends one."""
    return [re.sub(r"([\])])(\s*//.*)?$", r"\1,\2", line) if not line.startswith(" ") else line for line in lines]


def manifest(lines):
    """The expression whose part of a manifest the lines are."""
    if lines[0].startswith("dependencies:"):
        return 'Package(name: "myapp",', lines, ")"
    kind = "Package.Dependency" if ".package(" in "".join(lines) else "Target"
    return f"let _: [{kind}] = [", lines, "]"


def code(lines):
    """The statements that the lines are, or are a part of."""
    first = next(line for line in lines if line and not line.startswith("//"))
    if first.startswith("format:"):
        return 'let _ = Winnow.Route.file("/var/log/myapp.log",', lines, ")"
    if first.startswith("["):
        return "let _: [RedirectRule] =", lines, ""
    if first.startswith("."):
        routes = dict.fromkeys([".file", ".stderr", ".stdout", ".syslog", ".journald"], "Winnow.Route")
        kinds = {**routes, ".level": "RecordPattern"}
        kind = kinds.get(re.match(r"\.\w+", first)[0], "RedirectRule")
        return f"let _: [{kind}] = [", elements(lines), "]"
    return "", lines, ""


def main(folder, *names):
    sources = {"Code": [], "Manifest": []}
    imports = {"Code": ["import Testing", "import Winnow"], "Manifest": ["import PackageDescription"]}
    for name in names:
        for number, lines in fences(pathlib.Path(name)):
            kind = "Manifest" if MANIFEST.search("\n".join(lines)) else "Code"
            imports[kind] += [line for line in lines if line.startswith("import ")]
            lines = ["" if line.startswith("import ") else filled(line) for line in lines]
            before, lines, behind = (manifest if kind == "Manifest" else code)(lines)
            count = len(sources[kind])
            holds_tests = any(line.startswith("@Test") for line in lines)
            head = f"struct Fence{count} {{" if holds_tests else f"func fence{count}() async throws {{"
            place = f'#sourceLocation(file: "{name}", line: {number - 1})'
            sources[kind].append("\n".join([head, place, before, *lines, behind, "#sourceLocation()", "}"]))
    if not sources["Code"]:
        sys.exit("no Swift was found in the documentation")
    for kind, functions in sources.items():
        text = "\n".join([*dict.fromkeys(imports[kind]), *functions, ""])
        pathlib.Path(folder, f"{kind}.swift").write_text(text)
    print(*(f"{len(functions)} in {kind}.swift" for kind, functions in sources.items()), sep=", ")


main(*sys.argv[1:])
