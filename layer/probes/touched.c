#include "layer/probes/touched.h"

#include "layer/probes/cell_uses.h"
#include "layer/targets.h"
#include "trace/base/alloc.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
    READ_CELLS = 1 << 16, /* at once */
    /* So many launches may wait for being told; then those that have ended are told before the
     * program knows it, and further clashes with them stay unclear. */
    WAITING_MAX = 1024,
};

struct touched_object {
    uint64_t object, size;
    struct shadow shadow;
};

struct touching {
    struct touching *next;
    struct host_checker *checker;
    uint64_t call_id;
    uint32_t number;
    cl_event event;
    size_t count;
    struct touched_object objects[];
};

struct touched {
    struct shadows *shadows;
    atomic_size_t count;
    atomic_uint_fast64_t version; /* what the host knew when they were last looked at */
    pthread_mutex_t mutex;
    struct touching *first, **last; /* in the order in which they were enqueued */
};

struct touched *touched_create(struct shadows *shadows)
{
    struct touched *touched = alloc_zero(1, sizeof *touched);
    if (!touched)
        return NULL;
    touched->shadows = shadows;
    touched->last = &touched->first;
    pthread_mutex_init(&touched->mutex, NULL);
    return touched;
}

static void drop(struct touched *touched, struct touching *launch)
{
    for (size_t i = 0; i < launch->count; i++)
        shadows_return(touched->shadows, launch->objects[i].shadow.cells);
    if (launch->event)
        LAYER_TARGET(clReleaseEvent)(launch->event);
    alloc_free(launch);
}

void touched_destroy(struct touched *touched)
{
    if (!touched)
        return;
    while (touched->first) {
        struct touching *launch = touched->first;
        touched->first = launch->next;
        drop(touched, launch);
    }
    pthread_mutex_destroy(&touched->mutex);
    alloc_free(touched);
}

/* ---- launches ---- */

/* Memory objects alone: the rules about commands know no others. */
static bool is_memory(const struct probed *probed, uint32_t argument)
{
    return probed->given && argument < probed->given->count &&
           probed->given->arguments[argument].kind == GIVEN_MEMORY &&
           probed->reaches[argument].object != 0;
}

static void note_object(const struct probed *probed, const struct checked_parameter *parameter,
                        struct touching *launch)
{
    const struct reach *reach = &probed->reaches[parameter->argument];
    struct touched_object *object = launch->objects;
    if (!is_memory(probed, parameter->argument))
        return;
    while (object < launch->objects + launch->count && object->object != reach->object)
        object++;
    if (object == launch->objects + launch->count) {
        *object = (struct touched_object){
            .object = reach->object, .size = reach->object_size, .shadow.shift = UINT32_MAX};
        launch->count++;
    }
    if (parameter->shift < object->shadow.shift)
        object->shadow.shift = parameter->shift;
}

/* Those that get cells. */
static void lend_cells(struct touched *touched, struct touching *launch, cl_command_queue queue)
{
    size_t kept = 0;
    for (size_t i = 0; i < launch->count; i++) {
        struct touched_object object = launch->objects[i];
        const struct shadow_wish wish = {.queue = queue,
                                         .object = object.object,
                                         .size = object.size,
                                         .shift = object.shadow.shift,
                                         .launch = launch->number};
        object.shadow = shadows_lend(touched->shadows, &wish);
        if (object.shadow.cells)
            launch->objects[kept++] = object;
    }
    launch->count = kept;
}

static bool has_room(struct touched *touched)
{
    if (atomic_load(&touched->count) >= WAITING_MAX)
        touched_collect(touched, true);
    return atomic_load(&touched->count) < WAITING_MAX;
}

struct touching *touched_begin(struct touched *touched, const struct probed *probed,
                               const struct touched_launch *launch)
{
    const struct checked_kernel *checked = probed->checked;
    if (!launch->checker || !host_checker_may_clash(launch->checker, (uint64_t)launch->queue) ||
        !has_room(touched))
        return NULL;
    struct touching *touching =
        alloc_zero(1, sizeof *touching + checked->parameter_count * sizeof *touching->objects);
    if (!touching)
        return NULL;
    touching->checker = launch->checker;
    touching->call_id = launch->call_id;
    touching->number = launch->number;
    for (size_t i = 0; i < checked->parameter_count; i++) {
        if (checked->parameters[i].hidden == CHECKED_HIDDEN_CELLS)
            note_object(probed, &checked->parameters[i], touching);
    }
    lend_cells(touched, touching, launch->queue);
    if (touching->count > 0)
        return touching;
    drop(touched, touching);
    return NULL;
}

bool touching_find(const struct touching *launch, uint64_t object, struct shadow *shadow)
{
    for (size_t i = 0; launch && i < launch->count; i++) {
        if (launch->objects[i].object == object) {
            *shadow = launch->objects[i].shadow;
            return true;
        }
    }
    return false;
}

/* True: the rules await it. */
static bool is_awaited(const struct touching *launch)
{
    uint64_t *objects = alloc_zero(launch->count, sizeof *objects);
    for (size_t i = 0; objects && i < launch->count; i++)
        objects[i] = launch->objects[i].object;
    const bool done =
        objects && host_checker_await(launch->checker, launch->call_id, objects, launch->count);
    alloc_free(objects);
    return done;
}

void touched_enqueued(struct touched *touched, struct touching *launch, cl_event event)
{
    if (!launch)
        return;
    launch->event = event;
    if (!event || !is_awaited(launch)) {
        /* Cells of a launch that runs may be lent again: its number tells its cells apart. */
        drop(touched, launch);
        return;
    }
    pthread_mutex_lock(&touched->mutex);
    *touched->last = launch;
    touched->last = &launch->next;
    atomic_fetch_add(&touched->count, 1);
    pthread_mutex_unlock(&touched->mutex);
}

/* ---- telling ---- */

static void tell_object(const struct touched *touched, const struct touching *launch,
                        const struct touched_object *object)
{
    struct cell_uses uses;
    struct use list[CELL_USES_KINDS];
    const uint64_t cells = object->size >> object->shadow.shift;
    uint64_t *values = alloc_zero(READ_CELLS, sizeof *values);
    bool done =
        cell_uses_init(&uses, object->object, object->size, object->shadow.shift, launch->number) &&
        values;
    for (uint64_t first = 0; done && first < cells; first += READ_CELLS) {
        const uint64_t count = cells - first < READ_CELLS ? cells - first : READ_CELLS;
        done = shadows_read(touched->shadows, object->shadow.cells, first, count, values);
        if (done)
            cell_uses_add(&uses, values, first, (size_t)count);
    }
    if (done)
        host_checker_tell(launch->checker, launch->call_id, object->object, list,
                          cell_uses_list(&uses, list));
    cell_uses_release(&uses);
    alloc_free(values);
}

static void tell(struct touched *touched, struct touching *launch)
{
    cl_int status = CL_COMPLETE;
    LAYER_TARGET(clGetEventInfo)
    (launch->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    for (size_t i = 0; status == CL_COMPLETE && i < launch->count; i++) {
        if (host_checker_wants(launch->checker, launch->call_id, launch->objects[i].object))
            tell_object(touched, launch, &launch->objects[i]);
    }
    host_checker_await_no_more(launch->checker, launch->call_id);
    drop(touched, launch);
}

/* Has it ended, or failed? Of one that the host does not know of the driver need not be asked. */
static bool has_ended(const struct touching *launch, bool all)
{
    cl_int status = CL_COMPLETE;
    if (!all && !host_checker_is_over(launch->checker, launch->call_id))
        return false;
    return LAYER_TARGET(clGetEventInfo)(launch->event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                        sizeof status, &status, NULL) != CL_SUCCESS ||
           status <= CL_COMPLETE;
}

static struct touching *take_ended(struct touched *touched, bool all)
{
    struct touching *taken = NULL, **last = &taken;
    pthread_mutex_lock(&touched->mutex);
    for (struct touching **at = &touched->first; *at;) {
        struct touching *launch = *at;
        if (!has_ended(launch, all)) {
            at = &launch->next;
            continue;
        }
        *at = launch->next;
        if (touched->last == &launch->next)
            touched->last = at;
        launch->next = NULL;
        *last = launch;
        last = &launch->next;
        atomic_fetch_sub(&touched->count, 1);
    }
    pthread_mutex_unlock(&touched->mutex);
    return taken;
}

/* Does the host know more than when this was last asked? */
static bool has_learned(struct touched *touched)
{
    pthread_mutex_lock(&touched->mutex);
    const uint64_t version =
        touched->first ? host_checker_host_version(touched->first->checker) : 0;
    pthread_mutex_unlock(&touched->mutex);
    return atomic_exchange(&touched->version, version) != version;
}

void touched_collect(struct touched *touched, bool all)
{
    if (atomic_load_explicit(&touched->count, memory_order_relaxed) == 0 ||
        (!all && !has_learned(touched)))
        return;
    struct touching *ended = take_ended(touched, all);
    while (ended) {
        struct touching *launch = ended;
        ended = launch->next;
        tell(touched, launch);
    }
}

void touched_finish(struct touched *touched)
{
    touched_collect(touched, true);
    pthread_mutex_lock(&touched->mutex);
    for (const struct touching *launch = touched->first; launch; launch = launch->next)
        host_checker_await_no_more(launch->checker, launch->call_id);
    pthread_mutex_unlock(&touched->mutex);
}
