#include "trace/api/image.h"

#include <string.h>

static uint64_t channel_count(cl_channel_order order)
{
    switch (order) {
    case CL_R:
    case CL_A:
    case CL_Rx:
    case CL_INTENSITY:
    case CL_LUMINANCE:
    case CL_DEPTH:
        return 1;
    case CL_RG:
    case CL_RA:
    case CL_RGx:
        return 2;
    case CL_RGB:
    case CL_RGBx:
    case CL_sRGB:
        return 3;
    case CL_RGBA:
    case CL_BGRA:
    case CL_ARGB:
    case CL_ABGR:
    case CL_sRGBx:
    case CL_sRGBA:
    case CL_sBGRA:
        return 4;
    default:
        return 0;
    }
}

/* Packed types hold all channels at once. */
uint64_t image_pixel_size(const cl_image_format *format)
{
    const uint64_t channels = channel_count(format->image_channel_order);
    if (channels == 0)
        return 0;
    switch (format->image_channel_data_type) {
    case CL_SNORM_INT8:
    case CL_UNORM_INT8:
    case CL_SIGNED_INT8:
    case CL_UNSIGNED_INT8:
        return channels;
    case CL_SNORM_INT16:
    case CL_UNORM_INT16:
    case CL_SIGNED_INT16:
    case CL_UNSIGNED_INT16:
    case CL_HALF_FLOAT:
        return channels * 2;
    case CL_SIGNED_INT32:
    case CL_UNSIGNED_INT32:
    case CL_FLOAT:
        return channels * 4;
    case CL_UNORM_SHORT_565:
    case CL_UNORM_SHORT_555:
        return 2;
    case CL_UNORM_INT_101010:
    case CL_UNORM_INT_101010_2:
        return 4;
    default:
        return 0;
    }
}

static const void *bytes_of(const struct api_value *value, size_t size)
{
    return value->kind == API_VALUE_BYTES && value->size == size ? value->data : NULL;
}

bool image_create_parse(const struct api_call *call, struct image_create *create)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    const uint32_t format = api_entry_find_parameter(info, "image_format");
    const uint32_t flags = api_entry_find_parameter(info, "flags");
    const uint32_t desc = api_entry_find_parameter(info, "image_desc");
    *create = (struct image_create){.host_ptr = api_call_argument(call, API_ROLE_HOST_MEMORY)};
    if (format == API_PARAMETER_NONE)
        return false;
    const struct api_value *a = call->arguments;
    create->format = bytes_of(&a[format], sizeof(cl_image_format));
    create->flags = a[flags].bits;
    if (desc != API_PARAMETER_NONE) {
        const void *bytes = bytes_of(&a[desc], sizeof create->desc);
        if (!bytes)
            return false;
        memcpy(&create->desc, bytes, sizeof create->desc);
    } else if (call->entry == API_ENTRY_clCreateImage2D) {
        create->desc.image_type = CL_MEM_OBJECT_IMAGE2D;
        create->desc.image_width = a[API_clCreateImage2D_image_width].bits;
        create->desc.image_height = a[API_clCreateImage2D_image_height].bits;
        create->desc.image_row_pitch = a[API_clCreateImage2D_image_row_pitch].bits;
    } else {
        create->desc.image_type = CL_MEM_OBJECT_IMAGE3D;
        create->desc.image_width = a[API_clCreateImage3D_image_width].bits;
        create->desc.image_height = a[API_clCreateImage3D_image_height].bits;
        create->desc.image_depth = a[API_clCreateImage3D_image_depth].bits;
        create->desc.image_row_pitch = a[API_clCreateImage3D_image_row_pitch].bits;
        create->desc.image_slice_pitch = a[API_clCreateImage3D_image_slice_pitch].bits;
    }
    return create->format != NULL;
}
