// SPDX-License-Identifier: Apache-2.0

/// The control page of a process: what another process may see and turn.
///
/// This is the layout, which the process and the tool share. All numbers are those of the machine.

#ifndef CWINNOW_CONTROL_H
#define CWINNOW_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The cell of a category. Its first two numbers are one word, written at once with relaxed order, by the process and by
/// others.
typedef struct __attribute__((aligned(8))) cwinnow_cell {
    /// Bit n: whether records of level n are held back; bit 8: whether the mask says it all. All zero is the
    /// beginning: the page has no bytes in a program's file.
    uint32_t held;
    /// What has a call of the category look closer than at the mask: the bits below. Bits 24…31: the levels of which no
    /// call goes on at once, as it is held back or has to look closer.
    uint32_t closer;
    /// Where the name begins, from the beginning of the page, and its bytes: UTF-8, not terminated. Only for others.
    uint32_t name_offset;
    uint32_t name_length;
} cwinnow_cell;

/// An order has come: a call looks what it says.
#define CWINNOW_CLOSER_ORDER 0x200u

/// The process's own rules decide: the mask has all levels that they may let through. The lower eight bits are the
/// levels of the category now, but for statements and tasks with levels of their own; only for others.
#define CWINNOW_CLOSER_RULES 0x100u

/// Where in `closer` the levels begin, and what precedes them.
#define CWINNOW_CLOSER_SHIFT 24
#define CWINNOW_CLOSER_REASONS 0xFFFFFFu

enum {
    /// How many categories have their cells in the page.
    cwinnow_control_cell_capacity = 16384,
    /// The bytes of all names.
    cwinnow_control_name_capacity = 768 * 1024,
    /// The bytes of a filter that an order may have, and of one that a process shows.
    cwinnow_control_filter_capacity = 2000,
    /// Where the parts begin, in bytes from the beginning of the page.
    cwinnow_control_order_offset = 4 * 1024,
    cwinnow_control_order_stride = 2 * 1024,
    cwinnow_control_state_offset = 12 * 1024,
    cwinnow_control_accounts_offset = 16 * 1024,
    cwinnow_control_cells_offset = 64 * 1024,
    cwinnow_control_names_offset =
        cwinnow_control_cells_offset + cwinnow_control_cell_capacity * (int)sizeof(cwinnow_cell),
    cwinnow_control_size = cwinnow_control_names_offset + cwinnow_control_name_capacity,
};

/// The version of this layout; a tool reads no other.
#define CWINNOW_CONTROL_VERSION 3u

/// What the page begins with.
#define CWINNOW_CONTROL_MAGIC "winnowCP"

/// What the name of the memory file begins with, before the identifier.
#define CWINNOW_CONTROL_NAME "winnow:"

/// The beginning of the page.
typedef struct cwinnow_control_header {
    uint8_t magic[8];
    uint32_t version;
    /// The bytes of the whole page.
    uint32_t byte_count;
    /// The process, as it knows itself.
    int32_t process_id;
    /// The identity of its run, `WINNOW_RUN`; 0 until it has logged.
    uint32_t run;
    /// When its log began, in nanoseconds since 1970.
    uint64_t began;
    /// The floor with which Winnow was built; below 0 where it lets nothing through.
    int32_t floor;
    /// How many cells are there. Written last, with release order.
    uint32_t cell_count;
    uint32_t identifier_length;
    /// The identifier in UTF-8, cut to what has room, not terminated.
    uint8_t identifier[212];
} cwinnow_control_header;

/// What a process is to do.
enum {
    /// Lets the levels of a filter through.
    cwinnow_control_set = 1,
    /// Lets the levels of the program's own filter through again.
    cwinnow_control_reset = 2,
    /// Opens the destinations of all sinks anew.
    cwinnow_control_reopen = 3,
    /// Waits until the sinks have what was accepted.
    cwinnow_control_flush = 4,
    /// Shows the accounts of the sinks as they are.
    cwinnow_control_report = 5,
};

/// The places of orders: one takes the place of an earlier one that the process has not taken yet, if both have the same.
enum {
    /// To set and to reset levels.
    cwinnow_control_slot_levels = 0,
    cwinnow_control_slot_reopen = 1,
    cwinnow_control_slot_flush = 2,
    cwinnow_control_slot_report = 3,
    cwinnow_control_slot_count = 4,
};

/// An order to the process, which others write, one at a time with flock(2) on the file: the number, made odd; the
/// rest; the number of the order, which is even and not that of the order before; then `CWINNOW_CLOSER_ORDER` into all
/// cells, which have all levels let through, so that the next call looks. The process believes nothing of it.
typedef struct cwinnow_control_order {
    uint32_t number;
    uint32_t kind;
    /// Who gives it, as they say.
    uint32_t user_id;
    int32_t process_id;
    /// When, in nanoseconds since 1970, and for how many nanoseconds; `UINT64_MAX` is for ever.
    uint64_t given;
    uint64_t duration;
    uint32_t filter_length;
    /// In the process's copy: the place that it has taken it from.
    uint32_t slot;
    /// The filter in UTF-8, not terminated.
    uint8_t filter[cwinnow_control_filter_capacity];
} cwinnow_control_order;

/// What became of an order.
enum {
    cwinnow_control_done = 0,
    cwinnow_control_begun = 1,
    cwinnow_control_refused = 2,
    /// Why is shown beside the accounts.
    cwinnow_control_failed = 3,
    /// Its time had passed before a call looked: nothing was set.
    cwinnow_control_late = 4,
};

/// The number of the last order that the process has taken from a place, and what became of it.
typedef struct cwinnow_control_answer {
    uint32_t number;
    uint32_t outcome;
} cwinnow_control_answer;

/// What the process says of itself. Written by it alone, with an odd number in front and an even one behind.
typedef struct cwinnow_control_state {
    uint32_t sequence;
    /// Bit n: whether some sink takes records of level n.
    uint32_t taken_levels;
    /// The filter of the program, or what of it has room, and the length of all of it.
    uint32_t filter_length;
    /// Whether others have set levels.
    uint32_t is_turned;
    /// Who, as they said, until when, in nanoseconds since 1970, `UINT64_MAX` for ever, and with what filter.
    uint32_t user_id;
    int32_t process_id;
    uint64_t end;
    uint32_t turned_length;
    uint32_t reserved;
    uint8_t filter[cwinnow_control_filter_capacity];
    uint8_t turned[cwinnow_control_filter_capacity];
    /// By the places of the orders.
    cwinnow_control_answer answers[cwinnow_control_slot_count];
} cwinnow_control_state;

enum {
    /// How many sinks a process shows, and the bytes of their names and of why they take no records.
    cwinnow_control_sink_capacity = 62,
    cwinnow_control_text_capacity = 120,
    /// The bytes of why an order could not be carried out.
    cwinnow_control_reason_capacity = 496,
};

/// The account of a sink: what it has accepted is delivered, waits for it, or is lost.
typedef struct cwinnow_control_sink {
    uint64_t accepted, delivered, queued, lost;
    /// Bit n: whether it takes records of level n.
    uint32_t levels;
    uint32_t name_length;
    /// Why it takes no records now; 0 where it does.
    uint32_t failure_length;
    uint32_t reserved;
    uint8_t name[cwinnow_control_text_capacity];
    uint8_t failure[cwinnow_control_text_capacity];
} cwinnow_control_sink;

/// Why the process could not carry out the last order of which it could not: its place, its number, and a text.
typedef struct cwinnow_control_failure {
    uint32_t slot;
    uint32_t number;
    uint32_t length;
    uint32_t reserved;
    uint8_t text[cwinnow_control_reason_capacity];
} cwinnow_control_failure;

/// The accounts of the sinks at some time: copies, of which the process trusts none. Written as the state.
typedef struct cwinnow_control_accounts {
    uint32_t sequence;
    uint32_t sink_count;
    /// When they were as they are here, in nanoseconds since 1970; 0 for never.
    uint64_t time;
    /// The records that the process has accepted.
    uint64_t accepted;
    cwinnow_control_failure failure;
    cwinnow_control_sink sinks[cwinnow_control_sink_capacity];
} cwinnow_control_accounts;

/// Makes the page a memory file of this process, which those may open who may look at it by ptrace(2), and writes
/// the header: from then on they see it, and turn it unless the file is only to be read. Where it is one already, it
/// writes the header.
///
/// - Parameters:
///   - header: What the page begins with, but for the process and the cells; the time counts where there is no page.
///   - is_read_only: Whether others may only read it; another value than before makes another file.
/// - Returns: 0, or -errno where there is no such file: the page is then the process's alone, as before.
///
/// One thread at a time, AS-Safe.
int32_t cwinnow_control_open(const cwinnow_control_header *_Nonnull header, bool is_read_only);

/// Writes the identity of the run into the page. MT-Safe, AS-Safe.
void cwinnow_control_set_run(uint32_t run);

/// Makes the page the process's alone. One thread at a time, AS-Safe.
void cwinnow_control_close(void);

/// Gives the child of a fork a page of its own, whatever its number is. One thread at a time, AS-Safe.
void cwinnow_control_forget_parent(void);

/// Gives a process that has begun as the copy of another one a page of its own: nothing where it has one.
/// One thread at a time, AS-Safe.
void cwinnow_control_own(void);

/// Returns whether an order lies in the page that was not taken. MT-Safe, AS-Safe.
bool cwinnow_control_has_order(void);

/// Takes an order that lies in the page, and returns a copy, which the next call overwrites; NULL where there is none, or
/// somebody writes it. One thread at a time, AS-Safe.
const cwinnow_control_order *_Nullable cwinnow_control_take_order(void);

/// Shows what became of an order, unless another one was taken from its place since. One thread at a time, AS-Safe.
void cwinnow_control_answer_order(uint32_t slot, uint32_t number, uint32_t outcome);

/// Returns what the process says of itself, for it to change: nobody else sees that before `cwinnow_control_show`.
/// One thread at a time, AS-Safe.
cwinnow_control_state *_Nonnull cwinnow_control_own_state(void);

/// Shows others what the process says of itself. One thread at a time, AS-Safe.
void cwinnow_control_show(void);

/// Returns the accounts, for the process to change; nobody else sees that before `cwinnow_control_show_accounts`. One
/// thread at a time, AS-Safe.
cwinnow_control_accounts *_Nonnull cwinnow_control_own_accounts(void);

/// Returns one of these, for the process to change; NULL where there is no such one. One thread at a time, AS-Safe.
cwinnow_control_sink *_Nullable cwinnow_control_own_sink(uint32_t index);

/// Shows others the accounts. One thread at a time, AS-Safe.
void cwinnow_control_show_accounts(void);

// Where the texts are: Swift would make types of the arrays, of thousands of elements, at run time.

static inline const uint8_t *_Nonnull
cwinnow_control_filter_of_order(const cwinnow_control_order *_Nonnull order) {
    return order->filter;
}

static inline uint8_t *_Nonnull
cwinnow_control_filter_of_state(cwinnow_control_state *_Nonnull state) {
    return state->filter;
}

static inline uint8_t *_Nonnull
cwinnow_control_turned_of_state(cwinnow_control_state *_Nonnull state) {
    return state->turned;
}

static inline uint8_t *_Nonnull
cwinnow_control_name_of_sink(cwinnow_control_sink *_Nonnull sink) {
    return sink->name;
}

static inline uint8_t *_Nonnull
cwinnow_control_failure_of_sink(cwinnow_control_sink *_Nonnull sink) {
    return sink->failure;
}

static inline uint8_t *_Nonnull
cwinnow_control_reason_of_accounts(cwinnow_control_accounts *_Nonnull accounts) {
    return accounts->failure.text;
}

/// The page of this process.
extern uint8_t cwinnow_control_page[];

/// Returns the cells of this process. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline cwinnow_cell *_Nonnull
cwinnow_control_cells(void) {
    return (cwinnow_cell *)(void *)(cwinnow_control_page + cwinnow_control_cells_offset);
}

#ifdef __cplusplus
}
#endif

#endif
