// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "image.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(protected)

/// An address, and the name of the image that it lies in.
typedef struct image_search {
    uintptr_t address;
    const char *name;
} image_search;

static int note_image(struct dl_phdr_info *image, size_t size, void *context) {
    (void)size;
    image_search *search = context;
    for (size_t index = 0; index < image->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &image->dlpi_phdr[index];
        uintptr_t start = image->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && search->address - start < segment->p_memsz) {
            search->name = image->dlpi_name;
            return 1;
        }
    }
    return 0;
}

bool cwinnow_image_exports(const void *address, const char *name) {
    image_search search = {.address = (uintptr_t)address};
    if (dl_iterate_phdr(note_image, &search) == 0) {
        return false;
    }
    // The program itself has no name.
    void *image = dlopen(search.name[0] != '\0' ? search.name : NULL, RTLD_LAZY | RTLD_NOLOAD);
    if (image == NULL) {
        return false;
    }
    bool is_exported = dlsym(image, name) == address;
    dlclose(image);
    return is_exported;
}
