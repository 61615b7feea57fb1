/* Levels of mipmapped images: cl_khr_mipmap_image. The level of detail of gradients, and which
 * levels a sampler takes for one, are those of the OpenGL specification (4.6, 8.14), to which the
 * extension's names lead. */
#include "reference/vm/exec_image.h"

#include "reference/vm/math.h"
#include "reference/vm/sampler.h"

#include <string.h>

/* Half the logarithm of the larger square of how far a step in x or y goes, in texels. */
static void lods_of_gradients(const struct image_lanes *lanes, float lods[VM_LANES])
{
    const struct vm_vector *vector = lanes->vector;
    const uint32_t count = vm_image_gradients(lanes->in->aux);
    float squares[2][VM_LANES];
    memset(squares, 0, sizeof squares);
    for (uint32_t i = 0; i < 2 * count; i++) {
        const row_f32 *gradient = ROW(f32, lanes->in->b + (lanes->coordinate_count + i) * 4);
        const float size = (float)lanes->size[lanes->axes[i % count]];
        float *square = squares[i / count];
        FOR_LANES(lane) {
            const float texels = gradient[lane] * size;
            square[lane] = square[lane] + texels * texels;
        }
    }
    for (uint32_t lane = 0; lane < VM_LANES; lane++) {
        const float square =
            squares[0][lane] > squares[1][lane] ? squares[0][lane] : squares[1][lane];
        lods[lane] = 0.5f * math_log2_f32(square);
    }
}

static void sampled_levels(const struct image_lanes *lanes, struct image_levels *levels)
{
    const struct vm_vector *vector = lanes->vector;
    const uint64_t sampler = lanes->sampler;
    const float last = (float)(lanes->image->levels - 1);
    const float least = (float)(sampler >> 32 & 0xffff) / VM_SAMPLER_LOD_UNIT;
    const float most = (float)(VM_SAMPLER_LOD_MAX - (sampler >> 48)) / VM_SAMPLER_LOD_UNIT;
    const bool mixes =
        sampler_mixes_levels(sampler) && vm_image_class(lanes->image->channel) == VM_IMAGE_FLOAT;
    float lods[VM_LANES];
    if (lanes->in->aux & VM_IMAGE_LEVEL)
        memcpy(lods, ROW(f32, lanes->in->b + lanes->coordinate_count * 4), sizeof lods);
    else
        lods_of_gradients(lanes, lods);
    for (uint32_t lane = 0; lane < VM_LANES; lane++) {
        float lod = lods[lane] > least ? lods[lane] : least; /* NaN is the least */
        lod = lod < most ? lod : most;
        lod = lod < last ? lod : last;
        const float level = mixes ? floorf(lod) : lod <= 0.5f ? 0 : ceilf(lod + 0.5f) - 1;
        levels->at[lane] = (int32_t)(level < last ? level : last);
        levels->part[lane] = mixes ? lod - level : 0;
    }
}

void MACHINE(image_levels)(const struct image_lanes *lanes, struct image_levels *levels)
{
    const struct vm_vector *vector = lanes->vector;
    if (lanes->in->op == VM_OP_image_sample) {
        sampled_levels(lanes, levels);
        return;
    }
    memcpy(levels->at, ROW(s32, lanes->in->b + lanes->coordinate_count * 4), sizeof levels->at);
    memset(levels->part, 0, sizeof levels->part);
}
