#include "layer/image.h"

#include "trace/base/alloc.h"
#include "trace/base/size.h"

#include <pthread.h>
#include <stdatomic.h>
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
    default:
        return 4;
    }
}

/* Packed types hold all channels at once. */
uint64_t image_pixel_size(const cl_image_format *format)
{
    const uint64_t channels = channel_count(format->image_channel_order);
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
    *create =
        (struct image_create){.host_ptr_index = api_entry_find_role(info, API_ROLE_HOST_MEMORY)};
    if (format == API_PARAMETER_NONE)
        return false;
    const struct api_value *a = call->arguments;
    create->format = bytes_of(&a[format], sizeof(cl_image_format));
    create->flags = a[flags].bits;
    create->host_ptr = &a[create->host_ptr_index];
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

bool image_host_region(const struct image_create *create, struct region *result)
{
    const cl_image_desc *desc = &create->desc;
    struct region region = {.base = (const void *)create->host_ptr->bits, .rows = 1, .slices = 1};
    if (!size_mul(desc->image_width, image_pixel_size(create->format), &region.row_size))
        return false;
    switch (desc->image_type) {
    case CL_MEM_OBJECT_IMAGE3D:
        region.slices = desc->image_depth;
        region.rows = desc->image_height;
        break;
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
        region.slices = desc->image_array_size;
        region.rows = desc->image_height;
        break;
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
        region.slices = desc->image_array_size;
        break;
    case CL_MEM_OBJECT_IMAGE2D:
        region.rows = desc->image_height;
        break;
    default:
        break;
    }
    region.row_pitch = desc->image_row_pitch != 0 ? desc->image_row_pitch : region.row_size;
    region.slice_pitch = desc->image_slice_pitch;
    if (region.slice_pitch == 0 && !size_mul(region.rows, region.row_pitch, &region.slice_pitch))
        return false;
    *result = region;
    return true;
}

/* ---- depth images ---- */

/* Their handles. One that names another image now goes when that is created. */
static struct {
    pthread_mutex_t mutex;
    uint64_t *handles;
    size_t capacity;
    atomic_size_t count; /* read without the mutex: nearly always 0 */
} depths = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* With the mutex. The number of handles when it is not there. */
static size_t depth_find(uint64_t image)
{
    size_t i = 0;
    while (i < depths.count && depths.handles[i] != image)
        i++;
    return i;
}

static void depth_set(uint64_t image, bool is_depth)
{
    pthread_mutex_lock(&depths.mutex);
    const size_t count = depths.count;
    const size_t found = depth_find(image);
    if (found < count && !is_depth) {
        depths.handles[found] = depths.handles[count - 1];
        depths.count = count - 1;
    } else if (found == count && is_depth) {
        void *grown = alloc_grow(depths.handles, count, &depths.capacity, sizeof *depths.handles);
        if (grown) {
            depths.handles = grown;
            depths.handles[count] = image;
            depths.count = count + 1;
        }
    }
    pthread_mutex_unlock(&depths.mutex);
}

void image_note(const struct api_call *call)
{
    struct image_create create;
    if (call->result.kind != API_VALUE_HANDLE || !image_create_parse(call, &create))
        return;
    const bool is_depth = create.format->image_channel_order == CL_DEPTH;
    if (is_depth || depths.count > 0)
        depth_set(call->result.bits, is_depth);
}

bool image_is_depth(uint64_t image)
{
    if (depths.count == 0)
        return false;
    pthread_mutex_lock(&depths.mutex);
    const bool found = depth_find(image) < depths.count;
    pthread_mutex_unlock(&depths.mutex);
    return found;
}
