# SPDX-License-Identifier: Apache-2.0
"""Reads what a program holds: its texts, its table of log statements, and its calls."""

import collections
import functools
import pathlib
import re
import struct
import subprocess

TABLE = ".winnow.statements"
# A function of the library: what is mangled as in one of its modules, or is its C.
LIBRARY = re.compile(r"\$s\d*?(?:6Winnow|10WinnowCore|14WinnowPipeline)|\bcwinnow_")
# Values of the library's types are made, copied and dropped by these; none logs.
VALUES = re.compile(r"(?:M[a-z]|W[A-Za-z]{1,2}|WOe|WOh|WOs)(?:Tm)?(?:@plt)?$")

Section = collections.namedtuple("Section", "name flags address offset size")
Statement = collections.namedtuple("Statement", "place level floor")


class Program:
    """A program or a shared library."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.bytes = self.path.read_bytes()
        self.sections = list(self._sections())

    def _sections(self):
        start, = struct.unpack_from("<Q", self.bytes, 40)
        size, count, names = struct.unpack_from("<HHH", self.bytes, 58)
        rows = [struct.unpack_from("<IIQQQQ", self.bytes, start + size * row) for row in range(count)]
        for name, kind, flags, address, offset, length in rows:
            if kind != 8:  # SHT_NOBITS
                text = self._text(rows[names][4] + name)
                yield Section(text, flags, address, offset, length)

    def _text(self, offset):
        return self.bytes[offset : self.bytes.index(b"\0", offset)].decode(errors="replace")

    def _offset(self, address):
        for section in self.sections:
            if section.flags & 2 and 0 <= address - section.address < section.size:
                return section.offset + address - section.address
        raise ValueError(f"{self.path.name}: nothing is at address {address:#x}")

    @functools.cached_property
    def loaded(self):
        """What is loaded when the program runs."""
        parts = [self.bytes[s.offset : s.offset + s.size] for s in self.sections if s.flags & 2]
        return b"\0".join(parts).decode("latin-1")

    @functools.cached_property
    def loaded_tokens(self):
        """The tokens in what is loaded when the program runs."""
        return tokens_in(self.loaded)

    @functools.cached_property
    def tokens(self):
        """The tokens anywhere in the file."""
        return tokens_in(self.bytes.decode("latin-1"))

    @functools.cached_property
    def table(self):
        """The statements of the table, and the tokens of its texts."""
        statements, texts = [], set()
        for section in (section for section in self.sections if section.name == TABLE):
            for at in range(0, section.size, 16):
                _, text, number, kind, level, floor = struct.unpack_from(
                    "<iiIBbb", self.bytes, section.offset + at
                )
                where = self._offset(section.address + at + 4 + text) if text else None
                if kind == 1:
                    file = self._text(where) if text else None
                    statements.append(Statement(f"{file}:{number}" if file else None, level, floor))
                elif kind == 2 and text:
                    texts |= tokens_in(self.bytes[where : where + number].decode(errors="replace"))
        return statements, texts

    @functools.cached_property
    def _sizes(self):
        """The sizes of the functions: behind the end of one may be others that have no symbol."""
        listing = subprocess.run(["nm", "--print-size", self.path], check=True, capture_output=True, text=True)
        rows = [line.split() for line in listing.stdout.splitlines()]
        return {row[3]: int(row[1], 16) for row in rows if len(row) == 4}

    @functools.cached_property
    def calls(self):
        """The functions of the library that each function calls or jumps to."""
        listing = subprocess.run(
            ["objdump", "--disassemble", "--no-show-raw-insn", self.path],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        calls, function, end = collections.defaultdict(set), None, 0
        for line in listing.splitlines():
            if line.endswith(">:"):
                function = line[line.index("<") + 1 : -2]
                end = int(line[:16], 16) + self._sizes.get(function, 0)
            elif "<" in line and int(line[: line.index(":")], 16) < end and (found := re.search(r"\s(?:call|jmp)q?\s.*<([^+>]+)>", line)):
                if LIBRARY.search(found[1]) and not VALUES.search(found[1]):
                    calls[function].add(found[1])
        return calls


def tokens_in(text, prefix="probe[0-9a-z]+"):
    """Returns the tokens in a text."""
    return set(re.findall(rf"{prefix}_[0-9a-z_]+", text))
