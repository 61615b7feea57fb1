/* The kernels of the program, each with its checked copy: the arguments that it was given, and what
 * became of its launches. Any thread, marked as being inside the driver. */
#ifndef LAYER_PROBES_KERNELS_H
#define LAYER_PROBES_KERNELS_H

#include "layer/probes/copy.h"
#include "layer/probes/given.h"
#include "layer/session.h"
#include "trace/base/text.h"

#include <CL/cl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct kernels;

/* The memory that an argument leads to. */
struct reach {
    uint64_t size;   /* CHECKED_HIDDEN_SIZE */
    uint64_t object; /* the memory object, or of a sub-buffer that which it is of, or the address of
                        an allocation; 0 = not known, or local */
    uint64_t object_size, before; /* bytes of it, and of these before where the argument leads */
    uint32_t sampler;             /* CHECKED_HIDDEN_SAMPLER, of a sampler */
};

/* One that the program made. Counted: the table has it until it is released for the last time. */
struct probed {
    struct copy *copy;
    cl_kernel kernel; /* of the copy; NULL = there is a reason */
    const struct checked_kernel *checked;
    const struct fact_kernel *facts;
    const char *name;
    const char *reason;    /* why it is not checked, as the end of a sentence; "" = it is */
    bool is_reference;     /* it runs on the reference device, which checks it itself */
    uint64_t local_size;   /* of its variables in local memory, in bytes */
    pthread_mutex_t mutex; /* from setting the parameters of a launch to enqueueing it */
    struct reach *reaches; /* by argument, */
    cl_mem *cells;         /* likewise: those of the last launch, or NULL; under the mutex */
    cl_mem *maps;          /* likewise: CHECKED_HIDDEN_WRITTEN */
    cl_mem shared;         /* likewise: CHECKED_HIDDEN_SHARED */
    struct given *given;   /* under the mutex; NULL = memory is out */
    bool has_tried_full;   /* under the mutex, as what follows */
    cl_kernel full;        /* probed_full */
};

/* `live` is borrowed. NULL when memory is out. */
struct kernels *kernels_create(struct live *live);
void kernels_destroy(struct kernels *kernels); /* NULL is fine */

/* The program has made a kernel, of nothing or, `from` not NULL, as a clone. */
void kernels_add(const struct session *session, struct kernels *kernels, cl_kernel kernel,
                 cl_kernel from);
/* NULL when the kernel is not known; else until probed_drop. */
struct probed *kernels_find(struct kernels *kernels, cl_kernel kernel);
void probed_drop(struct probed *probed); /* NULL is fine */
/* What is known of an argument; NULL = nothing. */
const struct fact_argument *probed_fact(const struct probed *probed, uint64_t index);
/* The kernel of copy_full, with the same arguments; NULL when it cannot be had. Under the mutex. */
cl_kernel probed_full(struct probed *probed);
/* The last reference is gone. */
void kernels_forget(struct kernels *kernels, cl_kernel kernel);
void kernels_forget_program(struct kernels *kernels, cl_program program);

/* The call, clSetKernelArg or one of its kind, has succeeded: its like for the copy. */
void kernels_set(struct kernels *kernels, struct probed *probed, const struct api_call *call,
                 const uint64_t *words);

#endif
