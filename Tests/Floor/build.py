# SPDX-License-Identifier: Apache-2.0
"""Builds the probes and runs them."""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

import package
from package import LEVELS, Module
from program import Program, tokens_in

# A cold build of the library and ten probes takes two minutes on two cores.
BUILD_SECONDS, RUN_SECONDS = 1200, 60
# The static standard library's own dlopen, and what swiftbuild hands to the linker, in any package.
TOOLCHAIN_WARNINGS = re.compile("/swift_static/|argument unused during compilation: '-rdynamic'")


def compiler_flags(*flags):
    """Returns the arguments by which the package manager hands flags to the Swift compiler."""
    return tuple(part for flag in flags for part in ("-Xswiftc", flag))


@dataclasses.dataclass(frozen=True)
class Build:
    """One build of the program: what is set, and how."""

    configuration: str = "release"
    system: str = "native"
    modules: tuple = (Module(),)
    define: object = None
    traits: tuple = ()
    flags: tuple = ()
    unused: tuple = ()
    dynamic: bool = False
    # What the flags are for; empty for a build without any.
    mode: str = ""
    # The scratch path that it shares with the other clients of the library, of which no other build
    # of the matrix may be one; empty for one of its own.
    shared: str = ""

    def __str__(self):
        parts = [self.configuration, self.system if self.system != "native" else "", self.mode]
        parts += [f"-DWINNOW_MAX_LEVEL={self.define}" if self.define is not None else ""]
        return ", ".join(filter(None, parts + list(self.traits)))

    @property
    def arguments(self):
        define = []
        if self.define is not None:
            # swiftbuild hands -Xcc to the compiler of C only, and not on to Swift's importer of it.
            define = ["-Xcc", f"-DWINNOW_MAX_LEVEL={self.define}"]
            if self.system == "swiftbuild":
                define = list(compiler_flags(*define))
        system = [] if self.system == "native" else ["--build-system", self.system]
        # On two cores the index takes time that no cell needs.
        return ["-c", self.configuration, *system, "--disable-index-store", *define, *self.flags]

    def default_floor(self):
        """The floor where nothing is defined: the most verbose trait, or that of the build."""
        floors = {f"MaxLogLevel{level.capitalize()}": n for n, level in enumerate(LEVELS)}
        floors["MaxLogLevelNone"] = -1
        if self.traits:
            return max(floors[trait] for trait in self.traits)
        return 5 if self.configuration == "release" else 7

    def floor(self, module):
        """The floor that must hold in a module."""
        define = self.define if self.define is not None else module.define
        if define is None:
            return self.default_floor()
        return define


@dataclasses.dataclass
class Outcome:
    """What a build has come to: a program, or what was said in its place."""

    build: Build
    seconds: float
    output: str
    program: Program | None
    printed: str = ""
    logged: str = ""

    @property
    def warnings(self):
        found = set(re.findall(r"^(?!\s).*\bwarning: .*$", self.output, re.MULTILINE))
        return sorted(line for line in found if not TOOLCHAIN_WARNINGS.search(line))

    @property
    def errors(self):
        return sorted(set(re.findall(r"^(?!\s).*\berror: .*$", self.output, re.MULTILINE)))


def swift_build(folder, scratch, arguments, variables=None):
    """Runs `swift build`, with more variables of the environment, and returns its status and what it said.

    A package manager that dies of a signal has judged nothing; then it has one more try, and says so.
    """
    # A plan of another package in the same scratch path counts as the plan of this one while its files stand.
    again = "--disable-build-manifest-caching"
    command = ["swift", "build", "--package-path", folder, "--scratch-path", scratch, again, *arguments]
    for is_last in (False, True):
        result = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=BUILD_SECONDS,
            env=os.environ | (variables or {}),
        )
        if result.returncode >= 0 or is_last:
            return result.returncode, result.stdout
        print(f"# swift build died of signal {-result.returncode}; once more", flush=True)


def shared(name):
    """Returns a scratch path of clients of the library: see Tests/run."""
    return pathlib.Path(os.environ["WINNOW_TEST_CLIENTS"]) / name


def product(scratch, name):
    """Returns the file of a product, wherever the build system has put it."""
    found = [
        file
        for file in pathlib.Path(scratch).rglob(name)
        if file.is_file() and not file.is_symlink() and os.access(file, os.X_OK)
        and ".dSYM" not in str(file) and file.read_bytes()[:4] == b"\x7fELF"
    ]
    return Program(max(found, key=lambda file: file.stat().st_mtime)) if found else None


def run(path):
    """Runs a program and returns what it printed, and what it logged."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LD_LIBRARY_PATH") if name in os.environ}
    settings = {"WINNOW_SINKS": "stderr", "WINNOW_FORMAT": "json", "WINNOW_LOG": "debug", "LLVM_PROFILE_FILE": "/dev/null"}
    # A file takes what is logged: of a pipe that is read late on a busy machine records are reported lost.
    with tempfile.TemporaryFile("w+") as file:
        result = subprocess.run(
            [path], stdout=subprocess.PIPE, stderr=file, text=True, timeout=RUN_SECONDS, env=kept | settings
        )
        file.seek(0)
        logged = file.read()
    if result.returncode != 0:
        raise RuntimeError(f"{path.name} ended with status {result.returncode}: {logged[-300:]}")
    return result.stdout, logged


def make(build, work, variables=None):
    """Builds, with more variables of the environment, and runs; nothing of the build before is left in the
    folder."""
    folder, scratch, start = work / "package", work / "build", time.monotonic()
    for old in (folder, scratch):
        shutil.rmtree(old, ignore_errors=True)
    if build.shared:
        scratch = shared(build.shared)
    package.write(folder, build.modules, build.traits, build.unused, build.dynamic)
    status, output = swift_build(folder, scratch, build.arguments, variables)
    name = "libProbes.so" if build.dynamic else "program"
    made = product(scratch, name) if status == 0 else None
    outcome = Outcome(build, 0, output, made)
    if made and not build.dynamic:
        outcome.printed, outcome.logged = run(made.path)
    outcome.seconds = time.monotonic() - start
    return outcome


def effects(outcome):
    """Returns the tokens of the arguments that were evaluated."""
    return tokens_in("\n".join(re.findall(r"^effect (\S+)$", outcome.printed, re.MULTILINE)))


def records(outcome):
    """Returns the tokens of everything that was logged."""
    return tokens_in(outcome.logged)
