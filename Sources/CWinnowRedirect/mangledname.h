// SPDX-License-Identifier: Apache-2.0

/// The module that the mangled name of a function belongs to.

#ifndef CWINNOW_MANGLED_NAME_H
#define CWINNOW_MANGLED_NAME_H

#include "CWinnowOrigin.h"

typedef enum cwinnow_mangling {
    /// Not a Swift name.
    cwinnow_mangling_none,
    /// The name of a module stands there.
    cwinnow_mangling_module,
    /// Swift's, but of no module: a thunk, or generic code of the standard library.
    cwinnow_mangling_glue,
} cwinnow_mangling;

/// Finds the module of a Swift function: without the demangler in the common case, where its name
/// begins with the module's. MT-Safe, AS-Unsafe heap.
/// Source: swift/docs/ABI/Mangling.rst
cwinnow_mangling cwinnow_mangled_module(
    const char *symbol, char ret_name[CWINNOW_ORIGIN_NAME_SIZE]);

/// Writes the name of a function that is C++'s or C's: the outermost namespace or class, else `c:`
/// and the name without what compilers append (`.cold`). MT-Safe, AS-Safe.
/// Source: Itanium C++ ABI, section 5.1.
void cwinnow_mangled_scope(const char *symbol, char ret_name[CWINNOW_ORIGIN_NAME_SIZE]);

#endif
