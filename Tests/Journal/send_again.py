#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Sends the entries of an identifier once more by sd_journal_sendv(3), and compares what the journal holds.

    Tests/Journal/send_again.py IDENTIFIER

Each entry's own fields, all but those that journald adds, are handed to libsystemd as they are stored;
then both entries are compared field by field, byte by byte. Exit status 0 where they are the same.
"""

import sys
import time

from systemd import _reader, journal


def read(identifier):
    """Returns the own fields of each entry, as sorted pairs of a name and its bytes."""
    reader = _reader._Reader()
    reader.add_match(f"SYSLOG_IDENTIFIER={identifier}")
    entries = []
    while reader._next():
        fields = []
        for name, value in reader._get_all().items():
            # Several values of one name come as a list.
            for each in value if isinstance(value, list) else [value]:
                if not name.startswith("_"):
                    fields.append((name, each))
        entries.append(sorted(fields))
    return entries


def main():
    identifier = sys.argv[1]
    other = identifier + "-again"
    entries = read(identifier)
    for fields in entries:
        sent = [
            name.encode() + b"=" + (other.encode() if name == "SYSLOG_IDENTIFIER" else value)
            for name, value in fields
        ]
        journal.sendv(*sent)
    again = []
    for _ in range(100):
        again = read(other)
        if len(again) == len(entries):
            break
        time.sleep(0.1)
    assert entries, "no entries to send again"
    assert len(again) == len(entries), f"{len(entries)} entries, and {len(again)} sent again"
    count = 0
    for one, two in zip(entries, again):
        two = [(name, identifier.encode() if name == "SYSLOG_IDENTIFIER" else value) for name, value in two]
        assert one == two, f"differs:\n{set(one) ^ set(two)}"
        count += len(one)
    print(f"{len(entries)} entries, {count} fields")


if __name__ == "__main__":
    main()
