# SPDX-License-Identifier: Apache-2.0
"""The builds of the matrix: the trimmed product, and the whole one."""

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


def trimmed():
    """Yields at least one build for each configuration, build system and way to set the floor."""
    error = ("MaxLogLevelError",)
    yield Build("release", modules=targets(-1, 3, 6), mode="per target")
    yield Build("debug", modules=targets(-1, 3, 6), mode="per target")
    yield Build("release", "swiftbuild", targets(-1, 6), traits=error, mode="per target")
    yield Build("debug", "swiftbuild", targets(-1, 6), traits=error, mode="per target")
    yield Build("debug", traits=("MaxLogLevelNone",))
    yield Build("release", traits=TWO_TRAITS)
    yield Build("release", define=-1)
    yield Build("debug", define=2)
    yield Build("release", "swiftbuild", define=1)
    yield Build("debug", "swiftbuild", define=3)
    for mode in MODES:
        if mode.mode in ("-Osize", "a module that nothing uses"):
            yield mode


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
)


def builds(full):
    """Yields the builds."""
    yield from whole() if full else trimmed()
