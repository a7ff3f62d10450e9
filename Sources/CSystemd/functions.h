// SPDX-License-Identifier: Apache-2.0

/// The members of `csystemd_library`, each by its name: what is bound, and what CI compares.

#ifndef CSYSTEMD_FUNCTIONS_H
#define CSYSTEMD_FUNCTIONS_H

#define CSYSTEMD_FUNCTIONS(each)   \
    each(open)                     \
    each(open_namespace)           \
    each(open_directory)           \
    each(close)                    \
    each(has_runtime_files)        \
    each(has_persistent_files)     \
    each(add_match)                \
    each(add_conjunction)          \
    each(seek_head)                \
    each(seek_tail)                \
    each(seek_realtime_usec)       \
    each(seek_cursor)              \
    each(test_cursor)              \
    each(next)                     \
    each(previous_skip)            \
    each(get_realtime_usec)        \
    each(get_cursor)               \
    each(set_data_threshold)       \
    each(restart_data)             \
    each(enumerate_data)           \
    each(enumerate_available_data) \
    each(get_fd)                   \
    each(get_events)               \
    each(get_timeout)              \
    each(process)

#endif
