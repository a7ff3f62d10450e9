// SPDX-License-Identifier: Apache-2.0

/// A way in which a program prints, and what sees it.
struct PrintRoute {
    /// What sees what is printed first.
    enum Layer {
        case hook
        /// The capture of the descriptors, where it is asked for.
        case descriptor
        /// The child of a fork has its parent's descriptors back.
        case nothing
    }

    let name: String
    let module: String
    let layer: Layer

    /// Where it prints: its name says so.
    var stream: String { name.hasSuffix("stderr") ? "stderr" : "stdout" }

    private static func routes(_ module: String, _ layer: Layer, _ names: [String]) -> [PrintRoute]
    {
        names.map { PrintRoute(name: $0, module: module, layer: layer) }
    }

    /// All routes of the program.
    ///
    /// Source: the redirect study, section 0; more functions than it had.
    static let all =
        routes(
            "NoisySwift",
            .hook,
            [
                "print", "print parts", "debugPrint", "dump", "print to: stderr", "NSLog stderr",
                "FileHandle", "FileHandle stderr",
            ]
        )
        + routes("NoisySwift", .descriptor, ["Process"])
        + routes(
            "NoisyC",
            .hook,
            [
                "puts", "printf", "printf_chk", "fprintf stderr", "fprintf_chk stderr", "vprintf",
                "vfprintf stderr", "fputs", "fputs stderr", "fputs_unlocked", "fwrite",
                "fwrite_unlocked stderr", "putchar", "putchar_unlocked", "putc", "putc_unlocked",
                "fputc stderr", "fputc_unlocked stderr", "cached stream", "write", "write stderr",
                "writev", "dprintf stderr", "vdprintf", "perror stderr", "warn stderr",
                "warnx stderr", "error stderr",
            ]
        )
        + routes(
            "NoisyC",
            .descriptor,
            [
                "putchar_unlocked inlined", "puts by dlsym", "syscall", "dup",
                "fdopen", "/dev/stdout", "system", "popen", "posix_spawn",
            ]
        )
        + routes("NoisyC", .nothing, ["fork", "fork and exec"])
        + routes(
            "NoisyCxx",
            .hook,
            ["cout", "cout put", "cerr stderr", "clog stderr", "C++ printf", "cout unsynced"]
        )
}
