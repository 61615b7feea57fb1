/* The compilers that the device runs as child processes. */
#ifndef REFERENCE_COMPILER_TOOLCHAIN_H
#define REFERENCE_COMPILER_TOOLCHAIN_H

#include "trace/base/arena.h"
#include "trace/base/status.h"

#include <stdbool.h>

/* Versions of LLVM: the oldest that will do, and one beyond all that are looked for. */
enum { TOOLCHAIN_OLDEST = 15, TOOLCHAIN_BEYOND = 64 };

struct toolchain {
    const char *clang, *llvm_spirv;                 /* paths */
    const char *clang_version, *llvm_spirv_version; /* the line that names it */
    unsigned version;                               /* of both */
    const char *max_version;  /* llvm-spirv's option for the version of SPIR-V that it may use */
    bool typed_pointers;      /* in LLVM: they say what they lead to */
    const char *line_numbers; /* clang's option to leave them out of diagnostics; NULL = none */
};

/* Finds a clang and an llvm-spirv of one version: what CLERK_CLANG and CLERK_LLVM_SPIRV name, else
 * the newest pair in PATH whose version is less than `below`. What they say of themselves is kept
 * in the cache by path, size and time of change, so that no process is started to ask again.
 * STATUS_NOT_FOUND tells what to install. Strings are kept in `arena`. */
enum status toolchain_find(struct arena *arena, unsigned below, struct toolchain *toolchain,
                           struct error *error);

/* Did the user say which? Then there is no other pair to try. */
bool toolchain_is_named(void);

/* The environment for a child: ours without what would load a layer into it, and with what keeps
 * LLVM from starting another program when it crashes. NULL when memory is out. */
const char *const *toolchain_environment(struct arena *arena);

#endif
