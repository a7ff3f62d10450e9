# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the steps share; each step sources it first and then stands in the root of the repository.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# One set of flags and one build directory for all steps, so that nothing is built twice; a build
# directory of its own, so that a developer's is not thrown away by other flags. SwiftPM keeps
# -warnings-as-errors from dependencies. It finds tests by the index, in which the modules of the system
# are of no use: to compile their interfaces for it takes seconds.
export WINNOW_TEST_SWIFT_FLAGS="--scratch-path .build-ci -Xswiftc -warnings-as-errors \
-Xswiftc -index-ignore-system-modules --explicit-target-dependency-import-check error"

# The same for the examples, in which nobody looks for a name.
export WINNOW_TEST_DEMO_FLAGS=--disable-index-store

# The tool of the demonstration is that of the tests.
export WINNOW_TEST_TOOL_FLAGS="--traits default,SwiftLog $WINNOW_TEST_SWIFT_FLAGS"

# What builds a package that depends on this checkout finds the library there, once it is compiled.
export WINNOW_TEST_CLIENTS=$PWD/.build-ci/clients

# Prints the files of the repository, also the new ones, that match the patterns.
list_files() {
  local file
  git ls-files --cached --others --exclude-standard -- "$@" | while IFS= read -r file; do
    [[ ! -f $file ]] || printf '%s\n' "$file"
  done
}

# Prints all scripts: the files whose first two bytes say so.
list_scripts() {
  local file mark
  list_files '*' | while IFS= read -r file; do
    IFS= read -rN2 mark 2>/dev/null <"$file" || continue
    [[ $mark != '#!' ]] || printf '%s\n' "$file"
  done
}

# Prints the path of the toolchain's C compiler.
c_compiler() {
  local resources clang
  # A toolchain has its clang beside its swift, which may be a link or a proxy elsewhere.
  resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
  clang=${resources%/lib/swift}/bin/clang
  [[ -x $clang ]] || clang=$(command -v clang)
  printf '%s\n' "$clang"
}

# Builds the library with the traits of the tests, so that nothing is built anew; sets module_flags to what
# a compiler needs to import it.
build_modules() {
  local flags include
  read -ra flags <<<"--traits default,SwiftLog $WINNOW_TEST_SWIFT_FLAGS"
  swift build "${flags[@]}"
  module_flags=(-I "$(swift build "${flags[@]}" --show-bin-path)/Modules")
  for include in Sources/*/include; do
    module_flags+=(-Xcc "-fmodule-map-file=$include/module.modulemap" -Xcc -I -Xcc "$include")
  done
}

# Ends the step as neither passed nor failed.
skip() {
  printf '%s\n' "$*"
  exit 77
}
