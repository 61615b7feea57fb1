#include "layer/image.h"

#include "trace/base/alloc.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct unusual {
    uint64_t handle;
    bool is_depth, has_fourth; /* image_is_depth, image_has_fourth */
};

/* A handle that names another image now goes when that is created. */
static struct {
    pthread_mutex_t mutex;
    struct unusual *images;
    size_t capacity;
    atomic_size_t count; /* read without the mutex: nearly always 0 */
} unusual = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* With the mutex. The number of images when it is not there. */
static size_t unusual_find(uint64_t image)
{
    size_t i = 0;
    while (i < unusual.count && unusual.images[i].handle != image)
        i++;
    return i;
}

static void unusual_set(const struct unusual *image)
{
    const bool is_unusual = image->is_depth || image->has_fourth;
    pthread_mutex_lock(&unusual.mutex);
    const size_t count = unusual.count;
    const size_t found = unusual_find(image->handle);
    if (found < count && is_unusual) {
        unusual.images[found] = *image;
    } else if (found < count) {
        unusual.images[found] = unusual.images[count - 1];
        unusual.count = count - 1;
    } else if (is_unusual) {
        void *grown = alloc_grow(unusual.images, count, &unusual.capacity, sizeof *unusual.images);
        if (grown) {
            unusual.images = grown;
            unusual.images[count] = *image;
            unusual.count = count + 1;
        }
    }
    pthread_mutex_unlock(&unusual.mutex);
}

void image_note(const struct api_call *call)
{
    struct image_create create;
    if (call->result.kind != API_VALUE_HANDLE || !image_create_parse(call, &create))
        return;
    const cl_image_desc *desc = &create.desc;
    const struct unusual image = {.handle = call->result.bits,
                                  .is_depth = create.format->image_channel_order == CL_DEPTH,
                                  .has_fourth = desc->num_mip_levels > 1 &&
                                                (desc->image_type == CL_MEM_OBJECT_IMAGE3D ||
                                                 desc->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY)};
    if (image.is_depth || image.has_fourth || unusual.count > 0)
        unusual_set(&image);
}

static struct unusual unusual_get(uint64_t image)
{
    struct unusual got = {.handle = image};
    if (unusual.count == 0)
        return got;
    pthread_mutex_lock(&unusual.mutex);
    const size_t found = unusual_find(image);
    if (found < unusual.count)
        got = unusual.images[found];
    pthread_mutex_unlock(&unusual.mutex);
    return got;
}

bool image_is_depth(uint64_t image)
{
    return unusual_get(image).is_depth;
}

bool image_has_fourth(uint64_t image)
{
    return unusual_get(image).has_fourth;
}

bool image_any_has_fourth(void)
{
    return unusual.count > 0;
}
