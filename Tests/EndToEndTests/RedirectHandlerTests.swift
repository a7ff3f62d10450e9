// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Handlers of signals that print, whatever the thread that they hit was about.
///
/// Each program has an alarm: one that waits for itself fails, and does not hang.
struct RedirectHandlerTests {
    @Test func `the first that a thread prints may be a handler's that interrupts malloc`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libthreads.so"
        try SharedObject.compile(
            """
            #include <pthread.h>
            #include <signal.h>
            #include <stdatomic.h>
            #include <stdlib.h>
            #include <unistd.h>
            static atomic_int is_ready, is_hit;
            static void handle(int number) { write(2, "handler\\n", 8); is_hit = 1; }
            static void *allocate(void *argument) {
                void *blocks[64];
                while (!is_hit) {
                    for (int index = 0; index < 64; index++) blocks[index] = malloc(3000 + index * 64);
                    for (int index = 0; index < 64; index++) free(blocks[index]);
                    is_ready = 1;
                }
                return NULL;
            }
            void noise(void) {
                alarm(600);
                signal(SIGUSR1, handle);
                for (int round = 0; round < 20; round++) {
                    pthread_t thread;
                    is_ready = is_hit = 0;
                    pthread_create(&thread, NULL, allocate, NULL);
                    while (!is_ready) usleep(100);
                    pthread_kill(thread, SIGUSR1);
                    pthread_join(thread, NULL);
                }
            }
            """,
            to: path,
            ["-Wno-everything"]
        )
        let run = try PrintRun(["start", "load=\(path)", "account"])
        #expect(run.outcome.status == 0)
        #expect((run.messages + run.errors).filter { $0 == "handler" }.count == 60)
        run.expectSound()
    }

    @Test func `a handler may print while its thread waits for what was printed`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libticks.so"
        try SharedObject.compile(
            """
            #include <signal.h>
            #include <stddef.h>
            #include <sys/time.h>
            #include <unistd.h>
            static int ticks;
            static void handle(int number) {
                // An end for each test, as an alarm would be the same signal.
                ticks++ < 200000 ? write(2, "handler", 7) : _exit(1);
            }
            void noise(void) {
                static int count;
                struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
                struct itimerval timer = {{0, 100}, {0, 100}};
                if (count++ == 0) {
                    handle(0);
                    sigaction(SIGALRM, &action, NULL);
                    setitimer(ITIMER_REAL, &timer, NULL);
                }
            }
            """,
            to: path,
            ["-Wno-everything", "-Wl,-z,nodelete"]
        )
        let drains = Array(repeating: "drain", count: 1_000)
        let run = try PrintRun(["start", "load=\(path)"] + drains + ["stop", "start", "account"])
        #expect(run.outcome.status == 0)
        #expect(run.account.contains("running true"))
    }

    @Test func `what sigaction leaves on the stack is no handler`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libstale.so"
        // The memory of the second function is what the first one has left, and is never written to.
        try SharedObject.compile(
            """
            #include <signal.h>
            #include <stdio.h>
            #include <string.h>
            static void handle(int number) {}
            __attribute__((noinline)) static void set_up(void) {
                char above[512];
                memset(above, 0, sizeof above);
                struct sigaction action = {.sa_handler = handle};
                sigaction(SIGUSR1, &action, NULL);
                sigset_t set;
                sigemptyset(&set);
                sigaddset(&set, SIGUSR1);
                sigprocmask(SIG_BLOCK, &set, NULL);
            }
            __attribute__((noinline)) static void print(int number) {
                char text[8192];
                snprintf(text, sizeof text, "noise %d\\n", number);
                fputs(text, stdout);
            }
            void noise(void) {
                set_up();
                for (int number = 0; number < 5; number++) print(number);
            }
            """,
            to: path,
            ["-fno-builtin", "-Wno-everything"]
        )
        let run = try PrintRun(["start=drop", "load=\(path)", "account"])
        #expect(run.outcome.status == 0)
        #expect(run.output == [])
        run.expectSound()
    }

    /// Above the stack that prints is memory that another thread takes away and gives back.
    @Test(arguments: ["on_thread", "on_fiber"])
    func `memory above a stack may go while it is looked for a handler`(way: String) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libabove.so"
        try SharedObject.compile(
            """
            #include <pthread.h>
            #include <signal.h>
            #include <stdatomic.h>
            #include <sys/mman.h>
            #include <ucontext.h>
            #include <unistd.h>
            enum { SIZE = 1 << 18 };
            static atomic_int is_over;
            static char *memory;
            static void handle(int number) {}
            static void *take_and_give(void *argument) {
                while (!is_over) {
                    mprotect(memory + SIZE, SIZE, PROT_NONE);
                    mprotect(memory + SIZE, SIZE, PROT_READ);
                }
                return NULL;
            }
            static void print(void) {
                for (int number = 0; number < 5000; number++) write(1, "noise\\n", 6);
            }
            static void *print_and_end(void *argument) {
                print();
                return NULL;
            }
            static void on_thread(void) {
                pthread_t thread;
                pthread_attr_t attributes;
                pthread_attr_init(&attributes);
                pthread_attr_setstack(&attributes, memory, SIZE);
                pthread_create(&thread, &attributes, print_and_end, NULL);
                pthread_join(thread, NULL);
            }
            static void on_fiber(void) {
                ucontext_t here, there;
                getcontext(&there);
                there.uc_stack = (stack_t){.ss_sp = memory, .ss_size = SIZE};
                there.uc_link = &here;
                makecontext(&there, print, 0);
                swapcontext(&here, &there);
            }
            void noise(void) {
                pthread_t other;
                sigset_t set;
                alarm(600);
                signal(SIGUSR1, handle);
                sigemptyset(&set);
                sigaddset(&set, SIGUSR1);
                pthread_sigmask(SIG_BLOCK, &set, NULL);
                is_over = 0;
                memory = mmap(NULL, 2 * SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                pthread_create(&other, NULL, take_and_give, NULL);
                \(way)();
                is_over = 1;
                pthread_join(other, NULL);
                munmap(memory, 2 * SIZE);
            }
            """,
            to: path,
            ["-Wno-everything"]
        )
        // Within a scope each line asks whether a handler prints it.
        let run = try PrintRun(["start=drop", "scope-load=\(path)", "account"])
        #expect(run.outcome.status == 0)
        run.expectSound()
    }
}
