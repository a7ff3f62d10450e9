# SPDX-License-Identifier: Apache-2.0
"""Stands in for swift-frontend, and compiles once what is the same in all builds of the matrix.

The builds of a configuration differ in what sets the floor, and in their folder. Of the library only
WinnowCore and Winnow read the floor: a command for a module that does not is the same in each build, and
so is what comes of it, which is taken from the build that had it first. It is the package manager that
plans, hands on the settings and links; all else, and whatever prints a warning, is compiled.

swiftbuild's builds take WinnowCore and Winnow as well from one that has the same traits and no define: a
define is read in the module of the statement, and the builds per target, in which the library has none,
prove that. With a define they are compiled in SwiftPM's own builds.
"""

import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
SOURCES = FOLDER.parent.parent / "Sources"
# A build begins some sixty compilers, a third of them for a module of the library: for the others no
# Python begins, and for these nothing of what it and pyenv do at their start.
STAND_IN = """#!/bin/sh
case "$*" in
  *"-module-name Winnow"* | *@*) ;;
  *) exec {compiler} "$@" ;;
esac
exec {python} -IS {run} "$@"
"""
RUN = """import sys
sys.path.insert(0, {!r})
import frontend
sys.exit(frontend.run({!r}, {!r}, sys.argv[1:]))
"""
# Where the floor is read: in code, or as a condition of compilation.
READS_FLOOR = re.compile(
    r"^(?!\s*//).*(?:#if.*MaxLogLevel|staticMaximum|defaultMaximum|\bisKept\(|cwinnow_max_level"
    r"|CallerFloor|cwinnow_floor|WINNOW_MAX_LEVEL)",
    re.MULTILINE,
)
HAS_CONDITION = re.compile(r"^\s*#(?:if|elseif)\b", re.MULTILINE)
# The files in which it is made.
FLOOR = ("Level+StaticMaximum.swift", "CWinnowFloor.h")
# The traits of the library, which come as conditions, and the define.
DEFINE = "-DWINNOW_MAX_LEVEL="
SETTING = re.compile(rf"MaxLogLevel\w+|Systemd|{DEFINE}.*")
# In the paths of swiftbuild alone.
OF_SWIFTBUILD = "/out/Intermediates.noindex/"
LISTS = {"-filelist", "-primary-filelist", "-output-filelist", "-supplementary-output-file-map"}
OUTPUT = re.compile(r"-o|-emit-.*-path|-serialize-diagnostics-path")


def toolchain(work):
    """Makes a toolchain in a folder that is the real one but for this compiler.

    Returns the variables of the environment by which each build system takes it: SwiftPM's own has the
    compiler replaced in the real one, so that what it builds is that of other clients as well; swiftbuild
    looks for it beside the driver. There are none where the toolchain is laid out otherwise.
    """
    shown = subprocess.run(["swift", "-print-target-info"], check=True, capture_output=True, text=True)
    real = pathlib.Path(json.loads(shown.stdout)["paths"]["runtimeResourcePath"]).parent.parent
    if not all((real / "bin" / tool).exists() for tool in ("swift-frontend", "swiftc")):
        return {}
    made, results = work / "toolchain/usr", work / "results"
    for old in (made, results):  # of sources that may have changed
        shutil.rmtree(old, ignore_errors=True)
    (made / "bin").mkdir(parents=True)
    for file in [*real.iterdir(), *(real / "bin").iterdir()]:
        if file.name not in ("bin", "swiftc", "swift-frontend"):
            (made / file.relative_to(real)).symlink_to(file)
    # The driver looks around where it really is.
    shutil.copy(real / "bin/swiftc", made / "bin")
    stand_in, run_file = made / "bin/swift-frontend", work / "toolchain/run.py"
    compiler = real / "bin/swift-frontend"
    run_file.write_text(RUN.format(*map(str, (FOLDER, compiler, results))))
    paths = {"compiler": compiler, "python": sys.executable, "run": run_file}
    stand_in.write_text(STAND_IN.format(**{key: shlex.quote(str(path)) for key, path in paths.items()}))
    stand_in.chmod(0o755)
    return {
        "native": {"SWIFT_DRIVER_SWIFT_FRONTEND_EXEC": str(stand_in)},
        "swiftbuild": {"SWIFT_EXEC": str(made / "bin/swiftc")},
    }


def expanded(arguments):
    """Returns the arguments with those that are in a file."""
    result = []
    for argument in arguments:
        is_file = argument.startswith("@")
        result += shlex.split(text(pathlib.Path(argument[1:]))) if is_file else [argument]
    return result


def text(file):
    """Returns what a file holds."""
    return file.read_text(encoding="utf-8")


class Command:
    """A command of the compiler for a module: what it is but for the settings and the folder, and the
    files that come of it."""

    def __init__(self, arguments):
        values = dict(zip(arguments, arguments[1:]))
        self.folder = os.path.dirname(values.get("-module-cache-path", ""))
        self.outputs, self.inputs, self.settings, words = [], [], [], []
        for before, argument in zip(["", *arguments], arguments):
            if before in LISTS:
                # JSON, and in no order: the driver keeps it in a dictionary.
                lines = text(pathlib.Path(argument)).replace("\\/", "/").splitlines()
                argument = "\n".join(sorted(lines))
                self.outputs += re.findall(rf"{re.escape(self.folder)}/[^\"\n]+", argument)
            elif OUTPUT.fullmatch(before):
                self.outputs.append(argument)
            self.inputs += re.findall(rf"{re.escape(str(SOURCES))}/\S+?\.swift\b", argument)
            if before in ("-D", "-Xcc") and SETTING.fullmatch(argument):
                words.pop()
                self.settings.append(argument)
            elif argument != values.get("-file-compilation-dir"):
                words.append(argument.replace(self.folder, "@") if self.folder else argument)
        self.outputs.sort()
        if not self.is_common():
            words += sorted(setting for setting in self.settings if not setting.startswith(DEFINE))
        self.key = hashlib.sha256("\0".join(words).encode()).hexdigest()

    @functools.cache
    def is_common(self):
        """Whether nothing of what is compiled depends on a setting, nor what it may inline from below."""
        files = {pathlib.Path(file) for file in self.inputs}
        if not self.folder or not files or any(map(HAS_CONDITION.search, map(text, files))):
            return False
        below = {*(SOURCES / "WinnowCore").rglob("*.swift"), *SOURCES.glob("C*/include/*.h")}
        below = {file for file in below if file.name not in FLOOR}
        return not any(map(READS_FLOOR.search, map(text, files | below)))

    def may_take(self):
        """Whether what another build had first is what would come of it."""
        return self.is_common() or bool(self.inputs) and any(OF_SWIFTBUILD in name for name in self.outputs)

    def may_give(self):
        """Whether what comes of it may be taken by other builds."""
        return self.may_take() and (
            self.is_common() or not any(setting.startswith(DEFINE) for setting in self.settings)
        )


def reuse(command, results):
    """Puts the files of an earlier command where this one's are due; whether there was one."""
    known = results / command.key
    if not known.is_dir():
        return False
    folder = (known / "folder").read_bytes()
    sys.stdout.buffer.write((known / "said").read_bytes())
    for number, output in enumerate(command.outputs):
        if (file := known / str(number)).exists():
            data = file.read_bytes()
            # What it depends on is among the results of its own build.
            is_list = output.endswith(".d")
            pathlib.Path(output).write_bytes(
                data.replace(folder, command.folder.encode()) if is_list else data
            )
    return True


def keep(command, said, results):
    """Keeps what came of a command for those to come."""
    results.mkdir(parents=True, exist_ok=True)
    new = pathlib.Path(tempfile.mkdtemp(dir=results))
    for number, output in enumerate(command.outputs):
        if os.path.isfile(output):
            shutil.copyfile(output, new / str(number))
    (new / "folder").write_text(command.folder)
    (new / "said").write_bytes(said)
    try:
        new.rename(results / command.key)
    except OSError:  # another build had it meanwhile
        shutil.rmtree(new)


def run(compiler, results, arguments):
    """Runs the compiler, or does without, and returns the status."""
    command, results = None, pathlib.Path(results)
    if "-module-name" in arguments or any(argument.startswith("@") for argument in arguments):
        command = Command(expanded(arguments))
    if command is None or not command.may_take():
        os.execv(compiler, [compiler, *arguments])
    if reuse(command, results):
        return 0
    if not command.may_give():
        os.execv(compiler, [compiler, *arguments])
    done = subprocess.run([compiler, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    sys.stdout.buffer.write(done.stdout)
    if done.returncode == 0 and not re.search(rb"warning:|error:|note:", done.stdout):
        keep(command, done.stdout, results)
    return done.returncode
