// SPDX-License-Identifier: Apache-2.0

/// The ways in which C code prints, each by its name.

#ifndef NOISY_C_ROUTES_H
#define NOISY_C_ROUTES_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A way to print.
typedef struct noisyc_route {
    /// The function that prints; where it prints to stderr its name says so.
    const char *_Nonnull name;
    /// Prints a line of the text, and whatever the function puts around it. Returns whether all that
    /// was called returned what it should.
    bool (*_Nonnull print)(const char *_Nonnull text);
} noisyc_route;

/// Returns the routes one after the other, NULL behind the last. They are in two tables: what a
/// thread calls itself, and what leaves the ordinary way.
const noisyc_route *_Nullable noisyc_route_at(size_t index);

#ifdef __cplusplus
}
#endif

#endif
