// SPDX-License-Identifier: Apache-2.0

/// The recorder: what only the parts of its code know of each other.

#ifndef CWINNOW_RECORDER_PARTS_H
#define CWINNOW_RECORDER_PARTS_H

#include "CWinnowRecorder.h"

/// Makes a file of so many bytes, all of which are there, with its lock, and has the numbers of records lie in it; returns
/// 0, -errno or `CWINNOW_RECORDER_NO_MEMORY`.
int32_t cwinnow_recorder_make(
    const char *_Nonnull path, uint64_t byte_count, uint8_t *_Nullable *_Nonnull ret_memory);

/// Begins with no fact, in a new file.
void cwinnow_recorder_facts_begin(void);

#endif
