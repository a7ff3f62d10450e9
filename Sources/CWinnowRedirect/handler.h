// SPDX-License-Identifier: Apache-2.0

/// Whether a signal's handler prints.

#ifndef CWINNOW_HANDLER_H
#define CWINNOW_HANDLER_H

#include <stdbool.h>

/// Whether the thread runs a signal's handler, which may have interrupted malloc(3) or the loader: what
/// takes their locks would wait for its own thread.
///
/// A handler is known by its signal, which is blocked meanwhile, and by what the kernel has left on the
/// stack; one that runs with SA_NODEFER is not known. Costs a system call where no signal is blocked,
/// as most of the time none is, and some ten where one is. Keeps errno. MT-Safe, AS-Safe.
bool cwinnow_handler_is_running(void);

#endif
