// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CWinnowClock.h"
#include "CWinnowDescriptor.h"

#pragma GCC visibility push(protected)

// The largest pages of memory that Linux has on a machine of this kind, so that a mapping can take the place. Some
// linkers fill the program's file up to a multiple of it.
#if defined(__x86_64__)
enum { page_byte_count = 4 * 1024 };
#else
enum { page_byte_count = 64 * 1024 };
#endif

_Alignas(page_byte_count) uint8_t cwinnow_control_page[cwinnow_control_size];

// What others may write to tells the process nothing: here is what it knows itself. The first cell is that of the
// empty name.
static uint32_t cell_count = 1;
static uint32_t name_byte_count;

// The numbers of the orders that were taken last, by their places.
static uint32_t taken_numbers[cwinnow_control_slot_count];

// Whether the page is a memory file, and its descriptor, and what tells that from one that has its number by now;
// and the process whose it is, 0 for none.
static bool is_shared;
static int32_t file = -1;
static struct stat identity;
static pid_t owner;
static bool is_read_only;
// The file's name, for the files of children.
static char name[sizeof CWINNOW_CONTROL_NAME + sizeof((cwinnow_control_header *)0)->identifier];

_Static_assert(sizeof(cwinnow_control_header) == 256, "others rely on the layout");
_Static_assert(sizeof(cwinnow_control_order) == 2040, "others rely on the layout");
_Static_assert(sizeof(cwinnow_control_state) == 4072, "others rely on the layout");
_Static_assert(sizeof(cwinnow_control_accounts) == 24 + 512 + 62 * 288, "others rely on the layout");

static cwinnow_control_header *header(void) {
    return (cwinnow_control_header *)(void *)cwinnow_control_page;
}

static cwinnow_control_order *order(uint32_t slot) {
    return (cwinnow_control_order *)(void *)(cwinnow_control_page + cwinnow_control_order_offset
                                             + slot * (size_t)cwinnow_control_order_stride);
}

static void publish_cells(void) {
    __atomic_store_n(&header()->cell_count, cell_count, __ATOMIC_RELEASE);
}

bool cwinnow_control_has_room(size_t name_length) {
    return cell_count < cwinnow_control_cell_capacity
        && name_length <= cwinnow_control_name_capacity - name_byte_count;
}

cwinnow_cell *cwinnow_control_add(const uint8_t *text, size_t length) {
    uint32_t offset = cwinnow_control_names_offset + name_byte_count;
    if (length > 0) {
        memcpy(cwinnow_control_page + offset, text, length);
    }
    cwinnow_cell *cell = cwinnow_control_cells() + cell_count;
    cell->name_offset = offset;
    cell->name_length = (uint32_t)length;
    cell_count += 1;
    name_byte_count += (uint32_t)length;
    publish_cells();
    return cell;
}

// Copies what of the page has been written to, but for orders that were not taken: they are for this page.
static void copy_to(uint8_t *to) {
    size_t accounts_size = cwinnow_control_own_accounts()->time == 0 ? 0 : sizeof(cwinnow_control_accounts);
    const struct {
        size_t offset, size;
    } parts[] = {
        {0, sizeof(cwinnow_control_header)},
        {cwinnow_control_order_offset,
         (size_t)cwinnow_control_slot_count * cwinnow_control_order_stride},
        {cwinnow_control_state_offset, sizeof(cwinnow_control_state)},
        {cwinnow_control_accounts_offset, accounts_size},
        {cwinnow_control_cells_offset, cell_count * sizeof(cwinnow_cell)},
        {cwinnow_control_names_offset, name_byte_count},
    };
    for (size_t index = 0; index < sizeof parts / sizeof *parts; index++) {
        memcpy(
            to + parts[index].offset, cwinnow_control_page + parts[index].offset,
            parts[index].size);
    }
    for (uint32_t slot = 0; slot < cwinnow_control_slot_count; slot++) {
        size_t offset = cwinnow_control_order_offset + slot * (size_t)cwinnow_control_order_stride;
        ((cwinnow_control_order *)(void *)(to + offset))->number = taken_numbers[slot];
    }
}

// Has other memory take the place of the page, of a file or, if that is -1, which nobody else sees. It holds what the
// page holds, and the process that it is of. At once: another thread may look at a cell meanwhile.
static int32_t replace_by(int32_t made) {
    int flags = made < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void *memory = mmap(NULL, cwinnow_control_size, PROT_READ | PROT_WRITE, flags, made, 0);
    if (memory == MAP_FAILED) {
        return -errno;
    }
    copy_to(memory);
    cwinnow_control_header *copied = memory;
    if (copied->process_id != owner) {
        copied->process_id = owner;
        copied->run = 0;
        copied->began = cwinnow_clock_realtime();
    }
    void *moved = mremap(
        memory, cwinnow_control_size, cwinnow_control_size, MREMAP_MAYMOVE | MREMAP_FIXED,
        cwinnow_control_page);
    if (moved == MAP_FAILED) {
        int32_t reason = -errno;
        munmap(memory, cwinnow_control_size);
        return reason;
    }
    is_shared = made >= 0;
    return 0;
}

// Has memory take the place of the page which nobody else sees; where there is none beside the page, what it holds
// is lost: all levels are let through then, until a filter is set.
static void take_back(void) {
    if (replace_by(-1) == 0) {
        return;
    }
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    mmap(cwinnow_control_page, cwinnow_control_size, PROT_READ | PROT_WRITE, flags, -1, 0);
    is_shared = false;
}

// Gives a new file its size and its rights.
static int32_t prepare(int32_t made) {
    // A larger file than the limit would end the process by SIGXFSZ.
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < cwinnow_control_size) {
        return -EFBIG;
    }
    // Sealed before the first use: a peer's ftruncate(2) would end the process by SIGBUS.
    bool is_done = fchmod(made, 0600) == 0 && ftruncate(made, cwinnow_control_size) == 0
        && fcntl(made, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0
        && fstat(made, &identity) == 0;
    if (!is_done) {
        return -errno;
    }
    return identity.st_size == cwinnow_control_size ? 0 : -EIO;
}

// Ends what others may do to a file that the process has mapped.
static int32_t seal(int32_t made) {
    // F_SEAL_FUTURE_WRITE, Linux 5.1: what is mapped already is still written to.
    int seals = F_SEAL_SEAL | (is_read_only ? 0x0010 : 0);
    return fcntl(made, F_ADD_SEALS, seals) < 0 ? -errno : 0;
}

// Makes the page a file of this process.
static int32_t open_own(void) {
    int32_t made = cwinnow_descriptor_make_memory_file(name);
    if (made >= 0) {
        made = cwinnow_descriptor_move_up(made);
    }
    if (made < 0) {
        return made;
    }
    int32_t outcome = prepare(made);
    if (outcome == 0) {
        outcome = replace_by(made);
    }
    if (outcome < 0) {
        close(made);
        return outcome;
    }
    file = made;
    outcome = seal(made);
    if (outcome < 0) {
        cwinnow_control_close();
    }
    return outcome;
}

// Closes a file unless its number is another file's by now.
static void close_file(int32_t number, const struct stat *known) {
    struct stat status;
    if (fstat(number, &status) == 0 && status.st_ino == known->st_ino
        && status.st_dev == known->st_dev) {
        close(number);
    }
}

static void fill(const cwinnow_control_header *wanted) {
    cwinnow_control_header next = *wanted;
    memcpy(next.magic, CWINNOW_CONTROL_MAGIC, sizeof next.magic);
    next.version = CWINNOW_CONTROL_VERSION;
    next.byte_count = cwinnow_control_size;
    next.process_id = owner;
    if (is_shared) {
        next.began = header()->began;
    }
    next.cell_count = cell_count;
    *header() = next;
}

void cwinnow_control_set_run(uint32_t run) {
    // The page of another process is none of its business.
    if (!is_shared || owner == getpid()) {
        __atomic_store_n(&header()->run, run, __ATOMIC_RELAXED);
    }
}

static uint32_t order_number(uint32_t slot) {
    return __atomic_load_n(&order(slot)->number, __ATOMIC_ACQUIRE);
}

static bool is_new(uint32_t slot) {
    uint32_t number = order_number(slot);
    return number % 2 == 0 && number != 0
        && number != __atomic_load_n(&taken_numbers[slot], __ATOMIC_RELAXED);
}

bool cwinnow_control_has_order(void) {
    // Whoever has changed cells sees an order whose giver has not seen that.
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (uint32_t slot = 0; slot < cwinnow_control_slot_count; slot++) {
        if (is_new(slot)) {
            return true;
        }
    }
    return false;
}

// Copies the order of a place; returns whether nobody has written to it meanwhile.
static bool copy_order(uint32_t slot, cwinnow_control_order *copy) {
    uint32_t number = order_number(slot);
    memcpy(copy, order(slot), sizeof *copy);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    copy->number = number;
    copy->slot = slot;
    return number % 2 == 0 && order_number(slot) == number;
}

const cwinnow_control_order *cwinnow_control_take_order(void) {
    static cwinnow_control_order copy;
    for (uint32_t slot = 0; slot < cwinnow_control_slot_count; slot++) {
        if (is_new(slot) && copy_order(slot, &copy)) {
            __atomic_store_n(&taken_numbers[slot], copy.number, __ATOMIC_RELAXED);
            return &copy;
        }
    }
    return NULL;
}

void cwinnow_control_answer_order(uint32_t slot, uint32_t number, uint32_t outcome) {
    if (slot >= cwinnow_control_slot_count || taken_numbers[slot] != number) {
        return;
    }
    cwinnow_control_own_state()->answers[slot] = (cwinnow_control_answer){number, outcome};
    cwinnow_control_show();
}

// Writes what the process says into the page, with a number in front that is odd meanwhile. Both begin with it.
static void show(size_t offset, void *own, size_t size) {
    uint8_t *to = cwinnow_control_page + offset;
    uint32_t sequence = *(uint32_t *)own + 2;
    __atomic_store_n((uint32_t *)(void *)to, sequence - 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    memcpy(to + sizeof sequence, (const uint8_t *)own + sizeof sequence, size - sizeof sequence);
    __atomic_store_n((uint32_t *)(void *)to, sequence, __ATOMIC_RELEASE);
    *(uint32_t *)own = sequence;
}

cwinnow_control_state *cwinnow_control_own_state(void) {
    static cwinnow_control_state own;
    return &own;
}

void cwinnow_control_show(void) {
    show(cwinnow_control_state_offset, cwinnow_control_own_state(), sizeof(cwinnow_control_state));
}

cwinnow_control_accounts *cwinnow_control_own_accounts(void) {
    static cwinnow_control_accounts own;
    return &own;
}

cwinnow_control_sink *cwinnow_control_own_sink(uint32_t index) {
    return index < cwinnow_control_sink_capacity ? &cwinnow_control_own_accounts()->sinks[index] : NULL;
}

void cwinnow_control_show_accounts(void) {
    cwinnow_control_accounts *own = cwinnow_control_own_accounts();
    size_t size = offsetof(cwinnow_control_accounts, sinks) + own->sink_count * sizeof *own->sinks;
    show(cwinnow_control_accounts_offset, own, size);
}

int32_t cwinnow_control_open(const cwinnow_control_header *wanted, bool is_to_be_read_only) {
    cwinnow_control_own();
    if (is_read_only != is_to_be_read_only) {
        cwinnow_control_close();
    }
    owner = getpid();
    fill(wanted);
    if (is_shared) {
        return 0;
    }
    is_read_only = is_to_be_read_only;
    size_t prefix = sizeof CWINNOW_CONTROL_NAME - 1;
    size_t length = wanted->identifier_length;
    if (length > sizeof wanted->identifier) {
        length = sizeof wanted->identifier;
    }
    memcpy(name, CWINNOW_CONTROL_NAME, prefix);
    memcpy(name + prefix, wanted->identifier, length);
    name[prefix + length] = 0;
    return open_own();
}

void cwinnow_control_close(void) {
    if (!is_shared) {
        return;
    }
    int32_t old = file;
    file = -1;
    take_back();
    close_file(old, &identity);
}

void cwinnow_control_forget_parent(void) {
    // Not by its number: in a namespace of its own a child may have that of its parent.
    owner = 0;
    cwinnow_control_own();
}

void cwinnow_control_own(void) {
    if (!is_shared) {
        return;
    }
    pid_t process = getpid();
    if (owner == process) {
        return;
    }
    owner = process;
    // First, as the process may have no descriptor left for another one.
    close_file(file, &identity);
    file = -1;
    if (open_own() < 0 && is_shared) {
        take_back();
    }
}
