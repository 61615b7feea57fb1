#include "layer/contents_private.h"

#include "trace/base/alloc.h"

/* An allocation may be freed, and another one get its address, while the use is remembered. */
struct use {
    uint64_t address, number;
};

struct shared_uses {
    struct live *live;
    struct use *list;
    size_t count, capacity;
};

/* ---- what a command can reach (with the lock) ---- */

static void add_use(struct shared_uses *uses, const struct live_object *object)
{
    if (!object || !object->is_shared)
        return;
    for (size_t i = 0; i < uses->count; i++)
        if (uses->list[i].number == object->number)
            return;
    struct use *grown = alloc_grow(uses->list, uses->count, &uses->capacity, sizeof *grown);
    if (!grown)
        return;
    uses->list = grown;
    grown[uses->count++] = (struct use){.address = object->handle, .number = object->number};
}

static void add_address(struct shared_uses *uses, uint64_t address)
{
    add_use(uses, address ? live_find_shared(uses->live, address) : NULL);
}

/* A memory object stands for the allocation that it lies in. */
static void add_object(void *user, struct live_object *object)
{
    struct shared_uses *uses = user;
    if (object->kind == API_OBJECT_KERNEL || object->kind == API_OBJECT_COMMAND_BUFFER)
        live_each_reached(uses->live, object, add_object, uses);
    else if (object->kind == API_OBJECT_MEM)
        add_address(uses, object->base);
    else
        add_use(uses, object);
}

static void add_argument(struct shared_uses *uses, const struct api_parameter *parameter,
                         const struct api_value *value)
{
    const uint64_t *list = value->kind == API_VALUE_SIZES ? value->data : NULL;
    struct live_object *object = NULL;
    switch ((enum api_role)parameter->role) {
    case API_ROLE_ADDRESS:
    case API_ROLE_IN_MEMORY:
    case API_ROLE_OUT_MEMORY:
        add_address(uses, value->bits);
        break;
    case API_ROLE_ADDRESSES:
        for (uint32_t i = 0; list && i < value->count; i++)
            add_address(uses, list[i]);
        break;
    case API_ROLE_HANDLE:
        object = live_find(uses->live, value->bits);
        if (object)
            add_object(uses, object);
        break;
    default:
        break;
    }
}

static struct live_object *find(const struct live *live, const struct use *use)
{
    struct live_object *object = live_find(live, use->address);
    return object && object->number == use->number ? object : NULL;
}

static void save(struct live_object *object, struct spool *spool, uint64_t call_id,
                 uint32_t argument, struct readable *readable)
{
    blocks_save_changes(&object->blocks, spool, call_id, argument, object->handle, readable);
}

/* ---- the life of a command ---- */

struct shared_uses *shared_begin(struct live *live, struct spool *spool,
                                 const struct api_call *call, struct readable *readable)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    struct shared_uses *uses = alloc_zero(1, sizeof *uses);
    if (!uses)
        return NULL;
    uses->live = live;
    live_lock(live);
    for (uint32_t i = 0; i < info->parameter_count; i++)
        add_argument(uses, &info->parameters[i], &call->arguments[i]);
    for (size_t i = 0; i < uses->count; i++) {
        struct live_object *object = find(live, &uses->list[i]);
        if (object->use_count++ == 0)
            save(object, spool, call->id, API_ARGUMENT_HOST_WROTE, readable);
    }
    live_unlock(live);
    if (uses->count)
        return uses;
    alloc_free(uses);
    return NULL;
}

static void release(struct shared_uses *uses)
{
    live_unlock(uses->live);
    alloc_free(uses->list);
    alloc_free(uses);
}

void shared_complete(struct shared_uses *uses, struct spool *spool, uint64_t call_id,
                     struct readable *readable)
{
    live_lock(uses->live);
    for (size_t i = 0; i < uses->count; i++) {
        struct live_object *object = find(uses->live, &uses->list[i]);
        if (!object || --object->use_count != 0)
            continue;
        if (call_id)
            save(object, spool, call_id, API_ARGUMENT_HOST_SEES, readable);
        else
            blocks_note(&object->blocks, readable);
    }
    release(uses);
}

void shared_drop(struct shared_uses *uses)
{
    live_lock(uses->live);
    for (size_t i = 0; i < uses->count; i++) {
        struct live_object *object = find(uses->live, &uses->list[i]);
        if (object)
            --object->use_count;
    }
    release(uses);
}
