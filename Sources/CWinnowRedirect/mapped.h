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

/// Copies bytes that another thread may unmap meanwhile. Returns false where they cannot all be read;
/// the copy is of no use then. Costs a system call. Where the kernel refuses process_vm_readv(2), as a
/// filter of system calls may have it, the bytes are read if they can be at that time. Keeps errno.
/// MT-Safe, AS-Safe.
bool cwinnow_copy_mapped(void *ret_copy, uintptr_t from, size_t size);

#endif
