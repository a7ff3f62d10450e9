// SPDX-License-Identifier: Apache-2.0

/// The process and its environment, as libc knows them.

#ifndef CWINNOW_SYSTEM_H
#define CWINNOW_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns a variable of the environment, secure_getenv(3): NULL in a set-uid program.
/// MT-Safe env, AS-Unsafe.
const char *_Nullable cwinnow_system_environment(const char *_Nonnull name);

/// Returns the entry of the environment, `NAME=value`, that is the index-th of those whose names
/// begin with the prefix; NULL behind the last one, and in a set-uid program. Source: environ(7).
/// MT-Safe env, AS-Safe.
const char *_Nullable cwinnow_system_variable(const char *_Nonnull prefix, uint32_t index);

/// Returns the name of the program without its folders, program_invocation_short_name.
const char *_Nonnull cwinnow_system_program(void);

/// Writes the name of the machine, gethostname(2), into the buffer, always terminated, and cut where
/// it is too long; nothing where the system does not say. MT-Safe, AS-Safe.
void cwinnow_system_host(char *_Nonnull buffer, uint32_t size);

/// Writes the text of an errno value, strerror_r(3), into the buffer, always terminated.
/// MT-Safe, AS-Unsafe i18n.
void cwinnow_system_error_text(int32_t error, char *_Nonnull buffer, uint32_t size);

/// Returns the text of what getaddrinfo(3) returned, gai_strerror(3). MT-Safe locale, AS-Unsafe i18n.
const char *_Nonnull cwinnow_system_lookup_error_text(int32_t error);

/// Writes a number as snprintf(3) does for the letter `f`, `e` or `g`, always with a point and
/// never with the locale's comma; returns the bytes written, at most `size - 1`.
/// MT-Safe, AS-Unsafe heap.
int32_t cwinnow_system_format(
    char *_Nonnull buffer, uint32_t size, char letter, int32_t precision, bool sign,
    double number);

#ifdef __cplusplus
}
#endif

#endif
