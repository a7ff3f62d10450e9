// SPDX-License-Identifier: Apache-2.0

#include <libxml/HTMLparser.h>
#include <libxml/tree.h>
