#include "replay/object.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>

#include "trace/base/hash.h"

struct node {
    struct replay_object object; /* first: an object is its node */
    UT_hash_handle hh;
};

struct replay_objects {
    struct node *nodes;
    uint64_t memory_count;
};

struct replay_objects *replay_objects_create(void)
{
    return alloc_zero(1, sizeof(struct replay_objects));
}

static void release_lists(struct replay_object *object)
{
    alloc_free(object->reached);
    alloc_free(object->types);
    alloc_free(object->natures);
    alloc_free(object->sync_points);
}

void replay_objects_destroy(struct replay_objects *objects)
{
    if (!objects)
        return;
    struct node *node = objects->nodes;
    HASH_CLEAR(hh, objects->nodes);
    while (node) {
        struct node *next = node->hh.next;
        release_lists(&node->object);
        alloc_free(node);
        node = next;
    }
    alloc_free(objects);
}

struct replay_object *replay_objects_put(struct replay_objects *objects, uint64_t old_handle,
                                         uint64_t new_handle, enum api_object_kind kind)
{
    struct node *node = (struct node *)replay_objects_find(objects, old_handle);
    if (!node) {
        node = alloc_zero(1, sizeof *node);
        if (!node)
            return NULL;
        node->object.old_handle = old_handle;
        HASH_ADD(hh, objects->nodes, object.old_handle, sizeof old_handle, node);
        if (!node->hh.tbl) {
            alloc_free(node);
            return NULL;
        }
    }
    release_lists(&node->object);
    node->object =
        (struct replay_object){.old_handle = old_handle,
                               .new_handle = new_handle,
                               .kind = kind,
                               .number = kind == API_OBJECT_MEM ? ++objects->memory_count : 0,
                               .references = 1};
    return &node->object;
}

struct replay_object *replay_objects_find(const struct replay_objects *objects, uint64_t old_handle)
{
    struct node *node;
    HASH_FIND(hh, objects->nodes, &old_handle, sizeof old_handle, node);
    return node ? &node->object : NULL;
}

enum { ARGUMENT_LIMIT = 1024 };

/* Room for argument `index` in a list of `*count`, those before it zero; NULL when memory is out.
 */
static void *make_room(void *list, size_t *count, uint64_t index, size_t size)
{
    ASSERT(index < ARGUMENT_LIMIT);
    if (index < *count)
        return list;
    char *grown = alloc_resize(list, (index + 1) * size);
    if (!grown)
        return NULL;
    memset(grown + *count * size, 0, (index + 1 - *count) * size);
    *count = index + 1;
    return grown;
}

void replay_object_type(struct replay_object *kernel, uint64_t index,
                        const char type[REPLAY_TYPE_SIZE])
{
    if (index >= ARGUMENT_LIMIT)
        return;
    char(*types)[REPLAY_TYPE_SIZE] =
        make_room(kernel->types, &kernel->type_count, index, sizeof *types);
    if (!types)
        return;
    kernel->types = types;
    memcpy(types[index], type, REPLAY_TYPE_SIZE);
}

enum argument_nature replay_argument_nature(cl_kernel_arg_address_qualifier address,
                                            const char *type)
{
    if (address == CL_KERNEL_ARG_ADDRESS_LOCAL)
        return ARGUMENT_LOCAL;
    return address != CL_KERNEL_ARG_ADDRESS_PRIVATE || strcmp(type, "sampler_t") == 0 ||
                   strcmp(type, "queue_t") == 0
               ? ARGUMENT_OBJECT
               : ARGUMENT_VALUE;
}

void replay_object_nature(struct replay_object *kernel, uint64_t index, enum argument_nature nature)
{
    if (index >= ARGUMENT_LIMIT)
        return;
    uint8_t *natures = make_room(kernel->natures, &kernel->nature_count, index, sizeof *natures);
    if (!natures)
        return;
    kernel->natures = natures;
    natures[index] = (uint8_t)nature;
}

bool replay_object_reach(struct replay_object *kernel, uint64_t index, uint64_t reached)
{
    if (index >= ARGUMENT_LIMIT)
        return true;
    uint64_t *list = make_room(kernel->reached, &kernel->reached_count, index, sizeof *list);
    if (!list)
        return false;
    kernel->reached = list;
    list[index] = reached;
    return true;
}

bool replay_object_sync_point(struct replay_object *buffer, const struct replay_sync_point *point)
{
    struct replay_sync_point *grown = alloc_grow(buffer->sync_points, buffer->sync_point_count,
                                                 &buffer->sync_point_capacity, sizeof *grown);
    if (!grown)
        return false;
    buffer->sync_points = grown;
    grown[buffer->sync_point_count++] = *point;
    return true;
}

struct replay_object *replay_objects_next(const struct replay_objects *objects,
                                          struct replay_object *object)
{
    struct node *node = object ? ((struct node *)object)->hh.next : objects->nodes;
    return node ? &node->object : NULL;
}
