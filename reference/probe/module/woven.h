/* Checks in a module of SPIR-V: what a program from IL becomes. Its instructions stay as they are,
 * and before each that accesses memory stands a call of a function of woven.cl, which gives the
 * address back, or that of a spare place when the access must not be.
 *
 * The program and the compiled checks are linked first; then the module that results is looked at,
 * and written anew. Ids of the program are below `program_bound`, those of the checks above. */
#ifndef REFERENCE_PROBE_MODULE_WOVEN_H
#define REFERENCE_PROBE_MODULE_WOVEN_H

#include "checkers/probe/checked.h"
#include "reference/spirv/module_private.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- woven_access.c: what an instruction accesses ---- */

/* How an access is made, as checks.cl has it: a kind of cells, and above it whether it is a write.
 */
enum { WOVEN_IS_WRITE = 8 };

struct woven_access {
    uint32_t pointer; /* its operand's number */
    enum checked_access access;
    uint32_t how;
    uint64_t bytes; /* 0 = those of operand `bytes_operand` */
    uint32_t bytes_operand;
    /* Of vload and vstore: the operand that counts vectors, each of `stride` elements, before what
     * is accessed; 0 = none. */
    uint32_t offset_operand, stride;
    uint32_t element; /* bytes of the smallest piece */
};
enum { WOVEN_ACCESSES = 2 };

/* How many accesses to memory that is checked, at most WOVEN_ACCESSES. */
size_t woven_accesses(const struct spv_module *module, const struct spv_instruction *at,
                      struct woven_access *accesses);
/* Is it a copy by a work-group, from operand 2 to operand 1, from or to memory that is checked? */
bool woven_is_group_copy(const struct spv_module *module, const struct spv_instruction *at);
bool woven_is_atomic(uint32_t op);
/* The pointer type of an id, NULL when it has none. */
const struct spv_type *woven_pointer(const struct spv_module *module, uint32_t id);
bool woven_is_checked(SpvStorageClass storage);

/* ---- woven_roots.c: where addresses lead ---- */

enum woven_root_kind {
    WOVEN_ROOT_NONE, /* of what is never computed */
    WOVEN_ROOT_ARGUMENT,
    WOVEN_ROOT_VARIABLE, /* of the module */
    WOVEN_ROOT_UNKNOWN,
};
struct woven_root {
    enum woven_root_kind kind;
    SpvStorageClass storage; /* of ARGUMENT and VARIABLE */
    uint32_t index;  /* ARGUMENT: among the kernel's of that address space. VARIABLE: the id */
    uint32_t number; /* ARGUMENT: among all of the kernel's */
};

/* ---- woven_survey.c: what there is ---- */

/* Accesses to memory whose races are looked for. */
struct woven_accessed {
    bool is_accessed, is_written;
    uint32_t shift; /* the logarithm of the bytes of the smallest */
};

enum { WOVEN_ARGUMENTS_MAX = 250, WOVEN_LOCALS_MAX = 250, WOVEN_SHIFT_MAX = 7 };

/* A function; what is said of its body holds for what it calls as well. */
struct woven_function {
    const struct spv_function *function;
    const struct spv_kernel *kernel; /* NULL = it is none */
    bool is_check;                   /* a function of the checks */
    bool needs_state;                /* it checks something, or passes barriers */
    bool orders;                     /* it orders items by more than barriers */
    bool is_hidden;                  /* it uses sub-groups, or calls what is not here */
    bool looks;                      /* at what other items may change */
    bool is_in_loop;                 /* of who calls it */
    bool waits;                      /* maybe: it looks in a loop */
    bool multiplies, adds;           /* floating-point numbers, which a compiler may fuse */
    bool uses_local;
    bool *variables;                 /* of local memory that it uses, by their index */
    struct woven_accessed *through;  /* by the index of arguments to global memory */
    struct woven_accessed elsewhere; /* to global memory through other pointers */
    struct woven_accessed in_local;
};

struct woven {
    struct arena *arena; /* of results */
    const struct spv_module *module;
    uint32_t program_bound;
    struct woven_function *functions; /* as module->functions */
    struct woven_root *roots;         /* by id, of pointers */
    bool
        *is_holder; /* by id: a private variable that holds a pointer, and is only loaded, stored */
    bool has_foreign_pointers; /* from elsewhere than arguments and variables */
    uint32_t global_count, constant_count, local_count; /* the most arguments that a kernel has */
    uint32_t *local_variables;                          /* ids; they come behind the arguments */
    uint32_t local_variable_count;
    bool uses_local, uses_constant, uses_generic, has_constants;
    struct checked *checked;
    size_t site_count; /* one for each access, of copies two */
};

/* Looks at a module, linked with checks or not yet. STATUS_UNSUPPORTED: it cannot be checked, and
 * the error is the end of a sentence that says why. */
enum status woven_survey(struct woven *woven, struct error *error);
/* Fills `roots` and `is_holder`; false when memory is out. */
bool woven_find_roots(struct woven *woven);
/* Of a pointer to that memory: what is said of it as another is left out. */
struct woven_root woven_root_of(const struct woven *woven, uint32_t pointer);
struct woven_function *woven_function_of(const struct woven *woven, uint32_t id);
/* What memory the parameter of a kernel points to, if that is checked. */
bool woven_is_to(const struct woven *woven, const struct spv_instruction *parameter,
                 SpvStorageClass storage);
/* Why the kernel is not checked; "" = it is. */
const char *woven_reason(const struct woven *woven, const struct woven_function *kernel);
struct woven_accessed woven_accessed(const struct woven_function *kernel, uint32_t index);
/* Are there cells of a kernel's arguments to global memory, or of local memory? */
bool woven_has_cells(const struct woven_function *kernel);
/* Does it use local memory, and maybe wait in loops for what other items write? */
bool woven_waits(const struct woven_function *kernel);
bool woven_has_local_cells(const struct woven_function *kernel);
/* Words of the state that kernels have for their checks: at least those of struct clerk_k. */
uint32_t woven_state_words(const struct woven *woven);

/* ---- woven_write.c: the module that results ---- */

/* *words is freed with alloc_free. Sites are told to woven->checked. */
enum status woven_write(struct woven *woven, uint32_t **words, size_t *size, struct error *error);

#endif
