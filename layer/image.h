/* Which images have parameters of their own in calls. */
#ifndef LAYER_IMAGE_H
#define LAYER_IMAGE_H

#include "trace/api/image.h"

/* After a call that succeeded: notes what the next functions answer, if it created an image. */
void image_note(const struct api_call *call);
/* Is that an image with the channel order CL_DEPTH? */
bool image_is_depth(uint64_t image);
/* Have its origins a fourth element, the level of a mipmapped image (OpenCL API 3.0, 5.3.7)? */
bool image_has_fourth(uint64_t image);
/* May any? */
bool image_any_has_fourth(void);

#endif
