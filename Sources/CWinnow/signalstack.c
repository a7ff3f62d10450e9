// SPDX-License-Identifier: Apache-2.0

/// The stacks on which handlers of signals run where a thread has none of its own for that.

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "CWinnowSignal.h"

#pragma GCC visibility push(protected)

/// What the handlers need, those that ours hands on to among them: Swift's, which has a program of its own
/// print the backtrace, gives itself 16 KiB.
#define HANDLER_BYTES ((size_t)65536)

__thread bool cwinnow_signal_stack_looked_at;

/// Gives each stack back at the end of its thread.
static pthread_key_t stack_key;
static bool has_stack_key;
static pthread_once_t stack_once = PTHREAD_ONCE_INIT;

/// The bytes of a stack: those of the handlers, and the registers that the kernel puts there.
static size_t stack_size(size_t page) {
    size_t registers = getauxval(AT_MINSIGSTKSZ);
    // A number, or what sysconf(3) says, which is a long.
    size_t least = (size_t)MINSIGSTKSZ;
    size_t size = HANDLER_BYTES + (registers > least ? registers : least);
    return (size + page - 1) / page * page;
}

/// Gives the stack back: at the end of the thread.
static void remove_stack(void *memory) {
    cwinnow_signal_stack_looked_at = false;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    stack_t found, none = {.ss_flags = SS_DISABLE};
    bool is_known = sigaltstack(NULL, &found) == 0;
    // Another one may have come in its place. One in use cannot be changed, and stays.
    bool is_ours = is_known && (found.ss_flags & SS_DISABLE) == 0 && found.ss_sp == (char *)memory + page;
    if (is_known && (!is_ours || sigaltstack(&none, NULL) == 0)) {
        munmap(memory, page + stack_size(page));
    }
}

static void make_stack_key(void) {
    has_stack_key = pthread_key_create(&stack_key, remove_stack) == 0;
}

/// Gives the thread a stack, below which lies a page that nobody may touch. Pages that no handler has
/// reached cost nothing.
static void make_stack(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = stack_size(page);
    char *memory = mmap(NULL, page + size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) {
        return;
    }
    stack_t stack = {.ss_sp = memory + page, .ss_size = size};
    if (mprotect(memory, page, PROT_NONE) != 0 || sigaltstack(&stack, NULL) != 0) {
        munmap(memory, page + size);
        return;
    }
    if (has_stack_key) {
        pthread_setspecific(stack_key, memory);
    }
}

void cwinnow_signal_stack_prepare(void) {
    if (cwinnow_signal_stack_looked_at) {
        return;
    }
    cwinnow_signal_stack_looked_at = true;
    int saved_errno = errno;
    stack_t found;
    if (sigaltstack(NULL, &found) == 0 && (found.ss_flags & SS_DISABLE) != 0) {
        pthread_once(&stack_once, make_stack_key);
        make_stack();
    }
    errno = saved_errno;
}
