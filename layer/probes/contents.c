#include "layer/probes/contents.h"

#include "layer/live.h"
#include "layer/targets.h"
#include "trace/api/image.h"
#include "trace/base/size.h"

static bool ask(cl_mem memory, cl_mem_info name, void *value, size_t size)
{
    return LAYER_TARGET(clGetMemObjectInfo)(memory, name, size, value, NULL) == CL_SUCCESS;
}

static bool ask_image(cl_mem memory, cl_image_info name, void *value, size_t size)
{
    return LAYER_TARGET(clGetImageInfo)(memory, name, size, value, NULL) == CL_SUCCESS;
}

/* Texels of the image along each axis, as its transfers have them. */
static void region_of(const struct captured_memory *described, size_t region[3])
{
    const struct captured_image *image = &described->image;
    const bool is_array = described->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
                          described->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    const size_t sizes[3] = {image->width,
                             described->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? image->layers
                                                                            : image->height,
                             is_array ? image->layers : image->depth};
    for (size_t i = 0; i < 3; i++)
        region[i] = sizes[i] > 0 ? sizes[i] : 1;
    if (described->type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        region[2] = 1;
}

static const char *describe_image(cl_mem memory, struct captured_memory *described)
{
    struct captured_image *image = &described->image;
    cl_image_format format;
    cl_uint levels = 0, samples = 0;
    size_t texel = 0, region[3];
    if (!ask_image(memory, CL_IMAGE_FORMAT, &format, sizeof format) ||
        !ask_image(memory, CL_IMAGE_ELEMENT_SIZE, &texel, sizeof texel) ||
        !ask_image(memory, CL_IMAGE_WIDTH, &image->width, sizeof(size_t)) ||
        !ask_image(memory, CL_IMAGE_HEIGHT, &image->height, sizeof(size_t)) ||
        !ask_image(memory, CL_IMAGE_DEPTH, &image->depth, sizeof(size_t)) ||
        !ask_image(memory, CL_IMAGE_ARRAY_SIZE, &image->layers, sizeof(size_t)))
        return "the driver does not tell of its images";
    ask_image(memory, CL_IMAGE_NUM_MIP_LEVELS, &levels, sizeof levels);
    ask_image(memory, CL_IMAGE_NUM_SAMPLES, &samples, sizeof samples);
    if (levels > 1 || samples > 1)
        return "it has a mipmapped or multi-sampled image as argument";
    image->order = format.image_channel_order;
    image->channel = format.image_channel_data_type;
    region_of(described, region);
    if (!size_mul(region[0], region[1], &described->size) ||
        !size_mul(described->size, region[2], &described->size) ||
        !size_mul(described->size, texel, &described->size) || described->size == 0)
        return "the driver does not tell of its images";
    return NULL;
}

const char *contents_describe(cl_mem memory, struct captured_memory *described)
{
    const cl_mem_flags kept = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
    cl_mem_flags flags = 0;
    size_t size = 0;
    *described = (struct captured_memory){0};
    if (!ask(memory, CL_MEM_TYPE, &described->type, sizeof(cl_mem_object_type)) ||
        !ask(memory, CL_MEM_FLAGS, &flags, sizeof flags) ||
        !ask(memory, CL_MEM_SIZE, &size, sizeof size) || size == 0)
        return "the driver does not tell of its memory objects";
    described->flags = flags & kept;
    described->size = size;
    switch (described->type) {
    case CL_MEM_OBJECT_BUFFER:
        return NULL;
    case CL_MEM_OBJECT_IMAGE1D:
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
    case CL_MEM_OBJECT_IMAGE2D:
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
    case CL_MEM_OBJECT_IMAGE3D:
        return describe_image(memory, described);
    default:
        return "it has a pipe as argument";
    }
}

cl_int contents_read(cl_command_queue queue, cl_mem memory, const struct captured_memory *described,
                     cl_bool blocking, cl_uint count, const cl_event *list, cl_event *event)
{
    static const size_t origin[3];
    size_t region[3];
    if (described->type == CAPTURED_SHARED_MEMORY)
        return LAYER_TARGET(clEnqueueSVMMemcpy)(queue, blocking, described->bytes,
                                                (const void *)described->address, described->size,
                                                count, list, event);
    if (described->type == CL_MEM_OBJECT_BUFFER)
        return LAYER_TARGET(clEnqueueReadBuffer)(queue, memory, blocking, 0, described->size,
                                                 described->bytes, count, list, event);
    region_of(described, region);
    return LAYER_TARGET(clEnqueueReadImage)(queue, memory, blocking, origin, region, 0, 0,
                                            described->bytes, count, list, event);
}

/* ---- shared virtual memory ---- */

/* With the lock of `live`. */
static bool is_kept(const struct captured *captured, uint64_t address, uint32_t *index)
{
    for (*index = 0; *index < captured->memory_count; ++*index)
        if (captured->memory[*index].type == CAPTURED_SHARED_MEMORY &&
            captured->memory[*index].address == address)
            return true;
    return false;
}

static void keep(struct captured *captured, const struct live_object *allocation)
{
    captured->memory[captured->memory_count++] =
        (struct captured_memory){.type = CAPTURED_SHARED_MEMORY,
                                 .flags = CL_MEM_READ_WRITE,
                                 .size = allocation->size,
                                 .address = allocation->handle};
}

static bool can_be_kept(const struct live_object *object)
{
    return object->kind == API_OBJECT_NONE && object->allocator == API_ENTRY_clSVMAlloc &&
           object->size > 0 && LAYER_TARGET(clEnqueueSVMMemcpy);
}

size_t contents_shared_count(struct live *live)
{
    size_t count = 0;
    live_lock(live);
    for (const struct live_object *object = live_next(live, NULL); object;
         object = live_next(live, object))
        count += object->kind == API_OBJECT_NONE;
    live_unlock(live);
    return count;
}

const char *contents_find_shared(struct live *live, uint64_t address, struct captured *captured,
                                 size_t room, struct captured_argument *argument)
{
    const char *reason = NULL;
    live_lock(live);
    const struct live_object *allocation = live_find_shared(live, address);
    if (!allocation || !can_be_kept(allocation))
        reason = "it has an address as argument that leads to no living shared virtual memory";
    else if (!is_kept(captured, allocation->handle, &argument->index) &&
             captured->memory_count < room)
        keep(captured, allocation);
    if (!reason && argument->index >= captured->memory_count)
        reason = "other threads allocate shared virtual memory";
    argument->size = allocation ? address - allocation->handle : 0;
    live_unlock(live);
    return reason;
}

const char *contents_keep_all_shared(struct live *live, struct captured *captured, size_t room)
{
    const char *reason = NULL;
    uint32_t index;
    live_lock(live);
    for (const struct live_object *object = live_next(live, NULL); object && !reason;
         object = live_next(live, object)) {
        if (object->kind == API_OBJECT_MEM && object->base != 0)
            reason = "a buffer was made over shared virtual memory, which it may reach";
        if (object->kind != API_OBJECT_NONE || is_kept(captured, object->handle, &index))
            continue;
        if (!can_be_kept(object) || captured->memory_count == room)
            reason = "it may reach memory that cannot be kept";
        else
            keep(captured, object);
    }
    live_unlock(live);
    return reason;
}

const char *contents_read_shared(struct live *live, cl_command_queue queue,
                                 const struct captured_memory *described)
{
    const char *reason = NULL;
    live_lock(live);
    const struct live_object *allocation = live_find(live, described->address);
    if (!allocation || allocation->kind != API_OBJECT_NONE || allocation->size != described->size)
        reason = "shared virtual memory that it may reach was freed before clerk had read it";
    else if (contents_read(queue, NULL, described, CL_TRUE, 0, NULL, NULL) != CL_SUCCESS)
        reason = "shared virtual memory that it may reach could not be read";
    live_unlock(live);
    return reason;
}

bool contents_are_arguments(const struct captured *captured)
{
    bool all = true;
    for (size_t i = 0; i < captured->memory_count; i++) {
        bool is_argument = captured->memory[i].type != CAPTURED_SHARED_MEMORY;
        for (size_t k = 0; k < captured->argument_count; k++)
            is_argument |=
                captured->arguments[k].kind == CAPTURED_SHARED && captured->arguments[k].index == i;
        all &= is_argument;
    }
    return all;
}
