/* The host memory of calls that move bytes: what they read or write, map, or are given when they
 * make an object. */
#ifndef LAYER_TRANSFER_H
#define LAYER_TRANSFER_H

#include "layer/region.h"
#include "trace/api/call.h"
#include "trace/api/entry.h"

/* What the region of an image depends on. */
struct transfer_image {
    uint64_t element_size; /* bytes of a pixel; 0 = not known */
    cl_mem_object_type type;
};

/* All of these: false where the call has none, or where what it says makes no region. `image` is
 * that which the call names, if it names one. */

/* Of reads and writes, and the parameter that points to it. */
bool transfer_host_region(const struct api_call *call, const struct transfer_image *image,
                          struct region *region, uint32_t *argument);
/* Of maps. */
bool transfer_mapped_region(const struct api_call *call, const struct transfer_image *image,
                            struct region *region);
/* The host pointer that an object is made with, if its bytes are used then. */
bool transfer_created_region(const struct api_call *call, struct region *region,
                             uint32_t *argument);

#endif
