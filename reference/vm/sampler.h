/* Which texels a sampler means: OpenCL C 3.0, 8.2, one coordinate of 64 lanes at a time, by the
 * formulas of that chapter in single precision.
 *
 * A texel index that comes out below 0 or at `size` and beyond lies outside the image: that is the
 * border under CLK_ADDRESS_CLAMP, and a coordinate that the program should not have used under
 * CLK_ADDRESS_NONE. Indices of coordinates that are not finite numbers are arbitrary, but always
 * the same. */
#ifndef REFERENCE_VM_SAMPLER_H
#define REFERENCE_VM_SAMPLER_H

#include "reference/vm/code.h"

#include <math.h>
#include <spirv/unified1/spirv.h>

struct sampler_axis {
    int32_t low[VM_LANES];  /* i0; of a nearest filter, i */
    int32_t high[VM_LANES]; /* i1 */
    float part[VM_LANES];   /* of i1 */
};

static inline bool sampler_normalised(uint32_t sampler)
{
    return (sampler & 1) != 0;
}
static inline SpvSamplerAddressingMode sampler_addressing(uint32_t sampler)
{
    const uint32_t mode = sampler >> 1 & 7;
    return (SpvSamplerAddressingMode)(mode <= SpvSamplerAddressingModeRepeatMirrored ? mode : 0);
}
static inline bool sampler_linear(uint32_t sampler)
{
    return (sampler >> 4 & 1) == SpvSamplerFilterModeLinear;
}
/* Of a mipmapped image: does it mix two levels? */
static inline bool sampler_mixes_levels(uint64_t sampler)
{
    return (sampler >> 5 & 1) != 0;
}
/* Is it a mode that only normalised coordinates have? */
static inline bool sampler_repeats(uint32_t sampler)
{
    return sampler_addressing(sampler) >= SpvSamplerAddressingModeRepeat;
}

static inline int32_t sampler_clamp(int32_t a, int32_t low, int32_t high)
{
    return a < low ? low : a > high ? high : a;
}

/* A floor as an index: what no index can be becomes the nearest one, NaN 0. */
static inline int32_t sampler_index(float floor)
{
    return floor >= 0x1p30f    ? INT32_C(1) << 30
           : floor <= -0x1p30f ? -(INT32_C(1) << 30)
           : floor == floor    ? (int32_t)floor
                               : 0;
}

/* address_mode() of the specification, for the modes that do not repeat. */
static inline int32_t sampler_address(SpvSamplerAddressingMode mode, int32_t index, int32_t size)
{
    return mode == SpvSamplerAddressingModeClampToEdge ? sampler_clamp(index, 0, size - 1)
           : mode == SpvSamplerAddressingModeClamp     ? sampler_clamp(index, -1, size)
                                                       : index;
}

/* The unnormalised coordinate of each lane. */
static inline void sampler_unnormalise(uint32_t sampler, const float coordinates[VM_LANES],
                                       int32_t size, float u[VM_LANES])
{
    const float extent = (float)size;
    if (!sampler_normalised(sampler)) {
        for (uint32_t lane = 0; lane < VM_LANES; lane++)
            u[lane] = coordinates[lane];
        return;
    }
    switch (sampler_addressing(sampler)) {
    case SpvSamplerAddressingModeRepeat:
        for (uint32_t lane = 0; lane < VM_LANES; lane++)
            u[lane] = (coordinates[lane] - floorf(coordinates[lane])) * extent;
        break;
    case SpvSamplerAddressingModeRepeatMirrored:
        for (uint32_t lane = 0; lane < VM_LANES; lane++)
            u[lane] = fabsf(coordinates[lane] - 2.0f * rintf(0.5f * coordinates[lane])) * extent;
        break;
    default:
        for (uint32_t lane = 0; lane < VM_LANES; lane++)
            u[lane] = coordinates[lane] * extent;
        break;
    }
}

/* Repeated coordinates have a texel whatever happens; without normalised ones, which OpenCL asks
 * for, they are clamped to the edge. */
static inline int32_t sampler_wrap(uint32_t sampler, int32_t index, int32_t size)
{
    const bool wraps = sampler_normalised(sampler) &&
                       sampler_addressing(sampler) == SpvSamplerAddressingModeRepeat;
    if (wraps && index < 0)
        index += size;
    if (wraps && index > size - 1)
        index -= size;
    return sampler_clamp(index, 0, size - 1);
}

static inline void sampler_nearest(uint32_t sampler, const float coordinates[VM_LANES],
                                   int32_t size, struct sampler_axis *axis)
{
    const SpvSamplerAddressingMode mode = sampler_addressing(sampler);
    const bool repeats = sampler_repeats(sampler);
    float u[VM_LANES];
    sampler_unnormalise(sampler, coordinates, size, u);
    for (uint32_t lane = 0; lane < VM_LANES; lane++) {
        const int32_t index = sampler_index(floorf(u[lane]));
        axis->low[lane] =
            repeats ? sampler_wrap(sampler, index, size) : sampler_address(mode, index, size);
    }
}

/* Under CLK_ADDRESS_NONE the neighbour of a texel at the edge is taken to be that texel, as the
 * specification does not say that it is needed; a coordinate outside keeps its index. */
static inline void sampler_linear_axis(uint32_t sampler, const float coordinates[VM_LANES],
                                       int32_t size, struct sampler_axis *axis)
{
    const SpvSamplerAddressingMode mode = sampler_addressing(sampler);
    const bool repeats = sampler_repeats(sampler);
    float u[VM_LANES];
    sampler_unnormalise(sampler, coordinates, size, u);
    for (uint32_t lane = 0; lane < VM_LANES; lane++) {
        const float shifted = u[lane] - 0.5f;
        const float whole = floorf(shifted);
        const int32_t index = sampler_index(whole);
        const int32_t nearest = sampler_index(floorf(u[lane]));
        int32_t low = sampler_address(mode, index, size);
        int32_t high = sampler_address(mode, index + 1, size);
        if (repeats) {
            low = sampler_wrap(sampler, index, size);
            high = sampler_wrap(sampler, index + 1, size);
        } else if (mode == SpvSamplerAddressingModeNone) {
            const bool inside = nearest >= 0 && nearest < size;
            low = inside ? sampler_clamp(index, 0, size - 1) : nearest;
            high = inside ? sampler_clamp(index + 1, 0, size - 1) : nearest;
        }
        axis->low[lane] = low;
        axis->high[lane] = high;
        axis->part[lane] = shifted - whole;
    }
}

/* OpenCL C 3.0, 8.4: the layer of an image array, whatever the sampler. */
static inline void sampler_layer(const float coordinates[VM_LANES], int32_t layers,
                                 struct sampler_axis *axis)
{
    for (uint32_t lane = 0; lane < VM_LANES; lane++)
        axis->low[lane] = sampler_clamp(sampler_index(rintf(coordinates[lane])), 0, layers - 1);
}

#endif
