# SPDX-License-Identifier: Apache-2.0
"""How long the compiler works on a client, Winnow against swift-log in one run."""

import pathlib
import resource
import shutil
import subprocess

import statements
from packages import DEBUG, LIBRARIES, RELEASE, ROOT, WORK, Package, table

COUNTS = (1_000, 4_000)

#: The name of a build, its mode, the floor of Winnow and the trait of swift-log.
BUILDS = (
    ("debug, all statements kept", DEBUG, None, None),
    ("release, all kept", RELEASE, 7, None),
    ("release, `notice` and above kept", RELEASE, 5, "MaxLogLevelNotice"),
)


def library(name, mode, trait):
    """Builds a library, by way of a client with nothing in it; returns where its modules are."""
    package = Package(name, f"modules-{trait or 'all'}", (trait,) if trait else None)
    package.add("Empty", {"Empty.swift": statements.program(name, [])})
    return package.build(mode)


def command(name, mode, floor, modules, output, sources):
    """The compiler's command line, as SwiftPM writes it for a module."""
    words = ["swiftc", "-module-name", "Client", "-parse-as-library", "-c", "-g", "-j2"]
    words += ["-emit-module", "-emit-module-path", output / "Client.swiftmodule"]
    words += ["-I", modules / "Modules", "-module-cache-path", modules / "ModuleCache"]
    words += ["-swift-version", "6", "-Xcc", "-fPIC"]
    if mode == DEBUG:
        words += ["-Onone", "-enable-testing", "-enable-batch-mode"]
    else:
        words += ["-O", "-whole-module-optimization", "-num-threads", "2"]
    if name == "winnow":
        for file in sorted((ROOT / "Sources").rglob("module.modulemap")):
            words += ["-Xcc", f"-fmodule-map-file={file}", "-Xcc", "-I", "-Xcc", file.parent]
    if name == "winnow" and floor is not None:
        words += ["-Xcc", f"-DWINNOW_MAX_LEVEL={floor}"]
    return [str(word) for word in words + sorted(sources.glob("*.swift"))]


def seconds(words, output):
    """The user CPU seconds of a command and its children."""
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(words, cwd=output, check=True, timeout=900, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def client(name, count):
    """Writes a client; returns its folder."""
    folder = WORK / "clients" / f"{name}-{count}"
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in statements.client(name, count).items():
        (folder / file).write_text(text)
    return folder


def compare(build, count, rounds, say):
    """The least of the turns of each library: what disturbs a compiler only makes it slower.

    Another client, of a few statements, warms up first.
    """
    label, mode, floor, trait = build
    commands, results = {}, {name: [] for name in LIBRARIES}
    output = WORK / "output"
    for name in LIBRARIES:
        modules = library(name, mode, trait if name == "swift-log" else None)
        commands[name] = command(name, mode, floor, modules, output, client(name, count))
        few = command(name, mode, floor, modules, output, client(name, 10))
        seconds(few, output)
    for turn in range(rounds):
        for name in LIBRARIES:
            results[name].append(seconds(commands[name], output))
        pair = ", ".join(f"{name} {results[name][-1]:.1f} s" for name in LIBRARIES)
        say(f"compile time: {label}, {count} statements, {turn + 1} of {rounds}: {pair}")
    return [min(results[name]) for name in LIBRARIES]


def measure(say, rounds=5):
    """The table of all builds and counts."""
    rows = []
    for count in COUNTS:
        for build in BUILDS:
            winnow, other = compare(build, count, rounds, say)
            rows.append(
                [build[0], f"{count:,}".replace(",", " "), f"{1000 * winnow / count:.1f} ms",
                 f"{1000 * other / count:.1f} ms", f"{winnow / other:.2f}"]
            )  # fmt: skip
    return table(["Build", "Statements", "Winnow, each", "swift-log, each", "Ratio"], rows)
