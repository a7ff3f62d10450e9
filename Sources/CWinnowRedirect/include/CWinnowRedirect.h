// SPDX-License-Identifier: Apache-2.0

/// The floor of what is printed: hooks, origins, lines and their queue, captured descriptors.

#ifndef CWINNOW_REDIRECT_H
#define CWINNOW_REDIRECT_H

#include "CWinnowBytes.h"
#include "CWinnowCapture.h"
#include "CWinnowHooks.h"
#include "CWinnowLines.h"
#include "CWinnowOrigin.h"
#include "CWinnowPrinted.h"

#endif
