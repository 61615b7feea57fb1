/* How the layout of an image looks to commands. */
#ifndef REFERENCE_ICD_MEMORY_IMAGE_H
#define REFERENCE_ICD_MEMORY_IMAGE_H

#include "reference/icd/memory/transfer.h"
#include "reference/vm/image.h"

/* Bytes from row to row: of a 1D array each layer is a row. */
uint64_t image_row_stride(const struct vm_image *image);
/* Does its type have a slice pitch: 3D, and arrays? */
bool image_has_slices(const struct vm_image *image);

/* The coordinates of an origin, and the level of a mipmapped image, which stands after as many of
 * them as its type has: API 3.0, 5.3.7. */
size_t image_origin(const struct vm_image *image, const size_t *origin, uint64_t at[3]);
/* Where the box `region` at `origin`, in texels, lies, and how many bytes of a row, rows and slices
 * it has. CL_INVALID_VALUE if one of them is NULL, empty or out of bounds, CL_INVALID_MIP_LEVEL if
 * there is no such level. */
cl_int image_box(cl_mem image, const size_t *origin, const size_t *region,
                 struct rectangle *rectangle, uint64_t bytes[3]);

#endif
