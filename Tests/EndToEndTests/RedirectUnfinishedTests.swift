// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Shared objects that the loader is not done with, or that look so.
struct RedirectUnfinishedTests {
    @Test func `an object that takes long to be loaded is hooked in the end`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/liblong.so"
        // The function that chooses an implementation runs while the loader relocates the object.
        try SharedObject.compile(
            """
            #include <stdio.h>
            static void nothing(void) {}
            static void (*choose(void))(void) {
                for (volatile unsigned long count = 0; count < 200000000; count++) {}
                return nothing;
            }
            void chosen(void) __attribute__((ifunc("choose")));
            void noise(void) { chosen(); puts("noise"); }
            """,
            to: path,
            ["-Wl,-z,now", "-Wl,-z,relro"]
        )
        let run = try PrintRun(["start", "load=\(path)", "drain"])
        #expect(run.outcome.status == 0)
        #expect(run.messages == ["noise", "noise", "noise"])
    }

    @Test func `an object whose last call leads nowhere is hooked`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libweak.so"
        try SharedObject.compile(
            """
            #include <stdio.h>
            extern void absent(void) __attribute__((weak));
            void noise(void) { puts("noise"); if (absent != NULL) absent(); }
            """,
            to: path,
            ["-Wl,-z,now", "-Wl,-z,norelro"]
        )
        let run = try PrintRun(["start", "load=\(path)", "pause", "drain"])
        #expect(run.outcome.status == 0)
        #expect(run.messages == ["noise", "noise", "noise"])
    }

    @Test func `an object that makes its tables writable is left alone, and that is told once`()
        throws
    {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/libwritable.so"
        try SharedObject.compile(
            """
            #define _GNU_SOURCE
            #include <link.h>
            #include <stdio.h>
            #include <string.h>
            #include <sys/mman.h>
            #include <unistd.h>
            static int make_writable(struct dl_phdr_info *info, size_t size, void *context) {
                for (int index = 0; index < info->dlpi_phnum; index++) {
                    const ElfW(Phdr) *header = &info->dlpi_phdr[index];
                    if (header->p_type != PT_GNU_RELRO || !strstr(info->dlpi_name, "libwritable")) continue;
                    ElfW(Addr) page = sysconf(_SC_PAGESIZE), start = info->dlpi_addr + header->p_vaddr;
                    ElfW(Addr) end = (start + header->p_memsz) & -page;
                    mprotect((void *)(start & -page), end - (start & -page), PROT_READ | PROT_WRITE);
                }
                return 0;
            }
            __attribute__((constructor)) static void load(void) {
                dl_iterate_phdr(make_writable, NULL);
            }
            void noise(void) { puts("noise"); fflush(stdout); }
            """,
            to: path,
            ["-Wl,-z,now", "-Wl,-z,relro", "-Wl,-z,nodelete"]
        )
        let word = "the redirect does not see what libwritable.so prints"
        let run = try PrintRun([
            "start", "load=\(path)", "logged=\(word)", "load=\(path)", "print=logged", "account",
        ])
        #expect(run.outcome.status == 0)
        #expect(run.messages.filter { $0.hasPrefix(word) }.count == 1)
        #expect(run.messages.filter { !$0.hasPrefix(word) } == ["logged"])
        #expect(run.output == Array(repeating: "noise", count: 6))
        run.expectSound()
    }
}
