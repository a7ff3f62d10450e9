// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Shared objects that come and go while lines are redirected.
struct RedirectLoadingTests {
    @Test func `an object that is loaded later is hooked, and again when it is reloaded`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libnoisy_plugin.so"
        try SharedObject.compile(
            """
            #include <stdio.h>
            #include <unistd.h>
            __attribute__((constructor)) static void load(void) { fprintf(stderr, "constructed\\n"); }
            void noise(void) { puts("by puts"); fprintf(stderr, "%s\\n", "by fprintf"); write(1, "by write\\n", 9); }
            """,
            to: path
        )
        let run = try PrintRun(["start", "load=\(path)", "print=other", "load=\(path)", "account"])
        #expect(run.account.filter { $0 == "closed 0" }.count == 6)
        let lines = run.records.filter { $0.message.hasPrefix("by ") }
        #expect(
            lines.map(\.message)
                == Array(repeating: ["by puts", "by fprintf", "by write"], count: 6).flatMap { $0 }
        )
        #expect(Set(lines.map(\.category)) == ["noisy_plugin"])
        // Nothing is hooked before its constructor runs.
        let constructed = (run.messages + run.errors).filter { $0 == "constructed" }
        #expect(constructed.count == 6)
        #expect(run.output.isEmpty)
        run.expectSound()
    }

    @Test func `an object that another thread is just loading is left alone`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libslow.so"
        // The loader needs a while for so many addresses, which are read-only when it is done.
        try SharedObject.compile(
            """
            #include <stdio.h>
            static char place[30000];
            #define ONE(n) place + (n), place + (n) + 1, place + (n) + 2, place + (n) + 3,
            #define TEN(n) ONE(n) ONE(n + 4) ONE(n + 8) ONE(n + 12) ONE(n + 16) ONE(n + 20)
            #define MANY(n) TEN(n) TEN(n + 24) TEN(n + 48) TEN(n + 72) TEN(n + 96) TEN(n + 120)
            #define ALL(n) MANY(n) MANY(n + 144) MANY(n + 288) MANY(n + 432) MANY(n + 576)
            char *const places[] = {ALL(0) ALL(720) ALL(1440) ALL(2160) ALL(2880) ALL(3600)
                                    ALL(4320) ALL(5040) ALL(5760) ALL(6480) ALL(7200) ALL(7920)};
            void noise(void) { puts("noise"); }
            """,
            to: path,
            ["-Wl,-z,relro"]
        )
        let run = try PrintRun(["start", "loads=\(path)", "load=\(path)", "drain"])
        #expect(run.outcome.status == 0)
        #expect(run.account.contains("loaded"))
        #expect(run.messages == (0..<300).map { "line \($0)" } + ["noise", "noise", "noise"])
    }

    @Test func `another object at the same addresses is another origin`() throws {
        let folder = try TemporaryFolder()
        var tasks = ["start"]
        for name in ["first", "second", "third"] {
            let path = "\(folder.path)/lib\(name).so"
            try SharedObject.compile(
                "#include <stdio.h>\\nvoid noise(void) { puts(\"\(name)\"); }".replacingOccurrences(
                    of: "\\n",
                    with: "\n"
                ),
                to: path
            )
            tasks.append("load=\(path)")
        }
        let run = try PrintRun(tasks + ["drain"])
        #expect(run.records.count == 9)
        #expect(run.records.allSatisfy { $0.category == $0.message }, "\(run.records)")
    }

    @Test(arguments: 0..<5)
    func `functions that are resolved while the hooks are put in place end up hooked`(round: Int)
        throws
    {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/liblazy.so"
        let calls = [
            "puts(text)", "printf(\"%s %d\\n\", text, 1)",
            "fputs(text, stdout), fputs(\"\\n\", stdout)",
            "fprintf(stdout, \"%s %d\\n\", text, 1)", "fwrite(\"fwrite\\n\", 1, 7, stdout)",
            "write(1, \"write\\n\", 6)", "dprintf(1, \"%s\\n\", text)", "perror(text)",
            "warnx(\"%s\", text)", "putchar('x'), putchar('\\n')",
            "fputc('x', stdout), fputc('\\n', stdout)",
            "putc('x', stderr), putc('\\n', stderr)",
            "fputs_unlocked(text, stderr), fputs_unlocked(\"\\n\", stderr)",
            "fwrite_unlocked(\"fwrite\\n\", 1, 7, stderr)", "warn(\"%s\", text)",
            "putchar_unlocked('x'), putchar_unlocked('\\n')",
        ]
        let functions = calls.enumerated().map { number, call in
            "void noise\(number)(void) { const char *text = \"noise\(number)\"; (void)text; \(call); }"
        }
        let source =
            "#define _GNU_SOURCE\n#include <err.h>\n#include <stdio.h>\n#include <unistd.h>\n"
        try SharedObject.compile(
            source + functions.joined(separator: "\n"),
            to: path,
            ["-fno-builtin", "-Wl,-z,lazy", "-Wno-unused-result"]
        )
        let run = try PrintRun(["race=\(path)", "account"])
        // Where the first calls went is a matter of luck, and some of them are not made for
        // threads; the second are all seen.
        let second = run.messages.firstIndex(of: "second").map { run.records[($0 + 1)...] } ?? []
        #expect(second.count == calls.count, "\(second)")
        #expect(second.allSatisfy { $0.category == "lazy" })
        run.expectSound()
    }

    @Test func `a child that is forked while code of no object prints can load objects`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libforks.so"
        // Such code, as a compiler at run time makes it, is looked for anew each time that it prints.
        try SharedObject.compile(
            """
            #define _GNU_SOURCE
            #include <link.h>
            #include <pthread.h>
            #include <stdatomic.h>
            #include <stdio.h>
            #include <string.h>
            #include <sys/mman.h>
            #include <sys/wait.h>
            #include <unistd.h>
            typedef ssize_t writer(int, const void *, size_t);
            typedef void caller(writer *, const char *);
            static void call(writer *function, const char *text) { function(2, text, 7); }
            static caller *copied;
            static atomic_int is_over;
            static void *print(void *argument) {
                while (!is_over) copied(write, "copied\\n");
                return NULL;
            }
            static int look(struct dl_phdr_info *info, size_t size, void *context) { return 0; }
            static int fork_many(void) {
                int status = 0, count = 0;
                while (status == 0 && count < 100) {
                    pid_t child = fork();
                    if (child == 0) {
                        alarm(600);
                        dl_iterate_phdr(look, NULL);
                        _exit(0);
                    }
                    waitpid(child, &status, 0);
                    count += status == 0;
                }
                return count;
            }
            void noise(void) {
                copied = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                memcpy((void *)copied, (void *)call, 256);
                __builtin___clear_cache((char *)copied, (char *)copied + 256);
                pthread_t thread;
                is_over = 0;
                pthread_create(&thread, NULL, print, NULL);
                int count = fork_many();
                is_over = 1;
                pthread_join(thread, NULL);
                char line[50];
                FILE *file = fopen("\(folder.path)/results", "a");
                fwrite(line, 1, snprintf(line, sizeof line, "%d\\n", count), file);
                fclose(file);
            }
            """,
            to: path,
            ["-fno-builtin", "-Wno-everything"]
        )
        let run = try PrintRun(["start=drop", "load=\(path)"])
        #expect(run.outcome.status == 0)
        #expect(try folder.lines(of: "results") == ["100", "100", "100"])
    }

    @Test func `a fork within a walk over the objects waits for nobody in vain`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libwalks.so"
        try SharedObject.compile(
            """
            #define _GNU_SOURCE
            #include <link.h>
            #include <pthread.h>
            #include <stdatomic.h>
            #include <stdio.h>
            #include <sys/wait.h>
            #include <unistd.h>
            static atomic_int is_over;
            static int fork_one(struct dl_phdr_info *info, size_t size, void *context) {
                int status = 0;
                // So long that the worker comes to wait for this walk.
                usleep(20000);
                pid_t child = fork();
                if (child == 0) _exit(7);
                waitpid(child, &status, 0);
                *(int *)context += WEXITSTATUS(status) == 7;
                return 1;
            }
            static void *walk(void *count) {
                for (int number = 0; number < 3; number++) dl_iterate_phdr(fork_one, count);
                is_over = 1;
                return NULL;
            }
            void noise(void) {
                alarm(600);
                pthread_t thread;
                int count = is_over = 0;
                pthread_create(&thread, NULL, walk, &count);
                while (!is_over) { puts("line"); usleep(300); }
                pthread_join(thread, NULL);
                printf("children %d\\n", count);
            }
            """,
            to: path,
            ["-Wno-everything"]
        )
        let run = try PrintRun(["start", "load=\(path)", "drain"])
        #expect(run.outcome.status == 0)
        let counts = run.messages.filter { $0.hasPrefix("children") }
        #expect(counts == Array(repeating: "children 3", count: 3))
    }
}
