/* The host memory of images, and which of them have the channel order CL_DEPTH. */
#ifndef LAYER_IMAGE_H
#define LAYER_IMAGE_H

#include "layer/region.h"
#include "trace/api/image.h"

/* The host memory that host_ptr stands for; false when its size overflows. */
bool image_host_region(const struct image_create *create, struct region *region);

/* After a call that succeeded: if it created an image, whether that has the channel order CL_DEPTH.
 */
void image_note(const struct api_call *call);
/* Is that an image with the channel order CL_DEPTH? */
bool image_is_depth(uint64_t image);

#endif
