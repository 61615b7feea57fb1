#include "layer/probes/written_map.h"

#include "layer/targets.h"
#include "trace/base/alloc.h"

#include <string.h>

enum { READ_BYTES = 1 << 20 }; /* at once */

static bool make(struct written_map *map, struct shadows *shadows, cl_command_queue queue,
                 uint64_t size)
{
    cl_context context = NULL;
    cl_int status;
    *map = (struct written_map){.size = size, .queue = shadows_queue(shadows, queue)};
    LAYER_TARGET(clGetCommandQueueInfo)(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (!map->queue || !context || !shadows_claim(shadows, queue, size))
        return false;
    map->buffer = LAYER_TARGET(clCreateBuffer)(context, CL_MEM_READ_WRITE, size, NULL, &status);
    if (!map->buffer)
        shadows_give_back(shadows, size);
    return map->buffer != NULL;
}

static bool fill(const struct written_map *map, cl_uchar value, uint64_t begin, uint64_t end)
{
    return LAYER_TARGET(clEnqueueFillBuffer) &&
           LAYER_TARGET(clEnqueueFillBuffer)(map->queue, map->buffer, &value, sizeof value, begin,
                                             end - begin, 0, NULL, NULL) == CL_SUCCESS;
}

bool written_map_create(struct written_map *map, struct shadows *shadows, cl_command_queue queue,
                        uint64_t size, const struct byte_ranges *ranges)
{
    if (!make(map, shadows, queue, size))
        return false;
    bool done = fill(map, 0, 0, size);
    for (size_t i = 0; done && i < ranges->count; i++)
        done = fill(map, 1, ranges->items[i].begin, ranges->items[i].end);
    if (done && LAYER_TARGET(clFinish)(map->queue) == CL_SUCCESS)
        return true;
    written_map_drop(map, shadows);
    return false;
}

bool written_map_create_empty(struct written_map *map, struct shadows *shadows,
                              cl_command_queue queue, uint64_t size)
{
    return make(map, shadows, queue, size);
}

void written_map_drop(struct written_map *map, struct shadows *shadows)
{
    if (!map->buffer)
        return;
    LAYER_TARGET(clReleaseMemObject)(map->buffer);
    shadows_give_back(shadows, map->size);
    map->buffer = NULL;
}

bool written_map_fill(const struct written_map *map, uint64_t begin, uint64_t end)
{
    return fill(map, 1, begin, end) && LAYER_TARGET(clFinish)(map->queue) == CL_SUCCESS;
}

static bool read_part(const struct written_map *map, uint64_t from, uint64_t size, void *bytes)
{
    return LAYER_TARGET(clEnqueueReadBuffer)(map->queue, map->buffer, CL_TRUE, from, size, bytes, 0,
                                             NULL, NULL) == CL_SUCCESS;
}

static uint64_t part_size(uint64_t from, uint64_t end)
{
    return end - from < READ_BYTES ? end - from : READ_BYTES;
}

uint64_t written_map_find_empty(const struct written_map *map, uint64_t from)
{
    unsigned char *bytes = alloc(READ_BYTES);
    bool is_full = bytes != NULL;
    while (is_full && from < map->size) {
        const uint64_t size = part_size(from, map->size);
        if (!read_part(map, from, size, bytes))
            break;
        const unsigned char *empty = memchr(bytes, 0, size);
        is_full = !empty;
        from += empty ? (uint64_t)(empty - bytes) : size;
    }
    alloc_free(bytes);
    return from;
}

bool written_map_read(const struct written_map *map, uint64_t offset, uint64_t size, uint8_t *bits)
{
    unsigned char *bytes = alloc(READ_BYTES);
    bool done = bytes != NULL;
    for (uint64_t from = 0; done && from < size; from += READ_BYTES) {
        const uint64_t count = part_size(from, size);
        done = read_part(map, offset + from, count, bytes);
        for (uint64_t i = 0; done && i < count; i++)
            if (bytes[i] == 0)
                bits[(from + i) / 8] |= (uint8_t)(1 << (from + i) % 8);
    }
    alloc_free(bytes);
    return done;
}
