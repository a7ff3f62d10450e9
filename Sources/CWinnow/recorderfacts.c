// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "recorder.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#pragma GCC visibility push(protected)

// The region that facts are written to, and how many of its bytes they take; NULL before the first fact.
static uint8_t *facts;
static uint64_t facts_end;

// The images that were noted, by where they lie and the beginnings of their build ids, and the number of all that were
// ever loaded.
static struct {
    uint64_t address, build_id;
} noted[cwinnow_recorder_image_capacity];
static size_t noted_count;
static unsigned long long loaded_count;

void cwinnow_recorder_facts_begin(void) {
    facts = NULL;
    noted_count = 0;
    loaded_count = 0;
}

// Notes a fact, whose bytes come in two parts; its kind is written last, so that it is whole or none.
static bool note(
    uint32_t kind, const void *first, size_t first_count, const void *second, size_t second_count) {
    size_t byte_count = first_count + second_count;
    size_t need = sizeof(cwinnow_recorder_fact) + ((byte_count + 7) & ~(size_t)7);
    if (need > cwinnow_recorder_facts_byte_count) {
        return false;
    }
    if (cwinnow_recorder_number() == 0) {
        return false;
    }
    if (facts == NULL || cwinnow_recorder_facts_byte_count - facts_end < need) {
        facts = cwinnow_recorder_take(cwinnow_region_facts, cwinnow_recorder_facts_byte_count);
        facts_end = 0;
        if (facts == NULL) {
            return false;
        }
    }
    cwinnow_recorder_fact *fact = (cwinnow_recorder_fact *)(void *)(facts + facts_end);
    uint8_t *bytes = (uint8_t *)(fact + 1);
    memcpy(bytes, first, first_count);
    if (second_count > 0) {
        memcpy(bytes + first_count, second, second_count);
    }
    fact->byte_count = (uint32_t)byte_count;
    __atomic_store_n(&fact->kind, kind, __ATOMIC_RELEASE);
    facts_end += need;
    return true;
}

bool cwinnow_recorder_note_category(const void *cell, const uint8_t *name, size_t length) {
    uint64_t address = (uint64_t)(uintptr_t)cell;
    return note(cwinnow_recorder_category, &address, sizeof address, name, length);
}

// Finds the build id in a segment of notes. Source: elf(5), "Notes (Nhdr)".
static void find_build_id(
    const uint8_t *notes, const ElfW(Phdr) *segment, cwinnow_recorder_image *image) {
    for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= segment->p_memsz;) {
        const ElfW(Nhdr) *entry = (const ElfW(Nhdr) *)(const void *)(notes + at);
        size_t name = at + sizeof *entry;
        size_t content = name + ((entry->n_namesz + 3u) & ~3u);
        if (entry->n_type == NT_GNU_BUILD_ID && entry->n_namesz == 4
            && entry->n_descsz <= sizeof image->build_id && memcmp(notes + name, "GNU", 4) == 0) {
            memcpy(image->build_id, notes + content, entry->n_descsz);
            image->build_id_length = entry->n_descsz;
            image->build_id_offset = segment->p_offset + content;
            return;
        }
        at = content + ((entry->n_descsz + 3u) & ~3u);
    }
}

static void describe(const struct dl_phdr_info *info, cwinnow_recorder_image *image) {
    memset(image, 0, sizeof *image);
    for (size_t index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
        uint64_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_NOTE && image->build_id_length == 0) {
            find_build_id((const uint8_t *)(uintptr_t)start, segment, image);
        }
        // Also what may be written to: some linkers put the literals there, if a single one is.
        if (segment->p_type == PT_LOAD && image->segment_count < cwinnow_recorder_segment_capacity) {
            image->segments[image->segment_count++] = (cwinnow_recorder_segment){
                .start = start, .end = start + segment->p_filesz, .offset = segment->p_offset};
        }
    }
}

// Whether an image was noted.
static bool is_noted(uint64_t address, uint64_t build_id) {
    for (size_t index = 0; index < noted_count; index++) {
        if (noted[index].address == address && noted[index].build_id == build_id) {
            return true;
        }
    }
    return false;
}

// Notes what tells the file of an image from others where it has no build id.
static void identify(const char *path, cwinnow_recorder_image *image) {
    struct stat status;
    if (image->build_id_length == 0 && stat(path, &status) == 0) {
        image->file_byte_count = (uint64_t)status.st_size;
        image->modified =
            (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
    }
}

static bool note_image(const struct dl_phdr_info *info) {
    cwinnow_recorder_image image;
    describe(info, &image);
    uint64_t build_id;
    memcpy(&build_id, image.build_id, sizeof build_id);
    if (image.segment_count == 0 || is_noted(image.segments[0].start, build_id)) {
        return true;
    }
    // The program itself has no name; its path may lead to another file by now.
    char own[cwinnow_recorder_path_capacity];
    const char *path = info->dlpi_name;
    size_t length = strlen(path);
    if (length == 0) {
        ssize_t count = readlink("/proc/self/exe", own, sizeof own);
        identify("/proc/self/exe", &image);
        path = own;
        length = count < 0 ? 0 : (size_t)count;
    } else {
        identify(path, &image);
    }
    if (length == 0 || path[0] != '/') {
        // The kernel's own, which is in no file, or one of which nobody knows from where it was loaded.
        return true;
    }
    if (length >= cwinnow_recorder_path_capacity || noted_count == cwinnow_recorder_image_capacity
        || !note(cwinnow_recorder_loaded, &image, sizeof image, path, length)) {
        return false;
    }
    noted[noted_count].address = image.segments[0].start;
    noted[noted_count].build_id = build_id;
    noted_count += 1;
    return true;
}

// What goes through the images.
typedef struct image_walk {
    bool is_first, is_changed, is_complete;
    unsigned long long loaded_count;
} image_walk;

static int visit(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    image_walk *walk = context;
    if (walk->is_first) {
        walk->is_first = false;
        walk->is_changed = info->dlpi_adds != loaded_count;
        walk->loaded_count = info->dlpi_adds;
    }
    if (!walk->is_changed) {
        return 1;
    }
    walk->is_complete = note_image(info) && walk->is_complete;
    return 0;
}

bool cwinnow_recorder_note_images(void) {
    image_walk walk = {.is_first = true, .is_complete = true};
    dl_iterate_phdr(visit, &walk);
    // Once more the next time where one could not be noted.
    if (walk.is_complete) {
        loaded_count = walk.loaded_count;
    }
    return walk.is_complete;
}
