// SPDX-License-Identifier: Apache-2.0

#include "CWinnowWitness.h"

#pragma GCC visibility push(protected)

/// An optional `String` of Swift.
typedef struct optional_text {
    uint64_t words[2];
} optional_text;

typedef __attribute__((swiftcall)) optional_text (*text_getter)(
    const void *type, const void *table, __attribute__((swift_context)) const void *self);

void cwinnow_witness_get_text(
    const void *getter, const void *self, const void *type, const void *table, void *result) {
    *(optional_text *)result = ((text_getter)(uintptr_t)getter)(type, table, self);
}
