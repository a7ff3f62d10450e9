// SPDX-License-Identifier: Apache-2.0

/// The capture of the descriptors 1 and 2: a pipe in place of each, and a thread that reads it.
///
/// It sees what no hook does: children, raw system calls, streams on copies of the descriptor. The
/// price is that the program no longer writes to a terminal or file, but to a pipe.

#ifndef CWINNOW_CAPTURE_H
#define CWINNOW_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Which descriptors are captured: a bit for each number.
#define CWINNOW_CAPTURE_STDOUT (1u << 1)
#define CWINNOW_CAPTURE_STDERR (1u << 2)

/// Puts pipes in place of the descriptors and starts the reader. Returns 0 or -errno, and then
/// nothing is captured. One thread at a time, AS-Unsafe.
int32_t cwinnow_capture_start(uint32_t streams);

/// Puts the descriptors back and has the reader read what the pipes hold; false where that took
/// longer than the time. A descriptor that the program leads elsewhere meanwhile stays as it is. What
/// children print afterwards goes to where the descriptor led. One thread at a time, AS-Unsafe.
bool cwinnow_capture_stop(uint64_t nanoseconds);

/// Waits until the reader has read what is in the pipes now; false when the time has passed. MT-Safe.
bool cwinnow_capture_drain(uint64_t nanoseconds);

/// Which descriptors are captured. MT-Safe, AS-Safe.
uint32_t cwinnow_capture_streams(void);

/// Whether the thread is the reader. MT-Safe, AS-Safe.
bool cwinnow_capture_is_reader(void);

/// Gives the child of a fork the descriptors of before the capture. Only there.
void cwinnow_capture_after_fork(void);

#ifdef __cplusplus
}
#endif

#endif
