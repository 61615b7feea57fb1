/* Which image formats there are, and which the device has. */
#ifndef REFERENCE_ICD_MEMORY_IMAGE_FORMAT_H
#define REFERENCE_ICD_MEMORY_IMAGE_FORMAT_H

#include "trace/base/text.h"

#include <CL/cl.h>

#include <stdbool.h>
#include <stdint.h>

/* Bytes of a texel; 0 = the pair is not a format of OpenCL's, or NULL. */
uint32_t image_format_texel_size(const cl_image_format *format);

/* "CL_RGBA CL_UNORM_INT8" */
void image_format_print(const cl_image_format *format, struct text *text);

/* May formats be asked for with these flags? */
bool image_format_flags_valid(cl_mem_flags flags);

/* May images of that type have it when they are made with these flags? Or, with
 * CL_MEM_KERNEL_READ_AND_WRITE, be a read_write argument? */
bool image_format_supported(const cl_image_format *format, cl_mem_object_type type,
                            cl_mem_flags flags);

#endif
