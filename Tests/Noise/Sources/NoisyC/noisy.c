// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "NoisyC.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Keeps the call in front of it from being the last thing that a function does, and so a jump.
#define STAY() __asm__ volatile("" ::: "memory")

/// libdispatch, which every Swift program is linked with; its headers are not everywhere.
extern void *dispatch_queue_create(const char *label, void *attributes);
extern void dispatch_sync_f(void *queue, void *context, void (*work)(void *));
extern void dispatch_release(void *queue);

void noisyc_puts(const char *line) {
    puts(line);
    STAY();
}

void noisyc_printf(const char *line) {
    printf("%s\n", line);
    STAY();
}

void noisyc_complain(const char *line) {
    fputs(line, stderr);
    fputs("\n", stderr);
    STAY();
}

void noisyc_write(const char *line) {
    ssize_t count = write(STDOUT_FILENO, line, strlen(line));
    count = count < 0 ? count : write(STDOUT_FILENO, "\n", 1);
    (void)count;
}

const char *noisyc_origin(void) {
    const char *origin = origin_probe();
    STAY();
    return origin;
}

const char *noisyc_origin_by_jump(void) {
    __attribute__((musttail)) return origin_probe();
}

__attribute__((noinline)) static const char *ask(void) {
    const char *origin = origin_probe();
    STAY();
    return origin;
}

const char *noisyc_origin_of_static(void) {
    const char *origin = ask();
    STAY();
    return origin;
}

const char *noisyc_origin_through_libc(void) {
    int numbers[] = {2, 1};
    qsort(numbers, 2, sizeof *numbers, origin_probe_compare);
    return origin_probe_noted();
}

const char *noisyc_origin_through_dispatch(void) {
    void *queue = dispatch_queue_create("noisy", NULL);
    dispatch_sync_f(queue, NULL, origin_probe_work);
    dispatch_release(queue);
    return origin_probe_noted();
}

const char *noisyc_origin_through_signal(void) {
    // The functions of an origin may not be called in a signal handler, but in one that nothing but
    // raise(3) was interrupted for.
    stack_t old, alternate = {.ss_sp = malloc(1 << 18), .ss_size = 1 << 18};
    struct sigaction before, action = {.sa_handler = origin_probe_signal, .sa_flags = SA_ONSTACK};
    sigaltstack(&alternate, &old);
    sigset_t urgent, blocked;
    sigemptyset(&urgent);
    sigaddset(&urgent, SIGURG);
    sigaction(SIGURG, &action, &before);
    // libdispatch blocks all signals in its threads.
    pthread_sigmask(SIG_UNBLOCK, &urgent, &blocked);
    raise(SIGURG);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    sigaction(SIGURG, &before, NULL);
    sigaltstack(&old, NULL);
    free(alternate.ss_sp);
    return origin_probe_noted();
}

const char *noisyc_call(const char *(*function)(void)) {
    const char *origin = function();
    STAY();
    return origin;
}
