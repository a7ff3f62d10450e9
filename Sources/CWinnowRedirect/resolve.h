// SPDX-License-Identifier: Apache-2.0

/// The module that code belongs to.

#ifndef CWINNOW_RESOLVE_H
#define CWINNOW_RESOLVE_H

#include <stdint.h>

#include "CWinnowOrigin.h"

typedef enum cwinnow_finding_kind {
    /// In no object that is loaded now: code made at run time, or no code at all.
    cwinnow_finding_nowhere,
    /// Of a runtime that has frame pointers, and so stepped over by them.
    cwinnow_finding_framed,
    /// Of a runtime that has none.
    cwinnow_finding_frameless,
    /// Of the program, but nothing says whose.
    cwinnow_finding_unknown,
    /// Of an origin.
    cwinnow_finding_origin,
} cwinnow_finding_kind;

typedef struct cwinnow_finding {
    cwinnow_finding_kind kind;
    cwinnow_origin origin;
} cwinnow_finding;

/// Finds whose the code is that a return address lies in, behind whose call an address of the called
/// function is given. It takes from 1 µs up to some milliseconds,
/// the first time in a large program, and holds no lock while code of others may run: the demangler
/// and malloc(3). MT-Safe, AS-Unsafe lock heap.
void cwinnow_resolve(
    uintptr_t return_address, uintptr_t callee, cwinnow_finding *ret_finding);

#endif
