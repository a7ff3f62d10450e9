// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Allocators of the program's own, whose lock is held while something prints.
///
/// Each program has an alarm: one that waits for itself fails, and does not hang.
struct RedirectAllocatorTests {
    /// Compiles an allocator with a lock, under which it runs a statement for each block, for
    /// LD_PRELOAD.
    private func compileAllocator(_ statement: String, to path: String) throws {
        try SharedObject.compile(
            """
            #include <pthread.h>
            #include <signal.h>
            #include <stddef.h>
            #include <unistd.h>
            extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t);
            extern void *__libc_realloc(void *, size_t);
            static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
            __thread int is_armed __attribute__((tls_model("initial-exec")));
            void arm(void) { is_armed = 1; }
            void say(void) { write(2, "large\\n", 6); }
            static void begin(size_t size) {
                pthread_mutex_lock(&lock);
                \(statement)
            }
            static void *end(void *block) {
                pthread_mutex_unlock(&lock);
                return block;
            }
            void *malloc(size_t size) { begin(size); return end(__libc_malloc(size)); }
            void *calloc(size_t count, size_t size) {
                begin(size);
                return end(__libc_calloc(count, size));
            }
            void *realloc(void *block, size_t size) {
                begin(size);
                return end(__libc_realloc(block, size));
            }
            """,
            to: path,
            ["-Wno-everything"]
        )
    }

    @Test func `a handler that interrupts malloc may print within a scope`() throws {
        let folder = try TemporaryFolder()
        let (allocator, path) = ("\(folder.path)/liballocator.so", "\(folder.path)/libhandler.so")
        try compileAllocator("if (is_armed) { is_armed = 0; raise(SIGUSR1); }", to: allocator)
        try SharedObject.compile(
            """
            #include <signal.h>
            #include <stdlib.h>
            #include <unistd.h>
            extern void arm(void);
            static void handle(int number) { write(2, "handler\\n", 8); }
            void noise(void) {
                signal(SIGALRM, SIG_DFL);
                alarm(600);
                handle(0);
                signal(SIGUSR1, handle);
                arm();
                free(malloc(100));
                signal(SIGUSR1, SIG_DFL);
            }
            """,
            to: path,
            ["-fno-builtin", "-Wno-everything"]
        )
        let run = try PrintRun(
            ["scope-load=\(path)"],
            environment: ["LD_PRELOAD": allocator]
        )
        #expect(run.outcome.status == 0)
        // Who prints is known by the first call, which no signal interrupts.
        let captured = Array(repeating: "scope handler stderr handler", count: 3)
        #expect(run.account.filter { $0.hasPrefix("scope ") } == captured)
        #expect(run.errors == ["handler", "handler", "handler"])
    }

    @Test func `an allocator may print with its lock held, as the first of its thread`() throws {
        let folder = try TemporaryFolder()
        let (allocator, path) = ("\(folder.path)/liballocator.so", "\(folder.path)/liblarge.so")
        try compileAllocator("if (size > 10000000) say();", to: allocator)
        // Who prints is known before: to find that out takes memory.
        try SharedObject.compile(
            """
            #include <pthread.h>
            #include <signal.h>
            #include <stdlib.h>
            #include <unistd.h>
            extern void say(void);
            static void *allocate(void *argument) {
                free(malloc(20000000));
                free(malloc(20000000));
                return NULL;
            }
            void noise(void) {
                pthread_t thread;
                signal(SIGALRM, SIG_DFL);
                alarm(600);
                say();
                pthread_create(&thread, NULL, allocate, NULL);
                pthread_join(thread, NULL);
                allocate(NULL);
            }
            """,
            to: path,
            ["-fno-builtin", "-Wno-everything"]
        )
        let run = try PrintRun(
            ["start", "load=\(path)", "account"],
            environment: ["LD_PRELOAD": allocator]
        )
        #expect(run.outcome.status == 0)
        #expect(run.messages == Array(repeating: "large", count: 15))
        #expect(Set(run.records.map(\.category)) == ["allocator"])
        run.expectSound()
    }
}
