// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "CWinnowHooks.h"
#include "CWinnowLines.h"
#include "CWinnowOrigin.h"
#include "CWinnowThread.h"
#include "hook.h"

#if defined(__x86_64__)
#define JUMP_SLOT R_X86_64_JUMP_SLOT
#define GLOBAL_DATA R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define JUMP_SLOT R_AARCH64_JUMP_SLOT
#define GLOBAL_DATA R_AARCH64_GLOB_DAT
#else
#error "the hooks know x86-64 and arm64"
#endif

/// How long another thread is waited for that puts hooks in place.
#define PATIENCE_NANOSECONDS 100000000u

/// A table of an object that is resolved by name.
typedef struct relocations {
    const ElfW(Rela) *start;
    size_t count;
} relocations;

/// What is needed of an object's dynamic section.
typedef struct dynamic {
    const ElfW(Sym) *symbols;
    const char *names;
    relocations tables[2];
} dynamic;

/// One thread at a time puts hooks in place.
static cwinnow_lock *lock;
static uint32_t slot_count;
/// How many objects were loaded and unloaded when the tables were looked at last.
static unsigned long long seen_loads, seen_unloads;
static size_t page_size;
/// Whether the last look has left an object alone that the loader was not done with.
static bool is_waiting;
/// Whether a program has asked for an object to be loaded since the worker looked.
static bool is_loading;
/// Whether the Swift runtime is an object of its own.
static bool has_shared_runtime;

/// Whether an object writes into stdio's buffers itself.
static bool has_inlined_writers;

bool cwinnow_hooks_have_inlined_writers(void) {
    return __atomic_load_n(&has_inlined_writers, __ATOMIC_RELAXED);
}

bool cwinnow_hooks_are_runtimes(void) {
    return !__atomic_load_n(&has_shared_runtime, __ATOMIC_RELAXED);
}

static bool has_name(const char *path, const char *name) {
    const char *slash = strrchr(path, '/');
    return strncmp(slash == NULL ? path : slash + 1, name, strlen(name)) == 0;
}

/// Whether an object is libc or the loader: what they print for others is hooked there, and what
/// they do within themselves is theirs.
static bool is_system(const char *path) {
    static const char *const names[] = {"libc.so", "ld-linux", "linux-vdso", "libgcc_s"};
    for (size_t index = 0; index < sizeof names / sizeof names[0]; index++) {
        if (has_name(path, names[index])) {
            return true;
        }
    }
    return false;
}

static bool is_swift_runtime(const char *path) {
    return has_name(path, "libswiftCore.so");
}

/// Notes what else the name of a function says of the object that calls it: __overflow is what
/// putc_unlocked(3) calls where it is inlined and the buffer has no room.
static void note(const char *name) {
    if (strcmp(name, "__overflow") == 0) {
        __atomic_store_n(&has_inlined_writers, true, __ATOMIC_RELAXED);
    }
}

static dynamic dynamic_of(const struct dl_phdr_info *object) {
    dynamic found = {0};
    const ElfW(Dyn) *entry = NULL;
    for (size_t index = 0; index < object->dlpi_phnum; index++) {
        if (object->dlpi_phdr[index].p_type == PT_DYNAMIC) {
            entry = (const void *)(object->dlpi_addr + object->dlpi_phdr[index].p_vaddr);
        }
    }
    // The loader has made addresses of what the file has as offsets.
    for (; entry != NULL && entry->d_tag != DT_NULL; entry++) {
        const void *address = (const void *)entry->d_un.d_ptr;
        switch (entry->d_tag) {
        case DT_SYMTAB: found.symbols = address; break;
        case DT_STRTAB: found.names = address; break;
        case DT_JMPREL: found.tables[0].start = address; break;
        case DT_RELA: found.tables[1].start = address; break;
        case DT_PLTRELSZ: found.tables[0].count = entry->d_un.d_val / sizeof(ElfW(Rela)); break;
        case DT_RELASZ: found.tables[1].count = entry->d_un.d_val / sizeof(ElfW(Rela)); break;
        default: break;
        }
    }
    return found;
}

static void *hook_of(const char *name) {
    for (const cwinnow_hook *hook = cwinnow_hooks; hook->name != NULL; hook++) {
        if (strcmp(hook->name, name) == 0) {
            return hook->function;
        }
    }
    return NULL;
}

/// Returns the hook for a name in an object; NULL where there is none. What `print` does is one call
/// of fwrite(3) with stdout; by all else the Swift runtime says why the process ends, which must get
/// to where it is looked for.
static void *hook_for(const char *path, const char *name) {
    if (is_swift_runtime(path)) {
        return strcmp(name, "fwrite") == 0 ? (void *)cwinnow_hook_fwrite_of_print : NULL;
    }
    return hook_of(name);
}

/// Puts a hook into an entry. Returns whether the page had to be made writable.
static bool put(void **slot, void *hook) {
    if (__atomic_load_n(slot, __ATOMIC_RELAXED) == hook) {
        return false;
    }
    void *page = (void *)((uintptr_t)slot & ~(page_size - 1));
    if (mprotect(page, page_size, PROT_READ | PROT_WRITE) != 0) {
        return false;
    }
    __atomic_store_n(slot, hook, __ATOMIC_RELEASE);
    return true;
}

/// The pages of an object that the loader makes read-only when it has relocated the object.
typedef struct pages {
    uintptr_t start, end;
} pages;

/// Returns the pages; none where the object has none that are to be so as a whole.
///
/// Source: ld(1), `-z relro`; glibc, `_dl_protect_relro`.
static pages protected_pages(const struct dl_phdr_info *object) {
    for (size_t index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[index];
        uintptr_t start = object->dlpi_addr + header->p_vaddr;
        uintptr_t end = (start + header->p_memsz) & ~(page_size - 1);
        start &= ~(page_size - 1);
        if (header->p_type == PT_GNU_RELRO && end > start) {
            return (pages){start, end};
        }
    }
    return (pages){0, 0};
}

/// Makes what the loader has made read-only read-only again.
static void protect(const struct dl_phdr_info *object) {
    pages pages = protected_pages(object);
    if (pages.end > pages.start) {
        mprotect((void *)pages.start, pages.end - pages.start, PROT_READ);
    }
}

/// Whether a page can be written, by a call that adds 0 to a word of it, atomically: it fails with
/// EFAULT where it cannot.
///
/// Source: futex(2), FUTEX_WAKE_OP.
static bool is_writable(uintptr_t page) {
    uint32_t nobody = 0;
    unsigned add_nothing = FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_LT, 0);
    return syscall(SYS_futex, &nobody, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0, page,
                   add_nothing) >= 0;
}

/// Whether the loader is not done with an object: another thread is loading it, and dl_iterate_phdr(3)
/// shows it as soon as it is mapped. What is written to it now the loader writes over, and what is
/// made read-only it faults at.
static bool is_unfinished(const struct dl_phdr_info *object, const dynamic *dynamic) {
    // What was loaded with the program is done before any of its code runs.
    pages pages = protected_pages(object);
    if (pages.end > pages.start) {
        return is_writable(pages.start);
    }
    const relocations *last = &dynamic->tables[0];
    if (last->start == NULL || last->count == 0) {
        return false;
    }
    // The entries of calls come last, and hold an offset until then.
    uintptr_t place = object->dlpi_addr + last->start[last->count - 1].r_offset;
    return __atomic_load_n((uintptr_t *)place, __ATOMIC_RELAXED) < object->dlpi_addr;
}

/// A function that an object calls: its name, and where its address stands.
typedef struct call {
    const char *name;
    void **slot;
} call;

/// Puts the hook in place of a function that an object calls, if it is to be hooked; counts it.
/// Returns whether the page had to be made writable.
static bool look_at_call(const struct dl_phdr_info *object, call call, uint32_t *count) {
    note(call.name);
    void *hook = hook_for(object->dlpi_name, call.name);
    if (hook == NULL) {
        return false;
    }
    *count += 1;
    return put(call.slot, hook);
}

static int look_at(struct dl_phdr_info *object, size_t size, void *counter) {
    (void)size;
    __atomic_store_n(&seen_loads, object->dlpi_adds, __ATOMIC_RELAXED);
    __atomic_store_n(&seen_unloads, object->dlpi_subs, __ATOMIC_RELAXED);
    dynamic dynamic = dynamic_of(object);
    if (is_swift_runtime(object->dlpi_name)) {
        __atomic_store_n(&has_shared_runtime, true, __ATOMIC_RELAXED);
    }
    if (is_system(object->dlpi_name) || dynamic.symbols == NULL || dynamic.names == NULL) {
        return 0;
    }
    if (is_unfinished(object, &dynamic)) {
        __atomic_store_n(&is_waiting, true, __ATOMIC_RELAXED);
        return 0;
    }
    bool is_written = false;
    for (size_t table = 0; table < 2; table++) {
        const relocations *of = &dynamic.tables[table];
        for (size_t index = 0; of->start != NULL && index < of->count; index++) {
            const ElfW(Rela) *entry = &of->start[index];
            uint64_t type = ELF64_R_TYPE(entry->r_info);
            if (type == JUMP_SLOT || type == GLOBAL_DATA) {
                const ElfW(Sym) *symbol = &dynamic.symbols[ELF64_R_SYM(entry->r_info)];
                void **slot = (void **)(object->dlpi_addr + entry->r_offset);
                call call = {dynamic.names + symbol->st_name, slot};
                is_written |= look_at_call(object, call, counter);
            }
        }
    }
    if (is_written) {
        protect(object);
    }
    return 0;
}

static void look_at_all(void) {
    unsigned long long unloads = seen_unloads;
    uint32_t count = 0;
    __atomic_store_n(&is_waiting, false, __ATOMIC_RELAXED);
    // The lock of the loader's list is held meanwhile: no object comes or goes.
    dl_iterate_phdr(look_at, &count);
    __atomic_store_n(&slot_count, count, __ATOMIC_RELAXED);
    if (seen_unloads != unloads) {
        cwinnow_origins_forget_code();
    }
}

uint32_t cwinnow_hooks_install(void) {
    if (lock == NULL) {
        page_size = (size_t)sysconf(_SC_PAGESIZE);
        lock = cwinnow_lock_make();
    }
    if (!cwinnow_real_find()) {
        return 0;
    }
    cwinnow_hooks_prepare();
    cwinnow_lock_acquire(lock);
    look_at_all();
    cwinnow_lock_release(lock);
    return __atomic_load_n(&slot_count, __ATOMIC_RELAXED);
}

static int look_at_counts(struct dl_phdr_info *object, size_t size, void *is_changed) {
    (void)size;
    *(bool *)is_changed =
        object->dlpi_adds != __atomic_load_n(&seen_loads, __ATOMIC_RELAXED) ||
        object->dlpi_subs != __atomic_load_n(&seen_unloads, __ATOMIC_RELAXED);
    return 1;
}

bool cwinnow_hooks_are_stale(void) {
    bool is_changed = __atomic_load_n(&is_waiting, __ATOMIC_RELAXED);
    if (!is_changed) {
        dl_iterate_phdr(look_at_counts, &is_changed);
    }
    return is_changed;
}

bool cwinnow_hooks_are_waiting(void) {
    return __atomic_load_n(&is_waiting, __ATOMIC_RELAXED);
}

void cwinnow_hooks_note_load(void) {
    __atomic_store_n(&is_loading, true, __ATOMIC_RELAXED);
    cwinnow_lines_wake();
}

bool cwinnow_hooks_take_load(void) {
    return __atomic_exchange_n(&is_loading, false, __ATOMIC_RELAXED);
}

void cwinnow_tables_before_fork(void) {
    if (lock != NULL) {
        cwinnow_lock_acquire(lock);
    }
}

void cwinnow_hooks_renew(bool is_forced) {
    int saved_errno = errno;
    // Who has the lock may have looked before the object was there that this thread is about to call.
    // Not for ever, as this thread may hold what the other waits for: a lock of the loader's.
    if (lock != NULL && cwinnow_lock_acquire_within(lock, PATIENCE_NANOSECONDS)) {
        if (is_forced || cwinnow_hooks_are_stale()) {
            look_at_all();
        }
        cwinnow_lock_release(lock);
    }
    errno = saved_errno;
}

void cwinnow_tables_after_fork(bool is_child) {
    if (lock != NULL) {
        is_child ? cwinnow_lock_reset(lock) : cwinnow_lock_release(lock);
    }
}
