// SPDX-License-Identifier: Apache-2.0

/// Loggers in C and C++, called as the Swift ones are: one case, so many times.
///
/// One logger a process, started once. Calls are MT-Safe.

#ifndef CPEERS_H
#define CPEERS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What is logged; the arguments are those of the Swift calls.
typedef enum cpeers_case {
    /// A literal.
    CPEERS_TEXT,
    /// An integer, a floating-point number and a text of 23 bytes in the message.
    CPEERS_VALUES,
    /// A literal, and the three as fields.
    CPEERS_FIELDS,
    /// The call of `CPEERS_TEXT` at a level that is held back.
    CPEERS_FILTERED,
} cpeers_case;

/// Returns the version of spdlog; NULL where the program is built without it.
const char *cpeers_spdlog_version(void);
/// Starts a logger to a file: basic_file_sink_mt, with a flush for each record or behind a queue.
void cpeers_spdlog_start(const char *file, bool is_async, bool holds_back);
/// Starts a logger behind a queue, whose sink makes one write(2) of each record and holds nothing back.
void cpeers_spdlog_start_stream(int32_t descriptor);
/// Makes the calls; spdlog knows no fields.
void cpeers_spdlog_call(cpeers_case kind, int64_t first, int64_t count);
/// Waits until the queue is empty; the last lines may still be in the file's buffer.
void cpeers_spdlog_drain(void);
/// Ends the logger, and returns when the file has every line.
void cpeers_spdlog_finish(void);
/// Returns the number of records that the queue has thrown away.
uint64_t cpeers_spdlog_lost(void);

/// Starts what the caller's cost is compared with, which is no logger: a ring for each thread, and a thread
/// that looks into them every 100 us and writes what lies there to the file; returns 0 or an errno value.
int32_t cpeers_reference_start(const char *file);
/// Makes the calls of `CPEERS_VALUES`: the time stamp, the values and a release store.
void cpeers_reference_call(int64_t first, int64_t count);
/// Waits until the rings are empty.
void cpeers_reference_drain(void);
/// Ends the thread, when the file has every record.
void cpeers_reference_finish(void);

/// Starts syslog(3).
void cpeers_syslog_start(bool holds_back);
/// Makes the calls of syslog(3), which knows no fields.
void cpeers_syslog_call(cpeers_case kind, int64_t first, int64_t count);

/// Returns whether the program is built with libsystemd.
bool cpeers_has_journal(void);
/// Makes the calls of sd_journal_sendv(3), with the fields that Winnow sends.
void cpeers_journal_call(cpeers_case kind, int64_t first, int64_t count);

#ifdef __cplusplus
}
#endif

#endif
