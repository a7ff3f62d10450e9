// SPDX-License-Identifier: Apache-2.0

/// A call of a protocol's requirement that is known only at run time: Swift has no word for it.

#ifndef CWINNOW_WITNESS_H
#define CWINNOW_WITNESS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Calls the witness of a getter that returns an optional `String`, which is stored at the result.
///
/// Source: docs/ABI/CallConvSummary.rst and docs/ABI/CallingConvention.rst of Swift: behind the arguments
/// come the type of `Self` and the table of its witnesses, and `self` is in the register of the context.
/// MT-Safe, AS-Unsafe.
void cwinnow_witness_get_text(
    const void *_Nonnull getter, const void *_Nonnull self, const void *_Nonnull type,
    const void *_Nonnull table, void *_Nonnull result);

#ifdef __cplusplus
}
#endif

#endif
