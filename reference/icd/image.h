/* How the layout of an image looks to commands. */
#ifndef REFERENCE_ICD_IMAGE_H
#define REFERENCE_ICD_IMAGE_H

#include "reference/icd/transfer.h"
#include "reference/vm/image.h"

/* Texels in the three directions that origins and regions have: the layers of an array are the last
 * one that its type has. */
void image_extent(const struct vm_image *image, uint64_t extent[3]);
/* Bytes from row to row: of a 1D array each layer is a row. */
uint64_t image_row_stride(const struct vm_image *image);
/* Does its type have a slice pitch: 3D, and arrays? */
bool image_has_slices(const struct vm_image *image);

/* Where the box `region` at `origin` lies, in texels; `row_size` gets the bytes of its rows.
 * CL_INVALID_VALUE if one of them is NULL, empty or out of bounds. */
cl_int image_box(cl_mem image, const size_t *origin, const size_t *region,
                 struct rectangle *rectangle, size_t *row_size);

#endif
