/* A launch whose checked copy reported something, or had not ended when the program did, kept so
 * that the reference device can run it: the layer writes it to a file, and `clerk run` reads that
 * when the program has ended. */
#ifndef CHECKERS_PROBE_CAPTURED_H
#define CHECKERS_PROBE_CAPTURED_H

#include "trace/base/arena.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The environment variable by which `clerk run` tells the layer into which directory; between the
 * two alone. Without it nothing is captured. */
#define CAPTURED_DIRECTORY "CLERK_CAPTURED_LAUNCHES"

/* Bytes of memory objects that are kept of a launch, and launches that a process keeps. */
#define CAPTURED_BYTES_MAX (UINT64_C(256) << 20)
enum { CAPTURED_LAUNCHES_MAX = 32 };
/* No file is longer: besides the memory it has the program and the arguments. */
#define CAPTURED_FILE_MAX (CAPTURED_BYTES_MAX + (UINT64_C(256) << 20))

/* Of an image; its texels are kept row by row, without gaps. */
struct captured_image {
    uint32_t order, channel; /* of cl_image_format */
    uint64_t width, height, depth, layers;
};
struct captured_memory {
    uint32_t type;  /* CL_MEM_OBJECT_BUFFER or an image's; CAPTURED_SHARED_MEMORY */
    uint64_t flags; /* of cl_mem_flags, what kernels may do */
    uint64_t size;  /* not 0 */
    struct captured_image image;
    uint64_t address; /* where shared virtual memory was: words in it may lead there */
    void *bytes;
    /* A bit for each byte, the first one the lowest: 1 = nobody had written it before the launch,
     * whatever it holds; NULL = all were written. */
    const uint8_t *undefined;
};
/* In place of a type. */
enum { CAPTURED_SHARED_MEMORY = 1 };

struct captured_sampler {
    uint32_t addressing, filter, is_normalised; /* CL_ADDRESS_..., CL_FILTER_..., cl_bool */
};

enum captured_kind {
    CAPTURED_UNSET,
    CAPTURED_VALUE,   /* bytes */
    CAPTURED_LOCAL,   /* so many bytes of local memory */
    CAPTURED_MEMORY,  /* memory[index] */
    CAPTURED_NULL,    /* no memory */
    CAPTURED_SAMPLER, /* struct captured_sampler */
    CAPTURED_SHARED,  /* `size` bytes after the beginning of memory[index] */
};
struct captured_argument {
    uint32_t kind; /* enum captured_kind */
    uint32_t index;
    uint64_t size;
    const void *bytes;
};

/* Strings, bytes and lists of one that was unpacked lie in `arena`, or in what was unpacked. */
struct captured {
    struct arena arena;
    const char *kernel;   /* its name */
    const char *reason;   /* why all that follows is not there, as the end of a sentence; "" = it is
                           */
    const char *function; /* which enqueued it */
    uint64_t call_id;     /* of that call */
    bool is_after;        /* memory is as it was after the launch */
    bool is_running;      /* as far as is known, until the file is there no more */
    uint32_t dimensions;
    uint64_t offset[3], global[3];
    uint64_t local[3];   /* 0 = the driver chose it */
    const void *program; /* what the kernel was made from: a packed struct request */
    size_t program_size;
    struct captured_memory *memory;
    size_t memory_count;
    struct captured_argument *arguments;
    size_t argument_count;
};

void captured_pack(const struct captured *captured, struct text *text);
/* False when the bytes are not what captured_pack gives, or memory is out. Release in either case.
 */
bool captured_unpack(const void *bytes, size_t size, struct captured *captured);
void captured_release(struct captured *captured);

#endif
