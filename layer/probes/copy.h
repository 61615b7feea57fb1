/* The checked copy of a program (checkers/probe/checked.h) as the driver has built it, beside the
 * program itself; and the buffers into which its kernels report, one for each device. Counted. */
#ifndef LAYER_PROBES_COPY_H
#define LAYER_PROBES_COPY_H

#include "checkers/probe/checked.h"
#include "checkers/probe/facts.h"
#include "layer/driver/kernel_facts.h"
#include "layer/session.h"
#include "trace/api/cache.h"
#include "trace/base/arena.h"

#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct copy_device {
    cl_device_id device;
    const char *name;
    bool has_long_atomics; /* cl_khr_int64_extended_atomics, which the cells need */
    uint64_t local_size;   /* of its local memory */
    bool is_of_pocl;
    cl_mem report;           /* NULL = memory is out */
    pthread_mutex_t reading; /* its records are told in their order: */
    uint32_t told;           /* so many */
    uint32_t left_out;       /* and so many had no room */
};

struct copy {
    atomic_uint holds;
    uint64_t number; /* which no other has */
    struct held_facts *held;
    const struct facts *facts;
    const struct checked *checked;
    struct cache_key key; /* of what it is made of, if there is one */
    const char *reason;   /* why there is none, as the end of a sentence; "" = there is one: */
    cl_program program;
    struct copy_device *devices;
    size_t device_count;
    struct arena arena;
    cl_context context;       /* which the program keeps */
    const char *link_options; /* of a program of several parts */
    pthread_mutex_t mutex;    /* of what follows */
    bool has_tried_full;
    cl_program full; /* copy_full; NULL = not built, or refused */
};

/* Builds the copy of what is being found of the program; takes `held`, which may be NULL. NULL only
 * when memory is out. The calling thread is marked as being inside the driver, as in all of these.
 */
struct copy *copy_make(cl_program program, struct held_facts *held);
struct copy *copy_hold(struct copy *copy);
void copy_drop(struct copy *copy); /* NULL is fine */

/* The program with CHECKED_ALL_CELLS, which is built when it is first asked for; NULL when the
 * driver refuses it. The copy owns it. */
cl_program copy_full(struct copy *copy);

/* NULL when it was not built for the device. */
struct copy_device *copy_find_device(const struct copy *copy, cl_device_id device);

/* Words of the report buffer: where the records begin, and all. */
size_t copy_report_records(const struct copy *copy);
size_t copy_report_words(const struct copy *copy);

#endif
