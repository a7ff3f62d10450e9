// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "program.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "name.h"

#pragma GCC visibility push(protected)

static cwinnow_program program;
static pthread_once_t is_prepared = PTHREAD_ONCE_INIT;

/// The indexes, and whether they were made: what a loader of 1 sees was written before.
static pthread_mutex_t index_lock = PTHREAD_MUTEX_INITIALIZER;
static cwinnow_symbol_index symbols;
static cwinnow_line_index lines;
static uint32_t has_symbols, has_lines;

/// The program is the first object that the loader tells of. Source: dl_iterate_phdr(3).
static int take_first(struct dl_phdr_info *object, size_t size, void *headers) {
    (void)size;
    program.memory = cwinnow_memory_of(object);
    program.load_address = object->dlpi_addr;
    *(cwinnow_bytes *)headers = (cwinnow_bytes){
        (const uint8_t *)object->dlpi_phdr, object->dlpi_phnum * sizeof *object->dlpi_phdr};
    program.code_start = UINT64_MAX;
    for (size_t index = 0; index < program.memory.count; index++) {
        const cwinnow_segment *segment = &program.memory.segments[index];
        uint64_t low = segment->low - program.load_address;
        uint64_t high = segment->high - program.load_address;
        if (segment->is_code) {
            program.code_start = low < program.code_start ? low : program.code_start;
            program.code_end = high > program.code_end ? high : program.code_end;
        }
    }
    return 1;
}

/// Maps the file of the program, for as long as the process lives: nothing of it is in memory but
/// what is looked at, and that is shared.
static cwinnow_bytes map_file(void) {
    cwinnow_bytes file = {NULL, 0};
    int descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return file;
    }
    struct stat status;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        size_t size = (size_t)status.st_size;
        void *start = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (start != MAP_FAILED) {
            file = (cwinnow_bytes){start, size};
        }
    }
    close(descriptor);
    return file;
}

static void prepare(void) {
    cwinnow_bytes headers = {NULL, 0};
    dl_iterate_phdr(take_first, &headers);
    cwinnow_bytes file = map_file();
    bool is_same = file.count > 0 && cwinnow_elf_read(file, &program.elf) &&
                   headers.count > 0 && program.elf.program_headers.count == headers.count &&
                   memcmp(program.elf.program_headers.start, headers.start, headers.count) == 0;
    if (!is_same) {
        // No ELF file of 64 bits; or `ld.so PROGRAM`, where /proc/self/exe is the loader.
        program.elf = (cwinnow_elf){.types_size = 0};
        if (file.count > 0) {
            munmap((void *)(uintptr_t)file.start, file.count);
        }
    }
}

const cwinnow_program *cwinnow_program_prepare(void) {
    pthread_once(&is_prepared, prepare);
    return &program;
}

static void index_symbols(void) {
    cwinnow_symbols_index(&program.elf, program.code_start, &symbols);
}

static void index_lines(void) {
    cwinnow_lines_index(&program.elf, program.code_start, program.code_end, &lines);
}

/// Makes an index once. No code of others runs under the lock: neither malloc(3) nor the loader.
static void make_once(uint32_t *is_made, void (*make)(void)) {
    if (__atomic_load_n(is_made, __ATOMIC_ACQUIRE) != 0) {
        return;
    }
    pthread_mutex_lock(&index_lock);
    if (*is_made == 0) {
        make();
        __atomic_store_n(is_made, 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&index_lock);
}

bool cwinnow_program_symbol(uint64_t address, cwinnow_symbol *ret_symbol) {
    make_once(&has_symbols, index_symbols);
    return cwinnow_symbols_find(&program.elf, &symbols, address, ret_symbol);
}

bool cwinnow_program_main(const cwinnow_symbol *symbol, char ret_name[CWINNOW_ORIGIN_NAME_SIZE]) {
    make_once(&has_symbols, index_symbols);
    // The code of a `main.swift` that awaits is in functions of its own.
    bool is_main = symbol->start == symbols.main_start || strncmp(symbol->name, "async_Main", 10) == 0;
    if (symbols.main_name == NULL || !is_main) {
        return false;
    }
    cwinnow_name_write(ret_name, symbols.main_name, strlen(symbols.main_name) - strlen("_main"));
    return true;
}

bool cwinnow_program_target(uint64_t address, char ret_target[CWINNOW_ORIGIN_NAME_SIZE]) {
    make_once(&has_lines, index_lines);
    return cwinnow_lines_find(&program.elf, &lines, address, ret_target);
}

void cwinnow_program_after_fork(void) {
    // An index that another thread was making is made again.
    pthread_mutex_init(&index_lock, NULL);
}
