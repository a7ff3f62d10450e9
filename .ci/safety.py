# SPDX-License-Identifier: Apache-2.0
"""Checks that what is public says which threads may call it, and whether signal handlers may.

Takes the Swift files named on stdin. A function, initializer, subscript or computed property that is
public, or that a public protocol requires, says it in its own comment, in that of its extension, or
in that of its type: in the words of attributes(7), such as "MT-Safe, AS-Unsafe heap", or in a
sentence with "thread" and "signal handler".
"""

import pathlib
import re
import sys

THREADS = re.compile(r"\bMT-(?:Safe|Unsafe)|\bthreads?\b")
SIGNALS = re.compile(r"\bAS-(?:Safe|Unsafe)|\bsignal handlers?\b")
TYPE = re.compile(
    r"^ *(?P<words>(?:@[\w().,: ]+ |\w+ )*?)"
    r"(?P<kind>struct|class|enum|actor|protocol|extension) (?P<name>[\w.`]+)"
)
MEMBER = re.compile(
    r"^ *(?P<words>(?:@\w+(?:\([^)]*\))? |\w+(?:\(set\))? )*?)"
    r"(?P<what>func (?:`[^`]*`|[^\s(]+)|init\b|subscript\b|var \w+(?=: [^={]*\{))"
)


class Scope:
    """A type or an extension whose body is open."""

    def __init__(self, match, indent, outer, is_said):
        self.indent, self.is_said = indent, is_said
        self.is_type = match["kind"] != "extension"
        self.name = f"{outer.name}.{match['name']}" if self.is_type and outer else match["name"]
        self.is_open_protocol = match["kind"] == "protocol" and "public" in match["words"].split()


def declarations(path):
    """Yields each type, as a scope, and each member: its line, its match, and the scope around it."""
    scopes, comment = [], []
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        text = line.strip()
        if text.startswith("///"):
            comment.append(text[3:].strip())
            continue
        # Attributes on lines of their own belong to what follows them.
        is_attribute = text.startswith(("@", "#")) and not TYPE.match(line) and not MEMBER.match(line)
        if is_attribute:
            continue
        indent = len(line) - len(line.lstrip())
        # A brace on a line of its own opens what was declared above it.
        while text and text != "{" and scopes and indent <= scopes[-1].indent:
            scopes.pop()
        outer = scopes[-1] if scopes else None
        words = " ".join(comment)
        is_said = bool(THREADS.search(words) and SIGNALS.search(words))
        comment = []
        if match := TYPE.match(line):
            scope = Scope(match, indent, outer, is_said)
            yield number, None, scope, is_said
            if not text.endswith("}"):
                scopes.append(scope)
        elif match := MEMBER.match(line):
            yield number, match, outer, is_said


def is_public(match, scope):
    words = match["words"].split()
    return "public" in words or bool(scope and scope.is_open_protocol and not words)


def main():
    silent, types = [], set()
    for path in sys.stdin.read().splitlines():
        for number, match, scope, is_said in declarations(path):
            if match is None:
                if is_said and scope.is_type:
                    types.add(scope.name)
            elif is_public(match, scope) and not is_said:
                silent.append((path, number, match["what"], scope))
    status = 0
    for path, number, what, scope in silent:
        if scope and (scope.is_said or scope.name in types):
            continue
        print(f"{path}:{number}: {what} does not say which threads and handlers may call it")
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
