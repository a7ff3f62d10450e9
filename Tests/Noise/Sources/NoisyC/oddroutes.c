// SPDX-License-Identifier: Apache-2.0

// What prints without a call from this module's table of functions: within libc, on copies of a
// descriptor, in children.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "routes.h"

extern char **environ;

static bool is_length(long printed, const char *text) {
    return printed == (long)strlen(text) + 1;
}

/// What optimizing compilers make of putchar_unlocked(3): no call.
static bool by_inlined(const char *text) {
    bool is_right = true;
    for (const char *at = text; *at != '\0'; at++) {
        is_right = is_right && __putc_unlocked_body(*at, stdout) == *at;
    }
    return is_right && __putc_unlocked_body('\n', stdout) == '\n';
}

/// A function whose address is looked up, as language bindings do.
static bool by_lookup(const char *text) {
    void *address = dlsym(RTLD_DEFAULT, "puts");
    int (*function)(const char *) = NULL;
    memcpy(&function, &address, sizeof function);
    // A static program has no addresses to look up.
    return function != NULL && function(text) >= 0;
}

static bool by_error(const char *text) {
    error(0, EADDRINUSE, "%s", text);
    return true;
}

static bool by_system_call(const char *text) {
    char line[256];
    int length = snprintf(line, sizeof line, "%s\n", text);
    return syscall(SYS_write, STDOUT_FILENO, line, length) == length;
}

static bool by_copy(const char *text) {
    int copy = dup(STDOUT_FILENO);
    bool is_right = is_length(dprintf(copy, "%s\n", text), text);
    return close(copy) == 0 && is_right;
}

static bool print_and_close(FILE *stream, const char *text) {
    bool is_right = stream != NULL && is_length(fprintf(stream, "%s\n", text), text);
    return stream != NULL && fclose(stream) == 0 && is_right;
}

static bool by_stream_of_copy(const char *text) {
    return print_and_close(fdopen(dup(STDOUT_FILENO), "w"), text);
}

static bool by_reopened(const char *text) {
    return print_and_close(fopen("/dev/stdout", "a"), text);
}

static bool by_system(const char *text) {
    char command[256];
    snprintf(command, sizeof command, "echo '%s'", text);
    return system(command) == 0;
}

static bool by_popen(const char *text) {
    FILE *stream = popen("cat", "w");
    bool is_right = stream != NULL && is_length(fprintf(stream, "%s\n", text), text);
    return stream != NULL && pclose(stream) == 0 && is_right;
}

static bool ended_well(pid_t child) {
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static bool by_posix_spawn(const char *text) {
    char *arguments[] = {"echo", (char *)text, NULL};
    pid_t child = -1;
    return posix_spawn(&child, "/bin/echo", NULL, NULL, arguments, environ) == 0 &&
        ended_well(child);
}

static bool by_fork(const char *text) {
    pid_t child = fork();
    if (child == 0) {
        dprintf(STDOUT_FILENO, "%s\n", text);
        _exit(0);
    }
    return ended_well(child);
}

static bool by_fork_and_exec(const char *text) {
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/echo", "echo", text, (char *)NULL);
        _exit(127);
    }
    return ended_well(child);
}

const noisyc_route noisyc_odd_routes[] = {
    ROUTE("putchar_unlocked inlined", by_inlined),
    ROUTE("puts by dlsym", by_lookup),
    ROUTE("error stderr", by_error),
    ROUTE("syscall", by_system_call),
    ROUTE("dup", by_copy),
    ROUTE("fdopen", by_stream_of_copy),
    ROUTE("/dev/stdout", by_reopened),
    ROUTE("system", by_system),
    ROUTE("popen", by_popen),
    ROUTE("posix_spawn", by_posix_spawn),
    ROUTE("fork", by_fork),
    ROUTE("fork and exec", by_fork_and_exec),
    {NULL, NULL},
};

const noisyc_route *noisyc_route_at(size_t index) {
    const noisyc_route *const tables[] = {noisyc_plain_routes, noisyc_odd_routes};
    for (size_t table = 0; table < sizeof tables / sizeof tables[0]; table++) {
        for (const noisyc_route *route = tables[table]; route->name != NULL; route++) {
            if (index-- == 0) {
                return route;
            }
        }
    }
    return NULL;
}
