// SPDX-License-Identifier: Apache-2.0

/// What differs by processor: signed return addresses, and how calls and stubs are encoded.
///
/// Code is read only where it is known to be: the bytes are those in front of a return address, or
/// at the target of a call. The one file of the target that asks which processor it is.

#ifndef CWINNOW_MACHINE_H
#define CWINNOW_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/// What a stub does: go to a place, go to where a pointer in memory says, or nothing of both.
typedef enum cwinnow_jump_kind {
    cwinnow_jump_none,
    cwinnow_jump_direct,
    cwinnow_jump_indirect,
} cwinnow_jump_kind;

typedef struct cwinnow_jump {
    cwinnow_jump_kind kind;
    /// The place, or where the pointer to it is.
    uintptr_t place;
} cwinnow_jump;

static inline cwinnow_jump cwinnow_jump_of(cwinnow_jump_kind kind, uintptr_t place) {
    return (cwinnow_jump){kind, place};
}

static inline uintptr_t cwinnow_machine_relative(uintptr_t place, const uint8_t *bytes) {
    int32_t offset;
    memcpy(&offset, bytes, sizeof offset);
    return place + (uintptr_t)(intptr_t)offset;
}

static inline uint32_t cwinnow_machine_word(const uint8_t *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

#if defined(__x86_64__)

/// The bytes in front of a return address that a call has, and the bytes of the longest stub.
#define CWINNOW_CALL_BYTES 6
#define CWINNOW_STUB_BYTES 11

/// Removes the signature from a return address.
static inline uintptr_t cwinnow_machine_strip(uintptr_t address) {
    return address;
}

/// Says where the call goes behind which an address is. `bytes` are the CWINNOW_CALL_BYTES in front.
/// Source: Intel SDM, volume 2, CALL: E8 rel32, FF /2 with [rip + disp32].
static inline cwinnow_jump cwinnow_machine_call(const uint8_t *bytes, uintptr_t return_address) {
    uintptr_t place = cwinnow_machine_relative(return_address, bytes + 2);
    if (bytes[0] == 0xff && bytes[1] == 0x15) {
        return cwinnow_jump_of(cwinnow_jump_indirect, place);
    }
    return cwinnow_jump_of(bytes[1] == 0xe8 ? cwinnow_jump_direct : cwinnow_jump_none, place);
}

/// Says where a stub goes: of the procedure linkage table, `[endbr64] [bnd] jmp *disp(%rip)`. A plain
/// jump is none: it may be all that a function does. `bytes` are CWINNOW_STUB_BYTES.
static inline cwinnow_jump cwinnow_machine_stub(const uint8_t *bytes, uintptr_t address) {
    static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
    size_t at = memcmp(bytes, endbr, sizeof endbr) == 0 ? sizeof endbr : 0;
    at += bytes[at] == 0xf2;
    bool is_stub = bytes[at] == 0xff && bytes[at + 1] == 0x25;
    return cwinnow_jump_of(is_stub ? cwinnow_jump_indirect : cwinnow_jump_none,
                           cwinnow_machine_relative(address + at + 6, bytes + at + 2));
}

/// `mov rax, 15`, `syscall`: rt_sigreturn(2).
#define CWINNOW_SIGNAL_RETURN_BYTES 9
static inline bool cwinnow_machine_is_signal_return(const uint8_t *bytes) {
    static const uint8_t code[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
    return memcmp(bytes, code, sizeof code) == 0;
}

#elif defined(__aarch64__)

#define CWINNOW_CALL_BYTES 4
#define CWINNOW_STUB_BYTES 20

// Source: Arm ARM, "XPACLRI": it strips x30, and is a NOP where pointers are not signed.
static inline uintptr_t cwinnow_machine_strip(uintptr_t address) {
    register uintptr_t link __asm__("x30") = address;
    __asm__("hint #7" : "+r"(link));
    return link;
}

/// The target of BL: 26 bits of words, signed.
static inline uintptr_t cwinnow_machine_branch(uintptr_t place, uint32_t instruction) {
    int64_t offset = (int64_t)((uint64_t)instruction << 38) >> 36;
    return place + (uintptr_t)offset;
}

static inline cwinnow_jump cwinnow_machine_call(const uint8_t *bytes, uintptr_t return_address) {
    uint32_t instruction = cwinnow_machine_word(bytes);
    return cwinnow_jump_of(instruction >> 26 == 0x25 ? cwinnow_jump_direct : cwinnow_jump_none,
                           cwinnow_machine_branch(return_address - 4, instruction));
}

/// Says where a stub goes: of the procedure linkage table, `[bti c] adrp x16; ldr x17, [x16, #…]`, a
/// linker's long branch, `adrp x16; add x16, x16, #…; br x16`. A plain B is none, as above.
static inline cwinnow_jump cwinnow_machine_stub(const uint8_t *bytes, uintptr_t address) {
    const uint32_t bti = 0xd503245fu;
    size_t at = cwinnow_machine_word(bytes) == bti ? 4 : 0;
    uint32_t first = cwinnow_machine_word(bytes + at);
    uint32_t second = cwinnow_machine_word(bytes + at + 4);
    if ((first & 0x9f00001fu) != 0x90000010u) {
        return cwinnow_jump_of(cwinnow_jump_none, 0);
    }
    uint64_t pages = (uint64_t)(first >> 5 & 0x7ffff) << 2 | (first >> 29 & 3);
    int64_t offset = (int64_t)(pages << 43) >> 31;
    uintptr_t page = ((address + at) & ~(uintptr_t)0xfff) + (uintptr_t)offset;
    uintptr_t immediate = second >> 10 & 0xfff;
    if ((second & 0xffc003ffu) == 0xf9400211u) {
        return cwinnow_jump_of(cwinnow_jump_indirect, page + immediate * 8);
    }
    bool is_long_branch = (second & 0xffc003ffu) == 0x91000210u &&
                          cwinnow_machine_word(bytes + at + 8) == 0xd61f0200u;
    return cwinnow_jump_of(
        is_long_branch ? cwinnow_jump_direct : cwinnow_jump_none, page + immediate);
}

/// `mov x8, 139`, `svc 0`: rt_sigreturn(2).
#define CWINNOW_SIGNAL_RETURN_BYTES 8
static inline bool cwinnow_machine_is_signal_return(const uint8_t *bytes) {
    return cwinnow_machine_word(bytes) == 0xd2801168u &&
           cwinnow_machine_word(bytes + 4) == 0xd4000001u;
}

#else

#error "Swift on Linux runs on x86-64 and AArch64: say here how another processor calls"

#endif

#endif
