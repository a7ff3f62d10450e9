// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "COpenSSL.h"
#include "functions.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC visibility push(protected)

struct function {
    const char *symbol;
    size_t offset;
};

#define FUNCTION(type, name, parameters) {#name, offsetof(copenssl_library, name)},
static const struct function functions[] = {COPENSSL_FUNCTIONS(FUNCTION)};

// Tells packagers of the library, which no DT_NEEDED names: `readelf -p .note.dlopen PROGRAM`.
// Source: UAPI group, "dlopen() Metadata for ELF Files", https://systemd.io/ELF_DLOPEN_METADATA/.
#define VENDOR "FDO"
#define DEPENDENCY                                                        \
    "[{\"feature\":\"tls\",\"description\":\"Syslog over TLS\","          \
    "\"priority\":\"suggested\",\"soname\":[\"libssl.so.3\"]}]"
__attribute__((used, section(".note.dlopen"))) _Alignas(4) static const struct {
    uint32_t name_size, description_size, type;
    char name[sizeof VENDOR];
    _Alignas(4) char description[sizeof DEPENDENCY];
} note = {sizeof VENDOR, sizeof DEPENDENCY, 0x407c0c0au, VENDOR, DEPENDENCY};

static copenssl_library library;
/// Whether it can be used, or never will be; written with `working` held.
static bool is_loaded;
static bool is_unusable;

/// Held while OpenSSL is loaded and works on a connection. A fork(2) waits for that: its child
/// would have half of a library, and locks of the loader's and of OpenSSL's that nobody gives back.
/// So does the end of OpenSSL, which would free what is at work. Neither waits for long: OpenSSL reads
/// the certificates of the system, from a disk that may be away.
static pthread_mutex_t working = PTHREAD_MUTEX_INITIALIZER;
static const int longest_wait_milliseconds = 200;

/// Whether the thread that forks holds `working`; pthread_atfork(3) hands nothing from one of its
/// functions to the next.
static _Thread_local bool is_held;

/// Written in the child of a fork, before it has another thread.
static bool is_torn;

/// Whether OpenSSL has cleaned up, or begun to.
static bool is_over;

/// What runs at exit while OpenSSL is still there.
static void (*at_end)(void);
static bool is_end_prepared;

bool copenssl_enter(void) {
    pthread_mutex_lock(&working);
    if (is_torn || __atomic_load_n(&is_over, __ATOMIC_SEQ_CST)) {
        pthread_mutex_unlock(&working);
        return false;
    }
    return true;
}

void copenssl_leave(void) {
    pthread_mutex_unlock(&working);
}

int32_t copenssl_absence(void) {
    if (is_torn) {
        return EOWNERDEAD;
    }
    return __atomic_load_n(&is_over, __ATOMIC_SEQ_CST) ? ESHUTDOWN : ELIBACC;
}

// Waits for who is at work, with a bound; whether `working` is held then.
static bool await_workers(void) {
    // Not pthread_mutex_timedlock(3), which a clock that is set back has wait for as long.
    bool is_free = pthread_mutex_trylock(&working) == 0;
    for (int waited = 0; !is_free && waited < longest_wait_milliseconds; waited++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        is_free = pthread_mutex_trylock(&working) == 0;
    }
    return is_free;
}

static void before_fork(void) {
    is_held = await_workers();
}

static void in_parent(void) {
    if (is_held) {
        pthread_mutex_unlock(&working);
    }
}

static void in_child(void) {
    if (is_held) {
        pthread_mutex_unlock(&working);
    } else {
        // Its holder is not in this process.
        is_torn = true;
        pthread_mutex_init(&working, NULL);
    }
}

// At the start: what is registered while a fork is under way does not hold for it.
__attribute__((constructor)) static void prepare_for_forks(void) {
    pthread_atfork(before_fork, in_parent, in_child);
}

// Runs at the beginning of OPENSSL_cleanup(3), which frees what other threads may be about to use: bars
// it to all, and waits for who is inside.
static void bar(void) {
    __atomic_store_n(&is_over, true, __ATOMIC_SEQ_CST);
    if (await_workers()) {
        pthread_mutex_unlock(&working);
    }
}

void copenssl_set_end(void (*body)(void)) {
    __atomic_store_n(&at_end, body, __ATOMIC_RELEASE);
}

// Has the end run before what was registered until now.
static void register_end(void) {
    void (*body)(void) = __atomic_load_n(&at_end, __ATOMIC_ACQUIRE);
    if (body != NULL) {
        // Where that fails, the end comes when it comes, and tells what it finds.
        atexit(body);
    }
}

void copenssl_prepare_end(void) {
    if (!__atomic_exchange_n(&is_end_prepared, true, __ATOMIC_RELAXED)) {
        register_end();
    }
}

// Whether OpenSSL can be used, and has not cleaned up. It does so at exit only where the program was
// its first caller: who comes later than this one does not have it registered any more.
static bool is_usable(void) {
    return library.OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT_, NULL) == 1;
}

// Prepares OpenSSL for use, and for its end; whether it can be used.
static bool prepare(void) {
    bool is_prepared = is_usable() && library.OPENSSL_atexit(bar) == 1;
    if (is_prepared) {
        register_end();
    }
    // It may have begun to clean up behind the first look.
    if (is_prepared && is_usable()) {
        return true;
    }
    __atomic_store_n(&is_over, true, __ATOMIC_SEQ_CST);
    return false;
}

static void load_alone(void) {
    // It is never closed: threads keep memory of it. libcrypto's symbols come with it.
    void *handle = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        // There may be no descriptor left, or no memory: the next connection asks again.
        return;
    }
    is_unusable = true;
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
        void *symbol = dlsym(handle, functions[index].symbol);
        if (symbol == NULL) {
            return;
        }
        memcpy((char *)&library + functions[index].offset, &symbol, sizeof symbol);
    }
    __atomic_store_n(&is_loaded, prepare(), __ATOMIC_RELEASE);
}

const copenssl_library *copenssl_library_load(void) {
    if (is_torn) {
        return NULL;
    }
    if (!__atomic_load_n(&is_loaded, __ATOMIC_ACQUIRE) && copenssl_enter()) {
        if (!is_loaded && !is_unusable) {
            load_alone();
        }
        copenssl_leave();
    }
    return __atomic_load_n(&is_loaded, __ATOMIC_ACQUIRE) ? &library : NULL;
}
