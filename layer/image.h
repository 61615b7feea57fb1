/* What the calls that create images say, however old their form. */
#ifndef LAYER_IMAGE_H
#define LAYER_IMAGE_H

#include "layer/region.h"
#include "trace/api/entry.h"

struct image_create {
    const cl_image_format *format; /* in the call */
    cl_image_desc desc;
    const struct api_value *host_ptr;
    uint32_t host_ptr_index;
    cl_mem_flags flags;
};

/* False when the call creates no image, or its format or description could not be read. */
bool image_create_parse(const struct api_call *call, struct image_create *create);
/* The host memory that host_ptr stands for; false when its size overflows. */
bool image_host_region(const struct image_create *create, struct region *region);
/* Bytes of a pixel; 0 for a format that is not one of OpenCL's. */
uint64_t image_pixel_size(const cl_image_format *format);

/* After a call that succeeded: if it created an image, whether that has the channel order CL_DEPTH.
 */
void image_note(const struct api_call *call);
/* Is that an image with the channel order CL_DEPTH? */
bool image_is_depth(uint64_t image);

#endif
