// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CPeers.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/// As many as Winnow's rings have.
#define RING_BYTES (256u * 1024u)
/// How long the thread that writes sleeps between two looks at the rings.
#define POLL_NANOSECONDS 100000
/// How long a caller sleeps that finds its ring full, and how long one that waits for an empty one.
#define WAIT_NANOSECONDS 20000

/// What a call leaves: its time, and 56 bytes of what a logger needs to make a line of it. A line of the
/// cache, so that none is shared by two records.
typedef struct record {
    uint64_t stamp;
    const char *format;
    int64_t id;
    double milliseconds;
    uint32_t path_count;
    char path[28];
} record;

_Static_assert(sizeof(record) == 64, "a record has a line of the cache to itself");

/// The ring of a thread. A position counts all records that were ever written.
typedef struct ring {
    // The caller's own. 128 bytes, as the processor fetches lines in pairs.
    uint64_t written;
    /// The position at which the caller has to ask again how far the records are read.
    uint64_t limit;
    uint64_t padding_of_caller[14];
    uint64_t published;
    uint64_t padding_of_published[15];
    uint64_t read;
    uint64_t padding_of_read[15];
    record *records;
    struct ring *next;
} ring;

static const uint64_t capacity = RING_BYTES / sizeof(record);
static const char path[] = "/api/v1/users/42/orders";

static ring *all_rings;
static __thread ring *own_ring __attribute__((tls_model("initial-exec")));
static pthread_t writer;
static int descriptor;
static bool is_ended;

static void nap(long nanoseconds) {
    struct timespec time = {.tv_sec = 0, .tv_nsec = nanoseconds};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static uint64_t stamp_now(void) {
#if defined(__x86_64__)
    return __rdtsc();
#else
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

static void *pages(size_t byte_count) {
    void *memory = mmap(NULL, byte_count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        abort();
    }
    return memory;
}

__attribute__((noinline)) static ring *make_ring(void) {
    ring *made = pages(sizeof *made);
    made->records = pages(RING_BYTES);
    made->limit = capacity;
    made->next = __atomic_load_n(&all_rings, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&all_rings, &made->next, made, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
    return own_ring = made;
}

__attribute__((noinline)) static void await_room(ring *ring) {
    for (;;) {
        ring->limit = __atomic_load_n(&ring->read, __ATOMIC_ACQUIRE) + capacity;
        if (ring->written < ring->limit) {
            return;
        }
        nap(WAIT_NANOSECONDS);
    }
}

/// The call: what deferred delivery cannot do without.
static inline void put(int64_t id, double milliseconds) {
    ring *ring = own_ring;
    if (__builtin_expect(ring == NULL, 0)) {
        ring = make_ring();
    }
    uint64_t position = ring->written;
    if (__builtin_expect(position == ring->limit, 0)) {
        await_room(ring);
    }
    record *place = &ring->records[position % capacity];
    place->format = "request %ld took %g ms for %s";
    place->id = id;
    place->milliseconds = milliseconds;
    place->path_count = sizeof path - 1;
    memcpy(place->path, path, sizeof path);
    place->stamp = stamp_now();
    ring->written = position + 1;
    __atomic_store_n(&ring->published, position + 1, __ATOMIC_RELEASE);
}

void cpeers_reference_call(int64_t first, int64_t count) {
    for (int64_t index = first; index < first + count; index++) {
        put(index, (double)(index & 1023) * 0.125);
    }
}

/// Writes the records between the positions, as they lie.
static void write_records(const ring *ring, uint64_t from, uint64_t to) {
    while (from < to) {
        uint64_t place = from % capacity;
        uint64_t count = to - from < capacity - place ? to - from : capacity - place;
        size_t byte_count = (size_t)count * sizeof(record);
        if (write(descriptor, &ring->records[place], byte_count) != (ssize_t)byte_count) {
            abort();
        }
        from += count;
    }
}

static void *write_all(void *unused) {
    (void)unused;
    while (!__atomic_load_n(&is_ended, __ATOMIC_ACQUIRE)) {
        ring *each = __atomic_load_n(&all_rings, __ATOMIC_ACQUIRE);
        for (; each != NULL; each = each->next) {
            uint64_t published = __atomic_load_n(&each->published, __ATOMIC_ACQUIRE);
            if (each->read != published) {
                write_records(each, each->read, published);
                __atomic_store_n(&each->read, published, __ATOMIC_RELEASE);
            }
        }
        nap(POLL_NANOSECONDS);
    }
    return NULL;
}

int32_t cpeers_reference_start(const char *file) {
    descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    return descriptor < 0 ? errno : pthread_create(&writer, NULL, write_all, NULL);
}

void cpeers_reference_drain(void) {
    ring *each = __atomic_load_n(&all_rings, __ATOMIC_ACQUIRE);
    for (; each != NULL; each = each->next) {
        uint64_t published = __atomic_load_n(&each->published, __ATOMIC_ACQUIRE);
        while (__atomic_load_n(&each->read, __ATOMIC_ACQUIRE) < published) {
            nap(WAIT_NANOSECONDS);
        }
    }
}

void cpeers_reference_finish(void) {
    cpeers_reference_drain();
    __atomic_store_n(&is_ended, true, __ATOMIC_RELEASE);
    pthread_join(writer, NULL);
    close(descriptor);
}
