# SPDX-License-Identifier: Apache-2.0
"""What must hold of a probe in a program: each check yields what does not, with its evidence."""

import re

from build import effects, records
from package import LEVELS


# A message that is made outside of its statement is code of its own, which only an optimizer removes;
# then it is the statement that must be gone.
OUTSIDE_TOKEN = re.compile("_stored_computed_")
OUTSIDE_NAME = re.compile("message|stored")

# What a statement that is kept calls, whatever its form: nothing else calls these.
STATEMENT = re.compile("6Winnow(?:4GateO|10openRecord|11closeRecord)")
OPENING = re.compile("6Winnow10openRecord")


def some(things):
    """Returns the first of the things, and how many they are."""
    things = sorted(map(str, things))
    more = f" … ({len(things)})" if len(things) > 3 else ""
    return ", ".join(things[:3]) + more


def evaluated(tokens):
    """Returns the tokens whose arguments print when they are evaluated."""
    return {t for t in tokens if re.search(r"_(part|value\d?|error|errno|id|block)$", t)}


def by_floor(tokens, floor):
    """Returns the tokens of the levels that the floor keeps, and of those that it drops."""
    kept, dropped = set(), set()
    for number, level in enumerate(LEVELS):
        (kept if number <= floor else dropped).update(tokens[level])
    return kept, dropped


def side_effects(outcome, module):
    """The arguments that are evaluated are those of the statements that are kept."""
    kept, dropped = by_floor(module.tokens()[0], outcome.build.floor(module))
    seen = effects(outcome)
    if missing := evaluated(kept) - seen:
        yield f"not evaluated: {some(missing)}"
    if wrong := dropped & seen:
        yield f"evaluated below the floor: {some(wrong)}"


def log(outcome, module):
    """What is logged is what is kept."""
    kept, dropped = by_floor(module.tokens()[0], outcome.build.floor(module))
    seen = records(outcome)
    if missing := {token for token in kept if re.search(r"_(text|name\d?)$", token)} - seen:
        yield f"not logged: {some(missing)}"
    if wrong := dropped & seen:
        yield f"logged below the floor: {some(wrong)}"


def run_time_level(outcome, module):
    """A statement whose level is known only at run time is silent below the floor; a program knows it."""
    floor, name = outcome.build.floor(module), f"probe{module.suffix.lower()}_runtime"
    parts = ("part", "static_value", "enabled")
    want = {f"{name}_{part}_{number}" for part in parts for number in range(floor + 1)}
    want.add(f"{name}_maximum_{floor + 1}")
    seen = {token for token in effects(outcome) if token.startswith(name)}
    if seen != want:
        yield f"run-time levels: differ in {some(seen ^ want)}"
    want = {f"{name}_static_text_{number}" for number in range(floor + 1)}
    seen = {token for token in records(outcome) if token.startswith(f"{name}_static_text")}
    if seen != want:
        yield f"run-time levels: logs differ in {some(seen ^ want)}"


def texts(outcome, module):
    """The program holds every literal of what is kept and none of what is dropped."""
    kept, dropped = by_floor(module.tokens()[0], outcome.build.floor(module))
    program = outcome.program
    if missing := kept - program.loaded_tokens:
        yield f"literals that should be there: {some(missing)}"
    # A debug build holds its modules' interfaces, with the bodies of @inlinable functions, for the
    # debugger.
    release = outcome.build.configuration == "release"
    if not release:
        dropped = {token for token in dropped if not OUTSIDE_TOKEN.search(token)}
    if left := dropped & (program.tokens if release else program.loaded_tokens):
        yield f"literals left: {some(left)}"


def functions(outcome, module, declarations):
    """Returns the library's functions that those of the declarations call, by their callers."""
    names = "|".join(f"{len(name)}{name}" for name in sorted(declarations))
    modules = "|".join(f"{len(name)}{name}" for name in module.names)
    pattern = re.compile(rf"(?:{modules}).*(?:{names})") if declarations else re.compile("$^")
    return {f: called for f, called in outcome.program.calls.items() if f and pattern.search(f)}


def calls(outcome, module):
    """The functions whose statements are all below the floor call nothing of the library."""
    declarations = module.tokens()[1]
    kept, dropped = by_floor(declarations, outcome.build.floor(module))
    outside = {name for name in dropped if OUTSIDE_NAME.match(name)}
    for function, called in functions(outcome, module, dropped - outside).items():
        yield f"{function} calls {some(called)}"
    for function, called in functions(outcome, module, outside).items():
        if gates := {name for name in called if STATEMENT.search(name)}:
            yield f"{function} calls {some(gates)}"
    # The check itself: it finds the calls that are there.
    for method in sorted(name for name in kept if name.startswith("method")):
        called = set().union(*functions(outcome, module, {method}).values())
        if not any(map(OPENING.search, called)):
            yield f"no call was found in {method}"


def table(outcome, module):
    """The table holds every statement that is kept, with its level and floor, and no other."""
    floor = outcome.build.floor(module)
    places, (statements, noted) = module.statements(), outcome.program.table
    run_time = places.pop(None)
    levels = {place: number for number, level in enumerate(LEVELS) for place in places[level]}
    mine = [s for s in statements if s.place and s.place.split("/")[0] in module.names]
    seen = {s.place for s in mine} - run_time
    want = by_floor(places, floor)[0]
    if seen != want:
        yield f"table: differs in {some(seen ^ want)}"
    for s in mine:
        # At floor 0 the optimizer knows: what passes is an emergency.
        known = {127, 0} if floor == 0 else {127}
        level = known if s.place in run_time else {levels.get(s.place)}
        if s.level not in level or s.floor != floor:
            yield f"table: {s} should have level {level}, floor {floor}"
            break
    kept, dropped = by_floor(module.tokens()[0], floor)
    if missing := {token for token in kept if token.endswith("_text")} - noted:
        yield f"table: no text of {some(missing)}"
    if wrong := dropped & noted:
        yield f"table: text of {some(wrong)}"


def table_size(outcome, module):
    """Without an optimizer the records are nameless; there are as many as statements are left."""
    floor, places = outcome.build.floor(module), module.statements()
    kept = by_floor(places, floor)[0]
    # A function that is always inlined is there twice: its own code, and in its caller.
    tokens = by_floor(module.tokens()[0], floor)[0]
    want = len(kept) + len([t for t in tokens if re.search(r"_always_\w+_text$", t)])
    run_time, seen = len(places[None]), len(outcome.program.table[0])
    if seen - run_time != want and not (floor < 0 and seen == 0):
        yield f"table: {seen} statements, not {want + run_time}"


def of_module(outcome, module):
    """Yields all that is wrong with a probe."""
    release = outcome.build.configuration == "release"
    for check in (side_effects, log, run_time_level, texts, calls):
        yield from check(outcome, module)
    if release:
        yield from table(outcome, module)
    elif len(outcome.build.modules) == 1 and not outcome.build.unused:
        yield from table_size(outcome, module)


def is_left(outcome, module):
    """Whether the linker has left the code of a module that nothing uses."""
    tokens = set().union(*module.tokens()[0].values())
    return bool(tokens & outcome.program.tokens)


def of_unused(outcome, module):
    """Of a module that nothing uses the table holds what the code holds: everything, or nothing."""
    if is_left(outcome, module):
        yield from of_library(outcome, module)
        return
    places = {s.place for s in outcome.program.table[0] if s.place}
    if left := {place for place in places if place.split("/")[0] in module.names}:
        yield f"table: statements that nothing uses: {some(left)}"


def of_library(outcome, module):
    """What nothing has run holds what is kept, and the table says so."""
    for check in (texts, calls, table):
        yield from check(outcome, module)
