/* The compilers that the device runs as child processes. */
#ifndef REFERENCE_ICD_TOOLCHAIN_H
#define REFERENCE_ICD_TOOLCHAIN_H

#include "trace/base/arena.h"
#include "trace/base/status.h"

struct toolchain {
    const char *clang, *llvm_spirv;                 /* paths */
    const char *clang_version, *llvm_spirv_version; /* the line that names it */
};

/* Finds clang and llvm-spirv, version 15: what CLERK_CLANG and CLERK_LLVM_SPIRV name, else in PATH.
 * What they say of themselves is kept in the cache by path, size and time of change, so that no
 * process is started to ask again. STATUS_NOT_FOUND tells what to install. Strings are kept in
 * `arena`. */
enum status toolchain_find(struct arena *arena, struct toolchain *toolchain, struct error *error);

/* The environment for a child: ours without what would load a layer into it, and with what keeps
 * LLVM from starting another program when it crashes. NULL when memory is out. */
const char *const *toolchain_environment(struct arena *arena);

#endif
