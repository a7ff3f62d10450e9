# SPDX-License-Identifier: Apache-2.0
"""The tables of the outcomes, in Markdown."""

import datetime
import platform
import re
import subprocess

TITLES = {"files": "Files", "streams": "Standard error", "journal": "The journal"}
HEAD = ("Fault", "Logger", "Called", "Delivered", "Told lost", "Lost in silence", "Torn",
        "Longest call", "The process")


def version(command, pattern):
    """Finds a version in what a command prints."""
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(pattern, shown.stdout + shown.stderr)
    return found.group(1) if found else "?"


def machine():
    """Names what ran, and when."""
    dpkg = ["dpkg-query", "-W", "-f", "${Version}"]
    return (
        f"{datetime.date.today()}, Linux {platform.release().split('-')[0]}, "
        f"Swift {version(['swift', '--version'], r'Swift version ([0-9.]+)')}, swift-log 1.16.2, "
        f"spdlog {version(dpkg + ['libspdlog-dev'], r'(?:[0-9]+:)?([0-9.]+)')}, "
        f"systemd {version(dpkg + ['systemd'], r'([0-9.]+)')}"
    )


def duration(seconds):
    """A time with the digits that matter."""
    return f"{seconds:.1f} s" if seconds >= 0.1 else f"{seconds * 1e3:.1f} ms"


def show(results):
    """Prints a table for each group."""
    print(f"From one run: {machine()}.")
    for name, outcomes in results.items():
        print(f"\n### {TITLES[name]}\n")
        print("| " + " | ".join(HEAD) + " |")
        print("|" + "---|" * len(HEAD))
        last = None
        for each in outcomes:
            fault = "" if each.fault == last else each.fault
            last = each.fault
            cells = (fault, each.logger, each.called, each.delivered, each.told, each.silent,
                     each.torn, duration(each.longest), each.end)
            print("| " + " | ".join(str(cell) for cell in cells) + " |")
