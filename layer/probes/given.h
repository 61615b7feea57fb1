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
    GIVEN_NULL,  /* no memory object */
    GIVEN_OTHER, /* what means nothing elsewhere: an address, a sampler, a queue */
};

enum { GIVEN_SMALL = 16 };

struct given_argument {
    enum given_kind kind;
    uint32_t entry; /* of the call that gave it: API_ENTRY_clSetKernelArg, or of an address */
    uint64_t size;
    cl_mem memory;
    const char *reason; /* of GIVEN_OTHER, and lives for ever: "it has a sampler as argument" */
    void *bytes;        /* of a value, or GIVEN_OTHER, longer than GIVEN_SMALL */
    uint8_t small[GIVEN_SMALL];
};

/* Counted. */
struct given {
    atomic_uint holds;
    bool reaches_more; /* memory that is none of the arguments */
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
void given_set_more(struct given **given);

/* The bytes of a value; NULL of others. */
const void *given_value(const struct given_argument *argument);
/* Gives all of it to another kernel of the same parameters. False when that cannot be done. */
bool given_apply(const struct given *given, cl_kernel kernel);

#endif
