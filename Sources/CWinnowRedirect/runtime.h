// SPDX-License-Identifier: Apache-2.0

/// What stands between the code that prints and the descriptor, and is no one's origin: the Swift
/// and C runtimes, and Winnow itself.

#ifndef CWINNOW_RUNTIME_H
#define CWINNOW_RUNTIME_H

#include <stdbool.h>

/// How a shared object is stepped over.
typedef enum cwinnow_passage {
    /// It is not: it is someone's.
    cwinnow_passage_none,
    /// By its frame pointers.
    cwinnow_passage_framed,
    /// By its unwind tables, as it has no frame pointers.
    cwinnow_passage_frameless,
} cwinnow_passage;

/// Whether a Swift module is of the runtime or Winnow's. MT-Safe, AS-Safe.
bool cwinnow_runtime_has_module(const char *name);

/// Whether a target, or an object by the name of one, is Winnow's: the runtime has no line table, and a
/// target of C may be named as one of its modules. MT-Safe, AS-Safe.
bool cwinnow_runtime_has_target(const char *name);

/// Says how an object is stepped over, by its file name. MT-Safe, AS-Safe.
cwinnow_passage cwinnow_runtime_object(const char *file_name);

/// Says how a function of C or C++ that was linked into the program is stepped over, by its name.
/// Only for code whose source is not known: a program may have such names too. MT-Safe, AS-Safe.
cwinnow_passage cwinnow_runtime_function(const char *symbol);

#endif
