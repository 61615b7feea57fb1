/* The cases of probed.c: programs of which each has one bug that happens whenever it runs, and a
 * twin, the nearest right program. A case is data: memory objects, kernels, and the commands that
 * use them.
 *
 * In the text of a kernel `@BUG|CLEAN@` stands for BUG in the case as it is, and for CLEAN in its
 * twin. The line at fault has the comment BUG. Kernels have the names of their cases. */
#ifndef TESTS_PROBES_PROBED_H
#define TESTS_PROBES_PROBED_H

#include <CL/cl.h>

#include <stdbool.h>
#include <stddef.h>

enum {
    PROBED_ARGUMENTS = 8,
    PROBED_STEPS = 4,
};

enum probed_element {
    PROBED_CHAR,
    PROBED_SHORT,
    PROBED_INT,
    PROBED_LONG,
    PROBED_FLOAT,
    PROBED_DOUBLE,
};

enum probed_object {
    PROBED_NO_OBJECT, /* ends the list */
    PROBED_BUFFER,
    PROBED_SUB_BUFFER, /* of a buffer that has as many elements before it, and after it */
    PROBED_SVM,
    PROBED_SVM_MIDDLE, /* the second half of an allocation */
    PROBED_NODES,      /* shared virtual memory with `count` pairs of longs: the address of the next
                          pair, of the last that of the first, and i; every other one is in an
                          allocation of its own */
    PROBED_HOST_NODE,  /* one pair, which leads to one in memory of the host that holds 77 */
    PROBED_IMAGE, /* of 4 elements a pixel; `count` is its width, `height` its height or that of
                     1D how many layers, `depth` its depth or layers */
    PROBED_SAMPLER,
    PROBED_LOCAL,
    PROBED_VALUE, /* an int: `count` */
};

/* What the elements hold at first. */
enum probed_contents {
    PROBED_COUNTED, /* element i holds i */
    PROBED_UNWRITTEN,
};

/* Where the last node leads in the case as it is; in the twin to the first one. */
enum probed_leads {
    PROBED_TO_FIRST,
    PROBED_TO_NULL,
    PROBED_BEYOND,   /* right behind an allocation */
    PROBED_TO_FREED, /* into one that was freed */
    PROBED_NOWHERE,
};

struct probed_argument {
    enum probed_object object;
    enum probed_element element;
    size_t count; /* elements */
    size_t height, depth;
    cl_mem_object_type image;                        /* 0: 2D */
    cl_addressing_mode addressing, clean_addressing; /* of a sampler */
    bool normalised;                                 /* likewise */
    enum probed_leads leads;
    cl_mem_flags flags; /* 0: CL_MEM_READ_WRITE */
    enum probed_contents contents;
    bool null; /* is set to NULL in the case as it is */
    /* Of the twin, if they differ. */
    size_t clean_count;
    cl_mem_flags clean_flags;
    bool clean_written; /* its contents are counted */
    /* In the end element i of the twin holds start + step * i, for i below `right` (0: all
     * elements). */
    bool result;
    int start;
    int step;
    size_t right;
};

/* Commands. In the twin each waits for the one before. */
enum probed_command {
    PROBED_NO_COMMAND, /* ends the list */
    PROBED_LAUNCH,
    PROBED_WRITE, /* int i of the bytes becomes 100 + i */
    PROBED_READ,
    PROBED_COPY, /* from the first object to the second */
    PROBED_FILL, /* with ints 7 */
};

struct probed_step {
    enum probed_command command;
    unsigned queue;
    const char *kernel; /* NULL: that of the case */
    const char *with;   /* a digit for each argument or object: which of the case's; NULL: all */
    size_t offset;      /* in bytes; of a copy, of the source */
    size_t size;
};

enum probed_need {
    PROBED_NOTHING,
    PROBED_DOUBLES,
    PROBED_CLONES,
    PROBED_SHARED_MEMORY,
    PROBED_HOST_MEMORY, /* likewise, and all that the host has */
    PROBED_IMAGES,
    PROBED_ORDERS, /* atomics with all orders, of device scope */
};

struct probed_case {
    const char *name;
    const char *rule; /* NULL: that of the kind */
    enum probed_need needs;
    bool out_of_order; /* queue 0 */
    bool cloned;       /* a clone of the kernel is launched */
    bool uses_host;    /* it does not say that it follows no pointers into memory of the host */
    bool faults;       /* the bug may end the program where nothing takes it away */
    unsigned launches; /* 0: 1 */
    bool waits;        /* for each of them before the next one */
    size_t global[3];
    size_t local[3];
    size_t offset[3];
    struct probed_argument arguments[PROBED_ARGUMENTS];
    struct probed_step steps[PROBED_STEPS]; /* none: the launches */
    const char *options;                    /* to build with; NULL: none */
    const char *source;
    const char *header; /* what the source includes as "part.h" */
    const char *second; /* another part of the program, which is linked */
};

struct probed_kind {
    const char *name;
    const char *rule;
    const struct probed_case *cases;
    size_t count;
};

/* In the order of the command line's list. */
extern const struct probed_kind probed_bounds_global;
extern const struct probed_kind probed_bounds_constant;
extern const struct probed_kind probed_bounds_local;
extern const struct probed_kind probed_read_only;
extern const struct probed_kind probed_null;
extern const struct probed_kind probed_race_global;
extern const struct probed_kind probed_race_local;
extern const struct probed_kind probed_race_ordered;
extern const struct probed_kind probed_race_fenced;
extern const struct probed_kind probed_divergence;
extern const struct probed_kind probed_left_early;
extern const struct probed_kind probed_undefined;
extern const struct probed_kind probed_undefined_local;
extern const struct probed_kind probed_undefined_global;
extern const struct probed_kind probed_commands;
extern const struct probed_kind probed_images;
extern const struct probed_kind probed_pointers;

/* Rows of arguments: counted buffers that are read, buffers with the results of the twin, other
 * objects. */
#define PROBED_IN(type, elements)                                                                  \
    {                                                                                              \
        .object = PROBED_BUFFER, .element = type, .count = (elements)                              \
    }
#define PROBED_OUT(type, elements, at_0, each)                                                     \
    {                                                                                              \
        .object = PROBED_BUFFER, .element = type, .count = (elements), .result = true,             \
        .start = (at_0), .step = (each)                                                            \
    }
#define PROBED_ROOM(type, elements)                                                                \
    {                                                                                              \
        .object = PROBED_LOCAL, .element = type, .count = (elements)                               \
    }
#define PROBED_NUMBER(number)                                                                      \
    {                                                                                              \
        .object = PROBED_VALUE, .count = (number)                                                  \
    }

/* The step that launches a kernel. */
#define PROBED_START(in_queue, named, arguments)                                                   \
    {                                                                                              \
        .command = PROBED_LAUNCH, .queue = (in_queue), .kernel = (named), .with = (arguments)      \
    }

#endif
