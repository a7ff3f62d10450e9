// SPDX-License-Identifier: Apache-2.0

/// What the start of a capture and its reader share.

#ifndef CWINNOW_CAPTURE_INTERNAL_H
#define CWINNOW_CAPTURE_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "CWinnowPrinted.h"
#include "CWinnowThread.h"

/// A descriptor whose place a pipe has taken.
typedef struct captured {
    int32_t stream;
    /// The end of the pipe that is read.
    int reading;
    /// Where the descriptor led.
    int original;
    /// What the pipe is, so that it is known again.
    dev_t device;
    ino_t inode;
    cwinnow_assembly line;
} captured;

/// What one start has captured. The reader gives it back when the last writer is gone.
typedef struct capture {
    /// The next of those that have ended.
    struct capture *next;
    captured streams[2];
    uint32_t count;
    /// Wakes the reader.
    int event;
    /// The requests to have read all, and those that are done.
    uint64_t asked, done;
    bool is_ending;
    /// Guards the requests; lives as long as the process.
    cwinnow_lock *lock;
    /// What was read last. Not a variable of the thread: every thread of the process would have one.
    char buffer[64 << 10];
} capture;

/// Reads what is captured, until the last writer is gone. The body of a thread.
void cwinnow_capture_run(void *capture);
/// Closes what the capture has opened, and keeps it to be used again.
void cwinnow_capture_free(capture *of);

#endif
