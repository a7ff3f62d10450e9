// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CWinnowInspection.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/// The demangler of the Swift runtime, which every Swift program is linked with.
/// Source: swift/stdlib/public/runtime/Demangle.cpp
extern char *swift_demangle(
    const char *symbol, size_t count, char *output, size_t *size, uint32_t flags);

#pragma GCC visibility push(protected)

int32_t cwinnow_inspection_open(const char *path, uint64_t *ret_size) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0) {
        return -errno;
    }
    struct stat status;
    int32_t error = 0;
    if (fstat(descriptor, &status) < 0) {
        error = -errno;
    } else if (!S_ISREG(status.st_mode)) {
        error = S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
    }
    if (error < 0) {
        close(descriptor);
        return error;
    }
    *ret_size = (uint64_t)status.st_size;
    return descriptor;
}

int64_t cwinnow_inspection_read(
    int32_t descriptor, uint64_t offset, uint8_t *bytes, size_t count) {
    size_t done = 0;
    while (done < count) {
        ssize_t part = pread(descriptor, bytes + done, count - done, (off_t)(offset + done));
        if (part < 0 && errno == EINTR) {
            continue;
        }
        if (part < 0) {
            return -errno;
        }
        if (part == 0) {
            break;
        }
        done += (size_t)part;
    }
    return (int64_t)done;
}

int32_t cwinnow_inspection_open_stream(const char *path) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    return descriptor < 0 ? -errno : descriptor;
}

int64_t cwinnow_inspection_read_next(int32_t descriptor, uint8_t *bytes, size_t count) {
    for (;;) {
        ssize_t part = read(descriptor, bytes, count);
        if (part >= 0) {
            return part;
        }
        if (errno != EINTR) {
            return -errno;
        }
    }
}

int32_t cwinnow_inspection_link(const char *path, char *text, size_t size) {
    ssize_t length = readlink(path, text, size - 1);
    if (length < 0) {
        return -errno;
    }
    text[length] = 0;
    return (int32_t)length;
}

int32_t cwinnow_inspection_list(
    const char *path, void (*body)(void *context, const char *name), void *context) {
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return -errno;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        body(context, entry->d_name);
    }
    closedir(folder);
    return 0;
}

int32_t cwinnow_inspection_terminal_lines(int32_t descriptor) {
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) < 0) {
        return 0;
    }
    return size.ws_row > 0 ? size.ws_row : 24;
}

void cwinnow_inspection_close(int32_t descriptor) {
    close(descriptor);
}

char *cwinnow_inspection_demangle(const char *symbol, size_t count) {
    return swift_demangle(symbol, count, NULL, NULL, 0);
}

void cwinnow_inspection_free(char *name) {
    free(name);
}
