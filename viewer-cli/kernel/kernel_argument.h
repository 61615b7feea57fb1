/* The `-a` arguments of `clerk kernel`: what a kernel is given, in words.
 *
 *     buf:TYPE[N]=INIT[:ro|:wo]   a buffer of N elements; without =INIT nobody has written it
 *     pipe:TYPE[N]=INIT           a pipe with room for N packets; with =INIT it is full of them
 *     local:TYPE[N]               local memory
 *     TYPE=V[,V...]               a scalar, or the components of a vector
 *     image..., sampler:...       viewer-cli/kernel/kernel_image.h
 *
 * TYPE is char, uchar, short, ushort, int, uint, long, ulong, half, float or double, with 2, 3, 4,
 * 8 or 16 behind it for a vector. INIT is one value for all components, a value for each, iota (0,
 * 1, 2
 * ...), random:SEED (integers of any value, floating-point numbers from 0 to 1), file:PATH (raw
 * bytes, exactly as many) or undef. */
#ifndef VIEWER_CLI_KERNEL_KERNEL_ARGUMENT_H
#define VIEWER_CLI_KERNEL_KERNEL_ARGUMENT_H

#include "trace/base/status.h"
#include "trace/base/text.h"
#include "viewer-cli/kernel/kernel_image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kernel_argument_kind {
    KERNEL_ARGUMENT_BUFFER,
    KERNEL_ARGUMENT_LOCAL,
    KERNEL_ARGUMENT_VALUE,
    KERNEL_ARGUMENT_IMAGE,
    KERNEL_ARGUMENT_SAMPLER,
    KERNEL_ARGUMENT_PIPE,
};

/* The scalars that may stand for TYPE. */
struct kernel_scalar {
    const char *name;
    uint32_t size; /* bytes */
    bool is_float, is_signed;
};

/* A type by its name as OpenCL C writes it, "float4"; 3 components take the room of 4. */
struct kernel_type {
    const struct kernel_scalar *scalar; /* NULL = not one of ours */
    uint32_t components;
};

struct kernel_argument {
    enum kernel_argument_kind kind;
    const char *text; /* as given; borrowed */
    struct kernel_type type;
    uint64_t count; /* elements; of an image texels, of a pipe packets */
    uint64_t size;  /* bytes in all */
    bool read_only, write_only;
    uint8_t *bytes; /* of a value, and of a buffer, image or pipe that is initialised; else NULL
                     */
    struct kernel_image image;
    struct kernel_sampler sampler;
};

struct kernel_type kernel_type_parse(const char *name, size_t length);
uint32_t kernel_type_size(struct kernel_type type);

/* STATUS_INVALID says what is wrong with the text, STATUS_UNSUPPORTED what cannot be had yet; also
 * fails as reading a file does. Release with kernel_argument_release. */
enum status kernel_argument_parse(const char *text, struct kernel_argument *argument,
                                  struct error *error);
void kernel_argument_release(struct kernel_argument *argument);

/* One element: "3", "(1,2,3,4)"; in JSON "[1,2,3,4]". */
void kernel_element_print(struct kernel_type type, const uint8_t *bytes, bool json,
                          struct text *text);
/* Elements of the type, several a line, each line begun with the index of its first element; or one
 * JSON array, vectors being arrays in it. */
void kernel_argument_print(const struct kernel_argument *argument, const uint8_t *bytes, bool json,
                           struct text *text);

#endif
