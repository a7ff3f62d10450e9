// SPDX-License-Identifier: Apache-2.0

/// A third-party module in C++, which prints what nobody asked for.

#ifndef NOISY_CXX_H
#define NOISY_CXX_H

#include "NoisyCxxRoutes.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Print a line and its end, by `std::cout` and by `std::cerr`.
void noisycxx_print(const char *_Nonnull line);
void noisycxx_complain(const char *_Nonnull line);

/// Ask whose call it is: from a method, a template, a lambda, and through the C++ library, which has
/// no frame pointers.
const char *_Nonnull noisycxx_origin_of_method(void);
const char *_Nonnull noisycxx_origin_of_template(void);
const char *_Nonnull noisycxx_origin_of_lambda(void);
const char *_Nonnull noisycxx_origin_through_library(void);

#ifdef __cplusplus
}
#endif

#endif
