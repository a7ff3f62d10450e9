// SPDX-License-Identifier: Apache-2.0

// Logs through sd_journal_sendv(3) with the identifier that is its argument.

#define SD_JOURNAL_SUPPRESS_LOCATION

#include "CCalls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>

static char identifier[128];

static bool log_text(const char *text) {
    static const char priority[] = "PRIORITY=5";
    static const char name[] = "MESSAGE=";
    size_t length = strlen(text);
    char *message = malloc(sizeof name + length);
    if (message == NULL) return true;
    memcpy(message, name, sizeof name - 1);
    memcpy(message + sizeof name - 1, text, length);
    struct iovec fields[] = {
        {message, sizeof name - 1 + length},
        {(void *)(uintptr_t)priority, sizeof priority - 1},
        {identifier, strlen(identifier)},
    };
    int status = sd_journal_sendv(fields, 3);
    free(message);
    return status < 0;
}

int main(int count, char **arguments) {
    snprintf(identifier, sizeof identifier, "SYSLOG_IDENTIFIER=%s", count > 1 ? arguments[1] : "faults");
    return ccalls_run(log_text) ? 0 : 1;
}
