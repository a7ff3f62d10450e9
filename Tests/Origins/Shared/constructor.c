// SPDX-License-Identifier: Apache-2.0

/// A shared object that asks whose call it is while the loader loads it: in its constructor, and in a
/// thread for which that waits.

#include <pthread.h>
#include <stdint.h>

extern uint32_t ask(void);

uint32_t numbers[2];

static void *ask_in_thread(void *unused) {
    numbers[1] = ask();
    return unused;
}

__attribute__((constructor)) static void construct(void) {
    pthread_t thread;
    numbers[0] = ask();
    pthread_create(&thread, NULL, ask_in_thread, NULL);
    pthread_join(thread, NULL);
}
