#include "layer/probes/allocations.h"

#include "checkers/probe/shared_table.h"
#include "layer/live.h"
#include "layer/targets.h"
#include "trace/base/alloc.h"

#include <pthread.h>
#include <string.h>

enum { FREED_MAX = 256 }; /* the last ones */

struct range {
    uint64_t begin, end;
    uint64_t freed; /* 0 = it is alive; else they are counted */
};

/* One for each of these. */
struct table {
    struct table *next;
    cl_context context;
    bool has_host, is_closed;
    uint64_t generation;
    cl_mem memory;
};

struct allocations {
    struct live *live;
    pthread_mutex_t mutex; /* of all that follows; live's comes second */
    struct range *ranges;  /* in ascending order; none overlap */
    size_t count, capacity, freed_count;
    uint64_t freed;       /* all that ever were */
    uint64_t last_number; /* of an allocation that is known */
    uint64_t generation;  /* of the ranges */
    struct table *tables;
};

struct allocations *allocations_create(struct live *live)
{
    struct allocations *allocations = alloc_zero(1, sizeof *allocations);
    if (!allocations)
        return NULL;
    allocations->live = live;
    allocations->generation = 1;
    pthread_mutex_init(&allocations->mutex, NULL);
    return allocations;
}

void allocations_destroy(struct allocations *allocations)
{
    if (!allocations)
        return;
    while (allocations->tables) {
        struct table *table = allocations->tables;
        allocations->tables = table->next;
        if (table->memory)
            LAYER_TARGET(clReleaseMemObject)(table->memory);
        alloc_free(table);
    }
    pthread_mutex_destroy(&allocations->mutex);
    alloc_free(allocations->ranges);
    alloc_free(allocations);
}

/* ---- ranges (with the mutex) ---- */

/* The first that ends after the address. */
static size_t find_range(const struct allocations *allocations, uint64_t address)
{
    size_t low = 0, high = allocations->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (allocations->ranges[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void remove_range(struct allocations *allocations, size_t index)
{
    struct range *range = &allocations->ranges[index];
    allocations->freed_count -= range->freed != 0;
    allocations->count--;
    memmove(range, range + 1, (allocations->count - index) * sizeof *range);
    allocations->generation++;
}

/* What was there before is there no more. */
static void add_range(struct allocations *allocations, uint64_t begin, uint64_t end)
{
    size_t at = find_range(allocations, begin);
    while (at < allocations->count && allocations->ranges[at].begin < end)
        remove_range(allocations, at);
    struct range *grown =
        alloc_grow(allocations->ranges, allocations->count, &allocations->capacity, sizeof *grown);
    if (!grown)
        return;
    allocations->ranges = grown;
    memmove(grown + at + 1, grown + at, (allocations->count - at) * sizeof *grown);
    grown[at] = (struct range){.begin = begin, .end = end};
    allocations->count++;
    allocations->generation++;
}

static void forget_oldest(struct allocations *allocations)
{
    size_t oldest = allocations->count;
    for (size_t i = 0; i < allocations->count; i++)
        if (allocations->ranges[i].freed != 0 &&
            (oldest == allocations->count ||
             allocations->ranges[i].freed < allocations->ranges[oldest].freed))
            oldest = i;
    if (oldest < allocations->count)
        remove_range(allocations, oldest);
}

static void learn(struct allocations *allocations)
{
    uint64_t last = allocations->last_number;
    live_lock(allocations->live);
    for (const struct live_object *object = live_next(allocations->live, NULL); object;
         object = live_next(allocations->live, object)) {
        if (object->kind != API_OBJECT_NONE || object->number <= allocations->last_number)
            continue;
        add_range(allocations, object->handle, object->handle + object->size);
        last = object->number > last ? object->number : last;
    }
    live_unlock(allocations->live);
    allocations->last_number = last;
}

void allocations_learn(struct allocations *allocations)
{
    pthread_mutex_lock(&allocations->mutex);
    learn(allocations);
    pthread_mutex_unlock(&allocations->mutex);
}

void allocations_free(struct allocations *allocations, uint64_t address)
{
    pthread_mutex_lock(&allocations->mutex);
    const size_t at = find_range(allocations, address);
    struct range *range = &allocations->ranges[at];
    if (at < allocations->count && range->begin == address && range->freed == 0) {
        range->freed = ++allocations->freed;
        allocations->freed_count++;
        allocations->generation++;
        if (allocations->freed_count > FREED_MAX)
            forget_oldest(allocations);
    }
    pthread_mutex_unlock(&allocations->mutex);
}

/* ---- tables (with the mutex) ---- */

static bool is_argument(const struct given *given, uint64_t memory)
{
    for (size_t i = 0; i < given->count; i++)
        if (given->arguments[i].kind == GIVEN_MEMORY &&
            (uint64_t)given->arguments[i].memory == memory)
            return true;
    return false;
}

bool allocations_are_hosts(cl_command_queue queue, const struct given *given)
{
    cl_device_id device = NULL;
    cl_device_svm_capabilities capabilities = 0;
    LAYER_TARGET(clGetCommandQueueInfo)(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    LAYER_TARGET(clGetDeviceInfo)
    (device, CL_DEVICE_SVM_CAPABILITIES, sizeof capabilities, &capabilities, NULL);
    return (capabilities & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) != 0 && !(given && given->spares_host);
}

/* Are there no memory objects but arguments? A pointer into one that is none leads nowhere that
 * OpenCL knows, but somewhere. */
static bool is_closed(const struct allocations *allocations, const struct given *given)
{
    bool closed = given != NULL;
    live_lock(allocations->live);
    for (const struct live_object *object = live_next(allocations->live, NULL); object && closed;
         object = live_next(allocations->live, object))
        closed = object->kind != API_OBJECT_MEM || is_argument(given, object->handle);
    live_unlock(allocations->live);
    return closed;
}

static cl_mem write_table(const struct allocations *allocations, const struct table *table)
{
    const size_t count = SHARED_RANGES + 2 * allocations->count + 1;
    uint64_t *words = alloc_zero(count, sizeof *words);
    cl_int status;
    if (!words)
        return NULL;
    words[SHARED_ALIVE] = allocations->count - allocations->freed_count;
    words[SHARED_FREED] = table->has_host ? 0 : allocations->freed_count; /* it is the host's now */
    words[SHARED_IS_CLOSED] = table->is_closed;
    uint64_t *alive = words + SHARED_RANGES, *freed = alive + 2 * words[SHARED_ALIVE];
    for (size_t i = 0; i < allocations->count; i++) {
        uint64_t **to = allocations->ranges[i].freed == 0 ? &alive : &freed;
        *(*to)++ = allocations->ranges[i].begin;
        *(*to)++ = allocations->ranges[i].end;
    }
    cl_mem memory =
        LAYER_TARGET(clCreateBuffer)(table->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                     count * sizeof *words, words, &status);
    alloc_free(words);
    return memory;
}

static struct table *find_table(struct allocations *allocations, cl_context context, bool host,
                                bool closed)
{
    struct table *table = allocations->tables;
    while (table &&
           (table->context != context || table->has_host != host || table->is_closed != closed))
        table = table->next;
    if (table || !(table = alloc_zero(1, sizeof *table)))
        return table;
    *table = (struct table){
        .next = allocations->tables, .context = context, .has_host = host, .is_closed = closed};
    return allocations->tables = table;
}

cl_mem allocations_take(struct allocations *allocations, cl_command_queue queue,
                        const struct given *given)
{
    cl_context context = NULL;
    cl_mem taken = NULL;
    if (LAYER_TARGET(clGetCommandQueueInfo)(queue, CL_QUEUE_CONTEXT, sizeof context, &context,
                                            NULL) != CL_SUCCESS)
        return NULL;
    const bool host = allocations_are_hosts(queue, given);
    pthread_mutex_lock(&allocations->mutex);
    learn(allocations);
    struct table *table =
        find_table(allocations, context, host, !host && is_closed(allocations, given));
    if (table && table->generation != allocations->generation) {
        if (table->memory)
            LAYER_TARGET(clReleaseMemObject)(table->memory);
        table->memory = write_table(allocations, table);
        table->generation = allocations->generation;
    }
    if (table && table->memory && LAYER_TARGET(clRetainMemObject)(table->memory) == CL_SUCCESS)
        taken = table->memory;
    pthread_mutex_unlock(&allocations->mutex);
    return taken;
}
