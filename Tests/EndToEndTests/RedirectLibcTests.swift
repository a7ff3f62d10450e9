// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Under which names libc has the functions that print, and what it prints itself.
struct RedirectLibcTests {
    /// Loads the object, which calls `noise` three times, with the words of a start.
    private func load(_ path: String, _ words: String = "log") throws -> PrintRun {
        try PrintRun(["start=\(words)", "load=\(path)", "drain"])
    }

    @Test func `psignal comes to the rules as libc prints it`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libsignals.so"
        try SharedObject.compile(
            """
            #include <signal.h>
            #include <stddef.h>
            void noise(void) {
                psignal(SIGTERM, "text");
                psignal(SIGSEGV, "");
                psignal(SIGHUP, NULL);
                psignal(SIGRTMIN + 1, "real");
                psignal(-7, "none");
            }
            """,
            to: path,
            ["-fno-builtin"]
        )
        let run = try load(path)
        #expect(run.messages.count == 15)
        #expect(run.errors.isEmpty)
        #expect(try load(path, "pass").errors == run.messages)
    }

    @Test func `error comes to the rules as libc prints it`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/liberrors.so"
        try SharedObject.compile(
            """
            #include <errno.h>
            #include <error.h>
            #include <stdio.h>
            #include <string.h>
            #include <sys/syscall.h>
            #include <unistd.h>
            static void name(void) { syscall(SYS_write, 2, "own: ", 5); }
            void noise(void) {
                static char text[3001];
                memset(text, 'x', sizeof text - 1);
                error(0, ENOENT, "%s", text);
                error(0, 0, "no reason");
                error(0, -7, "%d", 1);
                errno = EPERM, error(0, 0, "%m");
                error_at_line(0, EPERM, "file", 7, "%s", "at a line");
                error_at_line(0, 0, NULL, 7, "at none");
                error_print_progname = name, error(0, EPERM, "text"), error_print_progname = NULL;
                error_one_per_line = 1;
                error_at_line(0, 0, "file", 8, "once"), error_at_line(0, 0, "file", 8, "once");
                error_one_per_line = 0;
                fprintf(stderr, "count %u\\n", error_message_count);
                error_message_count = 0;
            }
            """,
            to: path,
            ["-fno-builtin", "-D_GNU_SOURCE"]
        )
        let run = try load(path)
        // What the program has a hand in, libc prints.
        let left = run.errors.filter {
            $0.hasSuffix("text: Operation not permitted") || $0.hasSuffix("once")
        }
        #expect(run.errors.count == left.count)
        #expect(left.count == 4)
        #expect(run.messages.count { $0 == "count 8" } == 1)
        let passed = try load(path, "text,pass").errors
        #expect(try passed.sorted() == load(path, "pass").errors.sorted())
        #expect(passed.count == 25)
        #expect(passed.filter { line in !left.contains(line) } == run.messages)
    }

    @Test(arguments: ["log", "pass", "drop"])
    func `error with a status ends the process, whatever becomes of its line`(words: String) throws
    {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libends.so"
        try SharedObject.compile(
            "#include <error.h>\nvoid noise(void) { error(7, 0, \"the end\"); }",
            to: path,
            ["-fno-builtin"]
        )
        let run = try load(path, words)
        #expect(run.outcome.status == 7)
        let line = ["\(PrintRun.path): the end"]
        #expect(run.messages == (words == "log" ? line : []))
        #expect(run.errors == (words == "pass" ? line : []))
    }

    @Test func `no line comes into what a thread prints in pieces with the lock of the stream`()
        throws
    {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libpieces.so"
        // As argp(3) prints within libc. The worker prints past stdio in this program.
        try SharedObject.compile(
            """
            #include <stdio.h>
            #include <sys/syscall.h>
            #include <unistd.h>
            void noise(void) {
                for (int round = 0; round < 1000; round++) {
                    fprintf(stderr, "line\\n");
                    flockfile(stderr);
                    for (const char *at = "pieces\\n"; *at != 0; at++) syscall(SYS_write, 2, at, 1);
                    funlockfile(stderr);
                }
            }
            """,
            to: path,
            ["-fno-builtin", "-D_GNU_SOURCE", "-Wno-everything"]
        )
        let run = try load(path, "text,pass")
        #expect(run.errors.count == 6_000)
        #expect(run.errors.count { $0 == "pieces" } == 3_000)
        #expect(run.errors.count { $0 == "line" } == 3_000)
    }

    @Test func `what libc prints itself the descriptors see, and pwrite prints no line`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libown.so"
        try SharedObject.compile(
            """
            #include <getopt.h>
            #include <signal.h>
            #include <stdio.h>
            #include <unistd.h>
            void noise(void) {
                char *arguments[] = {"own", "-x", NULL};
                optind = 1;
                getopt(2, arguments, "a");
                siginfo_t information = {.si_signo = SIGSEGV, .si_code = 1};
                psiginfo(&information, "own");
                long written = pwrite(1, "pwrite\\n", 7, 0);
                fprintf(stderr, "%ld\\n", written);
            }
            """,
            to: path,
            ["-fno-builtin", "-D_GNU_SOURCE"]
        )
        let own = ["own: invalid option -- 'x'", "own: Segmentation fault"]
        let run = try load(path)
        #expect(run.messages.allSatisfy { Int($0) != nil })
        #expect(own.allSatisfy { text in run.errors.count { $0.hasPrefix(text) } == 3 })
        let captured = try load(path, "stdout,stderr")
        let seen = captured.records.filter { $0.category == "descriptor" }.map(\.message)
        #expect(own.allSatisfy { text in seen.count { $0.hasPrefix(text) } == 3 })
        #expect(captured.messages.count { $0 == "-1" } == 3)
    }

    /// The functions by which libraries print, as C calls them with a text of its own.
    private static let printing = [
        ("puts", "int (*)(const char *)", "f(text)"),
        ("printf", "int (*)(const char *, ...)", "f(\"%s\\n\", text)"),
        ("fprintf", "int (*)(FILE *, const char *, ...)", "f(stdout, \"%s\\n\", text)"),
        ("fputs", "int (*)(const char *, FILE *)", "f(text, stdout), puts(\"\")"),
        (
            "fwrite", "size_t (*)(const void *, size_t, size_t, FILE *)",
            "f(text, 1, strlen(text), stdout), puts(\"\")"
        ),
        (
            "write", "ssize_t (*)(int, const void *, size_t)",
            "f(1, text, strlen(text)), f(1, \"\\n\", 1)"
        ),
    ]

    @Test(arguments: printing)
    func `a function is seen by whichever of libc's names it is called`(
        function: String,
        type: String,
        call: String
    ) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libnames.so"
        let names = try SharedObject.namesInLibc(of: function)
        try #require(names.contains(function))
        let declared = type.replacingOccurrences(of: "(*)", with: "NAME")
        let calls = names.enumerated().map { index, name in
            let own = declared.replacingOccurrences(of: "NAME", with: "name\(index)")
            return """
                \(own) __asm__("\(name)");
                static void call\(index)(void) {
                    \(declared.replacingOccurrences(of: "NAME", with: "(*f)")) = name\(index);
                    const char *text = "\(name)";
                    \(call);
                }
                """
        }
        let all = names.indices.map { "call\($0)();" }.joined(separator: " ")
        let head = "#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\n"
        try SharedObject.compile(
            head + calls.joined(separator: "\n") + "\nvoid noise(void) { \(all) }",
            to: path,
            ["-fno-builtin", "-O1", "-Wno-everything"]
        )
        let run = try load(path)
        #expect(run.messages == names + names + names)
        #expect(run.output.isEmpty)
    }
}
