// SPDX-License-Identifier: Apache-2.0

// What CSystemd declares of libsystemd is what libsystemd's own header declares: this compiles.

#include "CSystemd.h"
#include "functions.h"

#include <systemd/sd-journal.h>

#define IS_SAME(name)                                                                     \
    _Static_assert(                                                                       \
        __builtin_types_compatible_p(                                                     \
            __typeof__(((csystemd_library *)0)->name), __typeof__(&sd_journal_##name)),   \
        "csystemd_library." #name " has the type of sd_journal_" #name);
CSYSTEMD_FUNCTIONS(IS_SAME)

_Static_assert(CSYSTEMD_LOCAL_ONLY == SD_JOURNAL_LOCAL_ONLY, "the flag has its value");
