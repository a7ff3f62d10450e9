// SPDX-License-Identifier: Apache-2.0

/// What Winnow uses of libsystemd to read the journal, bound when the first reader asks for it.
///
/// It declares what <systemd/sd-journal.h> declares, so that a build needs no package of the
/// distribution, and a program that never reads the journal loads nothing; `.ci/steps/22-bound.sh`
/// holds the two headers against each other. C, because Swift can call no symbol that only dlsym(3)
/// knows without casting its type, and cannot write an ELF note.
///
/// Every function of ours returns a value >= 0 or a negated errno value, and leaves its `ret_`
/// parameters untouched on failure. MT- and AS-safety are those of attributes(7).

#ifndef CSYSTEMD_H
#define CSYSTEMD_H

#include <errno.h> // For Swift: the numbers, whichever libc it is.
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A journal that is open. One thread may use it, the one that opened it, for all of its life.
typedef struct sd_journal sd_journal;

/// Flags of `open`, `open_namespace` and `open_directory`. Source: sd_journal_open(3).
enum {
    CSYSTEMD_LOCAL_ONLY = 1 << 0,
};

/// The functions of libsystemd, of which each is `sd_journal_` and the name of the member.
///
/// Each returns a negated errno value on failure. Source: sd-journal(3) and the page of each.
typedef struct csystemd_library {
    int (*_Nonnull open)(sd_journal *_Nullable *_Nonnull ret, int flags);
    int (*_Nonnull open_namespace)(
        sd_journal *_Nullable *_Nonnull ret, const char *_Nonnull name, int flags);
    int (*_Nonnull open_directory)(
        sd_journal *_Nullable *_Nonnull ret, const char *_Nonnull path, int flags);
    void (*_Nonnull close)(sd_journal *_Nonnull journal);
    int (*_Nonnull has_runtime_files)(sd_journal *_Nonnull journal);
    int (*_Nonnull has_persistent_files)(sd_journal *_Nonnull journal);

    int (*_Nonnull add_match)(
        sd_journal *_Nonnull journal, const void *_Nonnull data, size_t size);
    int (*_Nonnull add_conjunction)(sd_journal *_Nonnull journal);

    int (*_Nonnull seek_head)(sd_journal *_Nonnull journal);
    int (*_Nonnull seek_tail)(sd_journal *_Nonnull journal);
    int (*_Nonnull seek_realtime_usec)(sd_journal *_Nonnull journal, uint64_t microseconds);
    int (*_Nonnull seek_cursor)(sd_journal *_Nonnull journal, const char *_Nonnull cursor);
    int (*_Nonnull test_cursor)(sd_journal *_Nonnull journal, const char *_Nonnull cursor);
    int (*_Nonnull next)(sd_journal *_Nonnull journal);
    int (*_Nonnull previous_skip)(sd_journal *_Nonnull journal, uint64_t count);

    int (*_Nonnull get_realtime_usec)(
        sd_journal *_Nonnull journal, uint64_t *_Nonnull ret_microseconds);
    int (*_Nonnull get_cursor)(
        sd_journal *_Nonnull journal, char *_Nullable *_Nonnull ret_cursor);
    int (*_Nonnull set_data_threshold)(sd_journal *_Nonnull journal, size_t size);
    void (*_Nonnull restart_data)(sd_journal *_Nonnull journal);
    int (*_Nonnull enumerate_data)(
        sd_journal *_Nonnull journal, const void *_Nullable *_Nonnull ret_data,
        size_t *_Nonnull ret_size);
    /// Since systemd 246; all others are older.
    int (*_Nonnull enumerate_available_data)(
        sd_journal *_Nonnull journal, const void *_Nullable *_Nonnull ret_data,
        size_t *_Nonnull ret_size);

    int (*_Nonnull get_fd)(sd_journal *_Nonnull journal);
    int (*_Nonnull get_events)(sd_journal *_Nonnull journal);
    int (*_Nonnull get_timeout)(
        sd_journal *_Nonnull journal, uint64_t *_Nonnull ret_microseconds);
    int (*_Nonnull process)(sd_journal *_Nonnull journal);
} csystemd_library;

/// Loads the shared library of that name and binds its functions. They stay for the life of the
/// process. NULL on failure, with the reason in words of dlerror(3) in the buffer, always
/// terminated. MT-Safe, AS-Unsafe lock heap.
const csystemd_library *_Nullable csystemd_library_load(
    const char *_Nonnull name, char *_Nonnull reason, size_t size);

/// Frees a cursor that `get_cursor` made. MT-Safe, AS-Unsafe heap.
void csystemd_cursor_free(char *_Nullable cursor);

/// Writes the identifier of this boot as 32 hexadecimal digits, the value of `_BOOT_ID`, always
/// terminated; 0 or -errno. Source: sd_id128_get_boot(3), which reads the same file.
/// MT-Safe, AS-Safe.
int32_t csystemd_boot_id(char ret_text[_Nonnull 33]);

/// Whether the directory, or one in it, has a journal file that this user may read: 1 if so, 0 if
/// there is no journal file at all, -EACCES if there are some and none may be read.
/// MT-Safe, AS-Unsafe heap.
int32_t csystemd_access(const char *_Nonnull directory);

/// Makes an event that any thread can signal, eventfd(2); a descriptor or -errno. MT-Safe, AS-Safe.
int32_t csystemd_event_make(void);
/// Signals the event, until it is awaited. MT-Safe, AS-Safe.
void csystemd_event_signal(int32_t event);
/// Waits until the event was signalled, and takes the signal back, or until the other descriptor
/// (-1 for none) has one of the events of poll(2), or until the nanoseconds have passed (-1: they
/// never do). Returns 0 or -errno; a signal handler that ran is no error. MT-Safe, AS-Safe.
int32_t csystemd_event_wait(
    int32_t event, int32_t descriptor, int16_t events, int64_t nanoseconds);

#ifdef __cplusplus
}
#endif

#endif
