// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CCalls.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct counts {
    uint64_t called;
    uint64_t failed;
    uint64_t longest;
};

static struct counts *counts;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

static bool map_counts(void) {
    const char *path = getenv("FAULT_COUNTS");
    int file = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return false;
    void *mapped = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED) return false;
    counts = mapped;
    return true;
}

static void log_records(ccalls_log log, uint64_t count, size_t byte_count, useconds_t pause) {
    char *text = malloc(byte_count + 64);
    if (text == NULL) abort();
    for (uint64_t index = 0; index < count; index++) {
        int start = sprintf(text, "record %llu ", (unsigned long long)counts->called);
        memset(text + start, 'x', byte_count);
        memcpy(text + (size_t)start + byte_count, " end", sizeof " end");
        uint64_t begin = now();
        counts->called += 1;
        if (log(text)) counts->failed += 1;
        uint64_t time = now() - begin;
        if (time > counts->longest) counts->longest = time;
        if (pause > 0) usleep(pause);
    }
    free(text);
}

bool ccalls_run(ccalls_log log) {
    if (!map_counts()) return false;
    char line[128];
    while (fgets(line, sizeof line, stdin) != NULL) {
        unsigned long long count = 0;
        size_t byte_count = 0;
        useconds_t pause = 0;
        if (sscanf(line, "log %llu %zu %u", &count, &byte_count, &pause) == 3) {
            log_records(log, count, byte_count, pause);
        }
        // Not by stdio, whose buffers the loggers use as well.
        if (write(STDOUT_FILENO, "done\n", 5) != 5) return true;
    }
    return true;
}

void ccalls_add_failed(uint64_t count) {
    counts->failed += count;
}
