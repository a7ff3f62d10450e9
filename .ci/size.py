# SPDX-License-Identifier: Apache-2.0
"""Checks the lengths of the files named on stdin, and of the functions in Swift and C.

A file has at most 400 lines, under Tests 500. A function in Swift or C has at most 40 lines from its
first to its last, under Tests any number. `.ci/size-exceptions` lists what may be longer: a line is
`PATH: reason` or `PATH:FUNCTION: reason`.
"""

import pathlib
import re
import sys

FILE_LINES, TEST_FILE_LINES, FUNCTION_LINES = 400, 500, 40
EXCEPTIONS = pathlib.Path(".ci/size-exceptions")

# Strings and comments, whose braces do not count; a newline in them stays.
QUIET = re.compile(
    r'#"""(?:.|\n)*?"""#|"""(?:\\.|[^\\])*?"""|#"(?:[^"\n]|"(?!#))*"#|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])+'|//[^\n]*|/\*(?:.|\n)*?\*/"
)
SWIFT = re.compile(
    r"^[ \t]*(?:[@\w()~. \t]+[ \t])?"
    r"(?:func[ \t]+(?P<name>`[^`]*`|[^\s(<]+)|(?P<other>init|deinit|subscript)\b)",
    re.MULTILINE,
)
MORE = re.compile(r"\s*(?:\{|->|where\b|throws\b|async\b|rethrows\b)")
C = re.compile(r"^(?!(?:struct|enum|union|typedef|extern)\b)\w[\w\s*]*?(?P<name>\w+)\(", re.MULTILINE)


def functions(text, pattern):
    """Yields the name, first line and number of lines of each function that has a body."""
    for match in pattern.finditer(text):
        name = next(filter(None, match.groups()))
        start = match.start() + len(match.group()) - len(match.group().lstrip())
        depth, at, entered = 0, match.end() - 1, False
        while at < len(text):
            character = text[at]
            if character in "([{":
                entered = entered or (character == "{" and depth == 0)
                depth += 1
            elif character in ")]}":
                depth -= 1
                if depth < 0 or (depth == 0 and entered):
                    break
            elif depth == 0 and (character == ";" or character == "\n" and not MORE.match(text, at)):
                break
            at += 1
        if entered:
            yield name, text.count("\n", 0, start) + 1, text.count("\n", start, at) + 1


def main():
    allowed = {}
    for line in EXCEPTIONS.read_text().splitlines() if EXCEPTIONS.exists() else []:
        if line.strip() and not line.startswith("#"):
            allowed[line.rpartition(": ")[0]] = line
    files, bodies, wrong = [], [], []
    for path in sys.stdin.read().splitlines():
        raw = pathlib.Path(path).read_bytes().decode(errors="replace")
        files.append((raw.count("\n"), path))
        limit = TEST_FILE_LINES if path.startswith("Tests/") else FILE_LINES
        if files[-1][0] > limit and allowed.pop(path, None) is None:
            wrong.append(f"{path}: {files[-1][0]} lines, {limit} are allowed")
        pattern = {".swift": SWIFT, ".c": C, ".h": C}.get(pathlib.Path(path).suffix)
        if pattern is None or path.startswith("Tests/"):
            continue
        text = QUIET.sub(lambda quiet: "_" + "\n" * quiet.group().count("\n"), raw)
        for name, line, length in functions(text, pattern):
            bodies.append((length, f"{path}:{line} {name}"))
            if length > FUNCTION_LINES and allowed.pop(f"{path}:{name}", None) is None:
                wrong.append(f"{path}:{line}: {name} has {length} lines, {FUNCTION_LINES} are allowed")
    for title, rows in (("files", files), ("functions", bodies)):
        print(f"the five longest of {len(rows)} {title}:")
        print("".join(f"{length:6} {what}\n" for length, what in sorted(rows)[:-6:-1]), end="")
    wrong += [f"{EXCEPTIONS}: not needed any more: {line}" for line in allowed.values()]
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
