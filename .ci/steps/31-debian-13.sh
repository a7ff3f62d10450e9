#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What 30-test has built passes its tests on Debian 13 as well: with another glibc, systemd, rsyslog and
# OpenSSL. The shell tests that build programs of their own are left out.

source "$(dirname "$0")/../common.sh"

((EUID == 0)) || skip 'the system of another release needs root'
unshare -m true 2>/dev/null || skip 'the machine has no mount namespaces for another release'
Tests/in-debian trixie true || skip 'Debian 13 cannot be had'
exec Tests/in-debian trixie Tests/run --built
