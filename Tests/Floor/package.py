# SPDX-License-Identifier: Apache-2.0
"""Makes the package of the probes: for each floor a module `Probe…` with a module `Shared…`.

The files of Probe/ are written for the level debug and a module named X. Here they are copied for each
of the eight levels and each module, so that every literal is that of one statement: a *token*,
`probe3_debug_generic_one_text`.
"""

import dataclasses
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent
REPOSITORY = FOLDER.parent.parent
LEVELS = ("emergency", "alert", "critical", "error", "warning", "notice", "info", "debug")


def name_of(floor):
    """Returns how a floor is named where a sign or nothing at all cannot stand."""
    return {None: "Default", -1: "None"}.get(floor, str(floor))


@dataclasses.dataclass(frozen=True)
class Module:
    """A probe, the floor that its target's own settings define, None for no setting, the levels of its
    statements, what its compiler is told besides, and whether it reads the library's headers as C++."""

    define: int | None = None
    levels: tuple = LEVELS
    flags: tuple = ()
    reads_cxx: bool = False

    @property
    def suffix(self):
        return name_of(self.define)

    @property
    def names(self):
        return (f"Probe{self.suffix}", f"Shared{self.suffix}")

    def sources(self):
        """Yields the path and the text of each file of the two targets."""
        for template, name in zip(("Probe", "Shared"), self.names):
            for file in sorted((FOLDER / "Probe" / template).glob("*.swift")):
                text = file.read_text()
                for part in ("Probe", "Shared", "probe"):
                    suffix = self.suffix if part != "probe" else self.suffix.lower()
                    text = text.replace(f"{part}X", f"{part}{suffix}")
                if "Debug" not in file.stem:
                    yield f"{name}/{file.name}", self.without_calls(text)
                    continue
                for level in self.levels:
                    yield (
                        f"{name}/{file.name.replace('Debug', level.capitalize())}",
                        text.replace("debug", level).replace("Debug", level.capitalize()),
                    )

    def without_calls(self, text):
        """Returns the text without the calls of the levels that the module lacks."""
        lacking = "|".join(level.capitalize() for level in LEVELS if level not in self.levels)
        return re.sub(rf"^ +await run(?:{lacking})\(.*\n", "", text, flags=re.MULTILINE) if lacking else text

    def tokens(self):
        """Returns the tokens of each level, and the names of the declarations they are in."""
        tokens = {level: set() for level in LEVELS}
        declarations = {level: set() for level in LEVELS}
        for _, text in self.sources():
            for token, level in re.findall(rf"\b(probe{self.suffix.lower()}_({'|'.join(LEVELS)})_\w+)", text):
                tokens[level].add(token)
            for level in LEVELS:
                found = re.findall(rf"(?:func|struct|actor|var) (\w+{level.capitalize()})\b", text)
                declarations[level] |= set(found)
        return tokens, declarations

    def statements(self):
        """Returns the places, `FILE:LINE`, of the statements of each level; None for any level."""
        places = {level: set() for level in (*LEVELS, None)}
        pattern = re.compile(rf"\.({'|'.join(LEVELS)}|log|interval)\(")
        for path, text in self.sources():
            level = next((level for level in LEVELS if level.capitalize() in path), None)
            for number, line in enumerate(text.splitlines(), 1):
                if pattern.search(line):
                    places[level].add(f"{path}:{number}")
        return places


def target(name, dependencies, define, flags=(), reads_cxx=False):
    settings = "" if define is None else f', cSettings: [.define("WINNOW_MAX_LEVEL", to: "{define}")]'
    of_swift = [f".unsafeFlags({list(flags)})".replace("'", '"')] if flags else []
    of_swift += [".interoperabilityMode(.Cxx)"] if reads_cxx else []
    settings += f", swiftSettings: [{', '.join(of_swift)}]" if of_swift else ""
    return f'        .target(name: "{name}", dependencies: [{", ".join(dependencies)}]{settings}),\n'


def manifest(modules, traits, unused, dynamic):
    """Returns the manifest of a package with the modules."""
    winnow = '.product(name: "Winnow", package: "winnow")'
    targets = target("Effects", [], None)
    for module in [*modules, *unused]:
        probe, shared = module.names
        more = (module.define, module.flags, module.reads_cxx)
        targets += target(shared, [winnow, '"Effects"'], *more)
        targets += target(probe, [winnow, '"Effects"', f'"{shared}"'], *more)
    probes = [f'"{module.names[0]}"' for module in [*modules, *unused]]
    if dynamic:
        products = f'.library(name: "Probes", type: .dynamic, targets: [{", ".join(probes)}])'
    else:
        products = '.executable(name: "program", targets: ["program"])'
        # Who imports a module that reads C++ does so too.
        reads_cxx = any(module.reads_cxx for module in [*modules, *unused])
        targets += target("program", probes, None, (), reads_cxx).replace(
            ".target", ".executableTarget"
        )
    # Traits come without those that are the default, and so without the reader of the journal, which
    # no floor concerns.
    names = ", ".join(f'"{trait}"' for trait in traits)
    arguments = f", traits: [{names}]" if traits else ""
    return f"""// swift-tools-version:6.2
import PackageDescription
let package = Package(
    name: "probes",
    products: [{products}],
    dependencies: [.package(name: "winnow", path: "{REPOSITORY}"{arguments})],
    targets: [
{targets}    ]
)
"""


def program(modules):
    """Returns the program, which calls every statement of the modules."""
    imports = "".join(f"import {module.names[0]}\n" for module in modules)
    return imports + "".join(f"await {module.names[0]}.run()\n" for module in modules)


def write(folder, modules, traits=(), unused=(), dynamic=False):
    """Writes the package, with the modules that the program calls and those that it only links."""
    files = {"Package.swift": manifest(modules, traits, unused, dynamic)}
    files["Sources/Effects/Effects.swift"] = (FOLDER / "Probe/Effects/Effects.swift").read_text()
    if not dynamic:
        files["Sources/program/main.swift"] = program(modules)
    for module in [*modules, *unused]:
        files |= {f"Sources/{path}": text for path, text in module.sources()}
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
