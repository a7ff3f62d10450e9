// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "loaded.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "CWinnowThread.h"
#include "mapped.h"
#include "segments.h"

#pragma GCC visibility push(protected)

/// What glibc 2.35 and later know of an object; some of it is for later versions.
/// Source: dlfcn.h, `struct dl_find_object`, on x86-64 and arm64.
typedef struct found_object {
    unsigned long long flags;
    void *start, *end;
    struct link_map *map;
    void *unwind_tables;
    unsigned long long reserved[11];
} found_object;

/// `_dl_find_object`, which takes no lock; NULL in an older glibc.
static int (*find_object)(void *address, found_object *ret_object);

/// Held while the loader's list is gone through, with a lock that a fork does not wait for: in the
/// child nobody would give that back, and dlopen(3) would wait for ever.
static cwinnow_lock *lock;
/// How long it is waited for: who has it may wait in turn, for a thread that prints from within
/// dl_iterate_phdr(3).
#define PATIENCE_NANOSECONDS 100000000u
/// Whether the fork has it.
static bool is_held_by_fork;

void cwinnow_loaded_prepare(void) {
    if (lock == NULL) {
        *(void **)(void *)&find_object = dlsym(RTLD_DEFAULT, "_dl_find_object");
        lock = cwinnow_lock_make();
    }
}

/// Takes the program headers of an object from the ELF header in front of it. Returns false where
/// there is none.
static bool read_headers(const found_object *found, struct dl_phdr_info *ret_object) {
    const ElfW(Ehdr) *header = found->start;
    if (!cwinnow_is_readable(header, sizeof *header) ||
        memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_phentsize != sizeof(ElfW(Phdr)) ||
        header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) > CWINNOW_PAGE_SIZE) {
        return false;
    }
    *ret_object = (struct dl_phdr_info){
        .dlpi_addr = found->map->l_addr,
        .dlpi_name = found->map->l_name,
        .dlpi_phdr = (const void *)((const char *)found->start + header->e_phoff),
        .dlpi_phnum = header->e_phnum,
    };
    return true;
}

struct search {
    uintptr_t address;
    struct dl_phdr_info *object;
};

static int match(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    const struct search *search = context;
    cwinnow_memory memory = cwinnow_memory_of(info);
    if (cwinnow_memory_at(&memory, search->address, 1) == NULL) {
        return 0;
    }
    *search->object = *info;
    return 1;
}

/// Goes through the list of all objects.
static bool find_in_list(uintptr_t address, struct dl_phdr_info *ret_object) {
    bool is_held = lock != NULL && cwinnow_lock_acquire_within(lock, PATIENCE_NANOSECONDS);
    struct search search = {address, ret_object};
    bool is_found = dl_iterate_phdr(match, &search) != 0;
    if (is_held) {
        cwinnow_lock_release(lock);
    }
    return is_found;
}

bool cwinnow_loaded_find(uintptr_t address, struct dl_phdr_info *ret_object) {
    found_object found;
    if (find_object == NULL) {
        return find_in_list(address, ret_object);
    }
    return find_object((void *)address, &found) == 0 &&
        (read_headers(&found, ret_object) || find_in_list(address, ret_object));
}

void cwinnow_loaded_before_fork(void) {
    is_held_by_fork =
        lock != NULL && cwinnow_lock_acquire_within(lock, PATIENCE_NANOSECONDS);
}

void cwinnow_loaded_after_fork(bool is_child) {
    if (is_child && lock != NULL) {
        cwinnow_lock_reset(lock);
    } else if (is_held_by_fork) {
        cwinnow_lock_release(lock);
    }
}
