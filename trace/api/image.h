/* What the calls that create images say, however old their form. */
#ifndef TRACE_API_IMAGE_H
#define TRACE_API_IMAGE_H

#include "trace/api/call.h"
#include "trace/api/entry.h"

struct image_create {
    const cl_image_format *format; /* in the call */
    cl_image_desc desc;
    const struct api_value *host_ptr; /* NULL: the call, which only asks, has none */
    cl_mem_flags flags;
};

/* False when the call creates no image, nor asks about one, or its format or description could not
 * be read. */
bool image_create_parse(const struct api_call *call, struct image_create *create);
/* Bytes of a pixel; 0 for a format that is not one of OpenCL's. */
uint64_t image_pixel_size(const cl_image_format *format);

#endif
