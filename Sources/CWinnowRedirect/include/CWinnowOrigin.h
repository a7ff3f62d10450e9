// SPDX-License-Identifier: Apache-2.0

/// The origin of what is printed: the module whose code called a function, found by the return
/// addresses on the stack.
///
/// Each return address is looked at once and remembered, so that a call from a place that is known
/// costs a walk over a few frames and nothing else.

#ifndef CWINNOW_ORIGIN_H
#define CWINNOW_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The bytes that the name of an origin may have, the NUL at its end among them.
#define CWINNOW_ORIGIN_NAME_SIZE 120

/// What an origin's name was found by, from the surest to the least sure.
typedef enum cwinnow_evidence {
    /// Nothing: the code belongs to no module that could be named.
    CWINNOW_EVIDENCE_NONE = 0,
    /// The mangled name of a Swift function.
    CWINNOW_EVIDENCE_SYMBOL = 1,
    /// The source file of the code, by the line table.
    CWINNOW_EVIDENCE_LINE = 2,
    /// The shared object that the code belongs to.
    CWINNOW_EVIDENCE_OBJECT = 3,
    /// The name of a C function or the namespace of a C++ one.
    CWINNOW_EVIDENCE_FUNCTION = 4,
    /// The types whose code is beside it, in a program without symbols: approximate.
    CWINNOW_EVIDENCE_NEIGHBOR = 5,
} cwinnow_evidence;

/// A module that prints.
typedef struct cwinnow_origin {
    /// The name, in UTF-8, ended by NUL.
    char name[CWINNOW_ORIGIN_NAME_SIZE];
    cwinnow_evidence evidence;
    /// Whether the name is a guess, which may be another module's.
    bool is_approximate;
} cwinnow_origin;

/// The number of the origin of what comes through a descriptor: it may be of any process.
#define CWINNOW_ORIGIN_DESCRIPTOR 0
/// The number of the origin of code that no module is known for.
#define CWINNOW_ORIGIN_UNKNOWN 1
/// The numbers that there are, at most; what comes later is unknown.
#define CWINNOW_ORIGIN_LIMIT 1024

/// Maps the symbols of the program, once. Before the other functions; MT-Safe, AS-Unsafe lock.
void cwinnow_origins_prepare(void);

/// Whether the program has the symbols by which origins are exact: they are in its own file, not in one
/// that `.gnu_debuglink` or a build-id names. MT-Safe, AS-Unsafe lock.
bool cwinnow_origins_have_symbols(void);

/// Returns the number of the origin of the code that called the function whose frame it is, as
/// `__builtin_frame_address(0)` of that function says; it is still there, as it may not jump here.
/// Keeps errno. MT-Safe, AS-Unsafe lock heap.
__attribute__((not_tail_called)) uint32_t cwinnow_origin_of(const void *_Nonnull frame);

/// What stands for no number: nobody may be asked.
#define CWINNOW_ORIGIN_UNASKED CWINNOW_ORIGIN_LIMIT
/// The same, unless a signal's handler prints from where none has printed before, or as the first
/// of its thread: what it has interrupted may hold what finding out takes. MT-Safe, AS-Safe as far
/// as `cwinnow_handler_is_running` knows a handler.
__attribute__((not_tail_called)) uint32_t cwinnow_origin_of_printing(const void *_Nonnull frame);

/// Returns the origin of a number that was returned; it lives as long as the process. MT-Safe,
/// AS-Safe.
const cwinnow_origin *_Nonnull cwinnow_origin_at(uint32_t number);

/// The number of origins that are known, and so the number of the next one. MT-Safe, AS-Safe.
uint32_t cwinnow_origin_count(void);

/// Forgets which code is whose, as other code may stand at the same addresses after a dlclose(3);
/// the numbers stay. MT-Safe, AS-Unsafe lock.
void cwinnow_origins_forget_code(void);

/// Makes what the functions above share usable in the child of a fork, whatever other threads of the
/// parent were about. Only there.
void cwinnow_origins_after_fork(void);

#ifdef __cplusplus
}
#endif

#endif
