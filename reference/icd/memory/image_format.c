/* OpenCL API 3.0, chapters 5.3.1.1 and 5.3.2: image formats. The device has the formats that
 * OpenCL 3.0 requires, those that OpenCL 2.x requires, and the others that programs use most. */
#include "reference/icd/memory/image.h"

#include "reference/icd/dispatch.h"
#include "reference/icd/object.h"
#include "reference/limits/limits.h"
#include "reference/vm/image.h"
#include "trace/api/enumerant.h"
#include "trace/api/foreign.h"

/* A channel order with some of its channel types, a bit each. Kernels read and write them all. */
struct row {
    cl_channel_order order;
    uint32_t types;
};

#define TYPE(name) (1u << (CL_##name - CL_SNORM_INT8))
enum {
    NORMALISED = TYPE(SNORM_INT8) | TYPE(SNORM_INT16) | TYPE(UNORM_INT8) | TYPE(UNORM_INT16),
    INTEGER = TYPE(SIGNED_INT8) | TYPE(SIGNED_INT16) | TYPE(SIGNED_INT32) | TYPE(UNSIGNED_INT8) |
              TYPE(UNSIGNED_INT16) | TYPE(UNSIGNED_INT32),
    FLOATING = TYPE(HALF_FLOAT) | TYPE(FLOAT),
};

static const struct row rows[] = {
    {CL_R, NORMALISED | INTEGER | FLOATING},
    {CL_RG, NORMALISED | INTEGER | FLOATING},
    {CL_RGBA, NORMALISED | INTEGER | FLOATING | TYPE(UNORM_INT_101010_2)},
    {CL_BGRA, TYPE(UNORM_INT8)},
    {CL_ARGB, TYPE(UNORM_INT8)},
    {CL_ABGR, TYPE(UNORM_INT8)},
    {CL_RGB, TYPE(UNORM_SHORT_565) | TYPE(UNORM_SHORT_555) | TYPE(UNORM_INT_101010)},
    {CL_A, TYPE(UNORM_INT8) | FLOATING},
    {CL_LUMINANCE, TYPE(UNORM_INT8) | FLOATING},
    {CL_INTENSITY, TYPE(UNORM_INT8) | FLOATING},
    {CL_DEPTH, TYPE(UNORM_INT16) | TYPE(FLOAT)},
    {CL_sRGBA, TYPE(UNORM_INT8)},
    {CL_sBGRA, TYPE(UNORM_INT8)},
};
enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]), TYPE_COUNT = 32 };

uint32_t image_format_texel_size(const cl_image_format *format)
{
    if (!format || format->image_channel_order < CL_R ||
        format->image_channel_data_type < CL_SNORM_INT8)
        return 0;
    return vm_image_texel_size(format->image_channel_order - CL_R,
                               format->image_channel_data_type - CL_SNORM_INT8);
}

void image_format_print(const cl_image_format *format, struct text *text)
{
    api_enumerant_print(API_FAMILY_CHANNEL_ORDER, format->image_channel_order, text);
    text_append(text, " ");
    api_enumerant_print(API_FAMILY_CHANNEL_TYPE, format->image_channel_data_type, text);
}

static bool order_fits(cl_channel_order order, cl_mem_object_type type)
{
    switch (order) {
    case CL_DEPTH: /* there is no depth image of another type in OpenCL C */
        return type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    case CL_sRGBA:
    case CL_sBGRA: /* "optional for 1D image buffers" */
        return type != CL_MEM_OBJECT_IMAGE1D_BUFFER;
    default:
        return true;
    }
}

bool image_format_supported(const cl_image_format *format, cl_mem_object_type type)
{
    const uint32_t index = format->image_channel_data_type - CL_SNORM_INT8;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].order == format->image_channel_order)
            return index < TYPE_COUNT && (rows[i].types >> index & 1) != 0 &&
                   order_fits(rows[i].order, type);
    }
    return false;
}

bool image_format_flags_valid(cl_mem_flags flags)
{
    const cl_mem_flags known = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY |
                               CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR |
                               CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY |
                               CL_MEM_HOST_NO_ACCESS | CL_MEM_KERNEL_READ_AND_WRITE |
                               (limits_keep(KEPT_OPTIONAL) ? CL_MEM_IMMUTABLE_EXT : 0);
    const cl_mem_flags access =
        flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT);
    return (flags & ~known) == 0 && (access & (access - 1)) == 0;
}

static bool query_type_valid(cl_mem_object_type type)
{
    return type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
}

cl_int icd_clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                      cl_mem_object_type image_type, cl_uint num_entries,
                                      cl_image_format *image_formats, cl_uint *num_image_formats)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!image_format_flags_valid(flags) || !query_type_valid(image_type) ||
        (image_formats && num_entries == 0))
        return CL_INVALID_VALUE;
    cl_uint count = 0;
    for (size_t i = 0; limits_keep(KEPT_OPTIONAL) && i < ROW_COUNT; i++) {
        for (cl_channel_type type = 0; type < TYPE_COUNT; type++) {
            const cl_image_format format = {rows[i].order, CL_SNORM_INT8 + type};
            if (!image_format_supported(&format, image_type))
                continue;
            if (image_formats && count < num_entries)
                image_formats[count] = format;
            count++;
        }
    }
    if (num_image_formats)
        *num_image_formats = count;
    return CL_SUCCESS;
}
