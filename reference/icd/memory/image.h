/* How the layout of an image looks to commands. */
#ifndef REFERENCE_ICD_MEMORY_IMAGE_H
#define REFERENCE_ICD_MEMORY_IMAGE_H

#include "reference/icd/memory/transfer.h"
#include "reference/vm/image.h"
#include "trace/base/text.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

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

/* ---- image_format.c ---- */

/* Which image formats there are, and which the device has. */

/* Bytes of a texel; 0 = the pair is not a format of OpenCL's, or NULL. */
uint32_t image_format_texel_size(const cl_image_format *format);

/* "CL_RGBA CL_UNORM_INT8" */
void image_format_print(const cl_image_format *format, struct text *text);

/* May formats be asked for with these flags? */
bool image_format_flags_valid(cl_mem_flags flags);

/* May images of that type have it? */
bool image_format_supported(const cl_image_format *format, cl_mem_object_type type);

#endif
