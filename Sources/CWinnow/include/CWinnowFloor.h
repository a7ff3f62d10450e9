// SPDX-License-Identifier: Apache-2.0

/// The compile-time floor as the *client's* flags set it.
///
/// Swift cannot read it: a C macro of the client's command line reaches Swift code only through
/// what the client's own compilation imports from C. The front end asks from bodies that are
/// inlined into the client.

#ifndef CWINNOW_FLOOR_H
#define CWINNOW_FLOOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef WINNOW_MAX_LEVEL
// A name would count as 0 in a test of the value: it is the spelling that is tested.
#define CWINNOW_IS_LEVEL_0 1
#define CWINNOW_IS_LEVEL_1 1
#define CWINNOW_IS_LEVEL_2 1
#define CWINNOW_IS_LEVEL_3 1
#define CWINNOW_IS_LEVEL_4 1
#define CWINNOW_IS_LEVEL_5 1
#define CWINNOW_IS_LEVEL_6 1
#define CWINNOW_IS_LEVEL_7 1
#define CWINNOW_JOIN(left, right) left##right
#define CWINNOW_IS_LEVEL(spelling) CWINNOW_JOIN(CWINNOW_IS_LEVEL_, spelling)
#if (WINNOW_MAX_LEVEL + 0) != -1
#if !CWINNOW_IS_LEVEL(WINNOW_MAX_LEVEL)
#error "WINNOW_MAX_LEVEL takes the number of a level, 0 (emergency) to 7 (debug), or -1 for none at all"
#endif
#endif
#endif

/// The floor as a type, to be told by its size: 1 and a byte for each level that the client
/// compiles, so 1 to 9; 10 where no flag sets a floor.
///
/// The value of a function is unknown until LLVM compiles it; the size of a type is known to Swift,
/// which drops what depends on it with an optimizer and without.
typedef struct cwinnow_floor {
#ifdef WINNOW_MAX_LEVEL
    char levels[(WINNOW_MAX_LEVEL) + 2];
#else
    char levels[10];
#endif
} __attribute__((swift_name("CallerFloor"))) cwinnow_floor;

/// Returns the least severe level that the client compiles: 0 to 7, or -1 for none.
///
/// `maximum` is the floor where no flag sets one. MT-Safe, AS-Safe.
__attribute__((always_inline)) static inline int32_t cwinnow_max_level(int32_t maximum) {
#ifdef WINNOW_MAX_LEVEL
    (void)maximum;
    return WINNOW_MAX_LEVEL;
#else
    return maximum;
#endif
}

#ifdef __cplusplus
}
#endif

#endif
