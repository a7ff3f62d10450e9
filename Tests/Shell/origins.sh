#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Proves with release builds of a package of its own whose calls are seen as whose: with all symbols,
# without debug information, without symbols, and with the runtime linked in. Then tries what the table
# and the cache promise with threads, forks and shared objects, and feeds cut and changed copies of the
# program to the parsers: both built with the sanitizers.
#
#   Tests/Shell/origins.sh
#
# The package has the sources of CWinnowRedirect and the noisy modules of Tests/Noise, and nothing
# else of Winnow's. Prints `ok - TEXT` or `not ok - TEXT` for each test; what differs goes to stderr.
#
# Environment: WINNOW_TEST_SEED    the seed of the changes to the program
#              WINNOW_TEST_ROUNDS  how many cut and changed copies there are of each kind

set -euo pipefail
cd "$(dirname "$0")/../.."

Tests/install-missing /usr/bin/strip=binutils

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly probe=$work/probe
resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
clang=${resources%/lib/swift}/bin/clang
[[ -x $clang ]] || clang=$(command -v clang)
readonly clang

write_probe() {
  local target
  mkdir -p "$probe/Sources"
  for target in CWinnow CWinnowRedirect; do
    cp -r "Sources/$target" "$probe/Sources/"
  done
  cp -r Tests/Noise/Sources/* "$probe/Sources/"
  cp -r Tests/Origins/App Tests/Origins/WinnowCore "$probe/Sources/"
  cat >"$probe/Package.swift" <<'MANIFEST'
// swift-tools-version:6.2
import PackageDescription
let package = Package(
    name: "Probe",
    targets: [
        .target(name: "CWinnow"),
        .target(name: "CWinnowRedirect", dependencies: ["CWinnow"]),
        .target(name: "OriginProbe", dependencies: ["CWinnowRedirect"]),
        .target(name: "NoisyC", dependencies: ["OriginProbe"]),
        .target(name: "NoisyCxx", dependencies: ["OriginProbe"]),
        .target(name: "NoisySwift", dependencies: ["OriginProbe"]),
        .target(name: "WinnowCore", dependencies: ["OriginProbe"]),
        .executableTarget(
            name: "App",
            dependencies: ["OriginProbe", "NoisyC", "NoisyCxx", "NoisySwift", "WinnowCore"]
        ),
    ],
    cLanguageStandard: .c17
)
MANIFEST
}

build() {
  swift build --package-path "$probe" -c release --product App "$@" >"$work/output" 2>&1 || {
    cat "$work/output" >&2
    return 1
  }
}

# What the program says with all its symbols.
shapes() {
  printf '%s=NoisySwift\n' \
    plain generic closure escaping async extension witness string array stream deinit
  cat <<SHAPES
c=NoisyC
c-static=NoisyC
c-jump=NoisyC
c-libc=NoisyC
c-dispatch=NoisyC
c-signal=NoisyC
cxx-method=NoisyCxx
cxx-template=NoisyCxx
cxx-lambda=NoisyCxx
cxx-library=NoisyCxx
own=App
through-winnow=App
main=App
shared_call=noisy-shared
shared_static=noisy-shared
swift_shared_call=SharedSwift
SHAPES
}

# The same without debug information.
shapes_by_name() {
  shapes | sed -E '
    s/^(c)=.*/\1=c:noisyc_origin/
    s/^(c-static)=.*/\1=c:ask/
    s/^(c-jump)=.*/\1=c:noisyc_origin_by_jump/
    s/^(c-libc)=.*/\1=c:noisyc_origin_through_libc/
    s/^(c-dispatch)=.*/\1=c:noisyc_origin_through_dispatch/
    s/^(c-signal)=.*/\1=c:noisyc_origin_through_signal/
    s/^(cxx-[a-z]*)=.*/\1=noisy/'
}

# Tests that what is on stdin is what the program $2 says of the shapes whose lines match $3.
says() {
  local text=$1 program=$2 pattern=${3-.}
  cat >"$work/expected"
  "$program" "$work/libnoisy-shared.so.1:shared_call" "$work/libnoisy-shared.so.1:shared_static" \
    "$work/libshapes.so:swift_shared_call" >"$work/all" 2>"$work/errors" || cat "$work/errors" >&2
  grep -E "$pattern" "$work/all" >"$work/output" || true
  if diff "$work/expected" "$work/output" >&2; then
    echo "ok - $text"
  else
    echo "not ok - $text"
  fi
}

write_probe
"$clang" -O2 -shared -fPIC Tests/Origins/Shared/shared.c -o "$work/libnoisy-shared.so.1"
swiftc -O -module-name SharedSwift -emit-library Tests/Origins/Shared/Shared.swift \
  -o "$work/libshapes.so"
if ! build; then
  echo 'not ok - the probe builds'
  exit 1
fi
program=$probe/.build/release/App
cp "$program" "$work/App"

says 'a release program knows the module of each call' "$work/App" < <(shapes)
strip --strip-debug -o "$work/no-debug" "$work/App"
says 'without debug information C code has the names of its functions' "$work/no-debug" \
  < <(shapes_by_name)
strip -o "$work/stripped" "$work/App"
says 'without symbols the names of Swift code are guessed, and marked' "$work/stripped" \
  '^(plain|generic|closure|escaping|extension|string|deinit|shared_call|swift_shared_call)=' < <(
    printf '%s=NoisySwift~\n' plain generic closure escaping extension string deinit
    printf '%s\n' shared_call=noisy-shared swift_shared_call=SharedSwift
  )
build --static-swift-stdlib
says 'with the runtime linked in it is the same' "$program" < <(shapes)
strip --strip-debug -o "$work/no-debug" "$program"
says 'and without debug information' "$work/no-debug" < <(shapes_by_name)

# Tests that the command, which is given after the text, succeeds.
check() {
  local text=$1
  shift
  if timeout 120 "$@" >"$work/output" 2>&1; then
    echo "ok - $text"
  else
    echo "not ok - $text"
    cat "$work/output" >&2
  fi
}

# Compiles C with the address and undefined behavior sanitizers, which end what goes wrong.
compile_sanitized() {
  "$clang" -std=c17 -O1 -fno-omit-frame-pointer -fsanitize=address,undefined \
    -fno-sanitize-recover=all -iquote Sources/CWinnowRedirect -I Sources/CWinnowRedirect/include \
    -I Sources/CWinnow/include "$@" 2>"$work/output" || cat "$work/output" >&2
}

# The C that attributes, which needs no Swift: what reads files, and what asks the process.
readonly sources=Sources/CWinnowRedirect
parsers=("$sources"/{elffile,symbols,pairs,linetable,lineunit,linefiles}.c
  "$sources"/{name,mangledname,neighbors,segments}.c)
walkers=("$sources"/{origin,frames,resolve,program,objects,loaded,mapped,handler,runtime,tailcall}.c
  Sources/CWinnow/thread.c)

for name in constructor first second; do
  source=plugin
  [[ $name != constructor ]] || source=constructor
  "$clang" -O1 -shared -fPIC "Tests/Origins/Shared/$source.c" -o "$work/lib$name.so"
done
compile_sanitized Tests/Origins/stress.c "${parsers[@]}" "${walkers[@]}" -Wl,--export-dynamic \
  -o "$work/stress"
check 'threads that ask while code is forgotten get no other origin' "$work/stress" threads
check 'a child that was forked while others ask can ask' "$work/stress" fork
check 'a function that is nothing but a jump is seen by its call' "$work/stress" jump
check 'names are cut at the end of a character' "$work/stress" names
check 'what comes when the table is full is unknown' "$work/stress" limit
check 'a constructor may wait for a thread that asks' \
  "$work/stress" constructor "$work/libconstructor.so"
check 'an object at the address of one that is gone has its own name' \
  "$work/stress" unload "$work/libfirst.so" "$work/libsecond.so"

# Tests that a program which the compiler $2 makes of one source, with the flags behind $3, says $3.
line_says() {
  local text=$1 compiler=$2 expected=$3 output
  shift 3
  output=$(cd "$work" && "$compiler" -O1 -fno-omit-frame-pointer "$@" -I "$OLDPWD/$sources/include" \
    Sources/Speaker/line.c ./*.o -o line 2>&1 && ./line) || true
  if [[ $output == "$expected" ]]; then
    echo "ok - $text"
  else
    echo "not ok - $text"
    echo "$output, expected $expected" >&2
  fi
}

mkdir -p "$work/Sources/Speaker"
cp Tests/Origins/line.c "$work/Sources/Speaker/"
(cd "$work" && for source in "${parsers[@]}" "${walkers[@]}"; do
  "$clang" -std=c17 -O1 -fno-omit-frame-pointer -I "$OLDPWD/$sources/include" \
    -I "$OLDPWD/Sources/CWinnow/include" -c "$OLDPWD/$source"
done)
for version in 2 3 4 5; do
  line_says "the line table of DWARF $version is read" "$clang" 'Speaker by 2' "-gdwarf-$version"
done
line_says 'so is that of DWARF with 64 bits' "$clang" 'Speaker by 2' -gdwarf-5 -gdwarf64
if command -v gcc >/dev/null; then
  for version in 4 5; do
    line_says "so is that of GCC, DWARF $version" gcc 'Speaker by 2' "-gdwarf-$version" \
      -D_Nonnull= -D_Nullable= -Wno-attributes
  done
else
  echo 'skip - the line table of GCC (gcc is not installed)'
fi
line_says 'a compressed one is none' "$clang" 'c:speak by 4' -g -gz=zlib
line_says 'without one it is the function' "$clang" 'c:speak by 4' -g0
line_says 'without symbols it is unknown' "$clang" 'unknown by 0' -g0 -Wl,--strip-all

seed=${WINNOW_TEST_SEED-$RANDOM}
compile_sanitized Tests/Origins/mutate.c "${parsers[@]}" -o "$work/mutate"
check "cut and changed programs are read without a fault (seed $seed)" \
  "$work/mutate" "$work/App" "$seed" "${WINNOW_TEST_ROUNDS-200}"
cp "$work/output" "$work/counts"
check 'and what is in the program itself is found' \
  grep -E '^[1-9][0-9]* functions, [1-9][0-9]* lines, [1-9][0-9]* types' "$work/counts"
