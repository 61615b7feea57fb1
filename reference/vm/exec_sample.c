/* Reads with a sampler: the texels that its modes make of the coordinates, and the colors that its
 * filter makes of the texels. */
#include "reference/vm/exec_image.h"

#include "reference/vm/sampler.h"

#include <string.h>

/* OpenCL C 3.0, 6.15.15.1 and 6.15.15.2: what a sampler may not say with these coordinates and this
 * image, and what to do. */
enum sampler_misuse {
    SAMPLER_FITS,
    SAMPLER_NORMALISED,
    SAMPLER_LEVELS,
    SAMPLER_REPEATS,
    SAMPLER_LINEAR,
    SAMPLER_LINEAR_CHANNELS,
};

static const struct {
    const char *reason, *advice;
} sampler_misuses[] = {
    [SAMPLER_NORMALISED] = {"integer coordinates cannot be normalised, and the sampler has "
                            "CLK_NORMALIZED_COORDS_TRUE",
                            "Give the sampler CLK_NORMALIZED_COORDS_FALSE, or pass normalised "
                            "coordinates: floats, from 0 to 1."},
    [SAMPLER_LEVELS] = {"reads of a mipmapped image at a level of detail need normalised "
                        "coordinates, and the sampler has CLK_NORMALIZED_COORDS_FALSE",
                        "Give the sampler CLK_NORMALIZED_COORDS_TRUE, and divide the coordinates "
                        "by the size of the image."},
    [SAMPLER_REPEATS] = {"the sampler's addressing mode needs normalised coordinates, and it has "
                         "CLK_NORMALIZED_COORDS_FALSE",
                         "Give the sampler CLK_NORMALIZED_COORDS_TRUE, and divide the coordinates "
                         "by the size of the image; or, if nothing is to repeat, CLK_ADDRESS_CLAMP "
                         "or CLK_ADDRESS_CLAMP_TO_EDGE."},
    [SAMPLER_LINEAR] = {"the sampler has CLK_FILTER_LINEAR, which integer coordinates have not",
                        "Give the sampler CLK_FILTER_NEAREST; or, to interpolate, pass floats as "
                        "coordinates: that of texel i is i + 0.5f."},
    [SAMPLER_LINEAR_CHANNELS] = {"the sampler has CLK_FILTER_LINEAR, which integer channels have "
                                 "not",
                                 "Give the sampler CLK_FILTER_NEAREST; or, to interpolate, create "
                                 "the image with floating-point or normalised channels and read it "
                                 "with read_imagef."},
};

static enum sampler_misuse sampler_misuse(const struct image_lanes *lanes, uint32_t sampler,
                                          bool floating, bool integers)
{
    if (!floating && sampler_normalised(sampler))
        return SAMPLER_NORMALISED;
    if (lanes->object->image->levels > 1 && !sampler_normalised(sampler) &&
        vm_image_places(lanes->in->aux) != lanes->coordinate_count)
        return SAMPLER_LEVELS;
    if (sampler_repeats(sampler) && !sampler_normalised(sampler))
        return SAMPLER_REPEATS;
    if (sampler_linear(sampler) && !floating)
        return SAMPLER_LINEAR;
    return sampler_linear(sampler) && integers ? SAMPLER_LINEAR_CHANNELS : SAMPLER_FITS;
}

/* Returns the sampler that is used. */
static uint32_t check_sampler(const struct image_lanes *lanes)
{
    const uint32_t sampler = (uint32_t)lanes->sampler;
    const bool floating = lanes->in->aux & VM_IMAGE_FLOATING;
    const bool integers = vm_image_class(lanes->image->channel) != VM_IMAGE_FLOAT;
    const enum sampler_misuse misuse = sampler_misuse(lanes, sampler, floating, integers);
    uint32_t used = sampler;
    if (misuse != SAMPLER_FITS) {
        struct observer_image told = {.reason = sampler_misuses[misuse].reason,
                                      .advice = sampler_misuses[misuse].advice};
        MACHINE(image_tell)(lanes, OBSERVER_FAULT_IMAGE_SAMPLER, lanes->mask, &told);
    }
    if (!floating)
        used &= ~1U;
    if (!floating || integers)
        used &= ~(1U << 4);
    return used;
}

static bool is_layer(const struct image_lanes *lanes, uint32_t coordinate)
{
    return (lanes->image->type == VM_IMAGE_1D_ARRAY && coordinate == 1) ||
           (lanes->image->type == VM_IMAGE_2D_ARRAY && coordinate == 2);
}

/* Integer coordinates: what the addressing mode makes of them, exactly. */
static void address_integers(const struct image_lanes *lanes, uint32_t sampler,
                             struct image_texels *texels)
{
    MACHINE(image_integer_texels)(lanes, texels);
    for (uint32_t c = 0; c < lanes->coordinate_count; c++) {
        int32_t *at = texels->at[lanes->axes[c]];
        const int32_t size = lanes->size[lanes->axes[c]];
        SpvSamplerAddressingMode mode = sampler_addressing(sampler);
        if (is_layer(lanes, c) || sampler_repeats(sampler))
            mode = SpvSamplerAddressingModeClampToEdge;
        for (uint32_t lane = 0; lane < VM_LANES; lane++)
            at[lane] = sampler_address(mode, at[lane], size);
    }
}

static void address_nearest(const struct image_lanes *lanes, uint32_t sampler,
                            struct image_texels *texels)
{
    const struct vm_vector *vector = lanes->vector;
    struct sampler_axis axis;
    memset(texels, 0, sizeof *texels);
    for (uint32_t c = 0; c < lanes->coordinate_count; c++) {
        const int32_t size = lanes->size[lanes->axes[c]];
        float coordinates[VM_LANES];
        memcpy(coordinates, ROW(f32, lanes->in->b + c * 4), sizeof coordinates);
        if (is_layer(lanes, c))
            sampler_layer(coordinates, size, &axis);
        else
            sampler_nearest(sampler, coordinates, size, &axis);
        memcpy(texels->at[lanes->axes[c]], axis.low, sizeof axis.low);
    }
}

/* Adds weight * color to the sums; the texel's weight is the product over the filtered axes, in
 * their order. */
static void add_weighted(const struct image_colors *colors, const float weights[VM_LANES],
                         bool first, float (*sums)[VM_LANES])
{
    for (uint32_t c = 0; c < 4; c++) {
        float values[VM_LANES];
        memcpy(values, colors->channels[c], sizeof values);
        FOR_LANES(lane)
            sums[c][lane] =
                first ? weights[lane] * values[lane] : sums[c][lane] + weights[lane] * values[lane];
    }
}

/* T of the specification: the corners in its order, i1 first, each with its weight. */
static void sample_linear(const struct image_lanes *lanes, uint32_t sampler,
                          struct image_colors *colors)
{
    const struct vm_vector *vector = lanes->vector;
    struct sampler_axis axes[3];
    uint32_t filtered = 0;
    struct image_texels texels;
    struct image_colors corner;
    float sums[4][VM_LANES];
    memset(&texels, 0, sizeof texels);
    for (uint32_t c = 0; c < lanes->coordinate_count; c++) {
        const int32_t size = lanes->size[lanes->axes[c]];
        float coordinates[VM_LANES];
        memcpy(coordinates, ROW(f32, lanes->in->b + c * 4), sizeof coordinates);
        if (is_layer(lanes, c)) {
            sampler_layer(coordinates, size, &axes[c]);
            memcpy(texels.at[lanes->axes[c]], axes[c].low, sizeof axes[c].low);
        } else {
            sampler_linear_axis(sampler, coordinates, size, &axes[c]);
            filtered++;
        }
    }
    const bool border = sampler_addressing(sampler) == SpvSamplerAddressingModeClamp;
    memset(colors->undefined, 0, sizeof colors->undefined);
    for (uint32_t n = 0; n < 1U << filtered; n++) {
        float weights[VM_LANES];
        for (uint32_t c = 0; c < filtered; c++) {
            const bool high = n >> c & 1;
            memcpy(texels.at[lanes->axes[c]], high ? axes[c].high : axes[c].low,
                   sizeof axes[c].low);
            FOR_LANES(lane) {
                const float part = high ? axes[c].part[lane] : 1.0f - axes[c].part[lane];
                weights[lane] = c == 0 ? part : weights[lane] * part;
            }
        }
        if (n == 0 && !border) {
            const uint64_t outside = lanes->mask & ~image_lanes_inside(lanes, &texels);
            if (outside)
                MACHINE(image_tell_outside)(lanes, &texels, outside, false);
        }
        MACHINE(image_fetch)(lanes, &texels, border, &corner);
        add_weighted(&corner, weights, n == 0, sums);
        LANES_WHERE(32, counts, lane, weights[lane] != 0);
        for (uint32_t c = 0; c < 4; c++)
            colors->undefined[c] |= corner.undefined[c] & counts;
    }
    for (uint32_t c = 0; c < 4; c++) {
        for (uint32_t lane = 0; lane < VM_LANES; lane++) {
            const float sum = sums[c][lane] == sums[c][lane] ? sums[c][lane] : NAN;
            memcpy(&colors->channels[c][lane], &sum, sizeof sum);
        }
    }
}

static uint64_t lanes_not_finite(const struct image_lanes *lanes)
{
    const struct vm_vector *vector = lanes->vector;
    uint64_t found = 0;
    for (uint32_t c = 0; c < lanes->coordinate_count; c++) {
        const row_u32 *bits = ROW(u32, lanes->in->b + c * 4);
        LANES_WHERE(32, not_finite, lane, (bits[lane] & 0x7F800000U) == 0x7F800000U);
        found |= not_finite;
    }
    return found & lanes->mask;
}

void MACHINE(image_sample)(struct image_lanes *lanes, struct image_colors *colors)
{
    const uint32_t sampler = check_sampler(lanes);
    const bool floating = lanes->in->aux & VM_IMAGE_FLOATING;
    struct image_texels texels;
    if (floating) {
        const uint64_t not_finite = lanes_not_finite(lanes);
        memset(&texels, 0, sizeof texels);
        if (not_finite)
            MACHINE(image_tell_outside)(lanes, &texels, not_finite, true);
        lanes->untold |= not_finite;
    }
    if (sampler_linear(sampler)) {
        sample_linear(lanes, sampler, colors);
        return;
    }
    if (floating)
        address_nearest(lanes, sampler, &texels);
    else
        address_integers(lanes, sampler, &texels);
    const bool border = sampler_addressing(sampler) == SpvSamplerAddressingModeClamp;
    const uint64_t outside = border ? 0 : lanes->mask & ~image_lanes_inside(lanes, &texels);
    if (outside)
        MACHINE(image_tell_outside)(lanes, &texels, outside, false);
    MACHINE(image_fetch)(lanes, &texels, border, colors);
}
