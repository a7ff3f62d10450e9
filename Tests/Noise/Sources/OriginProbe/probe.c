// SPDX-License-Identifier: Apache-2.0

#include "OriginProbe.h"

#include <CWinnowOrigin.h>
#include <stdio.h>

static __thread uint32_t noted;

/// Returns the name of an origin, with `~` behind a guess; it stays until the thread asks again.
static const char *describe(uint32_t number) {
    static __thread char text[CWINNOW_ORIGIN_NAME_SIZE + 1];
    const cwinnow_origin *origin = cwinnow_origin_at(number);
    snprintf(text, sizeof text, "%s%s", origin->name, origin->is_approximate ? "~" : "");
    return text;
}

uint32_t origin_probe_number(void) {
    return cwinnow_origin_of(__builtin_frame_address(0));
}

const char *origin_probe(void) {
    return describe(cwinnow_origin_of(__builtin_frame_address(0)));
}

int origin_probe_compare(const void *first, const void *second) {
    (void)first;
    (void)second;
    noted = cwinnow_origin_of(__builtin_frame_address(0));
    return 0;
}

void origin_probe_work(void *context) {
    (void)context;
    noted = cwinnow_origin_of(__builtin_frame_address(0));
}

void origin_probe_signal(int number) {
    (void)number;
    noted = cwinnow_origin_of(__builtin_frame_address(0));
}

void origin_probe_event(int event, void *stream, int index) {
    (void)event;
    (void)stream;
    (void)index;
    noted = cwinnow_origin_of(__builtin_frame_address(0));
}

const char *origin_probe_noted(void) {
    uint32_t number = noted;
    noted = CWINNOW_ORIGIN_DESCRIPTOR;
    return describe(number);
}
