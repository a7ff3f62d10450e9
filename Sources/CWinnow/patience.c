// SPDX-License-Identifier: Apache-2.0

#include "CWinnowPatience.h"

#pragma GCC visibility push(protected)

static __thread uint64_t patience __attribute__((tls_model("initial-exec"))) = UINT64_MAX;

uint64_t cwinnow_patience(void) {
    return patience;
}

void cwinnow_set_patience(uint64_t nanoseconds) {
    patience = nanoseconds;
}
