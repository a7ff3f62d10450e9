// SPDX-License-Identifier: Apache-2.0

/// The program and the dynamic libraries, as the dynamic linker has loaded them.

#ifndef CWINNOW_IMAGE_H
#define CWINNOW_IMAGE_H

#include <stdbool.h>

/// Whether the image that the address lies in exports it under the name.
///
/// Not by dladdr(3), which goes through all symbols of the image: those of Swift's runtime take it 0.1 ms.
/// MT-Safe, AS-Unsafe.
bool cwinnow_image_exports(const void *address, const char *name);

#endif
