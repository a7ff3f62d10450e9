// SPDX-License-Identifier: Apache-2.0

/// The files of recorders whose processes are dead: see CWinnowRecorder.h.

#ifndef CWINNOW_RECORDED_H
#define CWINNOW_RECORDED_H

#include <stdint.h>

#include "CWinnowFolder.h"
#include "CWinnowRecorder.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Opens the file of another process that is dead, and takes its lock, so that nobody else recovers what it holds.
///
/// - Parameters:
///   - folder: The folder.
///   - name: The file's name, which is followed to no other file.
///   - ret_facts: What is known of the file.
/// - Returns: A descriptor; or -errno: -EWOULDBLOCK where the process lives, or another one recovers; -EPERM where the
///   file is another user's, or no regular one.
int32_t cwinnow_recorded_open(
    int32_t folder, const char *_Nonnull name, cwinnow_file_facts *_Nonnull ret_facts);

/// Keeps the lock beyond the descriptor, and out of the children of this process, and returns what is noted of the
/// recovery; NULL where there is no memory.
cwinnow_recorder_state *_Nullable cwinnow_recorded_hold(int32_t file);

/// Gives the lock back.
void cwinnow_recorded_release(cwinnow_recorder_state *_Nonnull state);

/// Returns a word of what was recovered. MT-Safe, AS-Safe.
static inline uint64_t
cwinnow_recorded_word(const cwinnow_recorder_state *_Nonnull state, uint32_t index) {
    return state->recovered[index % cwinnow_recorder_recovered_capacity];
}

/// Writes a word of what was recovered.
static inline void cwinnow_recorded_set_word(
    cwinnow_recorder_state *_Nonnull state, uint32_t index, uint64_t word) {
    __atomic_store_n(
        &state->recovered[index % cwinnow_recorder_recovered_capacity], word, __ATOMIC_RELEASE);
}

/// Opens the file of another process to look at it, and changes nothing.
///
/// - Parameters:
///   - folder: The folder.
///   - name: The file's name, which is followed to no other file.
///   - ret_byte_count: Its size.
///   - ret_owner: The user to whom it belongs; also where it cannot be opened.
/// - Returns: A descriptor; or -errno: -EPERM where the file is another user's, -EINVAL where it is no regular one.
int32_t cwinnow_recorded_look(
    int32_t folder, const char *_Nonnull name, uint64_t *_Nonnull ret_byte_count,
    uint32_t *_Nonnull ret_owner);

/// Whether the process of an open file lives, or somebody recovers it: 1, 0 or -errno. It has a lock for that moment,
/// which would keep a process from making the file: so it must have its beginning already.
int32_t cwinnow_recorded_is_in_use(int32_t file);

#ifdef __cplusplus
}
#endif

#endif
