// SPDX-License-Identifier: Apache-2.0

/// The facts in the file of a recorder: what only the two parts of its code know of each other.

#ifndef CWINNOW_RECORDER_FACTS_H
#define CWINNOW_RECORDER_FACTS_H

#include "CWinnowRecorder.h"

/// Begins with no fact, in a new file.
void cwinnow_recorder_facts_begin(void);

#endif
