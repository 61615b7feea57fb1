#include "checkers/host/objects/imported.h"

#include "trace/api/property.h"
#include "trace/base/alloc.h"

#include <pthread.h>

/* Beyond that nothing is known of further numbers. */
enum { DESCRIPTORS_MAX = 4096 };

/* A number that was passed to a call that imports. */
struct passed {
    int32_t descriptor;
    uint32_t mark;    /* of what it stood for then */
    uint64_t call_id; /* the latest */
    bool taken;       /* it succeeded: the descriptor is the driver's */
    struct imported object;
};

struct imported_table {
    host_descriptor_find *find;
    host_descriptor_mark *mark;
    pthread_mutex_t lock; /* guards the following */
    struct passed *passed;
    size_t count, capacity;
    uint32_t marks;
};

struct imported_table *imported_table_create(const struct host_options *options)
{
    struct imported_table *table = alloc_zero(1, sizeof *table);
    if (!table)
        return NULL;
    table->find = options->descriptor_find;
    table->mark = options->descriptor_mark;
    pthread_mutex_init(&table->lock, NULL);
    return table;
}

void imported_table_destroy(struct imported_table *table)
{
    if (!table)
        return;
    pthread_mutex_destroy(&table->lock);
    alloc_free(table->passed);
    alloc_free(table);
}

/* ---- which calls ---- */

static bool is_descriptor(uint64_t handle_type)
{
    return handle_type == CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR ||
           handle_type == CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR ||
           handle_type == CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR ||
           handle_type == CL_SEMAPHORE_HANDLE_SYNC_FD_KHR;
}

static bool is_number(uint64_t word, int32_t *descriptor)
{
    if ((int32_t)word < 0) /* -1 is a fence that was signalled */
        return false;
    *descriptor = (int32_t)word;
    return true;
}

bool imported_descriptor(const struct api_call *call, int32_t *descriptor)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    const uint32_t index = api_entry_find_role(info, API_ROLE_PROPERTIES);
    struct api_property property;
    if (call->entry == API_ENTRY_clReImportSemaphoreSyncFdKHR)
        return is_number(call->arguments[API_clReImportSemaphoreSyncFdKHR_fd].bits, descriptor);
    if (index == API_PARAMETER_NONE)
        return false;
    const enum api_family family = (enum api_family)info->parameters[index].family;
    if (family != API_FAMILY_MEM_PROPERTIES && family != API_FAMILY_SEMAPHORE_PROPERTIES)
        return false;
    for (uint32_t at = 0; api_property_next(&call->arguments[index], family, &at, &property);)
        if (is_descriptor(property.name))
            return is_number(api_property_word(&property, 0), descriptor);
    return false;
}

/* ---- the table ---- */

static struct passed *find_passed(const struct imported_table *table, int32_t descriptor)
{
    for (size_t i = 0; i < table->count; ++i)
        if (table->passed[i].descriptor == descriptor)
            return &table->passed[i];
    return NULL;
}

static struct passed *add_passed(struct imported_table *table, int32_t descriptor)
{
    struct passed *grown =
        table->count < DESCRIPTORS_MAX
            ? alloc_grow(table->passed, table->count, &table->capacity, sizeof *table->passed)
            : NULL;
    if (!grown)
        return NULL;
    table->passed = grown;
    grown[table->count] = (struct passed){.descriptor = descriptor};
    return &grown[table->count++];
}

/* What the number stands for was not imported, as far as we know. */
static struct passed *pass(struct imported_table *table, int32_t descriptor, struct passed *passed)
{
    if (!passed)
        passed = add_passed(table, descriptor);
    if (passed) {
        *passed = (struct passed){.descriptor = descriptor, .mark = ++table->marks};
        table->mark(descriptor, passed->mark);
    }
    return passed;
}

bool imported_begin(struct imported_table *table, const struct api_call *call, int32_t descriptor,
                    struct imported *earlier)
{
    if (!table->find || !table->mark)
        return false;
    pthread_mutex_lock(&table->lock);
    struct passed *passed = find_passed(table, descriptor);
    const enum host_descriptor state =
        passed ? table->find(descriptor, passed->mark) : HOST_DESCRIPTOR_OTHER;
    if (state == HOST_DESCRIPTOR_OTHER)
        passed = pass(table, descriptor, passed);
    const bool taken = passed && passed->taken;
    if (taken) {
        *earlier = passed->object;
        earlier->closed = state == HOST_DESCRIPTOR_CLOSED;
    } else if (passed) {
        passed->call_id = call->id;
    }
    pthread_mutex_unlock(&table->lock);
    return taken;
}

void imported_end(struct imported_table *table, const struct api_call *call, int32_t descriptor,
                  const struct imported *object)
{
    pthread_mutex_lock(&table->lock);
    struct passed *passed = find_passed(table, descriptor);
    if (passed && passed->call_id == call->id) { /* else the number went to another thread */
        passed->taken = true;
        passed->object = *object;
    }
    pthread_mutex_unlock(&table->lock);
}
