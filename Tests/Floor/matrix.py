#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds probes at every floor, in every way to set it, and tests that what is below it is gone.

    Tests/Floor/matrix.py [--full] [--work FOLDER] [REGEX]

One line a cell, `ok - TEXT` or `not ok - TEXT` with what was found. REGEX takes the builds whose
description, `faults`, `mistakes` or `inlined` matches. The last builds stay in FOLDER.
"""

import argparse
import concurrent.futures
import os
import pathlib
import queue
import re
import resource
import sys
import tempfile
import time

import build
import cells
import checks
import faults
import frontend
import inlined
import mistakes
import tool

# How much of what is wrong with a cell is shown.
SHOWN = 8
# The builds that are made at a time: each waits for its slowest module about a third of the time, on two
# processors.
AT_ONCE = 3
# So that the tests that run beside the builds come first.
NICENESS = 10


def cell(text, problems, seconds=None):
    """Returns the lines of a cell."""
    problems = [str(problem)[:500] for problem in problems]
    took = "" if seconds is None else f" [{seconds:.0f} s]"
    lines = [f"{'not ok' if problems else 'ok'} - {text}{took}"]
    lines += [f"    {problem}" for problem in problems[:SHOWN]]
    if len(problems) > SHOWN:
        lines.append(f"    … ({len(problems)})")
    return "\n".join(lines)


def of_build(outcome):
    """Returns the cell of a build itself."""
    problems = [] if outcome.program else [f"no build: {e}" for e in outcome.errors[:5]]
    if not outcome.program and not problems:
        problems = [f"no build: {outcome.output[-600:]}"]
    problems += [f"warning: {warning}" for warning in outcome.warnings[:5]]
    return cell(f"{outcome.build}: builds without a warning", problems, outcome.seconds)


def of_modules(outcome):
    """Yields a cell for each probe of the build."""
    check = checks.of_library if outcome.build.dynamic else checks.of_module
    for module in outcome.build.modules:
        how = "no setting of its own" if module.define is None else f"its own define {module.define}"
        how = ", ".join((how, *module.flags, *(["read as C++"] if module.reads_cxx else [])))
        floor = outcome.build.floor(module)
        yield cell(f"{outcome.build}; {how}: floor {floor}", check(outcome, module))
    for module in outcome.build.unused if outcome.build.configuration == "release" else ():
        yield cell(f"{outcome.build}: its code and its table", checks.of_unused(outcome, module))


def results(made, work, variables):
    """Makes one build, with more variables of the environment for its system, and yields its cells."""
    try:
        outcome = build.make(made, work, variables.get(made.system))
        yield of_build(outcome)
        if outcome.program is not None:
            yield from of_modules(outcome)
            if tool.path():
                yield cell(f"{made}: winnow stripped", tool.check(outcome))
    except Exception as problem:  # the other cells are still to come
        yield cell(f"{made}: could not be tested", [repr(problem)])


def all_results(builds, others, work, variables):
    """Yields the cells of all builds and of the others in their order: some are made at a time, each build
    in a folder and with the variables of its system.
    """
    tool.path()
    folders = queue.SimpleQueue()
    for number in range(AT_ONCE):
        folders.put(work / str(number))

    def make(made):
        folder = folders.get()
        try:
            return list(results(made, folder, variables))
        finally:
            folders.put(folder)

    def try_other(other):
        return [cell(text, problems) for text, problems in other(work)]

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        jobs = [pool.submit(make, made) for made in builds]
        jobs += [pool.submit(try_other, other) for other in others]
        for job in jobs:
            yield from job.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--full", action="store_true", help="the whole product")
    parser.add_argument("--work", type=pathlib.Path, help="where to build")
    parser.add_argument("pattern", nargs="?", default="", help="the builds to make")
    options = parser.parse_args()
    start = time.monotonic()
    os.nice(NICENESS)
    with tempfile.TemporaryDirectory(prefix="winnow-floor-") as name:
        work = options.work or pathlib.Path(name)
        os.environ.setdefault("WINNOW_TEST_CLIENTS", str(work / "clients"))
        wanted = [made for made in cells.builds(options.full) if re.search(options.pattern, str(made))]
        inlining = inlined.whole_results if options.full else inlined.results
        others = {"faults": faults.results, "mistakes": mistakes.results, "inlined": inlining}
        others = [other for name, other in others.items() if re.search(options.pattern, name)]
        # The whole product compiles everything.
        variables = {} if options.full else frontend.toolchain(work)
        for lines in all_results(wanted, others, work, variables):
            print(lines, flush=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime
    print(f"matrix: {time.monotonic() - start:.0f} s, of one processor {cpu:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
