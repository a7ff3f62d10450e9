// SPDX-License-Identifier: Apache-2.0

/// A third-party module in C, which prints what nobody asked for.

#ifndef NOISY_C_H
#define NOISY_C_H

#include <OriginProbe.h>

#include "NoisyCRoutes.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Print a line and its end: by puts(3), printf(3), fputs(3) to stderr, and write(2).
void noisyc_puts(const char *_Nonnull line);
void noisyc_printf(const char *_Nonnull line);
void noisyc_complain(const char *_Nonnull line);
void noisyc_write(const char *_Nonnull line);

/// Ask whose call it is: by a call, by a jump, from a static function, through qsort(3), which has no
/// frame pointer, and through libdispatch, which has.
const char *_Nonnull noisyc_origin(void);
const char *_Nonnull noisyc_origin_by_jump(void);
const char *_Nonnull noisyc_origin_of_static(void);
const char *_Nonnull noisyc_origin_through_libc(void);
const char *_Nonnull noisyc_origin_through_dispatch(void);

/// The same through a signal handler on a stack of its own.
const char *_Nonnull noisyc_origin_through_signal(void);

/// Calls a function, as code that is given a callback does.
const char *_Nonnull noisyc_call(const char *_Nonnull (*_Nonnull function)(void));

/// Asks from a header, which is compiled into the module that includes it.
static inline const char *_Nonnull noisyc_origin_inline(void) {
    const char *origin = origin_probe();
    __asm__ volatile("" ::: "memory");
    return origin;
}

#ifdef __cplusplus
}
#endif

#endif
