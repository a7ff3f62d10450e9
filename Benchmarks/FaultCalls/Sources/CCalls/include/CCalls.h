// SPDX-License-Identifier: Apache-2.0

#ifndef CCALLS_H
#define CCALLS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Logs a text that ends with a null byte.
///
/// Returns whether the program could notice that the call failed: by its result or by an error handler.
typedef bool (*ccalls_log)(const char *text);

/// Logs what the lines of standard input say, until it ends, and writes `done` to standard output for
/// each.
///
///     log COUNT BYTES PAUSE    COUNT records "record NUMBER xxx… end" with BYTES times x, PAUSE
///                              microseconds apart; numbers go on from the line before
///
/// What was called, what failed, and the nanoseconds of the longest call so far are at any time in the
/// file that the environment names in `FAULT_COUNTS`, as three numbers of 64 bits, so that they are
/// known of a program that died.
///
/// Returns false where that file cannot be mapped.
bool ccalls_run(ccalls_log log);

/// Adds records of which the program knows that they are not delivered.
void ccalls_add_failed(uint64_t count);

#ifdef __cplusplus
}
#endif

#endif
