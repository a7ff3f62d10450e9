# SPDX-License-Identifier: Apache-2.0
"""Packages that are written, built and run: each is a client of Winnow or of swift-log."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "Benchmarks" / ".build" / "strip"
SWIFT_LOG = "1.16.2"
LIBRARIES = ("winnow", "swift-log")
TITLE = {"winnow": "Winnow", "swift-log": "swift-log"}
PRODUCT = {"winnow": "Winnow", "swift-log": "Logging"}

#: What valgrind 3.19 cannot read of the debug information is left out.
RELEASE = ("-c", "release", "-Xlinker", "--strip-debug")
DEBUG = ("-c", "debug")


def run(*command, cwd=None, env=None, timeout=900):
    """What a command prints on stdout and stderr; where it fails, its output and the end."""
    result = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=env,
        timeout=timeout,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}\n{result.stdout[-4000:]}")
    return result.stdout


def requirement(library, traits=None):
    """The dependency on a library, as a manifest writes it; with its default traits if none are given."""
    listed = ", ".join(f'"{trait}"' for trait in traits or ())
    suffix = "" if traits is None else f", traits: [{listed}]"
    if library == "winnow":
        return f'.package(name: "winnow", path: "{ROOT}"{suffix})'
    return f'.package(url: "https://github.com/apple/swift-log", exact: "{SWIFT_LOG}"{suffix})'


class Package:
    """A package of clients of one library."""

    def __init__(self, library, name, traits=None, dependencies=()):
        self.library, self.name, self.products = library, name, []
        self.path = WORK / library / name
        self.requirements = [requirement(library, traits), *dependencies]
        self.targets = []

    def add(self, name, sources, settings="", kind="executableTarget", uses=()):
        """Adds a target of Swift sources: texts by the names of their files."""
        product = f'.product(name: "{PRODUCT[self.library]}", package: "{self.library}")'
        self.targets.append(
            f'        .{kind}(name: "{name}", dependencies: [{", ".join([product, *uses])}]'
            + (f", {settings})" if settings else ")")
        )
        self.write(name, sources)

    def add_c(self, name, header):
        """Adds a C target that is one header."""
        self.targets.append(f'        .target(name: "{name}")')
        self.write(name, {f"include/{name}.h": header, f"{name}.c": f'#include "{name}.h"\n'})

    def write(self, target, sources):
        """Writes what has changed, so that a second run builds nothing twice."""
        for file, text in sources.items():
            path = self.path / "Sources" / target / file
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_text() != text:
                path.write_text(text)

    def manifest(self):
        """The manifest; every library target is a product."""
        products = "".join(
            f'        .library(name: "{name}", targets: ["{name}"]),\n' for name in self.products
        )
        requirements = "".join(f"        {text},\n" for text in self.requirements)
        return (
            "// swift-tools-version:6.2\nimport PackageDescription\n\nlet package = Package(\n"
            f'    name: "{self.name}",\n    products: [\n{products}    ],\n'
            f"    dependencies: [\n{requirements}    ],\n"
            "    targets: [\n" + ",\n".join(self.targets) + "\n    ]\n)\n"
        )

    def save(self):
        """Writes the manifest; each time, or SwiftPM overlooks new files of what it depends on."""
        self.path.mkdir(parents=True, exist_ok=True)
        (self.path / "Package.swift").write_text(self.manifest())

    def build(self, mode, scratch=None):
        """Builds the package, in a scratch path of its own if none is given; returns where its
        programs are."""
        self.save()
        scratch = scratch or self.path / ".build"
        run("swift", "build", *mode, "--scratch-path", scratch, cwd=self.path)
        # Without links: the compiler takes two names of a module cache for two caches.
        return (scratch / mode[1]).resolve()


def output(program, *arguments, **variables):
    """What a program prints, in an environment with nothing but these variables."""
    env = {"PATH": os.environ["PATH"], **variables}
    return run(program, *arguments, env=env, timeout=120)


def table(head, rows):
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
