/* Images in device memory: an image is an object of vm_memory (its bytes, row by row) that also
 * carries a description. A kernel's image argument is the pointer to that object, offset 0; a
 * sampler is a number. OpenCL API 3.0, 5.3; OpenCL C 3.0, 6.15.15.
 *
 * Channel orders and types, addressing and filter modes are SPIR-V's enumerants: cl_channel_order
 * is CL_R + the SpvImageChannelOrder, cl_channel_type CL_SNORM_INT8 + the SpvImageChannelDataType,
 * in that order throughout. */
#ifndef REFERENCE_VM_IMAGE_H
#define REFERENCE_VM_IMAGE_H

#include "reference/vm/code.h"

#include <stdbool.h>
#include <stdint.h>

enum { VM_IMAGE_LEVELS_MAX = 16, VM_IMAGE_TEXEL_MAX = 16 /* bytes */ };

struct vm_image {
    enum vm_image_type type;
    uint32_t order;                /* SpvImageChannelOrder */
    uint32_t channel;              /* SpvImageChannelDataType */
    uint32_t texel_size;           /* bytes: vm_image_texel_size */
    uint64_t width, height, depth; /* texels; 1 where the type has no such dimension */
    uint64_t layers;               /* array types; else 1 */
    uint64_t row_pitch;            /* bytes from row to row */
    uint64_t slice_pitch; /* bytes from slice to slice of 3D, from layer to layer of arrays */
    uint32_t levels;      /* of a mipmapped image, the first included; else 0 or 1 */
};

/* "2D image array" */
const char *vm_image_type_name(enum vm_image_type type);

/* How many coordinates a texel has: those of space, and the layer of an array. */
static inline uint32_t vm_image_coordinates(enum vm_image_type type)
{
    return type == VM_IMAGE_1D || type == VM_IMAGE_1D_BUFFER  ? 1
           : type == VM_IMAGE_1D_ARRAY || type == VM_IMAGE_2D ? 2
                                                              : 3;
}

/* That level of a mipmapped image, as an image of its own, whose bytes begin so many bytes after
 * the first level's: cl_khr_mipmap_image. All but the first are tightly packed. */
uint64_t vm_image_level(const struct vm_image *image, uint32_t level, struct vm_image *found);
/* The bytes of all levels. */
uint64_t vm_image_size(const struct vm_image *image);

/* A sampler as kernels hold it: bit 0 normalised coordinates, bits 1 to 3 the
 * SpvSamplerAddressingMode, bit 4 the SpvSamplerFilterMode; of mipmapped images bit 5 that two
 * levels are mixed, bits 32 to 47 the least level of detail and bits 48 to 63 how much the greatest
 * is below VM_SAMPLER_LOD_MAX, both in units of 1 / 4096. */
enum { VM_SAMPLER_LOD_UNIT = 4096, VM_SAMPLER_LOD_MAX = 65535 };
static inline uint64_t vm_sampler_make(bool normalised, uint32_t addressing, uint32_t filter)
{
    return (normalised ? 1u : 0u) | addressing << 1 | filter << 4;
}
/* What a sampler of mipmapped images has beside. */
uint64_t vm_sampler_levels(bool linear, float lod_min, float lod_max);

/* What a channel order and type make of a texel: 0 = the pair is none of OpenCL's (5.3.1.1). */
uint32_t vm_image_texel_size(uint32_t order, uint32_t channel);

/* What a texel's channels are to a kernel. */
enum vm_image_class { VM_IMAGE_FLOAT, VM_IMAGE_INT, VM_IMAGE_UINT };
enum vm_image_class vm_image_class(uint32_t channel);

/* Four channels in the order r g b a: float, int32_t or uint32_t by the class of the image. A depth
 * image has only the first. `texel` is texel_size bytes. Conversions are those of OpenCL C 3.0,
 * 8.3, correctly rounded; integers saturate. */
void vm_image_pack(const struct vm_image *image, const void *color, void *texel);
void vm_image_unpack(const struct vm_image *image, const void *texel, void *color);
/* What undefined bits of a texel, a set bit each, leave undefined: the channels that are others
 * with these bits turned over, a bit each. */
uint32_t vm_image_undefined_channels(const struct vm_image *image, const void *texel,
                                     const uint8_t *undefined);
/* The bits of the colors of `count` texels that stand one after the other: colors[c][i] is channel
 * c of texel i. */
void vm_image_unpack_lanes(const struct vm_image *image, const uint8_t *texels, uint32_t count,
                           uint32_t (*colors)[VM_LANES]);
/* The texels of such colors. */
void vm_image_pack_lanes(const struct vm_image *image, const uint32_t (*colors)[VM_LANES],
                         uint32_t count, uint8_t *texels);
/* Which of them a texel keeps: a bit each. */
uint32_t vm_image_channels(const struct vm_image *image);
/* The bits of the color outside the image: OpenCL C 3.0, 6.15.15.1. */
void vm_image_border(const struct vm_image *image, uint32_t color[4]);

#endif
