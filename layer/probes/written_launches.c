/* What launches of checked kernels use that is not written whole, and what was so before them. */
#include "layer/probes/written.h"

#include "layer/probes/written_table.h"
#include "layer/targets.h"
#include "trace/base/alloc.h"

enum {
    LAUNCHES_MAX = 64, /* that use an object before it counts as written */
    KEPT_MAX = 64,     /* launches whose reports are not read yet */
};

/* ---- what is kept of them: with the mutex ---- */

static void drop_kept(struct written *written, struct following **at)
{
    struct following *kept = *at;
    *at = kept->next;
    written->kept_count--;
    following_free(written, kept);
}

static struct following **find_kept(struct written *written, uint32_t number)
{
    struct following **at = &written->kept;
    while (*at && (*at)->launch.number != number)
        at = &(*at)->next;
    return at;
}

/* ---- what they use ---- */

static bool has_foreign_pointers(const struct checked_kernel *checked)
{
    for (size_t i = 0; i < checked->parameter_count; i++)
        if (checked->parameters[i].hidden == CHECKED_HIDDEN_SHARED)
            return true;
    return false;
}

static bool follows(const struct checked_kernel *checked)
{
    for (size_t i = 0; i < checked->parameter_count; i++)
        if (checked->parameters[i].hidden == CHECKED_HIDDEN_WRITTEN)
            return !checked->hides_writes;
    return false;
}

/* Does the launch write all that is still missing, and reads none of it? Then it needs no map. */
static bool is_written_by(const struct followed *followed, const struct probed *probed,
                          const struct written_launch *launch)
{
    struct byte_ranges all = {0};
    bool done = !certain_write_may_read(probed, followed->object);
    for (size_t i = 0; done && i < followed->host.count; i++)
        done = byte_ranges_add(&all, followed->host.items[i].begin, followed->host.items[i].end);
    for (uint32_t i = 0; done && i < probed->checked->argument_count; i++) {
        struct byte_range range;
        if (probed->reaches[i].object == followed->object &&
            certain_write_find(probed, i, &launch->sizes, &range))
            done = byte_ranges_add(&all, range.begin, range.end);
    }
    done = done && byte_ranges_hold(&all, 0, followed->size);
    byte_ranges_release(&all);
    return done;
}

static bool is_used(const struct following *following, uint64_t object)
{
    for (size_t i = 0; i < following->count; i++)
        if (following->objects[i].object == object)
            return true;
    return false;
}

static void use(struct written *written, struct following *following, const struct probed *probed,
                uint32_t argument)
{
    const struct reach *reach = &probed->reaches[argument];
    struct followed *followed = reach->object ? followed_find(written, reach->object) : NULL;
    if (!followed || is_used(following, reach->object))
        return;
    const bool is_of_other = followed->device && followed->device != following->launch.device;
    if (is_of_other || followed->launches >= LAUNCHES_MAX ||
        is_written_by(followed, probed, &following->launch)) {
        followed_drop(written, followed);
        return;
    }
    following->objects[following->count++].object = reach->object;
}

/* What pointers that come from elsewhere may lead to. */
static void drop_others(struct written *written, const struct following *following)
{
    struct followed *followed, *next;
    HASH_ITER(hh, written->followed, followed, next)
    {
        if (!is_used(following, followed->object))
            followed_drop(written, followed);
    }
}

struct following *written_begin(struct written *written, const struct probed *probed,
                                const struct written_launch *launch)
{
    const struct checked_kernel *checked = probed->checked;
    if (!followed_any(written))
        return NULL;
    struct following *following =
        alloc_zero(1, sizeof *following + checked->argument_count * sizeof *following->objects);
    if (!following || !follows(checked)) {
        written_assume_arguments(written, probed);
        alloc_free(following);
        return NULL;
    }
    following->launch = *launch;
    pthread_mutex_lock(&written->mutex);
    for (size_t i = 0; i < checked->parameter_count; i++)
        if (checked->parameters[i].hidden == CHECKED_HIDDEN_WRITTEN)
            use(written, following, probed, checked->parameters[i].argument);
    if (has_foreign_pointers(checked))
        drop_others(written, following);
    pthread_mutex_unlock(&written->mutex);
    if (following->count > 0)
        return following;
    alloc_free(following);
    return NULL;
}

void written_give_up(struct written *written, struct following *following)
{
    if (!following)
        return;
    pthread_mutex_lock(&written->mutex);
    for (size_t i = 0; i < following->count; i++)
        followed_drop(written, followed_find(written, following->objects[i].object));
    following_free(written, following);
    pthread_mutex_unlock(&written->mutex);
}

void following_keep(struct following *following, bool is_kept)
{
    following->is_kept = is_kept;
}

cl_mem following_find(const struct following *following, uint64_t object)
{
    for (size_t i = 0; following && object && i < following->count; i++)
        if (following->objects[i].object == object)
            return following->objects[i].map;
    return NULL;
}

/* ---- maps ---- */

static bool is_in_order(cl_command_queue queue)
{
    cl_command_queue_properties properties = 0;
    return LAYER_TARGET(clGetCommandQueueInfo)(queue, CL_QUEUE_PROPERTIES, sizeof properties,
                                               &properties, NULL) == CL_SUCCESS &&
           (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
}

/* The object's map, which is made when a launch first uses it. */
static bool take_map(struct written *written, const struct following *following,
                     struct following_object *object)
{
    struct followed *followed = followed_find(written, object->object);
    if (!followed) /* other threads have written it meanwhile */
        return true;
    if (!followed->map.buffer &&
        !written_map_create(&followed->map, written->shadows, following->launch.queue,
                            followed->size, &followed->host))
        return false;
    followed->device = following->launch.device;
    object->map = followed->map.buffer;
    LAYER_TARGET(clRetainMemObject)(object->map);
    return !following->is_kept || written_map_create_empty(&object->before, written->shadows,
                                                           following->launch.queue, followed->size);
}

/* In front of the launch, and behind what that waits for. */
static bool copy_map(struct following *following, const struct following_object *object,
                     bool in_order, cl_uint count, const cl_event *list)
{
    cl_event *event = in_order ? NULL : &following->events[following->event_count];
    if (!object->before.buffer)
        return true;
    if (LAYER_TARGET(clEnqueueCopyBuffer)(following->launch.queue, object->map,
                                          object->before.buffer, 0, 0, object->before.size, count,
                                          list, event) != CL_SUCCESS)
        return false;
    following->event_count += event != NULL;
    return true;
}

/* The events of the launch's own wait list come behind those of the copies. */
static bool copy_maps(struct following *following, uint32_t entry, uint64_t *words)
{
    const struct api_entry_info *info = api_entry_get(entry);
    const uint32_t count = api_entry_find_parameter(info, "num_events_in_wait_list");
    const uint32_t list = api_entry_find_parameter(info, "event_wait_list");
    const cl_uint before = (cl_uint)words[count];
    const cl_event *events = (const cl_event *)words[list];
    const bool in_order = is_in_order(following->launch.queue);
    bool done = true;
    following->events = alloc_zero(following->count + before, sizeof(cl_event));
    for (size_t i = 0; following->events && done && i < following->count; i++)
        done = copy_map(following, &following->objects[i], in_order, before, events);
    if (!following->events || !done)
        return false;
    for (cl_uint i = 0; i < before; i++)
        following->events[following->event_count + i] = events[i];
    words[count] = following->event_count + before;
    words[list] = words[count] > 0 ? (uint64_t)following->events : 0;
    return true;
}

/* Makes room for one more. */
static bool may_keep(struct written *written)
{
    struct following **at = &written->kept;
    if (written->kept_count < KEPT_MAX)
        return true;
    while (*at && !(*at)->has_left)
        at = &(*at)->next;
    if (!*at)
        return false;
    drop_kept(written, at);
    return true;
}

bool written_prepare(struct written *written, struct following *following, uint32_t entry,
                     uint64_t *words)
{
    pthread_mutex_lock(&written->mutex);
    bool done = !following->is_kept || may_keep(written);
    for (size_t i = 0; done && i < following->count; i++)
        done = take_map(written, following, &following->objects[i]);
    pthread_mutex_unlock(&written->mutex);
    if (done && (!following->is_kept || copy_maps(following, entry, words)))
        return true;
    written_give_up(written, following);
    return false;
}

/* With the mutex. */
static void count_launch(struct written *written, const struct following *following)
{
    for (size_t i = 0; i < following->count; i++) {
        struct followed *followed = followed_find(written, following->objects[i].object);
        if (!followed)
            continue;
        followed->launches++;
        followed->last_queue = following->launch.queue;
        followed->is_due |= (followed->launches & (followed->launches - 1)) == 0;
    }
}

void written_launched(struct written *written, struct following *following, bool launched)
{
    if (!following)
        return;
    pthread_mutex_lock(&written->mutex);
    if (launched)
        count_launch(written, following);
    if (launched && following->is_kept) {
        struct following **at = &written->kept;
        while (*at)
            at = &(*at)->next;
        *at = following;
        written->kept_count++;
    } else {
        following_free(written, following);
    }
    pthread_mutex_unlock(&written->mutex);
}

/* ---- when the program waits ---- */

/* One whose map is to be looked at, held; false: there is none more. */
static bool take_due(struct written *written, cl_command_queue queue, uint64_t *object,
                     struct written_map *map, uint64_t *from)
{
    bool found = false;
    pthread_mutex_lock(&written->mutex);
    for (struct followed *at = written->followed; at && !found; at = at->hh.next) {
        found = at->is_due && at->last_queue == queue && at->map.buffer;
        if (!found)
            continue;
        at->is_due = false;
        *object = at->object;
        *map = at->map;
        *from = at->full_until;
        LAYER_TARGET(clRetainMemObject)(map->buffer);
    }
    pthread_mutex_unlock(&written->mutex);
    return found;
}

static void look_at_map(struct written *written, uint64_t object, const struct written_map *map,
                        uint64_t from)
{
    const uint64_t empty = written_map_find_empty(map, from);
    pthread_mutex_lock(&written->mutex);
    struct followed *followed = followed_find(written, object);
    /* Nothing that was copied there meanwhile may be passed over. */
    if (followed && followed->map.buffer == map->buffer && followed->full_until >= from) {
        followed->full_until = empty;
        if (empty == followed->size)
            followed_drop(written, followed);
    }
    pthread_mutex_unlock(&written->mutex);
    LAYER_TARGET(clReleaseMemObject)(map->buffer);
}

static void end_kept(struct written *written, cl_command_queue queue, bool has_ended)
{
    pthread_mutex_lock(&written->mutex);
    for (struct following **at = &written->kept; *at;) {
        struct following *kept = *at;
        const bool is_its = kept->launch.queue == queue && !kept->has_left;
        kept->has_left |= is_its && !has_ended;
        if (is_its && has_ended)
            drop_kept(written, at);
        else
            at = &kept->next;
    }
    pthread_mutex_unlock(&written->mutex);
}

void written_waited(struct written *written, cl_command_queue queue, bool whole)
{
    struct written_map map;
    uint64_t object, from;
    if (!whole && !is_in_order(queue))
        return;
    while (followed_any(written) && take_due(written, queue, &object, &map, &from))
        look_at_map(written, object, &map, from);
    end_kept(written, queue, true);
}

void written_leave(struct written *written, cl_command_queue queue)
{
    end_kept(written, queue, false);
}

/* ---- what was so before a launch ---- */

bool written_knows(struct written *written, uint32_t number)
{
    pthread_mutex_lock(&written->mutex);
    const bool knows = *find_kept(written, number) != NULL;
    pthread_mutex_unlock(&written->mutex);
    return knows;
}

/* The copy of the object's map, held; `offset` is where in it the memory begins. */
static bool find_before(struct written *written, uint32_t number, cl_mem memory,
                        struct written_map *before, uint64_t *offset)
{
    const uint64_t root = written_root_of((uint64_t)memory, offset);
    pthread_mutex_lock(&written->mutex);
    const struct following *kept = *find_kept(written, number);
    before->buffer = NULL;
    for (size_t i = 0; kept && i < kept->count; i++)
        if (kept->objects[i].object == root)
            *before = kept->objects[i].before;
    if (before->buffer)
        LAYER_TARGET(clRetainMemObject)(before->buffer);
    pthread_mutex_unlock(&written->mutex);
    return before->buffer != NULL;
}

static bool has_bit(const uint8_t *bits, uint64_t size)
{
    for (uint64_t i = 0; i < (size + 7) / 8; i++)
        if (bits[i] != 0)
            return true;
    return false;
}

uint8_t *written_read_before(struct written *written, uint32_t number, cl_mem memory, uint64_t size)
{
    struct written_map before;
    uint64_t offset;
    if (!find_before(written, number, memory, &before, &offset))
        return NULL;
    uint8_t *bits = alloc_zero((size + 7) / 8, 1);
    const bool done = bits && offset <= before.size && size <= before.size - offset &&
                      written_map_read(&before, offset, size, bits) && has_bit(bits, size);
    LAYER_TARGET(clReleaseMemObject)(before.buffer);
    if (done)
        return bits;
    alloc_free(bits);
    return NULL;
}
