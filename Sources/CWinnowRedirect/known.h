// SPDX-License-Identifier: Apache-2.0

/// What becomes of a call that the thread has made before: inlined into the hooks that most of what is
/// printed comes by, so that a line which is dropped costs less than one that is printed.

#ifndef CWINNOW_KNOWN_H
#define CWINNOW_KNOWN_H

#include <stddef.h>
#include <stdint.h>

#include "CWinnowOrigin.h"
#include "CWinnowPrinted.h"
#include "CWinnowThread.h"
#include "trail.h"

/// The scopes that are open.
extern int32_t cwinnow_scope_count;
/// A cwinnow_verdict for each stream and origin.
extern uint8_t cwinnow_verdicts[3][CWINNOW_ORIGIN_LIMIT];
/// The calls of each origin that were dropped unread, and that passed.
extern uint64_t cwinnow_dropped[CWINNOW_ORIGIN_LIMIT], cwinnow_passed[CWINNOW_ORIGIN_LIMIT];

/// What becomes of what a function prints whose frame it is, where it is known by the last time and
/// needs no text: to pass or to drop. Else none, and nothing is counted: `cwinnow_printed_look` says
/// more. MT-Safe, AS-Safe.
__attribute__((always_inline, no_sanitize("address"))) static inline cwinnow_verdict
cwinnow_printed_known(int32_t stream, const void *frame) {
    if (cwinnow_trails == NULL || __atomic_load_n(&cwinnow_scope_count, __ATOMIC_RELAXED) > 0 ||
        cwinnow_thread_is_in_sink()) {
        return CWINNOW_VERDICT_NONE;
    }
    const cwinnow_trail *trail = &cwinnow_trails[cwinnow_trail_index((uintptr_t)frame)];
    if (!cwinnow_trail_leads(trail, (uintptr_t)frame)) {
        return CWINNOW_VERDICT_NONE;
    }
    uint32_t origin = trail->number;
    uint8_t verdict = __atomic_load_n(&cwinnow_verdicts[stream][origin], __ATOMIC_RELAXED);
    if (verdict == CWINNOW_VERDICT_DROP) {
        __atomic_fetch_add(&cwinnow_dropped[origin], 1, __ATOMIC_RELAXED);
        return CWINNOW_VERDICT_DROP;
    }
    if (verdict == CWINNOW_VERDICT_PASS) {
        __atomic_fetch_add(&cwinnow_passed[origin], 1, __ATOMIC_RELAXED);
        return CWINNOW_VERDICT_PASS;
    }
    return CWINNOW_VERDICT_NONE;
}

#endif
