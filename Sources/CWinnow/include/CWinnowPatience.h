// SPDX-License-Identifier: Apache-2.0

/// How long a thread may still wait for sinks: where it serves several, so that none keeps the others.

#ifndef CWINNOW_PATIENCE_H
#define CWINNOW_PATIENCE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the nanoseconds that this thread may still wait within sinks; `UINT64_MAX` where nobody has set
/// a bound. MT-Safe, AS-Safe.
uint64_t cwinnow_patience(void);
/// Sets them. MT-Safe, AS-Safe.
void cwinnow_set_patience(uint64_t nanoseconds);

#ifdef __cplusplus
}
#endif

#endif
