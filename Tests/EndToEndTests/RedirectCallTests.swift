// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Calls of shared objects that are, or only look like, those of the functions that print.
struct RedirectCallTests {
    private static let bindings = ["-Wl,-z,lazy", "-Wl,-z,now"]

    /// Loads the object, which calls `noise` three times, with the words of a start.
    private func load(_ path: String, _ words: String = "log") throws -> PrintRun {
        try PrintRun(["start=\(words)", "load=\(path)", "drain"])
    }

    /// The same, with another object in front of libc, as a library is that the program was linked to.
    private func load(_ path: String, behind other: String) throws -> PrintRun {
        try PrintRun(["start", "load=\(path)", "drain"], environment: ["LD_PRELOAD": other])
    }

    @Test(arguments: bindings)
    func `a function and a variable that a library calls like one that prints are its own`(
        binding: String
    ) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libown.so"
        try SharedObject.compile(
            """
            #include <stdio.h>
            int warn(int first, int second) { return first + second; }
            int warnx = 1;
            void noise(void) {
                int sum = warn(40, 2);
                printf("%d %d\\n", sum, warnx);
            }
            """,
            to: path,
            ["-fno-builtin", binding]
        )
        let run = try load(path, behind: path)
        #expect(run.outcome.status == 0)
        #expect(run.messages == Array(repeating: "42 1", count: 3))
    }

    @Test(arguments: bindings)
    func `nor are they another library's that imports them`(binding: String) throws {
        let folder = try TemporaryFolder()
        try SharedObject.compile(
            "int warn(int first, int second) { return first + second; } int warnx = 1;",
            to: "\(folder.path)/libown.so"
        )
        let path = "\(folder.path)/libuser.so"
        try SharedObject.compile(
            """
            #include <stdio.h>
            int warn(int first, int second);
            extern int warnx;
            void noise(void) {
                int sum = warn(40, 2);
                printf("%d %d\\n", sum, warnx);
            }
            """,
            to: path,
            ["-fno-builtin", binding, "-L\(folder.path)", "-lown", "-Wl,-rpath,\(folder.path)"]
        )
        let run = try load(path, behind: "\(folder.path)/libown.so")
        #expect(run.outcome.status == 0)
        #expect(run.messages == Array(repeating: "42 1", count: 3))
    }

    @Test(
        arguments: [bindings, ["-nostdlib"], ["-fuse-ld=lld", "-Wl,-z,rodynamic"]].flatMap { $0 }
    )
    func `calls of libc are hooked however the library was linked`(option: String) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libnoisy_plugin.so"
        let linker = option.hasSuffix("rodynamic") ? ["-fuse-ld=lld"] : []
        try SharedObject.compile(
            "#include <stdio.h>\nvoid noise(void) { puts(\"by puts\"); }",
            to: path,
            linker + [option]
        )
        let run = try load(path)
        #expect(run.messages == Array(repeating: "by puts", count: 3))
        #expect(run.output.isEmpty)
    }

    @Test func `what stands in front of a function that prints is called like it`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libwrapper.so"
        try SharedObject.compile(
            """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <string.h>
            #include <unistd.h>
            int puts(const char *text) {
                int (*next)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "puts");
                write(2, "wrapped\\n", 8);
                return next(text);
            }
            """,
            to: path
        )
        let run = try PrintRun(
            ["start=mixed,pass", "route=puts", "drain", "stop", "route=puts"],
            environment: ["LD_PRELOAD": path]
        )
        #expect(run.output == ["<puts>", "<puts>"])
        #expect(run.errors.contains("wrapped"))
    }

    @Test func `a text that grows while it is formatted ends where it was to end`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libgrowing.so"
        // As where another thread writes to an argument: a conversion that prints more each time.
        try SharedObject.compile(
            """
            #include <printf.h>
            #include <stdio.h>
            static int calls;
            static int put(FILE *stream, const struct printf_info *info, const void *const *arguments) {
                calls++;
                return fprintf(stream, "%*s", calls * 2000, "");
            }
            static int count(const struct printf_info *info, size_t size, int *types, int *sizes) {
                return 0;
            }
            void noise(void) {
                register_printf_specifier('Y', put, count);
                calls = 0;
                fprintf(stderr, "returned %d\\n", printf("%Y"));
            }
            """,
            to: path,
            ["-fno-builtin", "-Wno-everything"]
        )
        let run = try load(path)
        #expect(run.messages.filter { $0 == "returned 2000" }.count == 3)
        #expect(
            !run.messages.contains { $0.utf8.count > 3 * 2_000 },
            "\(run.messages.map(\.count))"
        )
    }

    @Test(arguments: ["text", "drop", "stdout,stderr"])
    func `memory that cannot be read is the kernel's to refuse`(words: String) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libbad.so"
        try SharedObject.compile(
            """
            #include <errno.h>
            #include <stdio.h>
            #include <sys/mman.h>
            #include <sys/uio.h>
            #include <unistd.h>
            void noise(void) {
                long first = write(1, (void *)8, 5), first_error = errno;
                struct iovec parts[2] = {{"part\\n", 5}, {(void *)8, 3}};
                long second = writev(1, parts, 2);
                long third = writev(1, (void *)8, 2), third_error = errno;
                char line[100];
                int size = snprintf(line, sizeof line, "%ld %d %ld %ld %d\\n", first, first_error,
                                    second, third, third_error);
                FILE *file = fopen("\(folder.path)/results", "a");
                fwrite(line, 1, size, file);
                fclose(file);
            }
            """,
            to: path,
            ["-fno-builtin", "-Wno-everything"]
        )
        _ = try PrintRun(["load=\(path)"])
        let run = try load(path, words)
        #expect(run.outcome.status == 0)
        let results = try folder.lines(of: "results")
        #expect(results.count == 6)
        #expect(Set(results) == ["-1 14 -1 -1 14"])
    }

    @Test(arguments: ["write(1, \"tick\\n\", 5)", "writev(1, &part, 1)", "dprintf(1, \"tick\\n\")"])
    func `a thread that does nothing but write can be cancelled`(call: String) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libcancelled.so"
        try SharedObject.compile(
            """
            #include <pthread.h>
            #include <stdio.h>
            #include <sys/uio.h>
            #include <unistd.h>
            static void *tick(void *argument) {
                struct iovec part = {"tick\\n", 5};
                for (;;) \(call);
            }
            void noise(void) {
                pthread_t thread;
                void *result;
                alarm(600);
                pthread_create(&thread, NULL, tick, NULL);
                pthread_cancel(thread);
                pthread_join(thread, &result);
                fprintf(stderr, "cancelled %d\\n", result == PTHREAD_CANCELED);
            }
            """,
            to: path,
            ["-fno-builtin", "-Wno-everything"]
        )
        let run = try PrintRun(["start=mixed", "load=\(path)", "drain"])
        #expect(run.outcome.status == 0)
        let cancelled = run.messages.filter { $0 != "tick" }
        #expect(cancelled == Array(repeating: "cancelled 1", count: 3))
    }

    @Test func `long texts of perror, warn and warnx come to the rules`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libwarns.so"
        try SharedObject.compile(
            """
            #include <err.h>
            #include <errno.h>
            #include <stdio.h>
            #include <string.h>
            void noise(void) {
                static char text[3001];
                memset(text, 'x', sizeof text - 1);
                warnx("%s", text);
                errno = ENOENT, warn("%s", text);
                errno = ENOENT, perror(text);
            }
            """,
            to: path,
            ["-fno-builtin", "-Wno-everything"]
        )
        let run = try load(path)
        let text = String(repeating: "x", count: 3_000)
        let once = [
            "PrintProgram: \(text)", "PrintProgram: \(text): No such file or directory",
            "\(text): No such file or directory",
        ]
        #expect(run.messages == once + once + once)
        #expect(run.errors.isEmpty)
    }

    @Test func `what puts returns is what libc returns`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libputs.so"
        try SharedObject.compile(
            """
            #include <stdio.h>
            void noise(void) { printf("%d\\n", puts("hello")); }
            """,
            to: path,
            ["-fno-builtin"]
        )
        let run = try load(path)
        #expect(run.messages == ["hello", "6", "hello", "6", "hello", "6"])
    }

    @Test(arguments: ["-Wl,-z,now", "-Wl,-z,norelro"])
    func `functions that an object has in tables and variables are hooked`(option: String) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libpointers.so"
        try SharedObject.compile(
            """
            #include <stdio.h>
            #include <string.h>
            static int (*const volatile table[])(const char *) = {puts};
            static int (*volatile print)(const char *, ...) = printf;
            static int (*volatile changed)(const char *) = puts;
            static int own(const char *text) { return fprintf(stderr, "own %s\\n", text); }
            void noise(void) {
                if (print == printf && table[0] == puts) table[0]("by a table");
                print("%s\\n", "by a variable");
                changed("as it was");
                changed = own;
                changed("changed");
            }
            """,
            to: path,
            ["-fno-builtin", option]
        )
        let run = try load(path)
        let once = ["by a table", "by a variable", "as it was", "own changed"]
        #expect(run.messages == once + once + once)
        #expect(run.records.allSatisfy { $0.category == "pointers" })
        #expect(run.output.isEmpty)
        let passed = try load(path, "pass")
        #expect(passed.output.count == 9)
    }

    @Test func `vwarn and vwarnx come to the rules`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libwarns.so"
        try SharedObject.compile(
            """
            #include <err.h>
            #include <errno.h>
            #include <stdarg.h>
            static void complain(void (*by)(const char *, va_list), const char *format, ...) {
                va_list arguments;
                va_start(arguments, format);
                errno = ENOENT;
                by(format, arguments);
                va_end(arguments);
            }
            void noise(void) {
                complain(vwarn, "%s", "text");
                complain(vwarnx, "%s", "text");
            }
            """,
            to: path,
            ["-fno-builtin"]
        )
        let once = ["PrintProgram: text: No such file or directory", "PrintProgram: text"]
        let run = try load(path)
        #expect(run.messages == once + once + once)
        #expect(run.errors.isEmpty)
        #expect(try load(path, "pass").errors == once + once + once)
    }
}
