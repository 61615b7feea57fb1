/* What is known of the kernels of a program from what it was made of: clerk_probe (reference/probe)
 * finds it out, the layer uses it where the driver does not tell. */
#ifndef CHECKERS_PROBE_FACTS_H
#define CHECKERS_PROBE_FACTS_H

#include "checkers/probe/apart.h"
#include "trace/api/clerk_queries.h"
#include "trace/base/arena.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fact_argument {
    /* As clGetKernelArgInfo (OpenCL API 3.0, 5.9.4) gives them; "" = not known. */
    const char *name, *type_name;
    const char *plain_type_name; /* CL_KERNEL_ARG_PLAIN_TYPE_NAME_CLERK */
    uint32_t address, access;    /* CL_KERNEL_ARG_ADDRESS_..., CL_KERNEL_ARG_ACCESS_... */
    uint64_t type_qualifiers;    /* CL_KERNEL_ARG_TYPE_... */
    uint64_t size;               /* CL_KERNEL_ARG_SIZE_CLERK */
    uint64_t accesses;           /* CL_KERNEL_ARG_ACCESSES_CLERK */
    struct clerk_must must_read, must_write;
    struct apart apart; /* of a pointer to global or local memory */
};

/* A variable in local memory. */
struct fact_local {
    const char *name; /* as in the text */
    uint64_t size;    /* in bytes */
    struct apart apart;
};

struct fact_kernel {
    const char *name;
    struct fact_argument *arguments;
    size_t argument_count;
    uint64_t group_size[3];    /* reqd_work_group_size; 0, 0, 0 = any */
    uint64_t local_size;       /* of its variables in local memory, in bytes */
    struct fact_local *locals; /* those that are known, also of kernels that it calls; none of which
                                  two have the name */
    size_t local_count;
};

/* Strings and lists lie in `arena`. */
struct facts {
    struct arena arena;
    struct fact_kernel *kernels;
    size_t kernel_count;
};

void facts_pack(const struct facts *facts, struct text *text);
/* False when the bytes are not what facts_pack gives, or memory is out. Release in either case. */
bool facts_unpack(const void *bytes, size_t size, struct facts *facts);
void facts_release(struct facts *facts);

/* NULL when there is no such kernel. */
const struct fact_kernel *facts_find(const struct facts *facts, const char *kernel);

#endif
