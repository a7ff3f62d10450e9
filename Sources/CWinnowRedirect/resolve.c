// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "resolve.h"

#include <stdbool.h>
#include <string.h>

#include "mangledname.h"
#include "name.h"
#include "neighbors.h"
#include "objects.h"
#include "program.h"
#include "runtime.h"
#include "tailcall.h"

#pragma GCC visibility push(protected)

/// The finding for a module whose name is in place: stepped over where it is of a runtime.
static void settle(cwinnow_finding *finding, cwinnow_evidence evidence) {
    bool is_swift = evidence == CWINNOW_EVIDENCE_SYMBOL || evidence == CWINNOW_EVIDENCE_NEIGHBOR;
    bool is_passed = is_swift ? cwinnow_runtime_has_module(finding->origin.name)
                              : cwinnow_runtime_has_target(finding->origin.name);
    finding->kind = is_passed ? cwinnow_finding_framed : cwinnow_finding_origin;
    finding->origin.evidence = evidence;
    finding->origin.is_approximate = evidence == CWINNOW_EVIDENCE_NEIGHBOR;
}

static cwinnow_finding_kind kind_of(cwinnow_passage passage) {
    return passage == cwinnow_passage_framed      ? cwinnow_finding_framed
           : passage == cwinnow_passage_frameless ? cwinnow_finding_frameless
                                                  : cwinnow_finding_origin;
}

/// Finds by a Swift name. Returns false for a name that is not Swift's.
static bool find_by_swift_name(const char *symbol, cwinnow_finding *finding) {
    switch (cwinnow_mangled_module(symbol, finding->origin.name)) {
    case cwinnow_mangling_none:
        return false;
    case cwinnow_mangling_glue:
        finding->kind = cwinnow_finding_framed;
        return true;
    case cwinnow_mangling_module:
        settle(finding, CWINNOW_EVIDENCE_SYMBOL);
        return true;
    }
    return false;
}

static void find_by_function(const char *symbol, cwinnow_finding *finding) {
    finding->kind = kind_of(cwinnow_runtime_function(symbol));
    cwinnow_mangled_scope(symbol, finding->origin.name);
    finding->origin.evidence = CWINNOW_EVIDENCE_FUNCTION;
}

/// Finds whose the code of the program is at an address.
static void find_in_program(
    const cwinnow_program *program, uintptr_t address, cwinnow_finding *finding) {
    uint64_t place = address - program->load_address;
    cwinnow_symbol symbol;
    bool has_symbol = cwinnow_program_symbol(place, &symbol);
    if (has_symbol && find_by_swift_name(symbol.name, finding)) {
        return;
    }
    if (has_symbol && cwinnow_program_main(&symbol, finding->origin.name)) {
        settle(finding, CWINNOW_EVIDENCE_SYMBOL);
    } else if (cwinnow_program_target(place, finding->origin.name)) {
        settle(finding, CWINNOW_EVIDENCE_LINE);
    } else if (has_symbol) {
        find_by_function(symbol.name, finding);
    } else if (!program->elf.has_all_symbols &&
               cwinnow_neighbors_find(&program->memory,
                                      program->load_address + program->elf.types_address,
                                      program->elf.types_size, address, finding->origin.name)) {
        settle(finding, CWINNOW_EVIDENCE_NEIGHBOR);
    } else {
        finding->kind = cwinnow_finding_unknown;
    }
}

/// The name of an object without `lib`, and without `.so` and what follows.
static void write_object_name(const char *file_name, char name[CWINNOW_ORIGIN_NAME_SIZE]) {
    const char *start = strncmp(file_name, "lib", 3) == 0 ? file_name + 3 : file_name;
    const char *suffix = strstr(start, ".so");
    size_t count = suffix == NULL ? strlen(start) : (size_t)(suffix - start);
    if (count == 0) {
        start = file_name;
        count = strlen(file_name);
    }
    cwinnow_name_write(name, start, count);
}

static void find_in_object(const cwinnow_object *object, cwinnow_finding *finding) {
    cwinnow_passage passage = cwinnow_runtime_object(object->name);
    if (passage != cwinnow_passage_none) {
        finding->kind = kind_of(passage);
    } else if (object->symbol[0] == 0 || !find_by_swift_name(object->symbol, finding)) {
        write_object_name(object->name, finding->origin.name);
        settle(finding, CWINNOW_EVIDENCE_OBJECT);
        if (finding->origin.name[0] == 0) {
            finding->kind = cwinnow_finding_unknown;
        }
    }
}

static void find_at(uintptr_t address, cwinnow_finding *finding) {
    memset(finding, 0, sizeof *finding);
    const cwinnow_program *program = cwinnow_program_prepare();
    cwinnow_object object;
    if (cwinnow_memory_is_code(&program->memory, address)) {
        find_in_program(program, address, finding);
    } else if (cwinnow_object_find(address, &object) &&
               cwinnow_memory_is_code(&object.memory, address)) {
        find_in_object(&object, finding);
    }
}

/// The address at which the function begins that an address is in; 0 where it is not known.
static uintptr_t start_of(uintptr_t address) {
    const cwinnow_program *program = cwinnow_program_prepare();
    cwinnow_symbol symbol;
    cwinnow_object object;
    if (cwinnow_memory_is_code(&program->memory, address)) {
        return cwinnow_program_symbol(address - program->load_address, &symbol)
                   ? (uintptr_t)symbol.start + program->load_address
                   : 0;
    }
    return cwinnow_object_find(address, &object) ? object.symbol_start : 0;
}

/// Whether a call to a place was to a function that is not seen on the stack: what looks like a call
/// may be part of other code, and the function that it names may be the one that is seen.
static bool is_elided(uintptr_t target, uintptr_t callee) {
    return target == start_of(target) && target != start_of(callee);
}

void cwinnow_resolve(
    uintptr_t return_address, uintptr_t callee, cwinnow_finding *ret_finding) {
    // A call may be the last of its function: the address behind it is of the next one then.
    find_at(return_address - 1, ret_finding);
    uintptr_t target;
    if (ret_finding->kind != cwinnow_finding_origin || ret_finding->origin.is_approximate ||
        !cwinnow_call_target(return_address, &target) || !is_elided(target, callee)) {
        return;
    }
    cwinnow_finding elided;
    find_at(target, &elided);
    if (elided.kind == cwinnow_finding_origin && !elided.origin.is_approximate &&
        strcmp(elided.origin.name, ret_finding->origin.name) != 0) {
        *ret_finding = elided;
    }
}
