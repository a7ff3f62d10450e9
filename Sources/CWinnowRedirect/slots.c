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
#include "imports.h"
#include "segments.h"

#pragma GCC visibility push(protected)

#if defined(__x86_64__)
#define JUMP_SLOT R_X86_64_JUMP_SLOT
#define GLOBAL_DATA R_X86_64_GLOB_DAT
#define ADDRESS R_X86_64_64
#elif defined(__aarch64__)
#define JUMP_SLOT R_AARCH64_JUMP_SLOT
#define GLOBAL_DATA R_AARCH64_GLOB_DAT
#define ADDRESS R_AARCH64_ABS64
#else
#error "the hooks know x86-64 and arm64"
#endif

/// The bytes of an object's name that are kept, the NUL at its end among them.
#define NAME_SIZE 128

/// How long another thread is waited for that puts hooks in place: at a load of ten it gets no processor
/// for 0.1 s and more. Only who holds a lock of the loader's waits for so long in vain.
#define PATIENCE_NANOSECONDS 1000000000u

/// One thread at a time puts hooks in place.
static cwinnow_lock *lock;
/// Whether the fork has it: not where the thread that forks has what the other waits for, a lock of
/// the loader's, as within dl_iterate_phdr(3).
static bool is_held_by_fork;
static uint32_t slot_count;
/// How many objects were loaded and unloaded when the tables were looked at last.
static unsigned long long seen_loads, seen_unloads;
static size_t page_size;
/// Whether the last look has left an object alone that the loader was not done with.
static bool is_waiting;
/// The name of the object, and of the one that was given up last: written with the lock held.
static char waiting_name[NAME_SIZE], given_up_name[NAME_SIZE];
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

/// Returns the hook for a name in an object; NULL where there is none. What `print` does is one call
/// of fwrite(3) with stdout; by all else the Swift runtime says why the process ends, which must get
/// to where it is looked for.
static void *hook_for(const char *path, const char *name, const cwinnow_hook *hook) {
    if (is_swift_runtime(path)) {
        return strcmp(name, "fwrite") == 0 ? (void *)cwinnow_hook_fwrite_of_print : NULL;
    }
    return hook->function;
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

/// The bytes that an object takes in memory, from where it is loaded.
static uintptr_t size_of(const struct dl_phdr_info *object) {
    uintptr_t size = 0;
    for (size_t index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[index];
        uintptr_t end = header->p_vaddr + header->p_memsz;
        size = header->p_type == PT_LOAD && end > size ? end : size;
    }
    return size;
}

/// Whether the loader is not done with an object: another thread is loading it, and dl_iterate_phdr(3)
/// shows it as soon as it is mapped. What is written to it now the loader writes over, and what is
/// made read-only it faults at.
static bool is_unfinished(const struct dl_phdr_info *object, const cwinnow_imports *imports) {
    // What was loaded with the program is done before any of its code runs.
    pages pages = protected_pages(object);
    if (pages.end > pages.start) {
        return is_writable(pages.start);
    }
    const cwinnow_relocations *last = &imports->tables[0];
    if (last->start == NULL || last->count == 0) {
        return false;
    }
    // The entries of calls come last, and hold an offset into the object until then: 0 is a
    // function that nobody has, and what is below the object may be another's.
    uintptr_t place = object->dlpi_addr + last->start[last->count - 1].r_offset;
    uintptr_t value = __atomic_load_n((uintptr_t *)place, __ATOMIC_RELAXED);
    return object->dlpi_addr != 0 && value != 0 && value < size_of(object);
}

/// An object that is looked at.
typedef struct looked_at {
    const struct dl_phdr_info *object;
    cwinnow_imports imports;
    cwinnow_memory memory;
    /// The number of entries that lead to hooks.
    uint32_t count;
    /// Whether a page of it had to be made writable.
    bool is_written;
} looked_at;

/// Whether an entry leads to the function that a hook stands for, or will once it is resolved: until
/// then it leads back into the object. An entry of the same name may be for another function, with
/// other arguments: one of a library's own that other libraries import.
static bool is_for(
    const looked_at *of, size_t symbol, void *const *slot, const cwinnow_hook *hook) {
    void *value = __atomic_load_n(slot, __ATOMIC_RELAXED);
    if (value == NULL || !cwinnow_imports_has_function(&of->imports, symbol)) {
        return false;
    }
    // Whoever has taken its place, as sanitizers do and what LD_PRELOAD names, is called like it.
    if (cwinnow_imports_is_of_libc(&of->imports, symbol)) {
        return true;
    }
    const cwinnow_stood_for *stood_for = cwinnow_real_of(hook);
    bool is_unresolved = cwinnow_memory_is_code(&of->memory, (uintptr_t)value);
    return value == hook->function || value == stood_for->libc ||
        (is_unresolved && stood_for->first == stood_for->libc);
}

/// Puts the hook in place of a function that an object calls, if it is to be hooked; counts it.
static void look_at_call(looked_at *of, const ElfW(Rela) *entry) {
    size_t symbol = ELF64_R_SYM(entry->r_info);
    const char *name = of->imports.names + of->imports.symbols[symbol].st_name;
    note(name);
    const cwinnow_hook *hook = cwinnow_hook_named(name);
    void **slot = (void **)(of->object->dlpi_addr + entry->r_offset);
    void *function = hook == NULL ? NULL : hook_for(of->object->dlpi_name, name, hook);
    if (function != NULL && is_for(of, symbol, slot, hook)) {
        of->count++;
        of->is_written |= put(slot, function);
    }
}

/// Puts the hook in place of a pointer to a function that an object keeps in its data, as a table of
/// functions has them, or a variable by which they can be changed: unless the program has changed it.
static void look_at_pointer(looked_at *of, const ElfW(Rela) *entry) {
    size_t symbol = ELF64_R_SYM(entry->r_info);
    uintptr_t place = of->object->dlpi_addr + entry->r_offset;
    // Code that the loader has written to is left alone: made writable, it could not be executed.
    if (entry->r_addend != 0 || place % sizeof(void *) != 0 ||
        cwinnow_memory_is_code(&of->memory, place)) {
        return;
    }
    void **slot = (void **)place;
    void *value = __atomic_load_n(slot, __ATOMIC_RELAXED);
    // Before the name, as most pointers are to other things.
    const cwinnow_hook *hook = cwinnow_hook_for(value);
    if (hook == NULL || !is_for(of, symbol, slot, hook)) {
        return;
    }
    void *function = hook_for(of->object->dlpi_name, hook->name, hook);
    pages pages = protected_pages(of->object);
    if (function != NULL && place >= pages.start && place < pages.end) {
        of->is_written |= put(slot, function);
    } else if (function != NULL && is_writable(place)) {
        __atomic_compare_exchange_n(
            slot, &value, function, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    }
}

static void look_at_calls(looked_at *of) {
    for (size_t table = 0; table < 2; table++) {
        const cwinnow_relocations *calls = &of->imports.tables[table];
        for (size_t index = 0; calls->start != NULL && index < calls->count; index++) {
            uint64_t type = ELF64_R_TYPE(calls->start[index].r_info);
            if (type == JUMP_SLOT || type == GLOBAL_DATA) {
                look_at_call(of, &calls->start[index]);
            } else if (type == ADDRESS) {
                look_at_pointer(of, &calls->start[index]);
            }
        }
    }
}

static int look_at(struct dl_phdr_info *object, size_t size, void *counter) {
    (void)size;
    __atomic_store_n(&seen_loads, object->dlpi_adds, __ATOMIC_RELAXED);
    __atomic_store_n(&seen_unloads, object->dlpi_subs, __ATOMIC_RELAXED);
    looked_at of = {.object = object, .imports = cwinnow_imports_of(object)};
    if (is_swift_runtime(object->dlpi_name)) {
        __atomic_store_n(&has_shared_runtime, true, __ATOMIC_RELAXED);
    }
    if (is_system(object->dlpi_name) || of.imports.symbols == NULL || of.imports.names == NULL) {
        return 0;
    }
    if (is_unfinished(object, &of.imports)) {
        const char *slash = strrchr(object->dlpi_name, '/');
        const char *name = slash == NULL ? object->dlpi_name : slash + 1;
        memcpy(waiting_name, name, strnlen(name, NAME_SIZE - 1) + 1);
        waiting_name[NAME_SIZE - 1] = '\0';
        __atomic_store_n(&is_waiting, true, __ATOMIC_RELAXED);
        return 0;
    }
    of.memory = cwinnow_memory_of(object);
    look_at_calls(&of);
    *(uint32_t *)counter += of.count;
    if (of.is_written) {
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

const char *cwinnow_hooks_give_up_waiting(void) {
    bool is_news = false;
    if (lock != NULL && cwinnow_lock_acquire_within(lock, PATIENCE_NANOSECONDS)) {
        bool was_waiting = __atomic_exchange_n(&is_waiting, false, __ATOMIC_RELAXED);
        is_news = was_waiting && strcmp(waiting_name, given_up_name) != 0;
        memcpy(given_up_name, waiting_name, was_waiting ? NAME_SIZE : 0);
        cwinnow_lock_release(lock);
    }
    return is_news ? given_up_name : NULL;
}

void cwinnow_hooks_note_load(void) {
    __atomic_store_n(&is_loading, true, __ATOMIC_RELAXED);
    cwinnow_lines_wake();
}

bool cwinnow_hooks_take_load(void) {
    return __atomic_exchange_n(&is_loading, false, __ATOMIC_RELAXED);
}

void cwinnow_tables_before_fork(void) {
    is_held_by_fork = lock != NULL && cwinnow_lock_acquire_within(lock, PATIENCE_NANOSECONDS);
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
    if (is_child && lock != NULL) {
        cwinnow_lock_reset(lock);
    } else if (is_held_by_fork) {
        cwinnow_lock_release(lock);
    }
}
