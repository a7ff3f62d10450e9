// SPDX-License-Identifier: Apache-2.0

/// The ways in which C++ code prints, each by its name.

#ifndef NOISY_CXX_ROUTES_H
#define NOISY_CXX_ROUTES_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the names of the routes one after the other, NULL behind the last.
///
/// The last two change the streams of the process for good: `cout unsynced` takes them from stdio,
/// and `wcout` has stdio print nothing but wide characters.
const char *_Nullable noisycxx_route_at(size_t index);

/// Prints a line of the text by the route of the number. Returns whether all is well with the stream.
bool noisycxx_print_by(size_t index, const char *_Nonnull text);

#ifdef __cplusplus
}
#endif

#endif
