#include "layer/image.h"

#include "trace/base/alloc.h"
#include "trace/base/size.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

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
