# SPDX-License-Identifier: Apache-2.0
"""The builds of the matrix: the trimmed product, and the whole one."""

import dataclasses

from build import Build, compiler_flags
from package import LEVELS, Module

FLOORS = range(-1, 8)
TRAITS = ("MaxLogLevelNone", *(f"MaxLogLevel{level.capitalize()}" for level in LEVELS))
# Two packages that ask for a floor each: the most verbose one holds.
TWO_TRAITS = ("MaxLogLevelCritical", "MaxLogLevelWarning")
SYSTEMS = ("native", "swiftbuild")
CONFIGURATIONS = ("debug", "release")


def targets(*floors):
    """Returns a module without a setting, and one for each floor."""
    return (Module(), *map(Module, floors))


def around(build, module):
    """Returns the module with statements of four levels: on both sides of its floor, and the outermost."""
    floor = build.floor(module)
    numbers = sorted({0, floor, floor + 1, 7} & set(range(8)))
    return dataclasses.replace(module, levels=tuple(LEVELS[number] for number in numbers))


def thinned(build):
    """Returns a build of which the probes, if there are several, have no statement far from their floor."""
    if len(build.modules) == 1:
        return build
    modules, unused = (
        tuple(around(build, module) for module in some) for some in (build.modules, build.unused)
    )
    return dataclasses.replace(build, modules=modules, unused=unused)


def trimmed():
    """Yields at least one build for each configuration, build system and way to set the floor.

    What can be seen of one library is in one build: to compile it takes longer than a probe. The first of
    each configuration and build system compiles what the later ones take from it, and so those that are
    made at a time differ in these. The longest come first, but for one that lets the first ones end.

    The defines of swiftbuild's builds stand beside the trait of its builds per target, whose library they
    take then (see frontend.py); as they lie below the trait, only a define that has reached the probe gives
    their floor. The define without a trait is SwiftPM's own builds'.
    """
    floors, unused = targets(-1, 6), "a module that nothing uses"
    small = Module(2, flags=("-Osize",))
    cxx = Module(6, reads_cxx=True)
    error = ("MaxLogLevelError",)
    # Without any setting of all modules, as other clients of the library have none.
    yield Build(modules=floors, unused=(Module(7),), mode=f"per target, {unused}", shared="release")
    yield Build("release", "swiftbuild", floors, traits=error, mode="per target")
    yield mode(unused, (), "debug", modules=targets(), unused=(Module(6),), shared="debug")
    yield Build("debug", "swiftbuild", floors, traits=error, mode="per target")
    yield Build("debug", modules=(*targets(-1), cxx), traits=TWO_TRAITS, mode="per target, C++ for one")
    # The module at -Osize is the one whose define lies below the trait.
    above = (*targets(), cxx, small)
    yield Build("release", modules=above, traits=TWO_TRAITS, mode="per target, -Osize and C++ for one")
    yield Build("release", "swiftbuild", define=1, traits=error)
    yield Build("release", define=-1, shared="release-none")
    yield Build("debug", "swiftbuild", define=2, traits=error)
    # The library's own sources are what library evolution may refuse: nothing of them is taken.
    yield mode("library evolution", EVOLUTION, "debug", modules=targets(), define=3)


def whole():
    """Yields the product of everything, and the compiler's and the linker's modes."""
    for system in SYSTEMS:
        for configuration in CONFIGURATIONS:
            yield Build(configuration, system, targets(*FLOORS), mode="per target")
            traits = ("MaxLogLevelError",)
            yield Build(configuration, system, targets(-1, 2, 6), traits=traits, mode="per target")
            yield Build(configuration, system, traits=TWO_TRAITS)
            for floor in FLOORS:
                yield Build(configuration, system, define=floor)
            for trait in TRAITS:
                yield Build(configuration, system, traits=(trait,))
    yield from MODES
    yield Build("release", define=6, traits=("MaxLogLevelError",))
    yield Build("release", define=1, traits=("MaxLogLevelError",))
    yield Build("debug", define=6, traits=("MaxLogLevelError",))


def mode(name, flags, configuration="release", system="native", **more):
    """Returns a build with flags, whose targets have floors on both sides of the default."""
    more.setdefault("modules", (Module(2), Module(6)))
    return Build(configuration, system, flags=flags, mode=name, **more)


EVOLUTION = compiler_flags("-enable-library-evolution")
IN_DEBUG = {"modules": targets(2, 6), "traits": ("MaxLogLevelError",)}
MODES = (
    mode("-Osize", compiler_flags("-Osize")),
    mode("-Osize", compiler_flags("-Osize"), system="swiftbuild"),
    mode("not whole-module", compiler_flags("-no-whole-module-optimization")),
    mode("cross-module-optimization", compiler_flags("-cross-module-optimization")),
    mode("library evolution", EVOLUTION),
    mode("library evolution", EVOLUTION, "debug", **IN_DEBUG),
    mode("static standard library", ("--static-swift-stdlib",)),
    mode("static standard library", ("--static-swift-stdlib",), system="swiftbuild"),
    # Where glibc warns of a dlopen in a static program, gold 2.40 dies of the place of it.
    mode("static executable", compiler_flags("-static-executable", "-use-ld=lld")),
    mode("thread sanitizer", ("--sanitize=thread",)),
    mode("thread sanitizer", ("--sanitize=thread",), "debug", **IN_DEBUG),
    mode("coverage", ("--enable-code-coverage",)),
    mode("coverage", ("--enable-code-coverage",), "debug", **IN_DEBUG),
    mode("linker gold", compiler_flags("-use-ld=gold")),
    mode("linker bfd", compiler_flags("-use-ld=bfd")),
    mode("linker lld", compiler_flags("-use-ld=lld")),
    mode("a module that nothing uses", (), modules=targets(), unused=(Module(6),)),
    mode("a module that nothing uses", (), "debug", modules=targets(), unused=(Module(6),)),
    mode("a shared library", (), dynamic=True),
    mode("read as C++", (), modules=(Module(2, reads_cxx=True), Module(6, reads_cxx=True))),
    mode("read as C++", (), "debug", modules=(Module(2, reads_cxx=True), Module(6))),
)


def builds(full):
    """Yields the builds."""
    yield from whole() if full else map(thinned, trimmed())
