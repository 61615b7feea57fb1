#include "layer/probes/shadows.h"

#include "checkers/probe/cell_layout.h"
#include "layer/hash.h"
#include "layer/targets.h"
#include "trace/base/alloc.h"

#include <pthread.h>

/* Cells know the last bits of a launch's number, and none is 0 (cells.cl): after so many launches
 * they have to be empty. */
#define LAUNCHES_OF_AN_ERA ((1u << (CLERK_CELL_END - CLERK_CELL_LAUNCH)) - 1)

/* Of one memory object on one device; or lent, to one launch after the other. */
struct row {
    UT_hash_handle hh;
    struct row *next; /* of those that are lent */
    bool is_lent;
    uint64_t object;
    cl_mem cells;
    uint64_t size; /* of the cells, in bytes */
    cl_context context;
    cl_device_id device;
    uint32_t shift, era;
};

/* A queue of our own, to empty cells on. */
struct own_queue {
    struct own_queue *next;
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    uint64_t limit; /* bytes of cells */
};

struct shadows {
    pthread_mutex_t mutex;
    struct row *rows;
    struct row *lent; /* or were, and may be again */
    struct own_queue *queues;
    uint64_t limit, used;
};

struct shadows *shadows_create(uint64_t limit)
{
    struct shadows *shadows = alloc_zero(1, sizeof *shadows);
    if (!shadows)
        return NULL;
    shadows->limit = limit;
    pthread_mutex_init(&shadows->mutex, NULL);
    return shadows;
}

static void destroy(struct shadows *shadows, struct row *row)
{
    shadows->used -= row->size;
    LAYER_TARGET(clReleaseMemObject)(row->cells);
    alloc_free(row);
}

static void drop(struct shadows *shadows, struct row *row)
{
    HASH_DEL(shadows->rows, row);
    destroy(shadows, row);
}

void shadows_destroy(struct shadows *shadows)
{
    if (!shadows)
        return;
    while (shadows->rows)
        drop(shadows, shadows->rows);
    while (shadows->lent) {
        struct row *row = shadows->lent;
        shadows->lent = row->next;
        destroy(shadows, row);
    }
    while (shadows->queues) {
        struct own_queue *own = shadows->queues;
        shadows->queues = own->next;
        LAYER_TARGET(clReleaseCommandQueue)(own->queue);
        alloc_free(own);
    }
    pthread_mutex_destroy(&shadows->mutex);
    alloc_free(shadows);
}

void shadows_forget(struct shadows *shadows, uint64_t object)
{
    struct row *row;
    pthread_mutex_lock(&shadows->mutex);
    HASH_FIND(hh, shadows->rows, &object, sizeof object, row);
    if (row)
        drop(shadows, row);
    pthread_mutex_unlock(&shadows->mutex);
}

/* ---- our queue ---- */

static uint64_t limit_of(const struct shadows *shadows, cl_device_id device)
{
    cl_ulong memory = 0;
    if (shadows->limit != 0)
        return shadows->limit;
    LAYER_TARGET(clGetDeviceInfo)(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
    return memory / 4;
}

static struct own_queue *own_queue_of(struct shadows *shadows, cl_command_queue theirs)
{
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_int status;
    LAYER_TARGET(clGetCommandQueueInfo)(theirs, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    LAYER_TARGET(clGetCommandQueueInfo)(theirs, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    struct own_queue *own = shadows->queues;
    while (own && (own->context != context || own->device != device))
        own = own->next;
    if (own || !(own = alloc_zero(1, sizeof *own)))
        return own;
    *own =
        (struct own_queue){.next = shadows->queues,
                           .context = context,
                           .device = device,
                           .queue = LAYER_TARGET(clCreateCommandQueue)(context, device, 0, &status),
                           .limit = limit_of(shadows, device)};
    if (!own->queue) {
        alloc_free(own);
        return NULL;
    }
    return shadows->queues = own;
}

/* Waits until it is done, so that no launch on any queue finds other cells: what another launch,
 * which is running, has told them is lost, which can only hide a race. */
static bool make_empty(const struct own_queue *own, cl_mem cells, uint64_t size)
{
    const cl_ulong zero = 0;
    return LAYER_TARGET(clEnqueueFillBuffer) &&
           LAYER_TARGET(clEnqueueFillBuffer)(own->queue, cells, &zero, sizeof zero, 0, size, 0,
                                             NULL, NULL) == CL_SUCCESS &&
           LAYER_TARGET(clFinish)(own->queue) == CL_SUCCESS;
}

/* ---- cells ---- */

static uint64_t cells_size(const struct shadow_wish *wish)
{
    return ((wish->size >> wish->shift) + 1) * sizeof(cl_ulong);
}

/* NULL when they cannot be had. */
static struct row *make_row(struct shadows *shadows, const struct own_queue *own,
                            const struct shadow_wish *wish)
{
    const uint64_t size = cells_size(wish);
    struct row *row = alloc_zero(1, sizeof *row);
    cl_int status;
    if (!row || size > own->limit || shadows->used > own->limit - size)
        goto failed;
    *row = (struct row){.object = wish->object,
                        .size = size,
                        .context = own->context,
                        .device = own->device,
                        .shift = wish->shift,
                        .era = wish->launch / LAUNCHES_OF_AN_ERA};
    row->cells = LAYER_TARGET(clCreateBuffer)(own->context, CL_MEM_READ_WRITE, size, NULL, &status);
    if (!row->cells || !make_empty(own, row->cells, size))
        goto failed;
    shadows->used += size;
    return row;
failed:
    if (row && row->cells)
        LAYER_TARGET(clReleaseMemObject)(row->cells);
    alloc_free(row);
    return NULL;
}

/* Takes the place of what there is. */
static struct row *add_row(struct shadows *shadows, const struct own_queue *own,
                           const struct shadow_wish *wish)
{
    bool added = true;
    struct row *row = make_row(shadows, own, wish);
    if (!row)
        return NULL;
    HASH_ADD(hh, shadows->rows, object, sizeof row->object, row);
    if (added)
        return row;
    destroy(shadows, row);
    return NULL;
}

static bool fits(const struct row *row, const struct own_queue *own, const struct shadow_wish *wish)
{
    return row->context == own->context && row->device == own->device &&
           row->shift <= wish->shift && row->size >= (wish->size >> row->shift) * sizeof(cl_ulong);
}

struct shadow shadows_take(struct shadows *shadows, const struct shadow_wish *wish)
{
    struct shadow taken = {0};
    struct row *row;
    const uint32_t era = wish->launch / LAUNCHES_OF_AN_ERA;
    pthread_mutex_lock(&shadows->mutex);
    const struct own_queue *own = own_queue_of(shadows, wish->queue);
    HASH_FIND(hh, shadows->rows, &wish->object, sizeof wish->object, row);
    if (row && own && !fits(row, own, wish)) {
        drop(shadows, row);
        row = NULL;
    }
    if (!row && own)
        row = add_row(shadows, own, wish);
    if (row && own && row->era != era && make_empty(own, row->cells, row->size))
        row->era = era;
    if (row && own && row->era == era) {
        LAYER_TARGET(clRetainMemObject)(row->cells);
        taken = (struct shadow){.cells = row->cells, .shift = row->shift};
    }
    pthread_mutex_unlock(&shadows->mutex);
    return taken;
}

/* ---- what others take ---- */

bool shadows_claim(struct shadows *shadows, cl_command_queue queue, uint64_t size)
{
    pthread_mutex_lock(&shadows->mutex);
    const struct own_queue *own = own_queue_of(shadows, queue);
    const bool has_room = own && size <= own->limit && shadows->used <= own->limit - size;
    shadows->used += has_room ? size : 0;
    pthread_mutex_unlock(&shadows->mutex);
    return has_room;
}

void shadows_give_back(struct shadows *shadows, uint64_t size)
{
    pthread_mutex_lock(&shadows->mutex);
    shadows->used -= size;
    pthread_mutex_unlock(&shadows->mutex);
}

cl_command_queue shadows_queue(struct shadows *shadows, cl_command_queue queue)
{
    pthread_mutex_lock(&shadows->mutex);
    const struct own_queue *own = own_queue_of(shadows, queue);
    pthread_mutex_unlock(&shadows->mutex);
    return own ? own->queue : NULL;
}

/* ---- lending ---- */

/* Free ones of about that size, as they are; NULL = there are none. */
static struct row *find_free(const struct shadows *shadows, const struct own_queue *own,
                             uint64_t size)
{
    struct row *row = shadows->lent;
    while (row && (row->is_lent || row->context != own->context || row->device != own->device ||
                   row->size < size || row->size / 2 > size))
        row = row->next;
    return row;
}

/* Makes room for others. */
static void drop_free(struct shadows *shadows)
{
    for (struct row **at = &shadows->lent; *at;) {
        struct row *row = *at;
        if (row->is_lent) {
            at = &row->next;
            continue;
        }
        *at = row->next;
        destroy(shadows, row);
    }
}

/* Half of what there is: the other half is for races within launches. */
static struct row *lend_new(struct shadows *shadows, const struct own_queue *own,
                            const struct shadow_wish *wish)
{
    const uint64_t size = cells_size(wish), limit = own->limit / 2;
    if (size > limit)
        return NULL;
    if (shadows->used > limit - size)
        drop_free(shadows);
    struct row *row = shadows->used > limit - size ? NULL : make_row(shadows, own, wish);
    if (!row)
        return NULL;
    row->next = shadows->lent;
    return shadows->lent = row;
}

struct shadow shadows_lend(struct shadows *shadows, const struct shadow_wish *wish)
{
    struct shadow lent = {0};
    const uint32_t era = wish->launch / LAUNCHES_OF_AN_ERA;
    pthread_mutex_lock(&shadows->mutex);
    const struct own_queue *own = own_queue_of(shadows, wish->queue);
    struct row *row = own ? find_free(shadows, own, cells_size(wish)) : NULL;
    if (row && row->era != era && make_empty(own, row->cells, row->size))
        row->era = era;
    else if (!row && own)
        row = lend_new(shadows, own, wish);
    if (row && row->era == era) {
        row->is_lent = true;
        lent = (struct shadow){.cells = row->cells, .shift = wish->shift};
    }
    pthread_mutex_unlock(&shadows->mutex);
    return lent;
}

static struct row *find_lent(const struct shadows *shadows, cl_mem cells)
{
    struct row *row = shadows->lent;
    while (row && row->cells != cells)
        row = row->next;
    return row;
}

void shadows_return(struct shadows *shadows, cl_mem cells)
{
    pthread_mutex_lock(&shadows->mutex);
    struct row *row = find_lent(shadows, cells);
    if (row)
        row->is_lent = false;
    pthread_mutex_unlock(&shadows->mutex);
}

bool shadows_read(struct shadows *shadows, cl_mem cells, uint64_t first, uint64_t count,
                  uint64_t *values)
{
    pthread_mutex_lock(&shadows->mutex);
    const struct row *row = find_lent(shadows, cells);
    const struct own_queue *own = row ? shadows->queues : NULL;
    while (own && (own->context != row->context || own->device != row->device))
        own = own->next;
    cl_command_queue queue = own ? own->queue : NULL;
    pthread_mutex_unlock(&shadows->mutex);
    return queue && LAYER_TARGET(clEnqueueReadBuffer)(queue, cells, CL_TRUE, first * sizeof *values,
                                                      count * sizeof *values, values, 0, NULL,
                                                      NULL) == CL_SUCCESS;
}
