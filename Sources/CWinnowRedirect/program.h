// SPDX-License-Identifier: Apache-2.0

/// The program itself: the executable that the process runs, its memory and its file.

#ifndef CWINNOW_PROGRAM_H
#define CWINNOW_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "elffile.h"
#include "linetable.h"
#include "segments.h"
#include "symbols.h"

typedef struct cwinnow_program {
    cwinnow_memory memory;
    /// What is added to an address of the file to get one of the memory.
    uintptr_t load_address;
    /// The file; with no sections where it cannot be read or is another one.
    cwinnow_elf elf;
    /// The code, relative to the load address.
    uint64_t code_start, code_end;
} cwinnow_program;

/// Maps the program, the first time, and returns it. MT-Safe, AS-Unsafe lock.
const cwinnow_program *cwinnow_program_prepare(void);

/// Finds the function at an address, which is relative to the load address. The first call makes the
/// index, in a few milliseconds. MT-Safe, AS-Unsafe lock.
bool cwinnow_program_symbol(uint64_t address, cwinnow_symbol *ret_symbol);

/// Finds the module whose `main` has a symbol that was found. Returns false for another function, and
/// for a program that SwiftPM has not built. MT-Safe, AS-Unsafe lock.
bool cwinnow_program_main(const cwinnow_symbol *symbol, char ret_name[CWINNOW_ORIGIN_NAME_SIZE]);

/// Finds the target whose source has the code at an address, which is relative to the load address.
/// The first call makes the index. MT-Safe, AS-Unsafe lock.
bool cwinnow_program_target(uint64_t address, char ret_target[CWINNOW_ORIGIN_NAME_SIZE]);

/// As `cwinnow_origins_after_fork`.
void cwinnow_program_after_fork(void);

#endif
