// SPDX-License-Identifier: Apache-2.0

#include "CMeter.h"

#include <errno.h>
#include <gnu/libc-version.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/un.h>
#include <unistd.h>

// <linux/magic.h> of Debian 12 lacks it.
#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif

int32_t cmeter_write(int32_t descriptor, const void *bytes, int64_t byte_count, int64_t count) {
    for (int64_t index = 0; index < count; index++) {
        if (write(descriptor, bytes, (size_t)byte_count) != byte_count) {
            return errno;
        }
    }
    return 0;
}

static int32_t socket_at(const char *path, struct sockaddr_un *ret_address) {
    memset(ret_address, 0, sizeof *ret_address);
    ret_address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof ret_address->sun_path) {
        return -ENAMETOOLONG;
    }
    strcpy(ret_address->sun_path, path);
    int32_t descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return descriptor < 0 ? -errno : descriptor;
}

bool cmeter_is_listening(const char *path) {
    struct sockaddr_un address;
    int32_t descriptor = socket_at(path, &address);
    if (descriptor < 0) {
        return false;
    }
    bool is_listening = connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0;
    close(descriptor);
    return is_listening;
}

int32_t cmeter_listen(const char *path) {
    struct sockaddr_un address;
    int32_t descriptor = socket_at(path, &address);
    if (descriptor >= 0 && bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        int32_t error = errno;
        close(descriptor);
        return -error;
    }
    return descriptor;
}

static void *read_away(void *descriptor) {
    static __thread char buffer[65536];
    while (read((int32_t)(intptr_t)descriptor, buffer, sizeof buffer) > 0) {
    }
    return NULL;
}

int32_t cmeter_read_away(int32_t descriptor) {
    pthread_t thread;
    int32_t error = pthread_create(&thread, NULL, read_away, (void *)(intptr_t)descriptor);
    if (error == 0) {
        pthread_detach(thread);
    }
    return error;
}

const char *cmeter_file_system(const char *path) {
    static __thread char number[32];
    struct statfs facts;
    if (statfs(path, &facts) != 0) {
        return "unknown";
    }
    switch ((unsigned long)facts.f_type) {
        case TMPFS_MAGIC: return "tmpfs";
        case EXT4_SUPER_MAGIC: return "ext4";
        case BTRFS_SUPER_MAGIC: return "btrfs";
        case XFS_SUPER_MAGIC: return "xfs";
        case OVERLAYFS_SUPER_MAGIC: return "overlayfs";
    }
    snprintf(number, sizeof number, "0x%lx", (unsigned long)facts.f_type);
    return number;
}

const char *cmeter_libc_version(void) {
    return gnu_get_libc_version();
}
