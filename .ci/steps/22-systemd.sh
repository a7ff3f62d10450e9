#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# CSystemd, which no build holds against libsystemd, declares what libsystemd's header declares, and
# the library has every function by that name.

source "$(dirname "$0")/../common.sh"

Tests/install-missing '/usr/include/systemd/sd-journal.h=libsystemd-dev' '/usr/bin/nm=binutils'
"$(c_compiler)" -std=c17 -Wall -Wextra -Werror -Wno-nullability-extension -fsyntax-only \
  -I Sources/CSystemd/include -I Sources/CSystemd .ci/systemd-header.c

# The real symbols, as dlsym(3) will look for them.
library=$(find /usr/lib /lib -name libsystemd.so.0 -print -quit)
missing=$(comm -23 \
  <(sed -nE 's/^ +each\((\w+)\).*/sd_journal_\1/p' Sources/CSystemd/functions.h | sort) \
  <(nm --dynamic --defined-only "$library" | sed -E 's/.* //; s/@.*//' | sort))
[[ -z $missing ]] || { echo "$library lacks:"; echo "$missing"; exit 1; }
