// SPDX-License-Identifier: Apache-2.0

/// The ring of a thread: what its log calls write and the worker reads, in deferred delivery.
///
/// Swift has neither thread-local storage that an inlined function can reach without a call, nor
/// atomics in a structure that it lays out by cache lines. One thread writes, the *producer*, and
/// one reads, the *consumer*, which is the worker. A position counts all bytes that were ever
/// written; a record never wraps, as a filler skips the end of the storage. A record may begin
/// wherever the cursor is not beyond the soft limit of its level: behind it is room for its header,
/// for the encoder's reserve and for texts. So the common case is one comparison, and the
/// consumer's index is read only when the limit is hit.
///
/// Source: hot-path study, "The design", 4 to 6. The worker pairs the relaxed loads of the
/// producers with membarrier(2).

#ifndef CWINNOW_RING_H
#define CWINNOW_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CWinnowCursor.h"
#include "CWinnowDelivery.h"
#include "CWinnowStamp.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The bytes behind the cursor that a record may rely on: its header, the encoder's reserve of
/// 4 096, and some 4 000 of texts, so that texts of common lengths need no buffer of their own.
#define CWINNOW_RING_LEAD 8192

/// The least bytes of a ring: half of them hold a record.
#define CWINNOW_RING_MINIMUM (2 * CWINNOW_RING_LEAD)

/// How many bytes behind the cursor the lines are fetched that the next records are written to:
/// some eight records, 0.2 us.
#define CWINNOW_RING_FETCH_AHEAD 1024

/// The kinds of what lies in a ring, in the two upper bits of its first word; the others are its
/// bytes.
#define CWINNOW_RING_SIZE 0x3FFFFFFFFFFFFFFFu
/// The end of a lap, without a record.
#define CWINNOW_RING_FILLER 0x8000000000000000u
/// A header, then the address of a retained message that holds the arguments, then the bytes of
/// the record.
#define CWINNOW_RING_APART 0x4000000000000000u

typedef struct cwinnow_ring {
    // The producer's own. Padded by hand: Swift imports no structure with aligned members. 128
    // bytes, as the processor fetches lines in pairs.
    /// Where the next record goes.
    uint8_t *_Nonnull cursor;
    /// The last address at which a record of each level may begin.
    uint8_t *_Nullable soft[8];
    uint8_t *_Nonnull base;
    uint8_t *_Nonnull end;
    /// What makes a position of an address.
    uint64_t offset;
    /// The configuration that the ring is for; 0 for none.
    uint32_t epoch;
    /// The thread, as in gettid(2).
    int32_t thread;
    /// Whether a call closes with a tick of the time stamp counter and asks nothing: not where stamps are
    /// times (`cwinnow_stamp_counts`), nor once a task has had fields of its own.
    uint32_t closes_at_once;
    /// The number of the recorder's file that it lies in; 0 for none.
    uint32_t recorder;
    uint32_t padding_of_producer[4];

    /// The position behind the last whole record.
    uint64_t published;
    uint64_t padding_of_published[15];

    // The consumer's.
    /// The position up to which the records were taken by the sinks.
    uint64_t read;
    /// The position up to which the consumer has begun to deliver.
    uint64_t taken;
    uint64_t padding_of_consumer[14];

    // What is seldom touched.
    /// The records of each level that found no room, and how many of them are in the accounts.
    uint64_t lost[8], told[8];
    /// When the first of them was lost that was not told yet, and the last one; 0 for none.
    uint64_t lost_since, lost_until;
    /// The bytes of all messages that ever lay apart, and of those that were delivered.
    uint64_t apart, apart_read;
    /// The consumer's index at the end of a wait in vain.
    uint64_t stuck_at;
    /// The ring of the calls within calls, NULL until there is one.
    struct cwinnow_ring *_Nullable nested;
    uint32_t closed;
} cwinnow_ring;

/// What a thread knows of its ring.
typedef struct cwinnow_ring_of_thread {
    /// Those of the cursor.
    cwinnow_ring *_Nullable ready;
    cwinnow_ring *_Nullable opened;
} cwinnow_ring_of_thread;

/// Returns where the arguments of a record of the level go in the thread's ring; NULL where the
/// call must take the long way. MT-Safe, AS-Unsafe.
__attribute__((always_inline)) static inline uint8_t *_Nullable
cwinnow_ring_open(uint8_t level) {
    cwinnow_ring *ring = cwinnow_thread_cursor.ready;
    if (__builtin_expect(ring == NULL, 0) || ring->cursor > ring->soft[level] ||
        ring->epoch != __atomic_load_n(&cwinnow_process_delivery.gate, __ATOMIC_RELAXED)) {
        return NULL;
    }
    cwinnow_thread_cursor.ready = NULL;
    cwinnow_thread_cursor.opened = ring;
    return ring->cursor + CWINNOW_CALL_HEADER_BYTES;
}

/// Returns the ring that the open call writes to; NULL where it must take the long way.
/// MT-Safe, AS-Unsafe.
__attribute__((always_inline)) static inline cwinnow_ring *_Nullable cwinnow_ring_opened(void) {
    return cwinnow_thread_cursor.opened;
}

/// Publishes what lies between the cursor and the end. MT-Safe for the producer, AS-Unsafe.
__attribute__((always_inline)) static inline void
cwinnow_ring_publish(cwinnow_ring *_Nonnull ring, void *_Nonnull end) {
    ring->cursor = (uint8_t *)end;
    __atomic_store_n(&ring->published, (uint64_t)(uintptr_t)end + ring->offset, __ATOMIC_RELEASE);
}

/// Has the processor fetch two lines of the cache that records to come are written to. MT-Safe,
/// AS-Safe.
///
/// The worker has read them in the last lap, so that each must come back before it can be written:
/// in bursts of 20, behind which the worker is not far, that is a tenth of a call. An address
/// beyond the storage does no harm. As an instruction, because the compiler's own fetches for
/// reading where it knows no more of the processor than that it is an x86-64, and the line would
/// have to be asked for twice.
///
/// Source: AMD64 APM volume 3 and Intel SDM volume 2, PREFETCHW; what does not know it takes it as NOP.
__attribute__((always_inline)) static inline void
cwinnow_ring_fetch_ahead(const void *_Nonnull end) {
    const uint8_t *ahead = (const uint8_t *)end + CWINNOW_RING_FETCH_AHEAD;
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0\n\tprefetchw 64+%0" : : "m"(*ahead));
#else
    __builtin_prefetch(ahead, 1);
    __builtin_prefetch(ahead + 64, 1);
#endif
}

/// Ends the open record, whose arguments end there, with the stamp; returns whether the worker must
/// be woken. MT-Safe for the producer, AS-Unsafe.
__attribute__((always_inline)) static inline bool
cwinnow_ring_close(cwinnow_ring *_Nonnull ring, void *_Nonnull end, uint64_t stamp) {
    uint64_t *header = (uint64_t *)(void *)ring->cursor;
    header[0] = (uint64_t)((uint8_t *)end - ring->cursor);
    header[1] = stamp;
    cwinnow_ring_fetch_ahead(end);
    cwinnow_ring_publish(ring, end);
    cwinnow_thread_cursor.ready = ring;
    // The compiler keeps the order of the two; that the processor did is for the worker to enforce.
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return (__atomic_load_n(&cwinnow_process_delivery.sleep, __ATOMIC_RELAXED) & 1) != 0;
}

/// Whether the open call can be closed with a tick, asking nothing. For the producer.
__attribute__((always_inline)) static inline bool
cwinnow_ring_closes_at_once(const cwinnow_ring *_Nonnull ring) {
    return __atomic_load_n(&ring->closes_at_once, __ATOMIC_RELAXED) != 0;
}

/// Makes calls check, when they close, whether the fields of a task are to be added. MT-Safe.
static inline void cwinnow_ring_ask_at_close(cwinnow_ring *_Nonnull ring) {
    __atomic_store_n(&ring->closes_at_once, 0, __ATOMIC_RELAXED);
}

/// Sets what the thread knows of its ring. MT-Safe, AS-Unsafe.
static inline void
cwinnow_ring_set(cwinnow_ring *_Nullable ready, cwinnow_ring *_Nullable opened) {
    cwinnow_thread_cursor.ready = ready;
    cwinnow_thread_cursor.opened = opened;
}

/// Returns what the thread knows of its ring. MT-Safe, AS-Safe.
static inline cwinnow_ring_of_thread cwinnow_ring_get(void) {
    cwinnow_ring_of_thread known = {cwinnow_thread_cursor.ready, cwinnow_thread_cursor.opened};
    return known;
}

/// Returns whether an open call of this thread writes to a ring, and is the innermost one.
/// MT-Safe, AS-Safe.
static inline bool cwinnow_ring_is_open(void) {
    return cwinnow_thread_cursor.opened != NULL && cwinnow_thread_cursor.ready == NULL;
}

/// The bytes in front of the storage of a ring: the structure, on pages of its own.
#define CWINNOW_RING_STRUCTURE_BYTES 4096

/// Makes a ring of so many bytes, a power of two and at least `CWINNOW_RING_MINIMUM`; NULL where
/// memory has run out. AS-Unsafe.
cwinnow_ring *_Nullable cwinnow_ring_make(uint64_t byte_count);
/// Makes a ring in memory whose first `CWINNOW_RING_STRUCTURE_BYTES` are zero, with its storage behind them. AS-Unsafe.
cwinnow_ring *_Nonnull cwinnow_ring_make_in(void *_Nonnull memory, uint64_t byte_count);
/// Gives the memory of a ring back that nobody uses, and that is in no file. AS-Unsafe.
void cwinnow_ring_free(cwinnow_ring *_Nonnull ring);
/// Asks the consumer's index, and skips the end of the storage where it is too short; returns
/// whether a record of the level may begin at the cursor. For the producer.
bool cwinnow_ring_refill(cwinnow_ring *_Nonnull ring, uint8_t level);
/// Returns the end of what the producer may write to without asking.
uint8_t *_Nonnull cwinnow_ring_limit(const cwinnow_ring *_Nonnull ring);
/// Empties the ring, whoever was about to read it: in the child of a fork.
void cwinnow_ring_reset(cwinnow_ring *_Nonnull ring);
/// Counts the bytes of a message that is to lie apart, and returns whether it may: where those of
/// others are not more than the ring has, or there are none. For the producer.
bool cwinnow_ring_take_apart(cwinnow_ring *_Nonnull ring, uint64_t byte_count);

/// Has the kernel provide the pages of the storage up to the position, in the first lap, and returns their
/// end, which is `provided` the next time: where it does not (madvise(2): since Linux 5.14), each is a page
/// fault of the producer's. For the consumer.
uint64_t cwinnow_ring_provide(cwinnow_ring *_Nonnull ring, uint64_t provided, uint64_t position);

/// Counts the bytes of a message that lay apart as delivered. For the consumer.
static inline void cwinnow_ring_end_apart(cwinnow_ring *_Nonnull ring, uint64_t byte_count) {
    __atomic_store_n(&ring->apart_read, ring->apart_read + byte_count, __ATOMIC_RELEASE);
}

/// Counts a record that found no room. For the producer.
void cwinnow_ring_lose(cwinnow_ring *_Nonnull ring, uint8_t level, uint64_t time);

/// Returns the number of lost records of a level; what was published before is visible then.
/// MT-Safe, AS-Safe.
static inline uint64_t cwinnow_ring_lost(const cwinnow_ring *_Nonnull ring, uint8_t level) {
    return __atomic_load_n(&ring->lost[level & 7], __ATOMIC_ACQUIRE);
}

/// Returns how many of the lost records of a level are in the accounts. MT-Safe, AS-Safe.
static inline uint64_t cwinnow_ring_told(const cwinnow_ring *_Nonnull ring, uint8_t level) {
    return __atomic_load_n(&ring->told[level & 7], __ATOMIC_ACQUIRE);
}

/// Notes how many of them are. For the consumer.
static inline void cwinnow_ring_set_told(cwinnow_ring *_Nonnull ring, uint8_t level, uint64_t count) {
    __atomic_store_n(&ring->told[level & 7], count, __ATOMIC_RELEASE);
}

/// Returns the bytes that the ring holds. MT-Safe, AS-Safe.
static inline uint64_t cwinnow_ring_capacity(const cwinnow_ring *_Nonnull ring) {
    return (uint64_t)(ring->end - ring->base);
}

/// Returns the address of a position. MT-Safe, AS-Safe.
static inline uint8_t *_Nonnull
cwinnow_ring_address(const cwinnow_ring *_Nonnull ring, uint64_t position) {
    return ring->base + (position & (cwinnow_ring_capacity(ring) - 1));
}

/// Returns the position of the cursor. For the producer.
static inline uint64_t cwinnow_ring_position(const cwinnow_ring *_Nonnull ring) {
    return (uint64_t)(uintptr_t)ring->cursor + ring->offset;
}

/// Returns the position behind the last published record. MT-Safe, AS-Safe.
static inline uint64_t cwinnow_ring_published(const cwinnow_ring *_Nonnull ring) {
    return __atomic_load_n(&ring->published, __ATOMIC_ACQUIRE);
}

/// Returns the position up to which the sinks have taken the records. MT-Safe, AS-Safe.
static inline uint64_t cwinnow_ring_read(const cwinnow_ring *_Nonnull ring) {
    return __atomic_load_n(&ring->read, __ATOMIC_ACQUIRE);
}

/// Gives the storage up to the position back to the producer. For the consumer.
static inline void cwinnow_ring_set_read(cwinnow_ring *_Nonnull ring, uint64_t position) {
    __atomic_store_n(&ring->read, position, __ATOMIC_RELEASE);
}

/// Returns the position up to which the consumer has begun. MT-Safe, AS-Safe.
static inline uint64_t cwinnow_ring_taken(const cwinnow_ring *_Nonnull ring) {
    return __atomic_load_n(&ring->taken, __ATOMIC_ACQUIRE);
}

/// Notes that the consumer begins to deliver what lies before the position. For the consumer.
static inline void cwinnow_ring_set_taken(cwinnow_ring *_Nonnull ring, uint64_t position) {
    __atomic_store_n(&ring->taken, position, __ATOMIC_RELEASE);
}

/// Takes the time of the first loss that was not told yet, 0 for none. For the consumer.
static inline uint64_t cwinnow_ring_take_lost_since(cwinnow_ring *_Nonnull ring) {
    return __atomic_exchange_n(&ring->lost_since, 0, __ATOMIC_RELAXED);
}

/// Returns the time of the last loss. MT-Safe, AS-Safe.
static inline uint64_t cwinnow_ring_lost_until(const cwinnow_ring *_Nonnull ring) {
    return __atomic_load_n(&ring->lost_until, __ATOMIC_RELAXED);
}

/// Returns the ring of the calls within calls. MT-Safe, AS-Safe.
static inline cwinnow_ring *_Nullable cwinnow_ring_nested(const cwinnow_ring *_Nonnull ring) {
    return __atomic_load_n(&ring->nested, __ATOMIC_ACQUIRE);
}

/// Sets the ring of the calls within calls. For the producer.
static inline void
cwinnow_ring_set_nested(cwinnow_ring *_Nonnull ring, cwinnow_ring *_Nonnull nested) {
    __atomic_store_n(&ring->nested, nested, __ATOMIC_RELEASE);
}

/// Says that the producer has ended. For the producer.
static inline void cwinnow_ring_mark_closed(cwinnow_ring *_Nonnull ring) {
    __atomic_store_n(&ring->closed, 1, __ATOMIC_RELEASE);
}

/// Returns whether the producer has ended. MT-Safe, AS-Safe.
static inline bool cwinnow_ring_is_closed(const cwinnow_ring *_Nonnull ring) {
    return __atomic_load_n(&ring->closed, __ATOMIC_ACQUIRE) != 0;
}

/// Returns where the arguments of a record go that is delivered at once; NULL where the call must take
/// the long way. MT-Safe, AS-Unsafe.
__attribute__((always_inline)) static inline uint8_t *_Nullable cwinnow_cursor_open_at_once(void) {
    uint8_t *start = cwinnow_thread_cursor.at_once;
    if (start == NULL || cwinnow_thread_cursor.depth != 0 || cwinnow_delivery_epoch() != 0) {
        return NULL;
    }
    cwinnow_thread_cursor.depth = 1;
    return start;
}

#ifdef __cplusplus
}
#endif

#endif
