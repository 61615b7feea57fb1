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
#ifndef VIEWER_CLI_KERNEL_KERNEL_IMAGE_H
#define VIEWER_CLI_KERNEL_KERNEL_IMAGE_H

#include "trace/base/status.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

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

/* Is the text one of an image, of a sampler? */
bool kernel_image_is(const char *text);
bool kernel_sampler_is(const char *text);

/* The texels of a level in each direction. */
void kernel_image_level(const struct kernel_image *image, uint32_t level, size_t region[3]);

/* Reads up to what stands behind "]", which *rest points to. */
enum status kernel_image_parse(const char *text, struct kernel_image *image, const char **rest,
                               struct error *error);
enum status kernel_sampler_parse(const char *text, struct kernel_sampler *sampler,
                                 struct error *error);

#endif
