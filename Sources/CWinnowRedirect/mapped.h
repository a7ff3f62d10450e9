// SPDX-License-Identifier: Apache-2.0

/// Memory that may not be there: the kernel is asked before it is read.

#ifndef CWINNOW_MAPPED_H
#define CWINNOW_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The smallest page that there is: what one byte is mapped with, at least.
#define CWINNOW_PAGE_SIZE ((uintptr_t)4096)

/// Whether the byte at an address can be read. Changes errno. MT-Safe, AS-Safe.
bool cwinnow_is_mapped(uintptr_t address);

/// Whether all of the bytes can be read, for 0.1 microseconds a page. Keeps errno. MT-Safe, AS-Safe.
bool cwinnow_is_readable(const void *bytes, size_t size);

#endif
