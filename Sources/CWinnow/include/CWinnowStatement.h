// SPDX-License-Identifier: Apache-2.0

/// The table of the log statements that a program holds: `winnow stripped` reads it.
///
/// A statement that is compiled leaves records of 16 bytes in the section `.winnow.statements`,
/// beside the program's constants. They are assembled where the code of the statement is, so a
/// statement that the compiler drops drops its records. Nothing at run time reads them: they cost no
/// instruction and, as their addresses are relative, no relocation; their pages are never loaded.
/// The kernel's jump labels and bug table are made the same way.
///
/// The linker drops a record with its code: each is a section of its own that only a relocation
/// without effect, at the code, refers to. (SHF_LINK_ORDER says the same, but gold does not heed it.)
///
/// An operand is an immediate where the optimizer knows it, and else a register: then the record
/// says that it is unknown. In a build without optimization all are unknown. A literal with a line
/// feed is unknown too: LLVM names it by its text, and the assembler does not find the name that
/// was escaped.
///
/// Swift's `@section` (SE-0492) fails in generic functions (stripping study, "Traps").

#ifndef CWINNOW_STATEMENT_H
#define CWINNOW_STATEMENT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The section of the table.
#define CWINNOW_STATEMENTS_SECTION ".winnow.statements"

/// The version of the records' layout.
#define CWINNOW_STATEMENTS_VERSION 1

/// What a record is.
typedef enum cwinnow_statement_kind {
    /// A statement begins: text is its file, number its line.
    cwinnow_statement_begin = 1,
    /// A literal of a message: text and number are its address and its bytes.
    cwinnow_statement_text = 2,
    /// The message of the statement is complete.
    cwinnow_statement_end = 3,
} cwinnow_statement_kind;

/// What a record says of a level, or a floor, that is known only at run time.
#define CWINNOW_STATEMENT_UNKNOWN 127

/// A record of the table, as it is in the section: little-endian, without padding.
typedef struct cwinnow_statement {
    /// Where the code of the record is, relative to this member.
    int32_t code;
    /// Where a text is, relative to this member; 0 where it is unknown.
    int32_t text;
    /// A line or a number of bytes, 0 where it is unknown.
    uint32_t number;
    uint8_t kind;
    /// The level, 0 to 7.
    int8_t level;
    /// The floor of the module, -1 to 7.
    int8_t floor;
    uint8_t reserved;
} cwinnow_statement;

// The library's own modules hold the bodies of all statements and are none themselves.
#if !defined(CWINNOW_WITHIN) && defined(__ELF__) && (defined(__x86_64__) || defined(__aarch64__))
#define CWINNOW_HAS_STATEMENTS 1
#else
#define CWINNOW_HAS_STATEMENTS 0
#endif

#if defined(__x86_64__)
// One register an operand: what is not an immediate is spelled as this register.
#define CWINNOW_OPERAND_0 "ai"
#define CWINNOW_OPERAND_1 "ci"
#define CWINNOW_OPERAND_2 "di"
#define CWINNOW_OPERAND_3 "Si"
#define CWINNOW_REGISTER_0 "rax"
#define CWINNOW_REGISTER_1 "rcx"
#define CWINNOW_REGISTER_2 "rdx"
#define CWINNOW_REGISTER_3 "rsi"
// P spells an immediate without its `$`.
#define CWINNOW_WORD(directive, operand, after, unknown)                                           \
    ".ifc %P" #operand ",%%" CWINNOW_REGISTER_##operand "\n\t" directive " " unknown               \
    "\n\t.else\n\t" directive " %P" #operand after "\n\t.endif\n\t"
#define CWINNOW_NO_RELOCATION "R_X86_64_NONE"
#else
#define CWINNOW_OPERAND_0 "ri"
#define CWINNOW_OPERAND_1 "ri"
#define CWINNOW_OPERAND_2 "ri"
#define CWINNOW_OPERAND_3 "ri"
// There is no class of one register: the spelling is compared with all of them.
#define CWINNOW_WORD(directive, operand, after, unknown)                                           \
    ".set .Lwinnow_known,1\n\t"                                                                    \
    ".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30\n\t" \
    ".ifc %" #operand ",x\\r\n\t.set .Lwinnow_known,0\n\t.endif\n\t.endr\n\t"                      \
    ".if .Lwinnow_known\n\t" directive " %" #operand after "\n\t.else\n\t" directive " " unknown   \
    "\n\t.endif\n\t"
#define CWINNOW_NO_RELOCATION "R_AARCH64_NONE"
#endif

// `?`: in the group of the code, if it has one. %= is a number of its own for each copy.
#define CWINNOW_RECORD(...)                                                                        \
    ".Lwinnow_code%=:\n\t"                                                                         \
    ".reloc .Lwinnow_code%=, " CWINNOW_NO_RELOCATION ", .Lwinnow_record%=\n\t"                     \
    ".pushsection " CWINNOW_STATEMENTS_SECTION ",\"a?\",%%progbits,unique,%=\n\t"                  \
    ".p2align 2\n\t"                                                                               \
    ".Lwinnow_record%=:\n\t"                                                                       \
    ".long .Lwinnow_code%= - .\n\t" __VA_ARGS__ ".popsection"

/// Notes that a log statement begins. Compiles to no instruction. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline void cwinnow_statement_note(
    const uint8_t *_Nonnull file, uint32_t line, int32_t level, int32_t floor) {
#if CWINNOW_HAS_STATEMENTS
    __asm__ volatile(CWINNOW_RECORD(CWINNOW_WORD(".long", 0, " - .", "0")     //
                                    CWINNOW_WORD(".long", 1, "", "0")     //
                                    ".byte 1\n\t"                     //
                                    CWINNOW_WORD(".byte", 2, "", "127")   //
                                    CWINNOW_WORD(".byte", 3, "", "127")   //
                                    ".byte 0\n\t")
                     :
                     : CWINNOW_OPERAND_0(file), CWINNOW_OPERAND_1((uint64_t)line),
                       CWINNOW_OPERAND_2((int64_t)level), CWINNOW_OPERAND_3((int64_t)floor));
#else
    (void)file, (void)line, (void)level, (void)floor;
#endif
}

/// Notes a literal of the message. Compiles to no instruction. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline void
cwinnow_statement_note_text(const uint8_t *_Nonnull text, uint32_t count) {
#if CWINNOW_HAS_STATEMENTS
    __asm__ volatile(CWINNOW_RECORD(CWINNOW_WORD(".long", 0, " - .", "0") //
                                    CWINNOW_WORD(".long", 1, "", "0") //
                                    ".byte 2,127,127,0\n\t")
                     :
                     : CWINNOW_OPERAND_0(text), CWINNOW_OPERAND_1((uint64_t)count));
#else
    (void)text, (void)count;
#endif
}

/// Notes that the message of a log statement is complete. Compiles to no instruction. MT-Safe,
/// AS-Safe.
__attribute__((always_inline)) static inline void cwinnow_statement_note_end(void) {
#if CWINNOW_HAS_STATEMENTS
    // The empty lists make it an extended asm: a basic one knows neither %= nor %%.
    __asm__ volatile(CWINNOW_RECORD(".long 0\n\t.long 0\n\t.byte 3,127,127,0\n\t") : :);
#endif
}

#ifdef __cplusplus
}
#endif

#endif
