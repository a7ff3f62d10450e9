// SPDX-License-Identifier: Apache-2.0

#include "CWinnowCursor.h"

#pragma GCC visibility push(protected)

__thread cwinnow_cursor cwinnow_thread_cursor;

uint32_t cwinnow_text_layout_is_known;
