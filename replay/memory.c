#include "replay/memory.h"

#include "trace/api/image.h"
#include "trace/base/size.h"

#include <string.h>

static uint64_t number(const struct api_call *call, uint32_t index)
{
    return call->arguments[index].bits;
}

/* Element `i` of a list argument; 0 when it is not there. */
static uint64_t element(const struct api_call *call, uint32_t index, uint32_t i)
{
    const struct api_value *value = &call->arguments[index];
    uint64_t result = 0;
    if (value->data && i < value->count)
        memcpy(&result, (const uint64_t *)value->data + i, sizeof result);
    return result;
}

/* A rectangle in host memory. OpenCL API 3.0, 5.2.2: a pitch of 0 means tightly packed. */
struct rectangle {
    uint64_t origin[3], region[3]; /* the first of each in bytes */
    uint64_t row_pitch, slice_pitch;
};

static bool rectangle_end(const struct rectangle *r, uint64_t *end)
{
    uint64_t rows, slices, row, slice, last;
    if (!r->region[0] || !r->region[1] || !r->region[2]) {
        *end = 0;
        return true;
    }
    return size_add(r->origin[1], r->region[1] - 1, &rows) &&
           size_add(r->origin[2], r->region[2] - 1, &slices) &&
           size_mul(rows, r->row_pitch, &row) && size_mul(slices, r->slice_pitch, &slice) &&
           size_add(row, slice, &last) && size_add(last, r->origin[0], &last) &&
           size_add(last, r->region[0], end);
}

static bool set_pitches(struct rectangle *r, uint64_t row_pitch, uint64_t slice_pitch)
{
    r->row_pitch = row_pitch ? row_pitch : r->region[0];
    r->slice_pitch = slice_pitch;
    return slice_pitch || size_mul(r->region[1], r->row_pitch, &r->slice_pitch);
}

static bool buffer_rectangle(const struct api_call *call, bool host_side, struct rectangle *r)
{
    *r = (struct rectangle){0};
    for (uint32_t i = 0; i < 3; ++i) {
        r->origin[i] = element(call,
                               host_side ? API_clEnqueueReadBufferRect_host_origin
                                         : API_clEnqueueReadBufferRect_buffer_origin,
                               i);
        r->region[i] = element(call, API_clEnqueueReadBufferRect_region, i);
    }
    return set_pitches(r,
                       number(call, host_side ? API_clEnqueueReadBufferRect_host_row_pitch
                                              : API_clEnqueueReadBufferRect_buffer_row_pitch),
                       number(call, host_side ? API_clEnqueueReadBufferRect_host_slice_pitch
                                              : API_clEnqueueReadBufferRect_buffer_slice_pitch));
}

static bool image_memory_size(const struct api_call *call, const struct replay_object *image,
                              uint64_t *size)
{
    struct rectangle r = {0};
    if (!image || !image->pixel_size)
        return false;
    for (uint32_t i = 0; i < 3; ++i)
        r.region[i] = element(call, API_clEnqueueReadImage_region, i);
    uint64_t row_pitch = number(call, API_clEnqueueReadImage_row_pitch);
    uint64_t slice_pitch = number(call, API_clEnqueueReadImage_slice_pitch);
    /* OpenCL API 3.0, 5.3.3: layers of a 1D array are rows of the region, a slice pitch apart. */
    if (image->is_1d_array && slice_pitch) {
        row_pitch = slice_pitch;
        slice_pitch = 0;
    }
    return size_mul(r.region[0], image->pixel_size, &r.region[0]) &&
           set_pitches(&r, row_pitch, slice_pitch) && rectangle_end(&r, size);
}

/* The host_ptr of an image. OpenCL API 3.0, 5.3.1.2. */
static bool image_host_size(const cl_image_format *format, const cl_image_desc *desc,
                            uint64_t *size)
{
    const uint64_t layers = desc->image_array_size ? desc->image_array_size : 1;
    const bool is_array = desc->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
                          desc->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    const bool has_rows = desc->image_type == CL_MEM_OBJECT_IMAGE2D ||
                          desc->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
                          desc->image_type == CL_MEM_OBJECT_IMAGE3D;
    struct rectangle r = {.region = {desc->image_width, has_rows ? desc->image_height : 1,
                                     desc->image_type == CL_MEM_OBJECT_IMAGE3D ? desc->image_depth
                                     : is_array                                ? layers
                                                                               : 1}};
    const uint64_t pixel_size = image_pixel_size(format);
    return pixel_size && size_mul(r.region[0], pixel_size, &r.region[0]) &&
           set_pitches(&r, desc->image_row_pitch, desc->image_slice_pitch) &&
           size_mul(r.region[2], r.slice_pitch, size);
}

static bool image_create_size(const struct api_call *call, uint32_t format_index,
                              uint32_t desc_index, uint64_t *size)
{
    const struct api_value *format = &call->arguments[format_index];
    const struct api_value *desc = &call->arguments[desc_index];
    cl_image_format format_copy;
    cl_image_desc desc_copy;
    if (!format->data || format->size < sizeof format_copy || !desc->data ||
        desc->size < sizeof desc_copy)
        return false;
    memcpy(&format_copy, format->data, sizeof format_copy);
    memcpy(&desc_copy, desc->data, sizeof desc_copy);
    return image_host_size(&format_copy, &desc_copy, size);
}

static bool image_create_old_size(const struct api_call *call, uint64_t *size)
{
    const bool is_3d = call->entry == API_ENTRY_clCreateImage3D;
    const struct api_value *format = &call->arguments[API_clCreateImage2D_image_format];
    cl_image_format format_copy;
    if (!format->data || format->size < sizeof format_copy)
        return false;
    memcpy(&format_copy, format->data, sizeof format_copy);
    const cl_image_desc desc = {
        .image_type = is_3d ? CL_MEM_OBJECT_IMAGE3D : CL_MEM_OBJECT_IMAGE2D,
        .image_width = number(call, API_clCreateImage2D_image_width),
        .image_height = number(call, API_clCreateImage2D_image_height),
        .image_depth = is_3d ? number(call, API_clCreateImage3D_image_depth) : 1,
        .image_row_pitch = number(call, is_3d ? API_clCreateImage3D_image_row_pitch
                                              : API_clCreateImage2D_image_row_pitch),
        .image_slice_pitch = is_3d ? number(call, API_clCreateImage3D_image_slice_pitch) : 0,
    };
    return image_host_size(&format_copy, &desc, size);
}

bool replay_memory_size(const struct api_call *call, const struct replay_object *memory_object,
                        uint64_t *size)
{
    struct rectangle r;
    switch (call->entry) {
    case API_ENTRY_clEnqueueReadBuffer:
    case API_ENTRY_clEnqueueWriteBuffer:
        *size = number(call, API_clEnqueueReadBuffer_size);
        return true;
    case API_ENTRY_clEnqueueReadBufferRect:
    case API_ENTRY_clEnqueueWriteBufferRect:
        return buffer_rectangle(call, true, &r) && rectangle_end(&r, size);
    case API_ENTRY_clEnqueueReadImage:
    case API_ENTRY_clEnqueueWriteImage:
        return image_memory_size(call, memory_object, size);
    case API_ENTRY_clCreateBuffer:
        *size = number(call, API_clCreateBuffer_size);
        return true;
    case API_ENTRY_clCreateBufferWithProperties:
        *size = number(call, API_clCreateBufferWithProperties_size);
        return true;
    case API_ENTRY_clCreateImage:
        return image_create_size(call, API_clCreateImage_image_format, API_clCreateImage_image_desc,
                                 size);
    case API_ENTRY_clCreateImageWithProperties:
        return image_create_size(call, API_clCreateImageWithProperties_image_format,
                                 API_clCreateImageWithProperties_image_desc, size);
    case API_ENTRY_clCreateImage2D:
    case API_ENTRY_clCreateImage3D:
        return image_create_old_size(call, size);
    default:
        return false;
    }
}

static bool rectangle_offset(const struct api_call *call, uint64_t host_offset,
                             uint64_t *object_offset)
{
    struct rectangle host, object;
    if (!buffer_rectangle(call, true, &host) || !buffer_rectangle(call, false, &object))
        return false;
    const uint64_t start =
        host.origin[0] + host.origin[1] * host.row_pitch + host.origin[2] * host.slice_pitch;
    if (host_offset < start || host.slice_pitch == 0 || host.row_pitch == 0)
        return false;
    const uint64_t z = (host_offset - start) / host.slice_pitch;
    const uint64_t y = (host_offset - start) % host.slice_pitch / host.row_pitch;
    const uint64_t x = (host_offset - start) % host.slice_pitch % host.row_pitch;
    if (x >= host.region[0] || y >= host.region[1] || z >= host.region[2])
        return false;
    *object_offset = object.origin[0] + x + (object.origin[1] + y) * object.row_pitch +
                     (object.origin[2] + z) * object.slice_pitch;
    return true;
}

bool replay_memory_offset(const struct api_call *call, uint64_t host_offset,
                          uint64_t *object_offset)
{
    switch (call->entry) {
    case API_ENTRY_clEnqueueReadBuffer:
    case API_ENTRY_clEnqueueWriteBuffer:
        *object_offset = number(call, API_clEnqueueReadBuffer_offset) + host_offset;
        return true;
    case API_ENTRY_clEnqueueMapBuffer:
        *object_offset = number(call, API_clEnqueueMapBuffer_offset) + host_offset;
        return true;
    case API_ENTRY_clEnqueueReadBufferRect:
        return rectangle_offset(call, host_offset, object_offset);
    default:
        return false;
    }
}
