/* An executable: the module of a program, lowered, with its variables in device memory. */
#ifndef REFERENCE_ICD_KERNELS_BUILD_H
#define REFERENCE_ICD_KERNELS_BUILD_H

#include "reference/compiler/sources.h"
#include "reference/spirv/debug_info.h"
#include "reference/spirv/module.h"
#include "reference/vm/code.h"
#include "trace/base/arena.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct build {
    unsigned holds;
    bool uniform_groups; /* a part was compiled with -cl-uniform-work-group-size */
    bool constructed;    /* the module has an Initializer entry point, which has run */
    struct spv_module *module;
    struct sources *sources;  /* NULL when the program did not come from source */
    struct debug_info *debug; /* NULL = not for a debugger */
    struct vm_code **codes;   /* one for each kernel, in the module's order */
    size_t kernel_count;
    struct vm_code **finalisers; /* run when the build ends, from the last to the first */
    size_t finaliser_count;
    struct vm_code **children; /* what kernels enqueue, one for each child of the module */
    size_t child_count;
    uint32_t *variables; /* object numbers of the module's program-scope variables, in its order */
    size_t variable_count;
};

/* What a build is made of. */
struct build_request {
    const void *spirv;
    size_t size;
    struct sources *sources; /* retained; NULL = unknown */
    const void *debug;       /* the same with debugging instructions; NULL = without */
    size_t debug_size;
    bool linked; /* of several programs, each with an initialiser of its own, if it has any */
};

/* Parses, lowers every kernel, and makes the variables. What cannot be executed goes after `log`,
 * with its place. The result has one hold. Unlocked. */
enum status build_create(const struct build_request *request, struct text *log,
                         struct build **build);

/* Locked. Who drops it last has the finalisers run, after the commands of other threads. */
void build_hold(struct build *build);
void build_drop(struct build *build);

/* NULL when there is no such kernel. */
const struct vm_code *build_find_kernel(const struct build *build, const char *name);

/* ---- vector_hint.c ---- */

/* The sign of vec_type_hint's type. */

/* SPIR-V's VecTypeHint does not tell uint4 from int4, CL_KERNEL_ATTRIBUTES does. Gives
 * `attributes`, or a copy in `arena` whose hint has the unsigned type that the program's text has
 * before the kernel's name. NULL when memory is out. */
const char *vector_hint_with_sign(const char *attributes, const struct sources *sources,
                                  const char *kernel, struct arena *arena);

#endif
