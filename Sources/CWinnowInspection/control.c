// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "CWinnowCategory.h"
#include "CWinnowInspection.h"

#pragma GCC visibility push(protected)

static int32_t check(int32_t descriptor) {
    // A file that can be cut would end this process by SIGBUS.
    int seals = fcntl(descriptor, F_GET_SEALS);
    struct stat status;
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(descriptor, &status) < 0
        || status.st_size < cwinnow_control_size) {
        return -EBADF;
    }
    return 0;
}

static int32_t check_header(const cwinnow_control_header *header) {
    bool is_known = memcmp(header->magic, CWINNOW_CONTROL_MAGIC, sizeof header->magic) == 0
        && header->version == CWINNOW_CONTROL_VERSION;
    return is_known ? 0 : -EBADF;
}

void *cwinnow_inspection_map_control(
    const char *path, int32_t *ret_descriptor, int32_t *ret_error) {
    int descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0) {
        *ret_error = -errno;
        return NULL;
    }
    void *page = NULL;
    *ret_error = check(descriptor);
    if (*ret_error == 0) {
        page = mmap(
            NULL, cwinnow_control_size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
        *ret_error = page == MAP_FAILED ? -errno : check_header(page);
    }
    if (*ret_error == 0) {
        *ret_descriptor = descriptor;
        return page;
    }
    if (page != NULL && page != MAP_FAILED) {
        munmap(page, cwinnow_control_size);
    }
    close(descriptor);
    return NULL;
}

void cwinnow_inspection_unmap_control(void *page, int32_t descriptor) {
    munmap(page, cwinnow_control_size);
    close(descriptor);
}

static int32_t lock(int32_t descriptor) {
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    for (int attempt = 0; attempt < 100; attempt++) {
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
            return 0;
        }
        nanosleep(&pause, NULL);
    }
    return -EAGAIN;
}

int64_t cwinnow_inspection_give_order(
    void *page, int32_t descriptor, const cwinnow_control_order *order) {
    if (order->slot >= cwinnow_control_slot_count) {
        return -EINVAL;
    }
    if (lock(descriptor) < 0) {
        return -EAGAIN;
    }
    cwinnow_control_order *to =
        (cwinnow_control_order *)(void *)((uint8_t *)page + cwinnow_control_order_offset
                                          + order->slot * (size_t)cwinnow_control_order_stride);
    // Odd already where somebody was ended while it wrote.
    uint32_t odd = __atomic_load_n(&to->number, __ATOMIC_RELAXED) | 1;
    __atomic_store_n(&to->number, odd, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    size_t kept = offsetof(cwinnow_control_order, kind);
    memcpy((uint8_t *)to + kept, (const uint8_t *)order + kept, sizeof *to - kept);
    // 0 is no order.
    uint32_t number = odd + 1 == 0 ? 2 : odd + 1;
    __atomic_store_n(&to->number, number, __ATOMIC_SEQ_CST);
    cwinnow_inspection_have_look(page);
    flock(descriptor, LOCK_UN);
    return number;
}

void cwinnow_inspection_have_look(void *page) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    const cwinnow_control_header *header = page;
    uint32_t count = __atomic_load_n(&header->cell_count, __ATOMIC_ACQUIRE);
    if (count > cwinnow_control_cell_capacity) {
        count = cwinnow_control_cell_capacity;
    }
    cwinnow_cell *cells = (cwinnow_cell *)(void *)((uint8_t *)page + cwinnow_control_cells_offset);
    for (uint32_t index = 0; index < count; index++) {
        cwinnow_category_set_levels(
            &cells[index],
            (cwinnow_cell_levels){CWINNOW_MASK_INITIAL, CWINNOW_CLOSER_ORDER});
    }
}

int32_t cwinnow_inspection_copy_state(const void *page, cwinnow_control_state *ret_state) {
    const cwinnow_control_state *from =
        (const cwinnow_control_state *)(const void *)((const uint8_t *)page
                                                      + cwinnow_control_state_offset);
    for (int attempt = 0; attempt < 1000; attempt++) {
        uint32_t sequence = __atomic_load_n(&from->sequence, __ATOMIC_ACQUIRE);
        memcpy(ret_state, from, sizeof *ret_state);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (sequence % 2 == 0
            && __atomic_load_n(&from->sequence, __ATOMIC_RELAXED) == sequence) {
            return 0;
        }
    }
    return -EAGAIN;
}

bool cwinnow_inspection_is_last(const void *page, uint32_t slot, uint32_t number) {
    const cwinnow_control_order *order =
        (const cwinnow_control_order *)(const void *)((const uint8_t *)page
                                                      + cwinnow_control_order_offset
                                                      + slot * (size_t)cwinnow_control_order_stride);
    return __atomic_load_n(&order->number, __ATOMIC_RELAXED) == number;
}

uint32_t cwinnow_inspection_user(void) {
    return getuid();
}
