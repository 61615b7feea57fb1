#include "layer/transfer.h"

#include "layer/image.h"
#include "trace/base/size.h"

#include <string.h>

static const uint64_t *triple(const struct api_value *value)
{
    return value->kind == API_VALUE_SIZES && value->count == 3 ? value->data : NULL;
}

static const void *pointer(const struct api_value *value)
{
    return (const void *)value->bits;
}

/* OpenCL API 3.0, 5.2.3: a pitch of 0 means that rows, or slices, follow each other without a gap.
 */
static bool rect_region(const struct api_value *ptr, const struct api_value *origin_value,
                        const struct api_value *region_value, uint64_t row_pitch,
                        uint64_t slice_pitch, struct region *result)
{
    const uint64_t *origin = triple(origin_value);
    const uint64_t *size = triple(region_value);
    uint64_t row_offset, slice_offset;
    if (!origin || !size)
        return false;
    struct region region = {
        .base = pointer(ptr), .row_size = size[0], .rows = size[1], .slices = size[2]};
    region.row_pitch = row_pitch != 0 ? row_pitch : size[0];
    region.slice_pitch = slice_pitch;
    if (slice_pitch == 0 && !size_mul(size[1], region.row_pitch, &region.slice_pitch))
        return false;
    if (!size_mul(origin[1], region.row_pitch, &row_offset) ||
        !size_mul(origin[2], region.slice_pitch, &slice_offset) ||
        !size_add(row_offset, slice_offset, &region.offset) ||
        !size_add(region.offset, origin[0], &region.offset))
        return false;
    *result = region;
    return true;
}

/* OpenCL API 3.0, 5.3.3: the region of a 1D image array is (width, layers, 1), and its layers are a
 * slice pitch apart. */
static bool image_region(const struct transfer_image *image, const void *ptr,
                         const struct api_value *region_value, uint64_t row_pitch,
                         uint64_t slice_pitch, struct region *result)
{
    const uint64_t *size = triple(region_value);
    uint64_t row_size;
    if (image->element_size == 0 || !size || !size_mul(size[0], image->element_size, &row_size))
        return false;
    struct region region = {.base = ptr, .row_size = row_size, .rows = size[1], .slices = size[2]};
    region.row_pitch = row_pitch != 0 ? row_pitch : row_size;
    if (image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY && slice_pitch != 0)
        region.row_pitch = slice_pitch;
    region.slice_pitch = slice_pitch;
    if (slice_pitch == 0 && !size_mul(size[1], region.row_pitch, &region.slice_pitch))
        return false;
    *result = region;
    return true;
}

bool transfer_host_region(const struct api_call *call, const struct transfer_image *image,
                          struct region *region, uint32_t *argument)
{
    const struct api_value *a = call->arguments;
    switch (call->entry) {
    case API_ENTRY_clEnqueueReadBuffer:
    case API_ENTRY_clEnqueueWriteBuffer:
        *argument = API_clEnqueueReadBuffer_ptr;
        *region = region_linear(pointer(&a[*argument]), a[API_clEnqueueReadBuffer_size].bits);
        break;
    case API_ENTRY_clEnqueueReadBufferRect:
    case API_ENTRY_clEnqueueWriteBufferRect:
        *argument = API_clEnqueueReadBufferRect_ptr;
        if (!rect_region(&a[*argument], &a[API_clEnqueueReadBufferRect_host_origin],
                         &a[API_clEnqueueReadBufferRect_region],
                         a[API_clEnqueueReadBufferRect_host_row_pitch].bits,
                         a[API_clEnqueueReadBufferRect_host_slice_pitch].bits, region))
            return false;
        break;
    case API_ENTRY_clEnqueueReadImage:
    case API_ENTRY_clEnqueueWriteImage:
        *argument = API_clEnqueueReadImage_ptr;
        if (!image_region(image, pointer(&a[*argument]), &a[API_clEnqueueReadImage_region],
                          a[API_clEnqueueReadImage_row_pitch].bits,
                          a[API_clEnqueueReadImage_slice_pitch].bits, region))
            return false;
        break;
    default:
        return false;
    }
    return a[*argument].present;
}

/* Reads and writes share the places of their parameters. */
#define SAME_PLACE(a, b) _Static_assert((int)(a) == (int)(b), #a " is not in the place of " #b)
SAME_PLACE(API_clEnqueueReadBuffer_ptr, API_clEnqueueWriteBuffer_ptr);
SAME_PLACE(API_clEnqueueReadBuffer_size, API_clEnqueueWriteBuffer_size);
SAME_PLACE(API_clEnqueueReadBufferRect_ptr, API_clEnqueueWriteBufferRect_ptr);
SAME_PLACE(API_clEnqueueReadBufferRect_host_origin, API_clEnqueueWriteBufferRect_host_origin);
SAME_PLACE(API_clEnqueueReadBufferRect_region, API_clEnqueueWriteBufferRect_region);
SAME_PLACE(API_clEnqueueReadBufferRect_host_row_pitch, API_clEnqueueWriteBufferRect_host_row_pitch);
SAME_PLACE(API_clEnqueueReadImage_ptr, API_clEnqueueWriteImage_ptr);
SAME_PLACE(API_clEnqueueReadImage_region, API_clEnqueueWriteImage_region);
SAME_PLACE(API_clEnqueueReadImage_row_pitch, API_clEnqueueWriteImage_input_row_pitch);

static uint64_t out_number(const struct api_value *value)
{
    return value->kind == API_VALUE_SIZES && value->count == 1 ? *(const uint64_t *)value->data : 0;
}

bool transfer_mapped_region(const struct api_call *call, const struct transfer_image *image,
                            struct region *region)
{
    const struct api_value *a = call->arguments;
    switch (call->entry) {
    case API_ENTRY_clEnqueueMapBuffer:
        *region = region_linear(pointer(&call->result), a[API_clEnqueueMapBuffer_size].bits);
        return true;
    case API_ENTRY_clEnqueueSVMMap:
        *region = region_linear(pointer(&a[API_clEnqueueSVMMap_svm_ptr]),
                                a[API_clEnqueueSVMMap_size].bits);
        return true;
    case API_ENTRY_clEnqueueMapImage:
        return image_region(image, pointer(&call->result), &a[API_clEnqueueMapImage_region],
                            out_number(&a[API_clEnqueueMapImage_image_row_pitch]),
                            out_number(&a[API_clEnqueueMapImage_image_slice_pitch]), region);
    default:
        return false;
    }
}

bool transfer_created_region(const struct api_call *call, struct region *region, uint32_t *argument)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    const uint32_t host_ptr = api_entry_find_role(info, API_ROLE_HOST_MEMORY);
    const uint32_t flags = api_entry_find_parameter(info, "flags");
    const uint32_t size = api_entry_find_parameter(info, "size");
    const struct api_value *a = call->arguments;
    struct image_create create;
    if (!a[host_ptr].present || !(a[flags].bits & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        return false;
    *argument = host_ptr;
    if (size == API_PARAMETER_NONE)
        return image_create_parse(call, &create) && image_host_region(&create, region);
    *region = region_linear(pointer(&a[host_ptr]), a[size].bits);
    return true;
}
