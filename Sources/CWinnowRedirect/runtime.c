// SPDX-License-Identifier: Apache-2.0

#include "runtime.h"

#include <stddef.h>
#include <string.h>

#pragma GCC visibility push(protected)

#define COUNT(list) (sizeof(list) / sizeof *(list))

/// The modules of the toolchain's usr/lib/swift/linux.
static const char *const modules[] = {
    "CoreFoundation", "Cxx", "CxxStdlib", "Dispatch", "Distributed", "Foundation",
    "FoundationEssentials", "FoundationInternationalization", "FoundationNetworking",
    "FoundationXML", "Glibc", "Musl", "Observation", "RegexBuilder", "Runtime", "Swift",
    "SwiftGlibc", "SwiftMusl", "SwiftOnoneSupport", "Synchronization", "Testing", "XCTest",
    "_Backtracing", "_Builtin_float", "_Concurrency", "_Differentiation", "_FoundationCShims",
    "_FoundationCollections", "_FoundationICU", "_RegexParser", "_StringProcessing",
    "_TestDiscovery", "_TestingInterop", "_TestingInternals", "_Testing_Foundation", "_Volatile",
    "__C",
};

/// Those of Winnow that a program is linked with.
static const char *const targets[] = {
    "CWinnow", "CWinnowRedirect", "Winnow", "WinnowCore", "WinnowFormatters", "WinnowPipeline",
    "WinnowRedirect", "WinnowSinks", "WinnowStore", "WinnowSwiftLog", "WinnowTesting",
};

/// The objects that are built with frame pointers, as all that swiftc compiles.
static const char *const framed[] = {
    "libBlocksRuntime", "libFoundation", "libFoundationEssentials",
    "libFoundationInternationalization", "libFoundationNetworking", "libFoundationXML",
    "libTesting", "libXCTest", "lib_FoundationICU", "lib_InternalSwiftStaticMirror",
    "lib_TestingInterop", "lib_Testing_Foundation", "libdispatch", "libswiftCore",
    "libswiftDispatch", "libswiftDistributed", "libswiftGlibc", "libswiftMusl",
    "libswiftObservation", "libswiftRegexBuilder", "libswiftRemoteMirror", "libswiftRuntime",
    "libswiftSwiftOnoneSupport", "libswiftSynchronization", "libswift_Builtin_float",
    "libswift_Concurrency", "libswift_Differentiation", "libswift_RegexParser",
    "libswift_StringProcessing", "libswift_Volatile",
};

/// The objects that distributions build without them.
static const char *const frameless[] = {
    "ld-linux", "ld-linux-aarch64", "ld-linux-x86-64", "ld-musl-aarch64", "ld-musl-x86_64",
    "libasan", "libc", "libc++", "libc++abi", "libdl", "libgcc_s", "libm", "libpthread", "librt",
    "libstdc++", "libtsan", "libubsan", "libunwind", "linux-vdso",
};

/// What the C and C++ functions of the runtimes begin with, where they are linked statically.
static const char *const prefixes[] = {
    "_swift_", "__swift", "swift_", "_ZN5swift", "_ZNK5swift",
    "_dispatch_", "dispatch_", "CFLog", "_CFLog", "__CFLog", "_logToStderr", "__CF", "_CF",
    "cwinnow_",
    "__AArch64", // what lld puts between a call and a function that is far away
};

/// What the functions of the C++ library begin with.
static const char *const library_prefixes[] = {
    "_ZNS", "_ZNKS", "_ZS", "_ZNVS", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "_ZN10__cxxabiv1",
};

static bool contains(const char *const *list, size_t count, const char *text, size_t length) {
    for (size_t index = 0; index < count; index++) {
        if (strlen(list[index]) == length && memcmp(list[index], text, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool begins(const char *const *list, size_t count, const char *text) {
    for (size_t index = 0; index < count; index++) {
        if (strncmp(list[index], text, strlen(list[index])) == 0) {
            return true;
        }
    }
    return false;
}

bool cwinnow_runtime_has_module(const char *name) {
    return contains(modules, COUNT(modules), name, strlen(name)) || cwinnow_runtime_has_target(name);
}

bool cwinnow_runtime_has_target(const char *name) {
    return contains(targets, COUNT(targets), name, strlen(name));
}

cwinnow_passage cwinnow_runtime_object(const char *file_name) {
    const char *suffix = strstr(file_name, ".so");
    size_t length = suffix == NULL ? strlen(file_name) : (size_t)(suffix - file_name);
    if (contains(framed, COUNT(framed), file_name, length)) {
        return cwinnow_passage_framed;
    }
    return contains(frameless, COUNT(frameless), file_name, length) ||
                   strncmp(file_name, "libclang_rt.", 12) == 0
               ? cwinnow_passage_frameless
               : cwinnow_passage_none;
}

cwinnow_passage cwinnow_runtime_function(const char *symbol) {
    if (begins(prefixes, COUNT(prefixes), symbol)) {
        return cwinnow_passage_framed;
    }
    return begins(library_prefixes, COUNT(library_prefixes), symbol) ? cwinnow_passage_frameless
                                                                     : cwinnow_passage_none;
}
