/* SPIR-V to lane code: expands calls, promotes variables to rows, finds what is uniform, numbers
 * blocks, assigns rows. Fails closed: STATUS_UNSUPPORTED names the construct, the function and the
 * source line. */
#ifndef REFERENCE_LOWER_LOWER_H
#define REFERENCE_LOWER_LOWER_H

#include "reference/spirv/debug_info.h"
#include "reference/spirv/module.h"
#include "reference/vm/code.h"

/* How the device differs from the usual one. */
struct vm_lower_options {
    bool big_endian; /* numbers lie in memory with the highest byte first */
    bool flush;      /* operations on float take and give 0 for denormal numbers */
    bool fused;      /* mad is rounded once */
    bool remarks;    /* tell what depends on the device: enum observer_remark */
    bool no_affine;  /* no row is an affine one: for tests, nothing else must differ */
    bool apart;      /* find vm_parameter.apart and vm_variable.apart */
    /* Atomic operations are relaxed, fences are not seq_cst, and no scope is wider than the
     * work-group's. */
    bool least_atomics;
    /* The text of a line of the program's source, or NULL: as vm_code has them. NULL = there is
     * none, and access chains name no arrays (lower_subscript.c). */
    const char *(*source_line)(const void *program, const char *file, uint32_t line);
    const void *program;
    /* For a debugger: the variables of the module that the code is to know the places of, as
     * vm_code.debug_variables has them; it outlives the code. NULL = nobody asks. */
    const struct debug_info *debug;
    bool debug_in_memory; /* those that have an address stay in memory, where they can be changed */
};

/* The caller destroys *code with vm_code_destroy; `module` must outlive it. `options` NULL = the
 * usual device. */
enum status vm_lower_kernel(const struct spv_module *module, const char *kernel,
                            const struct vm_lower_options *options, struct vm_code **code,
                            struct error *error);
/* The same for a child of the module, of those that spv_module_child_count counts: parameter 0 is a
 * STRUCT, the bytes that travel with the command. */
enum status vm_lower_child(const struct spv_module *module, size_t child,
                           const struct vm_lower_options *options, struct vm_code **code,
                           struct error *error);

#endif
