// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CWinnowSystem.h"

#include <errno.h>
#include <locale.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#pragma GCC visibility push(protected)

const char *cwinnow_system_environment(const char *name) {
    return secure_getenv(name);
}

const char *cwinnow_system_variable(const char *prefix, uint32_t index) {
    if (environ == NULL || getauxval(AT_SECURE) != 0) {
        return NULL;
    }
    size_t length = strlen(prefix);
    for (char **entry = environ; *entry != NULL; entry++) {
        if (strncmp(*entry, prefix, length) == 0 && index-- == 0) {
            return *entry;
        }
    }
    return NULL;
}

const char *cwinnow_system_program(void) {
    return program_invocation_short_name;
}

void cwinnow_system_host(char *buffer, uint32_t size) {
    if (gethostname(buffer, size) < 0 && errno != ENAMETOOLONG) {
        buffer[0] = '\0';
    }
    buffer[size - 1] = '\0';
}

void cwinnow_system_error_text(int32_t error, char *buffer, uint32_t size) {
    const char *text = strerror_r(error, buffer, size);
    if (text != buffer) {
        snprintf(buffer, size, "%s", text);
    }
}

const char *cwinnow_system_lookup_error_text(int32_t error) {
    return gai_strerror(error);
}

static locale_t plain_locale;
static pthread_once_t plain_once = PTHREAD_ONCE_INIT;

static void plain_locale_make(void) {
    plain_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

int32_t cwinnow_system_format(
    char *buffer, uint32_t size, char letter, int32_t precision, bool sign, double number) {
    pthread_once(&plain_once, plain_locale_make);
    const char format[] = {'%', sign ? '+' : '-', '.', '*', letter, '\0'};
    locale_t before = uselocale(plain_locale);
    int length = snprintf(buffer, size, format, precision, number);
    uselocale(before);
    if (length < 0) {
        return 0;
    }
    return length < (int)size ? length : (int)size - 1;
}
