// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CWinnowOrigin.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "frames.h"
#include "handler.h"
#include "loaded.h"
#include "machine.h"
#include "program.h"
#include "resolve.h"
#include "sites.h"

#pragma GCC visibility push(protected)

/// Guards the writing of the table and of the cache. No code of others runs under it.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/// The origins that are no module's, by their numbers.
static const cwinnow_origin fixed_origins[] = {
    [CWINNOW_ORIGIN_DESCRIPTOR] = {.name = "descriptor"},
    [CWINNOW_ORIGIN_UNKNOWN] = {.name = "unknown", .is_approximate = true},
};
#define FIXED_COUNT (sizeof fixed_origins / sizeof *fixed_origins)

/// The table of modules, from the first number that is no fixed one on: a number below the count is of
/// an origin that is written and stays. Nothing in it has a first value, so no program's file has its
/// 128 KiB.
static cwinnow_origin origins[CWINNOW_ORIGIN_LIMIT];
static _Atomic uint32_t origin_count = FIXED_COUNT;

/// The cache of return addresses: 4,096 sets of two, 64 KiB.
///
/// The bits of a hash that choose the set, and those of a word that hold what the address says.
#define SET_BITS 12
#define VALUE_MASK (((uint64_t)1 << SET_BITS) - 1)
#define WAYS 2

_Static_assert(CWINNOW_SITE_ORIGIN + CWINNOW_ORIGIN_LIMIT <= VALUE_MASK + 1, "each number fits");

/// An address and what it says are one word, which is read and written at once: no reader sees one
/// without the other. The word has room for both: the hash is the address times an odd number, which
/// modulo 2^64 no two addresses share; its 12 high bits are the set, its 52 low bits the rest of the
/// word. So equal bits in one set are the same address. An empty word is 0, as no value is.
static _Atomic uint64_t cache[(size_t)1 << SET_BITS][WAYS];

/// Counts how often the cache was emptied: what was found before is not entered after.
uint32_t cwinnow_sites_generation;

/// The walks that this thread took last.
__thread cwinnow_trail *cwinnow_trails;
static pthread_key_t trail_key;
static pthread_once_t trail_once = PTHREAD_ONCE_INIT;
static bool has_trail_key;

/// Whether this thread is finding out about an address: what prints meanwhile, as malloc(3) may or a
/// signal handler, is not attributed.
static __thread bool is_resolving;
/// Whether the thread is not to find out about one within a signal's handler, and whether it has not.
static __thread bool is_careful, is_refused;

void cwinnow_origins_prepare(void) {
    cwinnow_loaded_prepare();
    cwinnow_program_prepare();
}

bool cwinnow_origins_have_symbols(void) {
    return cwinnow_program_prepare()->elf.has_all_symbols;
}

/// Returns the number of an origin, which is entered if it is new; unknown where the table is full.
/// The lock is held.
static uint32_t number_of(const cwinnow_origin *origin) {
    uint32_t count = atomic_load_explicit(&origin_count, memory_order_relaxed);
    for (uint32_t number = FIXED_COUNT; number < count; number++) {
        if (origins[number].is_approximate == origin->is_approximate &&
            strcmp(origins[number].name, origin->name) == 0) {
            return number;
        }
    }
    if (count == CWINNOW_ORIGIN_LIMIT) {
        return CWINNOW_ORIGIN_UNKNOWN;
    }
    origins[count] = *origin;
    atomic_store_explicit(&origin_count, count + 1, memory_order_release);
    return count;
}

/// What a finding says of the address that it is of. The lock is held.
static uint32_t site_of_finding(const cwinnow_finding *finding) {
    switch (finding->kind) {
    case cwinnow_finding_framed:
        return CWINNOW_SITE_FRAMED;
    case cwinnow_finding_nowhere:
    case cwinnow_finding_frameless:
        return CWINNOW_SITE_FRAMELESS;
    case cwinnow_finding_unknown:
        return CWINNOW_SITE_ORIGIN + CWINNOW_ORIGIN_UNKNOWN;
    case cwinnow_finding_origin:
        return CWINNOW_SITE_ORIGIN + number_of(&finding->origin);
    }
    return CWINNOW_SITE_FRAMELESS;
}

/// Enters a word in front of its set; the one that was there before goes behind it, and what was
/// behind is lost. The lock is held. A reader between the two stores misses a word, and finds the
/// same again.
static void enter(_Atomic uint64_t *set, uint64_t word) {
    uint64_t before = atomic_load_explicit(&set[0], memory_order_relaxed);
    if ((before & ~VALUE_MASK) != (word & ~VALUE_MASK)) {
        atomic_store_explicit(&set[1], before, memory_order_release);
    }
    atomic_store_explicit(&set[0], word, memory_order_release);
}

static uint32_t find_out(
    uintptr_t return_address, uintptr_t callee, _Atomic uint64_t *set, uint64_t rest) {
    if (is_resolving) {
        return CWINNOW_SITE_ORIGIN + CWINNOW_ORIGIN_UNKNOWN;
    }
    // To find out takes memory, and locks of the loader's.
    if (is_careful && cwinnow_handler_is_running()) {
        is_refused = true;
        return CWINNOW_SITE_ORIGIN + CWINNOW_ORIGIN_UNKNOWN;
    }
    is_resolving = true;
    uint32_t before = __atomic_load_n(&cwinnow_sites_generation, __ATOMIC_ACQUIRE);
    cwinnow_finding finding;
    cwinnow_resolve(return_address, callee, &finding);
    pthread_mutex_lock(&lock);
    uint32_t site = site_of_finding(&finding);
    // Where there is no code now, some may be loaded later.
    if (finding.kind != cwinnow_finding_nowhere &&
        before == __atomic_load_n(&cwinnow_sites_generation, __ATOMIC_RELAXED)) {
        enter(set, rest | site);
    }
    pthread_mutex_unlock(&lock);
    is_resolving = false;
    return site;
}

uint32_t cwinnow_site_of(uintptr_t return_address, uintptr_t callee) {
    // 2^64 divided by the golden ratio, which spreads addresses that are close: Knuth, The Art of
    // Computer Programming, volume 3, section 6.4.
    uint64_t hash = (uint64_t)return_address * 0x9e3779b97f4a7c15u;
    _Atomic uint64_t *set = cache[hash >> (64 - SET_BITS)];
    uint64_t rest = hash << SET_BITS;
    for (int way = 0; way < WAYS; way++) {
        uint64_t word = atomic_load_explicit(&set[way], memory_order_acquire);
        if ((word & ~VALUE_MASK) == rest && word != 0) {
            return (uint32_t)(word & VALUE_MASK);
        }
    }
    return find_out(return_address, callee, set, rest);
}

#define TRAILS_BYTES (CWINNOW_TRAIL_COUNT * sizeof(cwinnow_trail))

static void forget_trails(void *trails) {
    cwinnow_trails = NULL;
    munmap(trails, TRAILS_BYTES);
}

static void make_trail_key(void) {
    has_trail_key = pthread_key_create(&trail_key, forget_trails) == 0;
}

/// Makes the memory of the thread for its walks, by the kernel, as malloc(3) may be what prints;
/// without it, none is remembered.
static void make_trails(void) {
    pthread_once(&trail_once, make_trail_key);
    void *made = has_trail_key ? mmap(NULL, TRAILS_BYTES, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                               : MAP_FAILED;
    if (made != MAP_FAILED && pthread_setspecific(trail_key, made) != 0) {
        munmap(made, TRAILS_BYTES);
        made = MAP_FAILED;
    }
    cwinnow_trails = made == MAP_FAILED ? NULL : made;
}

/// Walks, and remembers the way. Apart, so that who need not saves no register.
__attribute__((noinline)) static uint32_t walk(
    uintptr_t frame, uintptr_t callee, bool careful) {
    int saved = errno;
    // The first time glibc is asked for the stack as well, which takes memory.
    if (cwinnow_trails == NULL && careful && cwinnow_handler_is_running()) {
        return CWINNOW_ORIGIN_UNASKED;
    }
    if (cwinnow_trails == NULL) {
        make_trails();
    }
    is_careful = careful;
    is_refused = false;
    cwinnow_trail untaken;
    // A signal handler that prints meanwhile does not come here: a hook within a hook does nothing.
    cwinnow_trail *trail =
        cwinnow_trails == NULL ? &untaken : &cwinnow_trails[cwinnow_trail_index(frame)];
    uint32_t generation = __atomic_load_n(&cwinnow_sites_generation, __ATOMIC_ACQUIRE);
    uint32_t number = cwinnow_frames_origin(frame, callee, trail);
    // What was refused is asked for anew.
    trail->frame = is_refused ? 0 : frame;
    trail->generation = generation;
    trail->number = number;
    errno = saved;
    return is_refused ? CWINNOW_ORIGIN_UNASKED : number;
}

/// Looks whether the way is that of last time; else walks. An address of the hook is given.
__attribute__((always_inline, no_sanitize("address"))) static inline uint32_t find_origin(
    const void *frame, const void *callee, bool careful) {
    uintptr_t at = (uintptr_t)frame;
    if (cwinnow_trails != NULL) {
        const cwinnow_trail *trail = &cwinnow_trails[cwinnow_trail_index(at)];
        if (cwinnow_trail_leads(trail, at)) {
            return trail->number;
        }
    }
    return walk(at, cwinnow_machine_strip((uintptr_t)callee) - 1, careful);
}

__attribute__((no_sanitize("address"))) uint32_t cwinnow_origin_of(const void *frame) {
    return find_origin(frame, __builtin_return_address(0), false);
}

__attribute__((no_sanitize("address"))) uint32_t cwinnow_origin_of_printing(const void *frame) {
    return find_origin(frame, __builtin_return_address(0), true);
}

const cwinnow_origin *cwinnow_origin_at(uint32_t number) {
    if (number >= cwinnow_origin_count()) {
        number = CWINNOW_ORIGIN_UNKNOWN;
    }
    return number < FIXED_COUNT ? &fixed_origins[number] : &origins[number];
}

uint32_t cwinnow_origin_count(void) {
    return atomic_load_explicit(&origin_count, memory_order_acquire);
}

void cwinnow_origins_forget_code(void) {
    pthread_mutex_lock(&lock);
    __atomic_fetch_add(&cwinnow_sites_generation, 1, __ATOMIC_RELEASE);
    for (size_t set = 0; set < sizeof cache / sizeof *cache; set++) {
        for (int way = 0; way < WAYS; way++) {
            atomic_store_explicit(&cache[set][way], 0, memory_order_relaxed);
        }
    }
    pthread_mutex_unlock(&lock);
}

void cwinnow_origins_after_fork(void) {
    // Nothing is half-written: an origin counts once it is whole, and a word of the cache is one.
    pthread_mutex_init(&lock, NULL);
    is_resolving = false;
    cwinnow_program_after_fork();
}
