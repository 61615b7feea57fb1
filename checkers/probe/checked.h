/* The checked copy of a program: its own text with checks inserted, which clerk_probe
 * (reference/probe) writes and the layer builds and runs instead. Its kernels report (report.h)
 * what they do that they must not. */
#ifndef CHECKERS_PROBE_CHECKED_H
#define CHECKERS_PROBE_CHECKED_H

#include "trace/base/arena.h"
#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum checked_access {
    CHECKED_READ,
    CHECKED_WRITE,
    CHECKED_UPDATE,
    CHECKED_ATOMIC,
    CHECKED_BARRIER,
    CHECKED_COPY, /* asynchronous, of a work-group */
    CHECKED_ACCESSES
};

/* A place in the program's text where something is checked. */
struct checked_site {
    const char *file;       /* as a driver's log names it; SOURCES_PROGRAM for the text itself */
    uint32_t line;          /* from 1; 0 = not known, of IL, and there is no file */
    uint32_t access;        /* enum checked_access */
    const char *expression; /* the access as it stands in the text, at most about 60 bytes; of IL
                               there is none */
    const char *function;   /* that it is in, of IL; NULL or "" = not known */
    const char *variable;   /* that it is an access to, where that is certain and it is no argument;
                               NULL or "" = not known */
};

/* Parameters that a kernel of the copy has after its own, in this order. */
enum checked_hidden {
    /* ulong, of a pointer argument to global, constant or local memory: how many bytes it may
     * access from where it points to, CHECKED_SIZE_UNKNOWN, and the flags above that. */
    CHECKED_HIDDEN_SIZE,
    CHECKED_HIDDEN_REPORT, /* __global uint *: the buffer of report.h */
    CHECKED_HIDDEN_LAUNCH, /* uint: comes back in records, to tell launches apart */
    /* uint, of an argument that is a sampler: CHECKED_SAMPLER_... */
    CHECKED_HIDDEN_SAMPLER,
    /* __global const ulong *, of a program whose pointers may come from elsewhere than from
     * arguments and variables: the allocations of shared_table.h, or NULL. */
    CHECKED_HIDDEN_SHARED,
    /* __global ulong *, of a pointer argument to global memory: the cells (cells.cl) of the memory
     * object that it leads into, or NULL: its races are not looked for. */
    CHECKED_HIDDEN_CELLS,
    /* ulong: how many bytes of that object lie before what the argument points to, and above
     * CHECKED_WINDOW_SHIFT the logarithm of the bytes that each cell is for. */
    CHECKED_HIDDEN_WINDOW,
    /* __local ulong *: the cells of all local memory, two words for each 1 << shift bytes. */
    CHECKED_HIDDEN_LOCAL_CELLS,
    CHECKED_HIDDEN_LOCAL_WORDS, /* uint: how many words; 0 = races are not looked for there */
    /* The last ones, and with CHECKED_ALL_CELLS only. __global uchar *, of a pointer argument to
     * global memory: a byte for each byte of the memory object that it leads into, 0 where nobody
     * wrote; or NULL: it is not looked at. */
    CHECKED_HIDDEN_WRITTEN,
    CHECKED_HIDDEN_BEFORE, /* ulong: as many bytes of it are before what the argument points to */
};
struct checked_parameter {
    uint32_t hidden;   /* enum checked_hidden */
    uint32_t argument; /* that it is about, from 0 */
    /* Of cells: the logarithm of the bytes of the smallest access to what they are of, and may the
     * kernel write there? */
    uint32_t shift;
    bool is_written;
    /* Of local cells: are none needed as long as the form of each variable and argument keeps
     * work-items apart (apart.h)?
     * They tell what has been written then, unless forms show that too. */
    bool is_apart;
};

/* Bytes of local memory that each kernel of a copy has of its own; as long as the largest vector.
 */
enum { CHECKED_LOCAL_SPARE = 128 };

#define CHECKED_WINDOW_SHIFT 56

/* What a sampler has: CLK_ADDRESS_NONE, with which coordinates outside of the image mean nothing,
 * and CLK_NORMALIZED_COORDS_TRUE. */
enum { CHECKED_SAMPLER_NONE = 1, CHECKED_SAMPLER_NORMALISED = 2 };

#define CHECKED_SIZE_UNKNOWN   UINT64_C(0x00ffffffffffffff)
#define CHECKED_SIZE_READ_ONLY (UINT64_C(1) << 56) /* the kernel may not write there */
#define CHECKED_SIZE_MIDDLE    (UINT64_C(1) << 57) /* and it may access what is before */

struct checked_kernel {
    const char *name;
    const char *reason;      /* why it is not checked: "it enqueues kernels"; "" = it is */
    uint32_t argument_count; /* its own */
    /* Items are ordered by more than barriers: atomics, fences, sub-groups. What its cells say of
     * races is then a suspicion, which the reference device shows or refutes. */
    bool is_ordered_otherwise;
    bool may_be_led;      /* its copy, as PoCL would compile it (reference/probe/led.c) */
    bool hides_writes;    /* to global memory: it may do some that no check is at */
    bool uses_sub_groups; /* so that it has no cells */
    bool waits;           /* in loops for other items, so that its local memory has none */
    bool may_diverge;     /* it has barriers that maybe not all of a work-group reach */
    struct checked_parameter *parameters;
    size_t parameter_count;
};

/* One text for each part of the request, in their order; of a program from IL one module. */
struct checked_part {
    const char *text; /* or SPIR-V, aligned as words are */
    size_t size;
    bool is_il;
    /* To build it with: the program's, without what is in the text by now. Then no cells are told
     * of memory where forms can keep work-items apart (apart.h); with CHECKED_ALL_CELLS behind them
     * all are, for launches whose sizes or arguments do not keep them apart. A module always has
     * all. */
    const char *options;
};
#define CHECKED_ALL_CELLS " -D CLERK_ALL_CELLS"

/* Strings and lists lie in `arena`. */
struct checked {
    struct arena arena;
    const char *reason; /* why there is no copy, as a sentence's end: "it is in C++ for OpenCL"; ""
                           = there is */
    struct checked_part *parts;
    size_t part_count;
    struct checked_kernel *kernels;
    size_t kernel_count;
    struct checked_site *sites; /* by their numbers in reports */
    size_t site_count;
};

void checked_pack(const struct checked *checked, struct text *text);
/* False when the bytes are not what checked_pack gives, or memory is out. Release in either case.
 */
bool checked_unpack(const void *bytes, size_t size, struct checked *checked);
void checked_release(struct checked *checked);
/* The end of making one, with what came of it and why: that there is none is no failure, but
 * `checked->reason`. After a failure nothing has to be released. */
enum status checked_conclude(struct checked *checked, enum status status, const struct error *why,
                             struct error *error);

/* NULL when there is no such kernel. */
const struct checked_kernel *checked_find(const struct checked *checked, const char *kernel);

#endif
