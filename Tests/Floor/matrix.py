#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds probes at every floor, in every way to set it, and tests that what is below it is gone.

    Tests/Floor/matrix.py [--full] [--work FOLDER] [REGEX]

One line a cell, `ok - TEXT` or `not ok - TEXT` with what was found. REGEX takes the builds whose
description, `faults` or `limits` matches. The last build stays in FOLDER.
"""

import argparse
import pathlib
import re
import resource
import sys
import tempfile
import time

import build
import cells
import checks
import faults
import limits
import tool

# How much of what is wrong with a cell is shown.
SHOWN = 8


def report(text, problems, seconds=None):
    """Prints the line of a cell."""
    problems = [str(problem)[:500] for problem in problems]
    took = "" if seconds is None else f" [{seconds:.0f} s]"
    print(f"{'not ok' if problems else 'ok'} - {text}{took}", flush=True)
    for problem in problems[:SHOWN]:
        print(f"    {problem}", flush=True)
    if len(problems) > SHOWN:
        print(f"    … ({len(problems)})", flush=True)


def report_build(outcome):
    """Prints the cell of a build itself; true if there is a program."""
    problems = [] if outcome.program else [f"no build: {e}" for e in outcome.errors[:5]]
    if not outcome.program and not problems:
        problems = [f"no build: {outcome.output[-600:]}"]
    problems += [f"warning: {warning}" for warning in outcome.warnings[:5]]
    report(f"{outcome.build}: builds without a warning", problems, outcome.seconds)
    return outcome.program is not None


def report_modules(outcome):
    """Prints a cell for each probe of the build."""
    check = checks.of_library if outcome.build.dynamic else checks.of_module
    for module in outcome.build.modules:
        how = "no setting of its own" if module.define is None else f"its own define {module.define}"
        floor = outcome.build.floor(module)
        report(f"{outcome.build}; {how}: floor {floor}", check(outcome, module))
    for module in outcome.build.unused if outcome.build.configuration == "release" else ():
        report(f"{outcome.build}: its code and its table", checks.of_unused(outcome, module))


def run(made, work):
    """Makes one build and prints its cells."""
    try:
        outcome = build.make(made, work)
        if report_build(outcome):
            report_modules(outcome)
            if tool.path():
                report(f"{made}: winnow stripped", tool.check(outcome))
    except Exception as problem:  # the other cells are still to come
        report(f"{made}: could not be tested", [repr(problem)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--full", action="store_true", help="the whole product")
    parser.add_argument("--work", type=pathlib.Path, help="where to build")
    parser.add_argument("pattern", nargs="?", default="", help="the builds to make")
    options = parser.parse_args()
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="winnow-floor-") as name:
        work = options.work or pathlib.Path(name)
        for made in cells.builds(options.full):
            if re.search(options.pattern, str(made)):
                run(made, work)
        others = {"faults": faults, **({"limits": limits} if options.full else {})}
        for name, other in others.items():
            if re.search(options.pattern, name):
                for text, problems in other.results(work):
                    report(text, problems)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime
    print(f"matrix: {time.monotonic() - start:.0f} s, of one processor {cpu:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
