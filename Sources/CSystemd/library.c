// SPDX-License-Identifier: Apache-2.0

#include "CSystemd.h"
#include "functions.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC visibility push(protected)

struct function {
    const char *symbol;
    size_t offset;
};

#define FUNCTION(name) {"sd_journal_" #name, offsetof(csystemd_library, name)},
static const struct function functions[] = {CSYSTEMD_FUNCTIONS(FUNCTION)};

_Static_assert(sizeof functions / sizeof *functions * sizeof(void *) == sizeof(csystemd_library),
               "every member of csystemd_library is in CSYSTEMD_FUNCTIONS");

// Tells packagers of the library, which no DT_NEEDED names: `readelf -p .note.dlopen PROGRAM`.
// Source: UAPI group, "dlopen() Metadata for ELF Files", https://systemd.io/ELF_DLOPEN_METADATA/.
#define VENDOR "FDO"
#define DEPENDENCY                                                        \
    "[{\"feature\":\"journal\",\"description\":\"Reading the journal\","  \
    "\"priority\":\"suggested\",\"soname\":[\"libsystemd.so.0\"]}]"
__attribute__((used, section(".note.dlopen"))) _Alignas(4) static const struct {
    uint32_t name_size, description_size, type;
    char name[sizeof VENDOR];
    _Alignas(4) char description[sizeof DEPENDENCY];
} note = {sizeof VENDOR, sizeof DEPENDENCY, 0x407c0c0au, VENDOR, DEPENDENCY};

static void explain(char *reason, size_t size) {
    const char *error = dlerror();
    snprintf(reason, size, "%s", error == NULL ? "unknown error" : error);
}

static int bind_functions(void *handle, csystemd_library *library) {
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
        void *symbol = dlsym(handle, functions[index].symbol);
        if (symbol == NULL) {
            return -ENOSYS;
        }
        memcpy((char *)library + functions[index].offset, &symbol, sizeof symbol);
    }
    return 0;
}

const csystemd_library *csystemd_library_load(const char *name, char *reason, size_t size) {
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        explain(reason, size);
        return NULL;
    }
    csystemd_library *library = malloc(sizeof *library);
    if (library == NULL) {
        snprintf(reason, size, "%s", strerror(ENOMEM));
    } else if (bind_functions(handle, library) < 0) {
        explain(reason, size);
        free(library);
        library = NULL;
    }
    if (library == NULL) {
        dlclose(handle);
    }
    return library;
}

void csystemd_cursor_free(char *cursor) {
    free(cursor);
}
