# SPDX-License-Identifier: Apache-2.0
"""What `winnow stripped` must say of the programs."""

import functools
import json
import os
import subprocess

from checks import by_floor, is_left, some
from package import LEVELS, REPOSITORY

EXPECTATIONS = ("none", *LEVELS)
HOLDS, FAILS, UNKNOWN = 0, 1, 2


@functools.cache
def path():
    """Builds the tool, where there is one; with the flags of the tests it is there already."""
    if not (REPOSITORY / "Sources/WinnowTool").exists():
        return None
    flags = ["--traits", "default,SwiftLog", *os.environ.get("WINNOW_TEST_SWIFT_FLAGS", "").split()]
    build = ["swift", "build", *flags]
    subprocess.run(
        [*build, "--product", "winnow"], cwd=REPOSITORY, check=True, capture_output=True
    )
    shown = subprocess.run(
        [*build, "--show-bin-path"], cwd=REPOSITORY, check=True, capture_output=True, text=True
    )
    return REPOSITORY / shown.stdout.strip() / "winnow"


def stripped(program, *arguments):
    """Runs `winnow stripped` and returns its status and what it printed."""
    result = subprocess.run(
        [path(), "stripped", program.path, *arguments], capture_output=True, text=True
    )
    return result.returncode, result.stdout


def modules(outcome):
    """Returns the modules whose code is in the program."""
    unused = [module for module in outcome.build.unused if is_left(outcome, module)]
    return [*outcome.build.modules, *unused]


def expected(outcome):
    """Returns the places of all statements that are kept, and those of a level known at run time."""
    places, run_time = set(), set()
    for module in modules(outcome):
        of_module = module.statements()
        run_time |= of_module.pop(None)
        places |= by_floor(of_module, outcome.build.floor(module))[0]
    return places, run_time


def of_release(outcome):
    """The list is that of the statements that are kept, and the expectation holds at the floor."""
    floor = max(map(outcome.build.floor, modules(outcome)))
    places, run_time = expected(outcome)
    for number, expectation in enumerate(EXPECTATIONS, -1):
        want = HOLDS if number >= floor else FAILS
        if (status := stripped(outcome.program, "--expect", expectation)[0]) != want:
            yield f"winnow stripped --expect {expectation}: status {status}, not {want}"
    listed = json.loads(stripped(outcome.program, "--format", "json")[1])["statements"]
    seen = {f"{s['module']}/{s['file']}:{s['line']}" for s in listed} - run_time
    if seen != places:
        yield f"winnow stripped: differs in {some(seen ^ places)}"
    if wrong := [s for s in listed if LEVELS.index(s["atMost"]) > floor]:
        yield f"winnow stripped: below the floor: {some(wrong)}"


def of_debug(outcome):
    """It cannot be told of a program that was built without an optimizer, and that is what it says."""
    left = outcome.program.table[0]
    status, _ = stripped(outcome.program, "--expect", "notice")
    if status != (UNKNOWN if left else HOLDS):
        yield f"winnow stripped: status {status} with {len(left)} statements"


def check(outcome):
    """Yields all that is wrong with what the tool says."""
    yield from (of_release if outcome.build.configuration == "release" else of_debug)(outcome)
