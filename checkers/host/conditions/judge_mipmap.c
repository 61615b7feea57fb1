/* Steps about the levels of images: of cl_khr_mipmap_image and cl_img_generate_mipmap. */
#include "checkers/host/checker.h"

#include <inttypes.h>
#include <string.h>

/* argument origin, other image: its element after the last dimension is a level of the image */
void judge_mip_level(struct judged *judged, const struct step *step)
{
    const struct api_value *origin = &judged->call->arguments[step->argument];
    struct mem_traits mem;
    if (!judged_mem(judged, step->other, &mem) || !mem_is_image(&mem) || mem.mip_levels <= 1 ||
        list_count(origin, API_VALUE_SIZES) <= image_dimensions(mem.type))
        return;
    const uint64_t level = list_word(origin, image_dimensions(mem.type));
    if (level >= mem.mip_levels)
        blame_step(judged, step, judged_bits(judged, step->other),
                   "has the level %" PRIu64 " of an image of %" PRIu32, level, mem.mip_levels);
}

static bool pair_at(const struct judged *judged, uint8_t index, int64_t pair[2])
{
    const struct api_value *value = &judged->call->arguments[index];
    if (list_count(value, API_VALUE_SIZES) != 2)
        return false;
    memcpy(pair, value->data, 2 * sizeof *pair);
    return true;
}

/* argument mip_region, other dst_image */
void judge_mip_region(struct judged *judged, const struct step *step)
{
    int64_t region[2];
    struct mem_traits mem;
    if (!pair_at(judged, step->argument, region))
        return;
    if (region[0] < 0)
        blame_step(judged, step, 0, "starts at level %" PRId64, region[0]);
    else if (region[1] < 1)
        blame_step(judged, step, 0, "ends at level %" PRId64 ", before the first to make",
                   region[1]);
    else if (region[0] > region[1])
        blame_step(judged, step, 0, "starts at level %" PRId64 " and ends at %" PRId64, region[0],
                   region[1]);
    else if (judged_mem(judged, step->other, &mem) && mem_is_image(&mem) &&
             region[1] > (int64_t)mem.mip_levels)
        blame_step(judged, step, judged_bits(judged, step->other),
                   "ends at level %" PRId64 " of an image of %" PRIu32, region[1], mem.mip_levels);
}

/* argument array_region, other dst_image: of arrays and only of them, and within them */
void judge_array_region(struct judged *judged, const struct step *step)
{
    const struct api_value *value = &judged->call->arguments[step->argument];
    int64_t region[2];
    struct mem_traits mem;
    if (!judged_mem(judged, step->other, &mem) || !mem_is_image(&mem))
        return;
    const bool is_array =
        mem.type == CL_MEM_OBJECT_IMAGE1D_ARRAY || mem.type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    if (is_array != value->present) {
        blame_step(judged, step, judged_bits(judged, step->other), "is %sNULL; %s is %s array",
                   value->present ? "not " : "", judged_name(judged, step->other),
                   is_array ? "an" : "no");
        return;
    }
    if (!pair_at(judged, step->argument, region))
        return;
    if (region[0] > region[1])
        blame_step(judged, step, 0, "starts at %" PRId64 " and ends at %" PRId64, region[0],
                   region[1]);
    else if (region[0] < 0 || region[1] >= (int64_t)mem.shape.layers)
        blame_step(judged, step, judged_bits(judged, step->other),
                   "ends at %" PRId64 " of an array of %" PRIu64, region[1], mem.shape.layers);
}

/* argument src_image, other dst_image: of one type, of one size; format: judge_same_channels */
void judge_same_shape(struct judged *judged, const struct step *step)
{
    struct mem_traits source;
    struct mem_traits target;
    if (!judged_mem(judged, step->argument, &source) || !judged_mem(judged, step->other, &target) ||
        !mem_is_image(&source) || !mem_is_image(&target))
        return;
    const uint64_t handle = judged_bits(judged, step->argument);
    if (source.type != target.type)
        blame_step(judged, step, handle, "is of another type of images than %s",
                   judged_name(judged, step->other));
    else if (source.shape.width != target.shape.width ||
             source.shape.height != target.shape.height ||
             source.shape.depth != target.shape.depth || source.shape.layers != target.shape.layers)
        blame_as(judged, RULE_IMAGE_SIZE, CL_INVALID_IMAGE_SIZE, step->argument, handle,
                 "is of another size than %s", judged_name(judged, step->other));
    else if (memcmp(&source.format, &target.format, sizeof source.format) != 0)
        blame_as(judged, RULE_FORMAT_INVALID, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, step->argument,
                 handle, "is of another format than %s", judged_name(judged, step->other));
}
