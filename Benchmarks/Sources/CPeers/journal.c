// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CPeers.h"

#if __has_include(<systemd/sd-journal.h>)

#define SD_JOURNAL_SUPPRESS_LOCATION
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>
#include <time.h>

static const char *const path = "/api/v1/users/42/orders";

/// The fields of one entry, and the texts of those that differ from call to call.
struct entry {
    struct iovec fields[18];
    int count;
    char texts[7][96];
    int text_count;
};

static void add_constant(struct entry *entry, const char *field) {
    struct iovec part = {.iov_base = (void *)field, .iov_len = strlen(field)};
    entry->fields[entry->count++] = part;
}

__attribute__((format(printf, 2, 3))) static void
add(struct entry *entry, const char *format, ...) {
    __builtin_va_list arguments;
    __builtin_va_start(arguments, format);
    char *text = entry->texts[entry->text_count++];
    int length = vsnprintf(text, sizeof entry->texts[0], format, arguments);
    __builtin_va_end(arguments);
    entry->fields[entry->count++] = (struct iovec){.iov_base = text, .iov_len = (size_t)length};
}

static void add_constants(struct entry *entry) {
    add_constant(entry, "PRIORITY=5");
    add_constant(entry, "SYSLOG_FACILITY=1");
    add_constant(entry, "SYSLOG_IDENTIFIER=bench");
    add_constant(entry, "TID=1000");
    add_constant(entry, "CODE_FILE=Benchmarks/WinnowCalls.swift");
    add_constant(entry, "CODE_LINE=30");
    add_constant(entry, "CODE_FUNC=values(_:_:_:_:)");
    add_constant(entry, "CODE_MODULE=Benchmarks");
    add_constant(entry, "CATEGORY=bench");
    add_constant(entry, "WINNOW_RUN=9f3c01aa");
}

static void add_message(struct entry *entry, cpeers_case kind, int64_t index) {
    double milliseconds = (double)(index & 1023) * 0.125;
    if (kind == CPEERS_VALUES) {
        add(entry, "MESSAGE=request %ld took %g ms for %s", (long)index, milliseconds, path);
        return;
    }
    add_constant(entry, kind == CPEERS_FIELDS ? "MESSAGE=request done" : "MESSAGE=server started");
    if (kind == CPEERS_FIELDS) {
        add(entry, "ID=%ld", (long)index);
        add(entry, "MS=%g", milliseconds);
        add(entry, "PATH=%s", path);
    }
}

bool cpeers_has_journal(void) {
    return true;
}

void cpeers_journal_call(cpeers_case kind, int64_t first, int64_t count) {
    for (int64_t index = first; index < first + count; index++) {
        struct entry entry;
        entry.count = 0;
        entry.text_count = 0;
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        add_message(&entry, kind, index);
        add_constants(&entry);
        add(&entry, "WINNOW_SEQUENCE=%ld", (long)index);
        add(&entry, "WINNOW_LEVEL_SEQUENCE=%ld", (long)index);
        add(&entry, "WINNOW_TIMESTAMP=%ld", (long)now.tv_sec * 1000000 + now.tv_nsec / 1000);
        sd_journal_sendv(entry.fields, entry.count);
    }
}

#else

bool cpeers_has_journal(void) {
    return false;
}

void cpeers_journal_call(cpeers_case kind, int64_t first, int64_t count) {
    (void)kind;
    (void)first;
    (void)count;
}

#endif
