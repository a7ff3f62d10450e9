// SPDX-License-Identifier: Apache-2.0

/// What the table and the cache of CWinnowRedirect promise, from a C program of its own, which is
/// built without debug information: each function is an origin then.
///
///     stress threads|fork|jump|names|limit|constructor OBJECT|unload OBJECT OBJECT
///
/// Says what is wrong on stderr, and exits with 1 then.

#define _GNU_SOURCE

#include <CWinnowOrigin.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/// Returns the number of the origin of the caller, as a function that prints would ask.
__attribute__((noinline)) uint32_t ask(void) {
    return cwinnow_origin_of(__builtin_frame_address(0));
}

typedef uint32_t function(void);

// 1,600 functions, each an origin.
#define ONE(name)                                      \
    __attribute__((noinline)) static uint32_t name(void) { \
        uint32_t number = ask();                       \
        __asm__ volatile("" ::: "memory");             \
        return number;                                 \
    }
#define FOUR(each, name) each(name##0) each(name##1) each(name##2) each(name##3)
#define SIXTEEN(each, name) \
    FOUR(each, name##0) FOUR(each, name##1) FOUR(each, name##2) FOUR(each, name##3)
#define HUNDREDS(each, name)                                                             \
    SIXTEEN(each, name##0) SIXTEEN(each, name##1) SIXTEEN(each, name##2) SIXTEEN(each, name##3) \
    SIXTEEN(each, name##4) SIXTEEN(each, name##5) SIXTEEN(each, name##6) SIXTEEN(each, name##7) \
    SIXTEEN(each, name##8) SIXTEEN(each, name##9)
#define ALL(each)                                                                     \
    HUNDREDS(each, f0) HUNDREDS(each, f1) HUNDREDS(each, f2) HUNDREDS(each, f3)       \
    HUNDREDS(each, f4) HUNDREDS(each, f5) HUNDREDS(each, f6) HUNDREDS(each, f7)       \
    HUNDREDS(each, f8) HUNDREDS(each, f9)
ALL(ONE)

/// Jumps to `ask`, and does nothing else.
__attribute__((naked, noinline)) static uint32_t jump(void) {
#if defined(__x86_64__)
    __asm__("jmp ask");
#elif defined(__aarch64__)
    __asm__("b ask");
#endif
}

struct named {
    const char *name;
    function *function;
};
#define ENTRY(name) {"c:" #name, name},
static const struct named functions[] = {ALL(ENTRY)};
#define COUNT (sizeof functions / sizeof *functions)

// 200 bytes in characters of two, behind one of one: the 119th byte, with `c:`, is within a character.
ONE(aééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé)

static _Noreturn void fail(const char *what, const char *detail) {
    fprintf(stderr, "%s: %s\n", what, detail);
    exit(1);
}

static void expect(uint32_t number, const char *name) {
    const char *found = cwinnow_origin_at(number)->name;
    if (strcmp(found, name) != 0) {
        fprintf(stderr, "%s: ", found);
        fail("is not", name);
    }
}

static atomic_bool is_over;

/// Asks from functions up to a number, over and over: more than a set of the cache holds.
static void *ask_all(void *limit) {
    for (unsigned round = 0; round < 200; round++) {
        for (size_t index = 0; index < *(size_t *)limit; index++) {
            expect(functions[index].function(), functions[index].name);
        }
    }
    return NULL;
}

static void *forget_all(void *unused) {
    (void)unused;
    while (!atomic_load(&is_over)) {
        cwinnow_origins_forget_code();
        usleep(100);
    }
    return NULL;
}

static void test_threads(void) {
    size_t limit = 900;
    pthread_t threads[4], forgetter;
    pthread_create(&forgetter, NULL, forget_all, NULL);
    for (int index = 0; index < 4; index++) {
        pthread_create(&threads[index], NULL, ask_all, &limit);
    }
    for (int index = 0; index < 4; index++) {
        pthread_join(threads[index], NULL);
    }
    atomic_store(&is_over, true);
    pthread_join(forgetter, NULL);
    if (cwinnow_origin_count() != 2 + limit) {
        fail("the table", "has an origin twice, or one that nobody is");
    }
}

static void test_fork(void) {
    size_t limit = 900;
    pthread_t thread;
    pthread_atfork(NULL, NULL, cwinnow_origins_after_fork);
    pthread_create(&thread, NULL, forget_all, NULL);
    for (size_t child = 0; child < 100; child++) {
        pid_t process = fork();
        if (process == 0) {
            alarm(600);
            expect(functions[child].function(), functions[child].name);
            _exit(0);
        }
        int status;
        if (waitpid(process, &status, 0) != process || status != 0) {
            fail("a child", "hung or failed");
        }
        expect(functions[limit - child].function(), functions[limit - child].name);
    }
    atomic_store(&is_over, true);
    pthread_join(thread, NULL);
}

static void test_names(void) {
    const char *name = cwinnow_origin_at(
        aééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé())->name;
    char expected[CWINNOW_ORIGIN_NAME_SIZE] = "c:a";
    for (size_t at = 3; at + 2 < sizeof expected; at += 2) {
        memcpy(expected + at, "é", 2);
    }
    if (strcmp(name, expected) != 0) {
        fail("a long name is", name);
    }
    expect(0, "descriptor");
    expect(1, "unknown");
    expect(cwinnow_origin_count(), "unknown");
    expect(UINT32_MAX, "unknown");
}

static void test_limit(void) {
    uint32_t last = 0;
    for (size_t index = 0; index < COUNT; index++) {
        uint32_t number = functions[index].function();
        if (index < CWINNOW_ORIGIN_LIMIT - 2) {
            expect(number, functions[index].name);
            last = number;
        } else {
            expect(number, "unknown");
        }
    }
    if (last != CWINNOW_ORIGIN_LIMIT - 1 || cwinnow_origin_count() != CWINNOW_ORIGIN_LIMIT) {
        fail("the table", "is not full");
    }
    cwinnow_origins_forget_code();
    expect(functions[0].function(), functions[0].name);
    expect(functions[COUNT - 1].function(), "unknown");
}

static void test_jump(void) {
    uint32_t number = jump();
    __asm__ volatile("" ::: "memory");
    expect(number, "c:jump");
}

/// The object asks from its constructor, and waits there for a thread that asks as well.
static void test_constructor(const char *path) {
    alarm(600);
    void *object = dlopen(path, RTLD_NOW);
    if (object == NULL) {
        fail("dlopen", dlerror());
    }
    uint32_t *numbers = dlsym(object, "numbers");
    expect(numbers[0], "constructor");
    expect(numbers[1], "constructor");
}

/// Two objects, which the loader mostly puts at one address.
static void test_unload(char **paths) {
    static const char *const names[] = {"first", "second"};
    for (int round = 0; round < 10; round++) {
        void *object = dlopen(paths[round % 2], RTLD_NOW);
        if (object == NULL) {
            fail("dlopen", dlerror());
        }
        uint32_t (*call)(function *) = (uint32_t(*)(function *))dlsym(object, "call");
        expect(call(ask), names[round % 2]);
        dlclose(object);
        cwinnow_origins_forget_code();
    }
}

int main(int argc, char **argv) {
    const char *test = argc > 1 ? argv[1] : "";
    cwinnow_origins_prepare();
    if (!cwinnow_origins_have_symbols()) {
        fail("the program", "has no symbols");
    }
    if (strcmp(test, "threads") == 0) {
        test_threads();
    } else if (strcmp(test, "fork") == 0) {
        test_fork();
    } else if (strcmp(test, "names") == 0) {
        test_names();
    } else if (strcmp(test, "jump") == 0) {
        test_jump();
    } else if (strcmp(test, "limit") == 0) {
        test_limit();
    } else if (strcmp(test, "constructor") == 0 && argc == 3) {
        test_constructor(argv[2]);
    } else if (strcmp(test, "unload") == 0 && argc == 4) {
        test_unload(argv + 2);
    } else {
        fail("no such test", test);
    }
    return 0;
}
