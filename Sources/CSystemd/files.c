// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CSystemd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#pragma GCC visibility push(protected)

int32_t csystemd_boot_id(char ret_text[33]) {
    char text[36];
    int descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return -errno;
    }
    ssize_t count = read(descriptor, text, sizeof text);
    int32_t failure = count < 0 ? -errno : -EIO;
    close(descriptor);
    if (count != sizeof text) {
        return failure;
    }
    size_t length = 0;
    for (size_t index = 0; index < sizeof text && length < 32; index++) {
        if (text[index] != '-') {
            ret_text[length++] = text[index];
        }
    }
    ret_text[length] = '\0';
    return 0;
}

static bool is_journal(const char *name) {
    static const char end[] = ".journal";
    size_t length = strlen(name);
    if (length > 0 && name[length - 1] == '~') { // one that journald has set aside
        length--;
    }
    return length > sizeof end - 1
        && strncmp(name + length - (sizeof end - 1), end, sizeof end - 1) == 0;
}

// As `csystemd_access`, for a directory below another; takes the descriptor over.
static int32_t access_below(int directory, bool may_descend) {
    DIR *stream = fdopendir(directory);
    if (stream == NULL) {
        close(directory);
        return 0;
    }
    int32_t result = 0;
    const struct dirent *entry;
    while (result != 1 && (entry = readdir(stream)) != NULL) {
        const char *name = entry->d_name;
        int32_t found = 0;
        if (is_journal(name)) {
            found = faccessat(directory, name, R_OK, AT_EACCESS) == 0 ? 1 : -EACCES;
        } else if (may_descend && name[0] != '.') {
            int child = openat(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
            found = child >= 0 ? access_below(child, false) : errno == EACCES ? -EACCES : 0;
        }
        result = found == 0 ? result : found;
    }
    closedir(stream);
    return result;
}

int32_t csystemd_access(const char *directory) {
    int descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) {
        return errno == EACCES ? -EACCES : 0;
    }
    return access_below(descriptor, true);
}
