/* The `-a` arguments of `clerk kernel`: what a kernel is given, in words.
 *
 *     buf:TYPE[N]=INIT[:ro|:wo]   a buffer of N elements; without =INIT nobody has written it
 *     pipe:TYPE[N]=INIT           a pipe with room for N packets; with =INIT it is full of them
 *     local:TYPE[N]               local memory
 *     buf:TYPE[0]                 one that has no bytes: each access is out of bounds
 *     null                        no buffer: the kernel gets a null pointer
 *     same:N                      the very buffer, image or pipe that argument N is, from 0
 *     TYPE=V[,V...]               a scalar, or the components of a vector
 *     struct:SIZE=INIT            a structure of so many bytes
 *     image..., sampler:...       kernel_image.c, below
 *
 * TYPE is char, uchar, short, ushort, int, uint, long, ulong, half, float or double, with 2, 3, 4,
 * 8 or 16 after it for a vector. INIT is one value for all components, a value for each, iota (0,
 * 1, 2
 * ...), random:SEED (integers of any value, floating-point numbers from 0 to 1), file:PATH (raw
 * bytes, exactly as many) or undef. Of a structure INIT is that of SIZE uchars, or its members,
 * TYPE=V[,V...] or TYPE[N]=INIT, with spaces between: each lies where C would put it, and bytes
 * that are left are 0. */
#ifndef VIEWER_CLI_KERNEL_KERNEL_ARGUMENT_H
#define VIEWER_CLI_KERNEL_KERNEL_ARGUMENT_H

#include "replay/compare.h"
#include "trace/base/status.h"
#include "trace/base/text.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- kernel_image.c ---- */

/* Images and samplers among the `-a` arguments of `clerk kernel`.
 *
 *     IMAGE:ORDER:CHANNEL[W]=INIT[:ro|:wo]   [WxH] for 2D and 1D arrays, [WxHxD] for 3D and 2D
 *                                            arrays; [WxH/LEVELS]: mipmapped
 *     sampler:WORD[,WORD...]
 *
 * IMAGE is image1d, image1d_array, image2d, image2d_array or image3d. ORDER and CHANNEL are names
 * of OpenCL without CL_, in small letters: rgba:unorm_int8, r:float. INIT is that of a buffer whose
 * elements are the texels in memory, level by level: uchar4, float. The words of a sampler are
 * normalized; none, clamp_to_edge, clamp, repeat or mirrored_repeat; nearest or linear;
 * linear_levels. Without them a sampler has unnormalised coordinates, clamp_to_edge, nearest, and
 * nearest between levels. */

struct kernel_image {
    cl_mem_object_type type;
    cl_image_format format;
    uint64_t size[3]; /* texels: width, then height, depth or layers as the type has them; else 1 */
    uint32_t coordinates; /* how many of them it has */
    uint32_t levels;      /* 0 = not mipmapped */
    const char *scalar;   /* of a texel in memory: "uchar" */
    uint32_t components;
};

struct kernel_sampler {
    cl_bool normalised;
    cl_addressing_mode addressing;
    cl_filter_mode filter, level_filter;
};

/* The texels of a level in each direction. */
void kernel_image_level(const struct kernel_image *image, uint32_t level, size_t region[3]);

/* Reads up to what stands after "]", which *rest points to. */
enum status kernel_image_parse(const char *text, struct kernel_image *image, const char **rest,
                               struct error *error);
enum status kernel_sampler_parse(const char *text, struct kernel_sampler *sampler,
                                 struct error *error);

enum kernel_argument_kind {
    KERNEL_ARGUMENT_BUFFER,
    KERNEL_ARGUMENT_LOCAL,
    KERNEL_ARGUMENT_VALUE,
    KERNEL_ARGUMENT_IMAGE,
    KERNEL_ARGUMENT_SAMPLER,
    KERNEL_ARGUMENT_PIPE,
    KERNEL_ARGUMENT_UNKNOWN, /* of a parameter: the program does not say */
};

/* A type by its name as OpenCL C writes it, "float4"; 3 components take the room of 4. */
struct kernel_type {
    const struct replay_scalar *scalar; /* NULL = not one of ours */
    uint32_t components;
};

struct kernel_argument {
    enum kernel_argument_kind kind;
    const char *text; /* as given; borrowed */
    struct kernel_type type;
    uint64_t count; /* elements; of an image texels, of a pipe packets */
    uint64_t size;  /* bytes in all */
    bool read_only, write_only;
    bool is_null; /* of a buffer: there is none */
    bool is_same; /* as argument `same`, whose memory it gets; bytes are that one's */
    size_t same;
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
/* Gives the last of so many arguments, if it is the same as another one, what that one is; fails
 * where it cannot be. */
enum status kernel_argument_resolve(struct kernel_argument *arguments, size_t count,
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
