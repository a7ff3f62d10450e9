// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "CWinnowHooks.h"
#include "program.h"
#include "real.h"
#include "segments.h"

#pragma GCC visibility push(protected)

/// Whether a function is the program's: its address is, and it is no entry of the program's tables,
/// whose address stands for a function of another object.
static bool is_of_program(const void *function) {
    Dl_info object;
    const ElfW(Sym) *symbol = NULL;
    return function != NULL &&
        cwinnow_memory_is_code(&cwinnow_program_prepare()->memory, (uintptr_t)function) &&
        dladdr1(function, &object, (void **)&symbol, RTLD_DL_SYMENT) != 0 && symbol != NULL &&
        symbol->st_shndx != SHN_UNDEF;
}

const char *cwinnow_hooks_defined_by_program(size_t *position) {
    while (cwinnow_hooks[*position].name != NULL) {
        const char *name = cwinnow_hooks[(*position)++].name;
        if (is_of_program(dlsym(RTLD_DEFAULT, name))) {
            return name;
        }
    }
    return NULL;
}
