/* What the files that write a module with checks share. */
#ifndef REFERENCE_PROBE_MODULE_WRITER_H
#define REFERENCE_PROBE_MODULE_WRITER_H

#include "reference/probe/module/words.h"
#include "reference/probe/module/woven.h"

/* The functions of woven.cl: clerk_woven_NAME. */
#define WRITER_CHECKS(X)                                                                           \
    X(begin)                                                                                       \
    X(take_global)                                                                                 \
    X(cells)                                                                                       \
    X(global)                                                                                      \
    X(fit_global)                                                                                  \
    X(take_constant)                                                                               \
    X(constant)                                                                                    \
    X(spare)                                                                                       \
    X(take_local)                                                                                  \
    X(local_begin)                                                                                 \
    X(local)                                                                                       \
    X(fit_local)                                                                                   \
    X(generic)                                                                                     \
    X(passed)
enum writer_check {
#define X(name) WRITER_##name,
    WRITER_CHECKS(X)
#undef X
        WRITER_CHECK_COUNT
};

enum { WRITER_CONSTANTS = 256 };

/* As arguments of the checks: clerk_VARIABLE and clerk_SEARCH. */
enum { WRITER_VARIABLE = 0xfe, WRITER_SEARCH = 0xff };

struct writer {
    struct woven *woven;
    const struct spv_module *module;
    struct words annotations, globals, body; /* what is new in these sections, and the functions */
    uint32_t bound;
    const struct spv_function *checks[WRITER_CHECK_COUNT];
    uint32_t uint_type, ulong_type;
    uint32_t state_type, state_array; /* a pointer to the state, and what it leads to */
    uint32_t spare, spare_type;       /* a variable in local memory; 0 = none */
    uint32_t uints[WRITER_CONSTANTS], ulongs[WRITER_CONSTANTS]; /* ids of small numbers, or 0 */
    struct words function_types; /* new: id, count of words behind, result, parameters */
    /* By id of a variable that is an input of a kernel: the first one that is the same. Linked
     * modules import it each, and the functions of LLVM's translator take one alone. 0 = itself. */
    uint32_t *same;
    size_t site_count;
    const struct woven_function *function; /* that is being written */
    uint32_t state;                        /* in the function that is being written */
    const char *lacking;                   /* a check that is not there; NULL = none */
};

/* ---- writer_parts.c: pieces that anything may need ---- */

/* Finds the checks and their types, and inputs that are the same; false when memory is out. */
bool writer_begin(struct writer *writer);
uint32_t writer_id(struct writer *writer);
/* Constants of uint and ulong. */
uint32_t writer_uint(struct writer *writer, uint32_t value);
uint32_t writer_ulong(struct writer *writer, uint64_t value);
/* A constant of that integer type. */
uint32_t writer_number(struct writer *writer, const struct spv_type *type, uint32_t value);
/* The type of functions; types of ids, the first is that of what is returned. */
uint32_t writer_function_type(struct writer *writer, const uint32_t *types, size_t count);
/* The same pointer as another type of pointer to the same memory. */
uint32_t writer_cast(struct writer *writer, uint32_t id, uint32_t from, uint32_t to);
/* Calls the check with the state and these arguments, the first of which, if `pointer` is not 0, is
 * a pointer of that type; the id of its result. */
uint32_t writer_call(struct writer *writer, enum writer_check check, uint32_t pointer,
                     const uint32_t *arguments, size_t count);
#define WRITER_CALL(writer, check, pointer, ...)                                                   \
    writer_call(writer, check, pointer, (const uint32_t[]){__VA_ARGS__},                           \
                sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
/* The type of a parameter of the check. */
const struct spv_type *writer_parameter(const struct writer *writer, enum writer_check check,
                                        uint32_t number);

/* ---- writer_kernel.c ---- */

/* The kernel's parameters and, behind its variables, what makes them known. */
void writer_kernel(struct writer *writer, const struct woven_function *kernel);
/* Tells woven->checked of all kernels; false when memory is out. */
bool writer_describe_kernels(struct writer *writer);

/* ---- writer_access.c ---- */

/* The instruction with its checks. */
void writer_instruction(struct writer *writer, const struct woven_function *function,
                        const struct spv_instruction *at);
/* One of the checks themselves. */
void writer_check_instruction(struct writer *writer, const struct spv_instruction *at);
/* As it is. */
void writer_copy(struct writer *writer, const struct spv_instruction *at);

#endif
