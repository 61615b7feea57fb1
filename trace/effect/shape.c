#include "trace/effect/shape.h"

#include "trace/base/size.h"

static uint64_t at_least_one(uint64_t value)
{
    return value ? value : 1;
}

struct image_shape image_shape_of(const cl_image_format *format, const cl_image_desc *desc)
{
    const cl_mem_object_type type = desc->image_type;
    const bool has_height = type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE3D ||
                            type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    const bool has_layers =
        type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    return (struct image_shape){
        .type = type,
        .pixel_size = image_pixel_size(format),
        .width = desc->image_width,
        .height = has_height ? at_least_one(desc->image_height) : 1,
        .depth = type == CL_MEM_OBJECT_IMAGE3D ? at_least_one(desc->image_depth) : 1,
        .layers = has_layers ? at_least_one(desc->image_array_size) : 1,
        .row_pitch = desc->image_row_pitch,
        .slice_pitch = desc->image_slice_pitch,
    };
}

bool image_region_in_host(const struct image_shape *image, const uint64_t region[3],
                          uint64_t row_pitch, uint64_t slice_pitch, struct rectangle *rectangle)
{
    const bool rows_are_layers = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY && slice_pitch != 0;
    *rectangle = (struct rectangle){.rows = region[1], .slices = region[2]};
    return image->pixel_size != 0 && size_mul(region[0], image->pixel_size, &rectangle->row_size) &&
           rectangle_set_pitches(rectangle, rows_are_layers ? slice_pitch : row_pitch,
                                 rows_are_layers ? 0 : slice_pitch);
}

bool image_in_host(const struct image_shape *image, struct rectangle *rectangle)
{
    *rectangle = (struct rectangle){.rows = image->height, .slices = image->depth * image->layers};
    return image->pixel_size != 0 &&
           size_mul(image->width, image->pixel_size, &rectangle->row_size) &&
           rectangle_set_pitches(rectangle, image->row_pitch, image->slice_pitch);
}
