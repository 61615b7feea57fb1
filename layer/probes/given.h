/* The arguments that a kernel was given, as they are at one moment: what a launch holds does not
 * change. */
#ifndef LAYER_PROBES_GIVEN_H
#define LAYER_PROBES_GIVEN_H

#include <CL/cl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum given_kind {
    GIVEN_NOTHING,
    GIVEN_VALUE,
    GIVEN_LOCAL, /* so many bytes */
    GIVEN_MEMORY,
    GIVEN_NULL,    /* no memory object */
    GIVEN_SHARED,  /* shared virtual memory, at `address` */
    GIVEN_SAMPLER, /* struct captured_sampler, in `small` */
    GIVEN_OTHER,   /* what means nothing elsewhere: an address, a queue */
};

enum { GIVEN_SMALL = 16 };

struct given_argument {
    enum given_kind kind;
    uint32_t entry; /* of the call that gave it: API_ENTRY_clSetKernelArg, or of an address */
    uint64_t size;
    cl_mem memory;
    uint64_t address;   /* of GIVEN_SHARED; of GIVEN_SAMPLER the handle */
    const char *reason; /* of GIVEN_OTHER, and lives for ever: "it has a queue as argument" */
    void *bytes;        /* of a value, or GIVEN_OTHER, longer than GIVEN_SMALL */
    uint8_t small[GIVEN_SMALL];
};

/* Counted. */
struct given {
    atomic_uint holds;
    bool reaches_more; /* memory that none of the arguments leads to: clSetKernelExecInfo */
    bool spares_host;  /* no memory of the host that the program got otherwise: likewise */
    size_t count;
    struct given_argument arguments[];
};

/* NULL when memory is out. */
struct given *given_create(size_t count);
struct given *given_hold(struct given *given); /* NULL is fine, here and below */
void given_drop(struct given *given);

/* Changes *given, or puts a changed copy in its place if others hold it; of a value, or
 * GIVEN_OTHER, `bytes` are copied. Makes it NULL when memory is out. The caller sees to it that
 * nobody else changes it, or takes hold of it, meanwhile. */
void given_set(struct given **given, size_t index, const struct given_argument *argument,
               const void *bytes);

/* What is known of the sampler that `value` holds, as an argument. False when the driver does not
 * tell. */
bool given_sampler(const void *value, uint64_t size, struct given_argument *argument);

/* The kernel was told of more memory than its arguments, with a call of clSetKernelExecInfo. */
void given_set_more(struct given **given, cl_kernel_exec_info name, const void *value);

/* The bytes of a value; NULL of others. */
const void *given_value(const struct given_argument *argument);
/* Gives all of it to another kernel of the same parameters. False when that cannot be done. */
bool given_apply(const struct given *given, cl_kernel kernel);

#endif
