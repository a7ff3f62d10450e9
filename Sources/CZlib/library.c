// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CZlib.h"
#include "functions.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

#pragma GCC visibility push(protected)

czlib_library czlib_bound;
static int is_loaded;

// Tells packagers of the library, which no DT_NEEDED names: `readelf -p .note.dlopen PROGRAM`.
// Source: UAPI group, "dlopen() Metadata for ELF Files", https://systemd.io/ELF_DLOPEN_METADATA/.
#define VENDOR "FDO"
#define DEPENDENCY                                                          \
    "[{\"feature\":\"gzip\",\"description\":\"Compressing rotated files\"," \
    "\"priority\":\"suggested\",\"soname\":[\"libz.so.1\"]}]"
__attribute__((used, section(".note.dlopen"))) _Alignas(4) static const struct {
    uint32_t name_size, description_size, type;
    char name[sizeof VENDOR];
    _Alignas(4) char description[sizeof DEPENDENCY];
} note = {sizeof VENDOR, sizeof DEPENDENCY, 0x407c0c0au, VENDOR, DEPENDENCY};

static void load_alone(void) {
    void *handle = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        return;
    }
    int is_whole = 1;
#define BIND(name, result, parameters)               \
    do {                                             \
        void *symbol = dlsym(handle, #name);         \
        is_whole = is_whole && symbol != NULL;       \
        memcpy(&czlib_bound.name, &symbol, sizeof symbol); \
    } while (0);
    CZLIB_FUNCTIONS(BIND)
#undef BIND
    if (is_whole) {
        __atomic_store_n(&is_loaded, 1, __ATOMIC_RELEASE);
    } else {
        dlclose(handle);
    }
}

/// Held while the library is loaded. A fork(2) waits for that: its child would have half of a
/// library, and a lock of the loader's that nobody gives back.
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

static void hold_forks(void) {
    pthread_mutex_lock(&loading);
}

static void let_fork(void) {
    pthread_mutex_unlock(&loading);
}

// At the start: what is registered while a fork is under way does not hold for it.
__attribute__((constructor)) static void prepare_for_forks(void) {
    pthread_atfork(hold_forks, let_fork, let_fork);
}

int32_t czlib_is_available(void) {
    // Where it is not to be had, it is asked for again: there may have been no descriptor left for it.
    if (!__atomic_load_n(&is_loaded, __ATOMIC_ACQUIRE)) {
        hold_forks();
        if (!is_loaded) {
            load_alone();
        }
        let_fork();
    }
    return __atomic_load_n(&is_loaded, __ATOMIC_ACQUIRE);
}

// Hands the bytes of the file to zlib; returns how many, or -errno.
static int64_t feed(int32_t from, void *stream) {
    static const unsigned size = 64 * 1024;
    uint8_t bytes[64 * 1024];
    int64_t total = 0;
    while (1) {
        ssize_t count = read(from, bytes, size);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return count < 0 ? -errno : total;
        }
        errno = 0;
        if (czlib_bound.gzwrite(stream, bytes, (unsigned)count) != (int)count) {
            return errno == 0 ? -EIO : -errno;
        }
        total += count;
    }
}

int64_t czlib_compress(int32_t from, int32_t to) {
    if (!czlib_is_available()) {
        return -ENOSYS;
    }
    // zlib closes the descriptor that it is given.
    int copy = fcntl(to, F_DUPFD_CLOEXEC, 3);
    if (copy < 0) {
        return -errno;
    }
    void *stream = czlib_bound.gzdopen(copy, "wb");
    if (stream == NULL) {
        close(copy);
        return -ENOMEM;
    }
    int64_t outcome = feed(from, stream);
    errno = 0;
    if (czlib_bound.gzclose(stream) != 0 && outcome >= 0) {
        outcome = errno == 0 ? -EIO : -errno;
    }
    return outcome;
}
