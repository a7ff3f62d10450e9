// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CPeers.h"

#include <stddef.h>
#include <syslog.h>

static const char *const path = "/api/v1/users/42/orders";

void cpeers_syslog_start(bool holds_back) {
    openlog("bench", LOG_NDELAY | LOG_PID, LOG_USER);
    setlogmask(LOG_UPTO(holds_back ? LOG_ERR : LOG_NOTICE));
}

void cpeers_syslog_call(cpeers_case kind, int64_t first, int64_t count) {
    switch (kind) {
        case CPEERS_TEXT:
        case CPEERS_FILTERED:
            for (int64_t index = first; index < first + count; index++) {
                syslog(LOG_NOTICE, "server started");
            }
            break;
        case CPEERS_VALUES:
            for (int64_t index = first; index < first + count; index++) {
                double milliseconds = (double)(index & 1023) * 0.125;
                syslog(LOG_NOTICE, "request %ld took %g ms for %s", (long)index, milliseconds,
                       path);
            }
            break;
        case CPEERS_FIELDS: break;
    }
}
