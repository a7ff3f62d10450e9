// SPDX-License-Identifier: Apache-2.0

/// Functions that say whose call they were, in place of functions that print.

#ifndef ORIGIN_PROBE_H
#define ORIGIN_PROBE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the name of the origin of the code that called it, with `~` behind a guess. It stays until
/// the thread asks again.
const char *_Nonnull origin_probe(void);

/// Returns the number of the same.
uint32_t origin_probe_number(void);

/// Note the origin of the code that called them, for `origin_probe_noted`: as functions that other
/// code is given to call. The first orders all elements alike.
int origin_probe_compare(const void *_Nullable, const void *_Nullable);
void origin_probe_work(void *_Nullable);
void origin_probe_signal(int number);
void origin_probe_event(int event, void *_Nullable stream, int index);

/// Returns the name that this thread has noted last, and forgets it: then it is `descriptor`.
const char *_Nonnull origin_probe_noted(void);

#ifdef __cplusplus
}
#endif

#endif
