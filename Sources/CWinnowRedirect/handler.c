// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "handler.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine.h"
#include "mapped.h"

#pragma GCC visibility push(protected)

/// The bytes of the stack that are looked through: those of the handler, and of what it has called.
#define HANDLER_BYTES ((uintptr_t)128 << 10)
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
    bool is_one = restorer.high - restorer.low == 1;
    return is_one || (cwinnow_is_readable((const void *)word, CWINNOW_SIGNAL_RETURN_BYTES) &&
                      cwinnow_machine_is_signal_return((const uint8_t *)word));
}

#if defined(__x86_64__)
/// Where parts of the frame are that the kernel leaves for a handler, from its first word on, the
/// address that the handler returns to: the link to another context, the selector of the code that
/// was interrupted, the address of its floating point registers, which lie above the frame, and the
/// size of all.
/// Source: Linux, arch/x86/include/asm/sigframe.h, uapi/asm/ucontext.h and sigcontext.h.
enum { LINK_OFFSET = 16, SELECTOR_OFFSET = 192, REGISTERS_OFFSET = 232, FRAME_BYTES = 312 };
/// How far above the registers are at most: some kilobytes, with what the processor has of them.
#define REGISTERS_BYTES ((uintptr_t)64 << 10)

/// Whether a word that is the address which handlers return to begins such a frame: sigaction(2)
/// leaves one on the stack as well. The kernel sets no link, and the low bits of a program's
/// selector.
__attribute__((no_sanitize("address", "thread"))) static bool is_frame(uintptr_t at) {
    if (!cwinnow_is_readable((const void *)at, FRAME_BYTES)) {
        return false;
    }
    uintptr_t link = *(const uintptr_t *)(at + LINK_OFFSET);
    uint16_t selector = *(const uint16_t *)(at + SELECTOR_OFFSET);
    uintptr_t registers = *(const uintptr_t *)(at + REGISTERS_OFFSET);
    return link == 0 && (selector & 7) == 3 && registers % 16 == 0 &&
        (registers == 0 || (registers > at && registers - at < REGISTERS_BYTES));
}
#else
/// A handler keeps the address itself, wherever it likes; no call of libc's leaves it on the stack.
static bool is_frame(uintptr_t at) {
    (void)at;
    return true;
}
#endif

/// Looks through the stack, upwards, as far as there is one. Code without frame pointers leaves no
/// other way that neither takes a lock nor faults at what is no stack of the thread's.
__attribute__((no_sanitize("address", "thread"))) static bool has_restorer(
    uintptr_t start, range restorer) {
    for (uintptr_t at = start; at < start + HANDLER_BYTES; at += sizeof at) {
        if (at % CWINNOW_PAGE_SIZE == 0 && !cwinnow_is_mapped(at)) {
            return false;
        }
        if (is_restorer(*(const uintptr_t *)at, restorer) && is_frame(at)) {
            return true;
        }
    }
    return false;
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
