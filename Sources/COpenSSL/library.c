// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "COpenSSL.h"
#include "functions.h"

#include <dlfcn.h>
#include <pthread.h>
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
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load_alone(void) {
    // It is never closed: threads keep memory of it. libcrypto's symbols come with it.
    void *handle = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        return;
    }
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
        void *symbol = dlsym(handle, functions[index].symbol);
        if (symbol == NULL) {
            return;
        }
        memcpy((char *)&library + functions[index].offset, &symbol, sizeof symbol);
    }
    // A thread may be connecting while the process exits: nothing may be freed under it, as OpenSSL
    // does at exit unless its first caller forbids it.
    is_loaded = library.OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT_, NULL) == 1;
}

/// Held while OpenSSL is loaded and works on a connection. A fork(2) waits for that: its child
/// would have half of a library, and locks of the loader's and of OpenSSL's that nobody gives back.
/// It does not wait for long: OpenSSL reads the certificates of the system, from a disk that may be
/// away.
static pthread_mutex_t working = PTHREAD_MUTEX_INITIALIZER;
static const int longest_wait_milliseconds = 200;

/// Whether the thread that forks holds `working`; pthread_atfork(3) hands nothing from one of its
/// functions to the next.
static _Thread_local bool is_held;

/// Written in the child of a fork, before it has another thread.
static bool is_torn;

void copenssl_hold_forks(void) {
    pthread_mutex_lock(&working);
}

void copenssl_let_fork(void) {
    pthread_mutex_unlock(&working);
}

static void before_fork(void) {
    // Not pthread_mutex_timedlock(3), which a clock that is set back has wait for as long.
    is_held = pthread_mutex_trylock(&working) == 0;
    for (int waited = 0; !is_held && waited < longest_wait_milliseconds; waited++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        is_held = pthread_mutex_trylock(&working) == 0;
    }
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

bool copenssl_is_torn(void) {
    return is_torn;
}

// At the start: what is registered while a fork is under way does not hold for it.
__attribute__((constructor)) static void prepare_for_forks(void) {
    pthread_atfork(before_fork, in_parent, in_child);
}

static void load(void) {
    copenssl_hold_forks();
    load_alone();
    copenssl_let_fork();
}

const copenssl_library *copenssl_library_load(void) {
    if (is_torn) {
        return NULL;
    }
    pthread_once(&once, load);
    return is_loaded ? &library : NULL;
}
