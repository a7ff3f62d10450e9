// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "handler.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "frames.h"
#include "machine.h"
#include "mapped.h"

#pragma GCC visibility push(protected)

/// The bytes of the stack that are looked through: those of the handler, and of what it has called.
#define HANDLER_BYTES ((uintptr_t)128 << 10)
/// The bytes that are copied at once.
#define PIECE_BYTES ((uintptr_t)1 << 10)
/// The size of the code that the kernel brings along, at most.
#define VDSO_BYTES ((uintptr_t)16 << 10)
/// Says that the kernel has been told what a handler returns to. Source: Linux, asm/signal.h.
#define HAS_RESTORER 0x04000000u

/// What the kernel knows of a signal: its `struct sigaction`, which is not libc's.
typedef struct action {
    uintptr_t handler;
    unsigned long flags;
    uintptr_t restorer;
    uint64_t mask;
} action;

/// The addresses of what handlers return to.
typedef struct range {
    uintptr_t low, high;
} range;

/// Finds what the handler of a signal returns to; false where it never had one.
static bool find_restorer(int number, range *found) {
    action action = {.handler = 0};
    if (syscall(SYS_rt_sigaction, number, NULL, &action, sizeof action.mask) != 0) {
        return false;
    }
    if ((action.flags & HAS_RESTORER) != 0) {
        // It stays where the handler was for one time.
        *found = (range){action.restorer, action.restorer + 1};
        return true;
    }
    uintptr_t vdso = (uintptr_t)getauxval(AT_SYSINFO_EHDR);
    *found = (range){vdso, vdso + VDSO_BYTES};
    return vdso != 0 && action.handler > (uintptr_t)SIG_IGN;
}

/// Whether a word of the stack is the address that a handler returns to.
static bool is_restorer(uintptr_t word, range restorer) {
    if (word < restorer.low || word >= restorer.high) {
        return false;
    }
    uint8_t code[CWINNOW_SIGNAL_RETURN_BYTES];
    bool is_one = restorer.high - restorer.low == 1;
    return is_one || (cwinnow_copy_mapped(code, word, sizeof code) &&
                      cwinnow_machine_is_signal_return(code));
}

#if defined(__x86_64__)
/// Where parts of the frame are that the kernel leaves for a handler, from its first word on, the
/// address that the handler returns to: the link to another context, the selector of the code that
/// was interrupted, and the address of its floating point registers, which lie above the frame.
/// Source: Linux, arch/x86/include/asm/sigframe.h, uapi/asm/ucontext.h and sigcontext.h.
enum { LINK_OFFSET = 16, SELECTOR_OFFSET = 192, REGISTERS_OFFSET = 232 };
/// How far above the registers are at most: some kilobytes, with what the processor has of them.
#define REGISTERS_BYTES ((uintptr_t)64 << 10)

/// Whether a word that is the address which handlers return to begins such a frame: sigaction(2)
/// leaves one on the stack as well. The kernel sets no link, and the low bits of a program's
/// selector. One by one: a copy of the whole would be taken for a frame the next time.
static bool is_frame(uintptr_t at) {
    uintptr_t link, registers;
    uint16_t selector;
    return cwinnow_copy_mapped(&link, at + LINK_OFFSET, sizeof link) &&
        cwinnow_copy_mapped(&selector, at + SELECTOR_OFFSET, sizeof selector) &&
        cwinnow_copy_mapped(&registers, at + REGISTERS_OFFSET, sizeof registers) && link == 0 &&
        (selector & 7) == 3 && registers % 16 == 0 &&
        (registers == 0 || (registers > at && registers - at < REGISTERS_BYTES));
}
#else
/// A handler keeps the address itself, wherever it likes; no call of libc's leaves it on the stack.
static bool is_frame(uintptr_t at) {
    (void)at;
    return true;
}
#endif

/// Where the look through the stack ends: with the stack of the thread, if it is on that one. The end
/// of another, of a handler or a fiber, is not known.
static uintptr_t end_of_look(uintptr_t start) {
    uintptr_t limit = start + HANDLER_BYTES, end = cwinnow_thread_stack_end();
    return start < end && end < limit ? end : limit;
}

/// Looks through the stack, upwards, as far as there is one. Code without frame pointers leaves no
/// other way that takes no lock. The words are copied, in pieces that lie in one page: above a stack
/// whose end is not known another thread may unmap what is there.
static bool has_restorer(uintptr_t start, range restorer) {
    uintptr_t words[PIECE_BYTES / sizeof(uintptr_t)];
    uintptr_t end = end_of_look(start);
    bool is_found = false;
    for (uintptr_t at = start, next; at < end && !is_found; at = next) {
        next = (at | (PIECE_BYTES - 1)) + 1;
        next = next < end ? next : end;
        size_t count = (next - at) / sizeof *words;
        if (!cwinnow_copy_mapped(words, at, count * sizeof *words)) {
            break;
        }
        for (size_t index = 0; index < count && !is_found; index++) {
            is_found = is_restorer(words[index], restorer) && is_frame(at + index * sizeof *words);
        }
    }
    // What is left on the stack must not be taken for a handler's the next time.
    explicit_bzero(words, sizeof words);
    return is_found;
}

bool cwinnow_handler_is_running(void) {
    int saved_errno = errno;
    uint64_t blocked = 0;
    bool is_running = false;
    if (syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &blocked, sizeof blocked) == 0) {
        range restorer = {0, 0};
        for (int number = 1; number <= 64 && restorer.high == 0; number++) {
            if ((blocked >> (number - 1) & 1) == 0 || !find_restorer(number, &restorer)) {
                restorer = (range){0, 0};
            }
        }
        uintptr_t start = (uintptr_t)__builtin_frame_address(0);
        is_running = restorer.high != 0 && has_restorer(start, restorer);
    }
    errno = saved_errno;
    return is_running;
}
