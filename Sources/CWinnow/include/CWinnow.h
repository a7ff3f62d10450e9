// SPDX-License-Identifier: Apache-2.0

/// What Winnow cannot say in Swift, and why, in each header:
/// the floor that a client's own flags set, thread-local pointers, calls whose arguments are C
/// macros, locks that survive fork(2), the rings of deferred delivery, and vectors of bytes.
///
/// Every function returns a value >= 0 or a negated errno value, and leaves its `ret_` parameters
/// untouched on failure. MT- and AS-safety are those of attributes(7).

#ifndef CWINNOW_H
#define CWINNOW_H

#include "CWinnowFloor.h"
#include "CWinnowStatement.h"
#include "CWinnowCategory.h"
#include "CWinnowText.h"
#include "CWinnowCursor.h"
#include "CWinnowClock.h"
#include "CWinnowStamp.h"
#include "CWinnowMemory.h"
#include "CWinnowDelivery.h"
#include "CWinnowRing.h"
#include "CWinnowWorker.h"
#include "CWinnowSignal.h"
#include "CWinnowOnlyThread.h"
#include "CWinnowThread.h"
#include "CWinnowPatience.h"
#include "CWinnowNumbers.h"
#include "CWinnowRecorder.h"
#include "CWinnowRecorded.h"
#include "CWinnowWrite.h"
#include "CWinnowDescriptor.h"
#include "CWinnowFolder.h"
#include "CWinnowSocket.h"
#include "CWinnowNetwork.h"
#include "CWinnowSystem.h"
#include "CWinnowWitness.h"
#include "CWinnowHarmless.h"

#endif
