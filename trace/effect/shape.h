/* The sizes of a memory object, from the call that makes it. */
#ifndef TRACE_EFFECT_SHAPE_H
#define TRACE_EFFECT_SHAPE_H

#include "trace/api/image.h"
#include "trace/effect/rectangle.h"

/* Of an image; the sizes that its type does not have are 1. */
struct image_shape {
    cl_mem_object_type type; /* 0 = not known, nor anything else */
    uint64_t pixel_size;     /* bytes */
    uint64_t width, height, depth, layers;
    uint64_t row_pitch, slice_pitch; /* as the program gave them, or 0 */
};

struct image_shape image_shape_of(const cl_image_format *format, const cl_image_desc *desc);

/* Where the texels of a region, or of the whole image, lie in the memory of the host, from `first`
 * on. OpenCL API 3.0, 5.3.3: the layers of a 1D image array are rows of a region, a slice pitch
 * apart. False when the image is not known, or a sum overflows. */
bool image_region_in_host(const struct image_shape *image, const uint64_t region[3],
                          uint64_t row_pitch, uint64_t slice_pitch, struct rectangle *rectangle);
bool image_in_host(const struct image_shape *image, struct rectangle *rectangle);

#endif
