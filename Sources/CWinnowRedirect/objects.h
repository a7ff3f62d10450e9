// SPDX-License-Identifier: Apache-2.0

/// The shared objects of the process.
///
/// They are asked for with dl_iterate_phdr(3), not with dladdr(3): the lock of that is held while
/// constructors run, which may print and wait for others who print.

#ifndef CWINNOW_OBJECTS_H
#define CWINNOW_OBJECTS_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "segments.h"

/// The shared object that an address is in.
typedef struct cwinnow_object {
    cwinnow_memory memory;
    /// The file without its folder.
    char name[256];
    /// The exported function that the address is in, cut if it is longer, and its start; empty and 0
    /// where there is none, and in the objects of the runtimes, in which nobody asks.
    char symbol[1024];
    uintptr_t symbol_start;
} cwinnow_object;

/// Where a table of an object is: glibc has added the load address to most of the entries, to none
/// where the section is read-only, as of `ld.lld -z rodynamic`, and musl to none at all.
uintptr_t cwinnow_object_place(const struct dl_phdr_info *object, const ElfW(Dyn) *entry);

/// Finds the object that an address is in, which is not the program. MT-Safe, AS-Unsafe lock.
bool cwinnow_object_find(uintptr_t address, cwinnow_object *ret_object);

/// Finds the segments of the object that an address is in. MT-Safe, AS-Unsafe lock.
bool cwinnow_object_memory(uintptr_t address, cwinnow_memory *ret_memory);

#endif
