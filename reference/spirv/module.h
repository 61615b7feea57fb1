/* A SPIR-V module, read from words that come from outside: every index is checked, malformed input
 * gives a sentence that names the word and the instruction. The module is immutable afterwards and
 * may be read by several threads. What follows is the part that the device's ICD needs;
 * reference/vm/lower sees the inside through reference/spirv/module_private.h. (SPIR-V 1.6; OpenCL
 * SPIR-V Environment 3.0.) */
#ifndef REFERENCE_SPIRV_MODULE_H
#define REFERENCE_SPIRV_MODULE_H

#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spv_module;

/* What a module says by OpSourceExtension whose pointers had no types in LLVM: those that it gives
 * them are guessed from how they are used, and bytes where they are not. */
#define SPV_UNTYPED_POINTERS "clerk_untyped_pointers"

/* Copies the words (either byte order). STATUS_MALFORMED for what is not SPIR-V, STATUS_UNSUPPORTED
 * for a capability or an instruction that the device cannot execute, with its source line. */
enum status spv_module_parse(const void *bytes, size_t size, struct spv_module **module,
                             struct error *error);
void spv_module_destroy(struct spv_module *module);

/* Kernel entry points in the order of the module. Names live as long as the module. */
size_t spv_module_kernel_count(const struct spv_module *module);
const char *spv_module_kernel_name(const struct spv_module *module, size_t index);

/* Who starts an entry point. The constructors of C++ for OpenCL are initialisers. */
enum spv_phase {
    SPV_PHASE_KERNEL,      /* the application */
    SPV_PHASE_INITIALISER, /* the device, before any kernel of the module */
    SPV_PHASE_FINALISER,   /* the device, after all of them */
    SPV_PHASE_CHILD,       /* kernels: see spv_module_child_count */
};
enum spv_phase spv_module_kernel_phase(const struct spv_module *module, size_t index);

/* Functions that kernels of the module enqueue to queues of the device, the blocks of OpenCL C: in
 * the order in which instructions first name them. */
size_t spv_module_child_count(const struct spv_module *module);

/* Program-scope variables, constant and global, and pipes. Pointers inside an initialiser are
 * relocations. */
struct spv_relocation {
    uint64_t offset;   /* where in the initialiser 8 bytes of address go */
    uint32_t variable; /* index of the variable pointed to */
    int64_t addend;    /* bytes */
};
struct spv_type;
struct spv_variable {
    const char *name;
    const struct spv_type *type;
    uint64_t size, alignment;
    uint32_t packet_size; /* of a pipe, which `size` is a multiple of; 0 = no pipe */
    bool constant;
    const uint8_t *initialiser; /* size bytes; NULL = not initialised */
    const struct spv_relocation *relocations;
    size_t relocation_count;
};
/* Are its pointers in memory 4 bytes, and size_t too? Else they are 8. */
bool spv_module_is_narrow(const struct spv_module *module);
size_t spv_module_variable_count(const struct spv_module *module);
const struct spv_variable *spv_module_variable(const struct spv_module *module, size_t index);

/* ---- byte_order.c ---- */

/* Values of a type as bytes in memory, from one byte order to the other. */

/* Turns the bytes of each number in `bytes`, which are `size` bytes of values of the type, one
 * after the other. What is not a whole number at the end, and types that memory cannot hold, stay
 * as they are. */
void spv_swap_bytes(const struct spv_type *type, void *bytes, uint64_t size);

/* Does the number of `width` bytes stay as it is? */
typedef bool spv_number_stays(const void *user, const uint8_t *number, uint64_t width);
/* The same, but for numbers that stay. */
void spv_swap_bytes_unless(const struct spv_type *type, void *bytes, uint64_t size,
                           spv_number_stays *stays, const void *user);

#endif
