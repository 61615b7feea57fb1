#include "checkers/host/commands/recordings.h"

#include "checkers/host/checker.h"
#include "checkers/host/commands/commands.h"
#include "trace/api/mutable_config.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <pthread.h>
#include <string.h>

#include "trace/base/hash.h"

/* A command-buffer. What orders its commands among themselves is asked of checkers/order as of a
 * queue that is out of order: a queue that is in order is a wait for the command before. */
struct recording {
    uint64_t handle;
    struct recorded_list *list; /* held */
    size_t capacity, use_count;
    struct commands *commands; /* NULL: they are in order, or nobody knows what orders them */
    struct commands_queue *order;
    struct ordered_command **orders; /* of each command; held */
    size_t order_capacity;
    uint32_t queue_count;
    uint64_t queues[TRAITS_DEVICES_MAX];
    bool in_order[TRAITS_DEVICES_MAX];
    struct ordered_command *latest[TRAITS_DEVICES_MAX]; /* of each queue; not held */
    bool judged;
    UT_hash_handle hh;
};

struct recordings {
    struct host_checker *checker;
    pthread_mutex_t mutex; /* guards all below, and lists that only the recording holds */
    struct recording *all; /* by handle */
};

/* ---- lists ---- */

static void list_free(struct recorded_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        alloc_free(list->commands[i].uses);
    alloc_free(list->commands);
    alloc_free(list);
}

void recorded_list_drop(struct recorded_list *list)
{
    if (list && atomic_fetch_sub_explicit(&list->references, 1, memory_order_acq_rel) == 1)
        list_free(list);
}

static struct recorded_list *list_create(void)
{
    struct recorded_list *list = alloc_zero(1, sizeof *list);
    if (!list)
        return NULL;
    list->references = 1;
    list->complete = true;
    return list;
}

static bool copy_command(struct recorded_command *to, const struct recorded_command *from)
{
    *to = *from;
    to->uses = alloc_zero(from->use_count, sizeof *to->uses);
    if (!to->uses)
        return false;
    memcpy(to->uses, from->uses, from->use_count * sizeof *to->uses);
    return true;
}

static struct recorded_list *list_copy(const struct recorded_list *list)
{
    struct recorded_list *copy = list_create();
    if (!copy)
        return NULL;
    copy->complete = list->complete;
    copy->of_host = list->of_host;
    copy->commands = alloc_zero(list->count, sizeof *copy->commands);
    while (copy->commands && copy->count < list->count &&
           copy_command(&copy->commands[copy->count], &list->commands[copy->count]))
        copy->count++;
    if (copy->count == list->count)
        return copy;
    list_free(copy);
    return NULL;
}

/* ---- recordings ---- */

static struct recording *find(struct recordings *recordings, uint64_t handle)
{
    struct recording *recording;
    HASH_FIND(hh, recordings->all, &handle, sizeof handle, recording);
    return recording;
}

static void forget_order(struct recording *recording)
{
    for (size_t i = 0; recording->commands && i < recording->list->count; i++)
        command_drop(recording->orders[i]);
    commands_destroy(recording->commands);
    alloc_free(recording->orders);
    recording->commands = NULL;
    recording->orders = NULL;
}

static void recording_free(struct recording *recording)
{
    forget_order(recording);
    recorded_list_drop(recording->list);
    alloc_free(recording);
}

static void forget(struct recordings *recordings, uint64_t handle)
{
    struct recording *recording = find(recordings, handle);
    if (!recording)
        return;
    HASH_DEL(recordings->all, recording);
    recording_free(recording);
}

/* From now on it is the recording's own. False, nothing done: memory is out. */
static bool own_list(struct recording *recording)
{
    struct recorded_list *list = recording->list;
    if (atomic_load_explicit(&list->references, memory_order_acquire) == 1)
        return true;
    struct recorded_list *copy = list_copy(list);
    if (!copy)
        return false;
    recording->list = copy;
    recording->capacity = copy->count;
    recorded_list_drop(list);
    return true;
}

static void learn_queues(struct recordings *recordings, struct recording *recording)
{
    struct object_table *objects = recordings->checker->objects;
    struct command_buffer_traits buffer;
    object_get_traits(objects, recording->handle, API_OBJECT_COMMAND_BUFFER, &buffer);
    recording->queue_count = buffer.queue_count <= TRAITS_DEVICES_MAX ? buffer.queue_count : 0;
    for (uint32_t i = 0; i < recording->queue_count; i++) {
        struct queue_traits queue;
        recording->queues[i] = buffer.queues[i];
        recording->in_order[i] =
            object_get_traits(objects, buffer.queues[i], API_OBJECT_QUEUE, &queue) &&
            !(queue.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    }
}

static void create_order(struct recording *recording)
{
    const bool in_order = recording->queue_count == 1 && recording->in_order[0];
    if (in_order || recording->queue_count == 0)
        return;
    recording->commands = commands_create();
    if (recording->commands)
        recording->order = commands_queue_create(recording->commands, false);
    if (!recording->order)
        forget_order(recording);
}

static void learn_created(struct recordings *recordings, uint64_t handle)
{
    struct recording *recording = alloc_zero(1, sizeof *recording);
    struct recorded_list *list = recording ? list_create() : NULL;
    forget(recordings, handle); /* of a dead one */
    if (!list) {
        alloc_free(recording);
        return;
    }
    recording->handle = handle;
    recording->list = list;
    learn_queues(recordings, recording);
    create_order(recording);
    HASH_ADD(hh, recordings->all, handle, sizeof recording->handle, recording);
    if (!recording->hh.tbl)
        recording_free(recording);
}

static void rename_command(struct recorded_command *command, const struct api_call *call)
{
    const struct api_value *old = &call->arguments[API_clRemapCommandBufferKHR_handles];
    const struct api_value *new = &call->arguments[API_clRemapCommandBufferKHR_handles_ret];
    const bool known =
        old->kind == API_VALUE_HANDLES && old->data && new->kind == API_VALUE_HANDLES &&new->data;
    const uint64_t handle = command->handle;
    command->handle = 0;
    for (uint32_t i = 0; known && handle != 0 && i < old->count && i < new->count; i++) {
        if (list_word(old, i) == handle)
            command->handle = list_word(new, i);
    }
}

/* A copy of another command-buffer, for other queues. */
static void learn_remapped(struct recordings *recordings, const struct api_call *call)
{
    const struct recording *source = find(recordings, call->arguments[0].bits);
    struct recorded_list *copy = source ? list_copy(source->list) : NULL;
    if (!copy)
        return;
    learn_created(recordings, call->result.bits);
    struct recording *recording = find(recordings, call->result.bits);
    if (!recording) {
        recorded_list_drop(copy);
        return;
    }
    forget_order(recording);
    recorded_list_drop(recording->list);
    recording->list = copy;
    recording->capacity = copy->count;
    recording->use_count = source->use_count;
    for (size_t i = 0; i < copy->count; i++)
        rename_command(&copy->commands[i], call);
}

/* ---- the order within a command-buffer ---- */

/* The index of the queue of a command; queue_count = not known. */
static uint32_t queue_index(const struct recording *recording, uint64_t queue)
{
    uint32_t index = 0;
    while (queue != 0 && index < recording->queue_count && recording->queues[index] != queue)
        index++;
    return index;
}

static struct ordered_command *find_point(const struct recording *recording, uint64_t point)
{
    const struct recorded_list *list = recording->list;
    for (size_t i = list->count; i > 0; i--) {
        if (list->commands[i - 1].point == point)
            return recording->orders[i - 1];
    }
    return NULL;
}

/* The synchronization points that a call waits for, *count words. */
static const struct api_value *points_of(const struct api_call *call, uint32_t *count)
{
    const struct api_value *points =
        &call->arguments[api_entry_find_role(api_entry_get(call->entry), API_ROLE_SYNC_POINTS)];
    *count = points->kind == API_VALUE_SIZES && points->data ? points->count : 0;
    return points;
}

/* The commands that a call waits for; false when some of them are not known. */
static bool find_prerequisites(const struct recording *recording, const struct api_call *call,
                               uint32_t queue, struct ordered_command **events, size_t *count)
{
    uint32_t point_count;
    const struct api_value *points = points_of(call, &point_count);
    for (uint32_t i = 0; i < point_count; i++) {
        struct ordered_command *event = find_point(recording, list_word(points, i));
        if (!event)
            return false;
        events[(*count)++] = event;
    }
    if (recording->in_order[queue] && recording->latest[queue])
        events[(*count)++] = recording->latest[queue];
    return true;
}

/* NULL when it is not known, or memory is out. OpenCL API 3.1, clCommandBarrierWithWaitListKHR:
 * "This command blocks command execution, that is, any following commands recorded after it do not
 * execute until it completes": of whatever queue. */
static struct ordered_command *order_command(struct recording *recording,
                                             const struct api_call *call, uint32_t queue)
{
    const bool bars = call->entry == API_ENTRY_clCommandBarrierWithWaitListKHR;
    struct ordered_command *order = NULL;
    uint32_t point_count;
    size_t count = 0;
    points_of(call, &point_count);
    struct ordered_command **events = alloc_zero((size_t)point_count + 1, sizeof *events);
    if (events && queue < recording->queue_count &&
        find_prerequisites(recording, call, queue, events, &count)) {
        const bool waits_all = bars && point_count == 0;
        order = commands_enqueue(recording->commands,
                                 &(struct commands_request){.queue = recording->order,
                                                            .events = events,
                                                            .event_count = waits_all ? 0 : count,
                                                            .orders = bars,
                                                            .bars = bars});
        recording->latest[queue] = order;
    }
    alloc_free(events);
    return order;
}

/* After the commands so far. What orders them is forgotten where it is not known. */
static void add_order(struct recording *recording, const struct api_call *call, uint32_t queue)
{
    if (!recording->commands)
        return;
    struct ordered_command **grown = alloc_grow(recording->orders, recording->list->count,
                                                &recording->order_capacity, sizeof *grown);
    if (grown)
        recording->orders = grown;
    struct ordered_command *order = grown ? order_command(recording, call, queue) : NULL;
    if (order)
        recording->orders[recording->list->count] = order;
    else
        forget_order(recording);
}

/* ---- what commands do ---- */

static bool same_bytes(const struct use_bytes *a, const struct use_bytes *b)
{
    return a->first == b->first && a->size == b->size && a->rows == b->rows &&
           a->row_pitch == b->row_pitch && a->slices == b->slices &&
           a->slice_pitch == b->slice_pitch;
}

static bool is_same(const struct recorded_use *a, const struct recorded_use *b)
{
    return a->use.object == b->use.object && a->serial == b->serial && a->use.kind == b->use.kind &&
           a->use.possible == b->use.possible && same_bytes(&a->use.bytes, &b->use.bytes);
}

static bool is_repeated(const struct recorded_list *list, const struct recorded_use *use)
{
    for (size_t i = 0; i < list->count; i++) {
        for (size_t j = 0; j < list->commands[i].use_count; j++) {
            if (is_same(&list->commands[i].uses[j], use))
                return true;
        }
    }
    return false;
}

static struct recorded_use make_use(const struct recordings *recordings, const struct use *use,
                                    uint32_t argument)
{
    return (struct recorded_use){.use = *use,
                                 .serial = object_serial(recordings->checker->objects, use->object),
                                 .argument = argument};
}

/* The uses of a launch, one for each argument; how many. */
static size_t find_launch(const struct recordings *recordings, const struct api_call *call,
                          struct recorded_command *command,
                          struct recorded_use uses[TRAITS_ARGUMENTS_MAX])
{
    struct object_table *objects = recordings->checker->objects;
    const struct kernel_traits *kernel =
        object_kernel_traits(objects, call->arguments[API_clCommandNDRangeKernelKHR_kernel].bits);
    const size_t argument_count = call_argument_count(kernel);
    ASSERT(argument_count <= TRAITS_ARGUMENTS_MAX);
    size_t count = 0;
    for (uint32_t i = 0; i < argument_count; i++) {
        const struct argument_traits *given = &kernel->arguments[i];
        const bool only_reads = call_only_reads(given);
        struct use use;
        command->only_reads |= (uint64_t)only_reads << i;
        if (!given->svm && call_use_of_argument(objects, given->value, only_reads, &use))
            uses[count++] = make_use(recordings, &use, i);
    }
    return count;
}
_Static_assert(TRAITS_ARGUMENTS_MAX <= 64, "an argument has a bit of only_reads");

static size_t find_transfer(const struct recordings *recordings, const struct api_call *call,
                            struct recorded_use uses[CALL_USES_MAX])
{
    struct call_uses found;
    call_uses_find(call, recordings->checker->objects, recordings->checker->svm, &found);
    ASSERT(found.count <= CALL_USES_MAX);
    for (size_t i = 0; i < found.count; i++)
        uses[i] = make_use(recordings, &found.uses[i], 0);
    return found.count;
}

static bool find_uses(const struct recordings *recordings, const struct recording *recording,
                      const struct api_call *call, struct recorded_command *command)
{
    enum {
        ROOM = (int)CALL_USES_MAX > (int)TRAITS_ARGUMENTS_MAX ? (int)CALL_USES_MAX
                                                              : (int)TRAITS_ARGUMENTS_MAX
    };
    struct recorded_use uses[ROOM];
    command->use_count = call->entry == API_ENTRY_clCommandNDRangeKernelKHR
                             ? find_launch(recordings, call, command, uses)
                             : find_transfer(recordings, call, uses);
    if (recording->use_count + command->use_count > RECORDED_USES_MAX)
        return false;
    for (size_t i = 0; i < command->use_count; i++) {
        uses[i].repeats = is_repeated(recording->list, &uses[i]);
        recording->list->of_host |= uses[i].use.object == CALL_HOST_MEMORY;
    }
    command->uses = alloc_zero(command->use_count, sizeof *command->uses);
    if (command->uses)
        memcpy(command->uses, uses, command->use_count * sizeof *command->uses);
    return command->uses != NULL;
}

static struct use_origin make_origin(const struct recordings *recordings,
                                     const struct api_call *call)
{
    struct use_origin origin = {.function = api_entry_get(call->entry)->name,
                                .recorded = true,
                                .recorded_call_id = call->id};
    struct object_facts facts;
    if (recordings->checker->commands)
        origin.recorded_stack = checker_stack(recordings->checker);
    if (call->entry == API_ENTRY_clCommandNDRangeKernelKHR &&
        object_describe(recordings->checker->objects,
                        call->arguments[API_clCommandNDRangeKernelKHR_kernel].bits, &facts))
        memcpy(origin.detail, facts.detail, sizeof facts.detail);
    return origin;
}
_Static_assert((int)OBJECT_DETAIL_SIZE <= (int)USE_DETAIL_SIZE, "a kernel's name has room");

/* The word that a parameter for results was given; `none` where it was not asked for. */
static uint64_t result_of(const struct api_call *call, const char *name, uint64_t none)
{
    const struct api_value *value =
        &call->arguments[api_entry_find_parameter(api_entry_get(call->entry), name)];
    return value->present && value->data && value->size == sizeof(uint64_t) ? list_word(value, 0)
                                                                            : none;
}

static void learn_recorded(struct recordings *recordings, struct recording *recording,
                           const struct api_call *call)
{
    const uint32_t queue = queue_index(recording, call->arguments[1].bits);
    struct recorded_command command = {.origin = make_origin(recordings, call),
                                       .point = result_of(call, "sync_point", RECORDED_NO_POINT),
                                       .handle = result_of(call, "mutable_handle", 0)};
    if (!recording->list->complete)
        return;
    const bool owned = own_list(recording);
    struct recorded_list *list = recording->list;
    struct recorded_command *grown =
        owned ? alloc_grow(list->commands, list->count, &recording->capacity, sizeof *grown) : NULL;
    if (grown)
        list->commands = grown;
    if (!grown || !find_uses(recordings, recording, call, &command)) {
        list->complete = false;
        return;
    }
    add_order(recording, call, queue);
    grown[list->count++] = command;
    recording->use_count += command.use_count;
}

/* ---- updates ---- */

/* The argument of a launch is about to be changed: the next command that does the same does it for
 * others, too. */
static void pass_on(const struct recorded_list *list, const struct recorded_use *changed)
{
    for (size_t i = 0; !changed->repeats && i < list->count; i++) {
        for (size_t j = 0; j < list->commands[i].use_count; j++) {
            struct recorded_use *use = &list->commands[i].uses[j];
            if (use != changed && use->repeats && is_same(use, changed)) {
                use->repeats = false;
                return;
            }
        }
    }
}

static void remove_argument(const struct recorded_list *list, struct recorded_command *command,
                            uint32_t argument)
{
    for (size_t i = 0; i < command->use_count; i++) {
        if (command->uses[i].argument != argument)
            continue;
        pass_on(list, &command->uses[i]);
        command->uses[i] = command->uses[--command->use_count];
        return;
    }
}

/* False when memory is out. */
static bool set_argument(const struct recordings *recordings, struct recorded_list *list,
                         struct recorded_command *command, const cl_mutable_dispatch_arg_khr *set)
{
    struct use use;
    uint64_t value = 0;
    if (set->arg_index >= TRAITS_ARGUMENTS_MAX)
        return true;
    remove_argument(list, command, set->arg_index);
    if (set->arg_size == sizeof value && set->arg_value)
        memcpy(&value, set->arg_value, sizeof value);
    if (!call_use_of_argument(recordings->checker->objects, value,
                              (command->only_reads >> set->arg_index & 1) != 0, &use))
        return true;
    struct recorded_use *grown =
        alloc_resize(command->uses, (command->use_count + 1) * sizeof *grown);
    if (!grown)
        return false;
    command->uses = grown;
    grown[command->use_count++] = make_use(recordings, &use, set->arg_index);
    return true;
}

static struct recorded_command *find_command(const struct recorded_list *list, uint64_t handle)
{
    for (size_t i = 0; handle != 0 && i < list->count; i++) {
        if (list->commands[i].handle == handle)
            return &list->commands[i];
    }
    return NULL;
}

/* False when not all of it is understood. */
static bool update(const struct recordings *recordings, struct recorded_list *list,
                   const struct api_mutable_config *config)
{
    struct recorded_command *command = find_command(list, (uint64_t)(uintptr_t)config->command);
    const cl_mutable_dispatch_arg_khr *values = config->arg_list;
    const cl_mutable_dispatch_arg_khr *pointers = config->arg_svm_list;
    bool complete = command != NULL;
    for (cl_uint i = 0; complete && i < config->num_args; i++)
        complete = set_argument(recordings, list, command, &values[i]);
    for (cl_uint i = 0; complete && i < config->num_svm_args; i++)
        remove_argument(list, command, pointers[i].arg_index);
    return complete;
}

/* Nothing is known any more of what launches use. */
static void forget_launches(struct recorded_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct recorded_command *command = &list->commands[i];
        while (command->use_count > 0 && command->uses[0].use.possible)
            remove_argument(list, command, command->uses[0].argument);
    }
    list->complete = false;
}

static void learn_update(const struct recordings *recordings, struct recording *recording,
                         const struct api_call *call)
{
    const struct api_value *value = &call->arguments[API_clUpdateMutableCommandsKHR_configs];
    struct arena arena = {0};
    const struct api_mutable_config *configs =
        value->kind == API_VALUE_BYTES ? api_mutable_configs_unpack(value, &arena) : NULL;
    bool complete = configs != NULL;
    if (!own_list(recording)) {
        recording->list->complete = false;
    } else {
        for (uint32_t i = 0; complete && i < value->count; i++)
            complete = update(recordings, recording->list, &configs[i]);
        if (!complete)
            forget_launches(recording->list);
    }
    recording->judged = false;
    arena_release(&arena);
}

/* ---- the stream ---- */

void recordings_learn(struct recordings *recordings, const struct api_call *call)
{
    const uint64_t handle = call->arguments[0].bits;
    pthread_mutex_lock(&recordings->mutex);
    struct recording *recording = find(recordings, handle);
    if (call->entry == API_ENTRY_clCreateCommandBufferKHR)
        learn_created(recordings, call->result.bits);
    else if (call->entry == API_ENTRY_clRemapCommandBufferKHR)
        learn_remapped(recordings, call);
    else if (call->entry == API_ENTRY_clReleaseCommandBufferKHR &&
             object_state(recordings->checker->objects, handle).standing == OBJECT_DEAD)
        forget(recordings, handle);
    else if (recording && call->entry == API_ENTRY_clUpdateMutableCommandsKHR)
        learn_update(recordings, recording, call);
    else if (recording && (api_entry_get(call->entry)->flags & API_ENTRY_RECORDS) != 0)
        learn_recorded(recordings, recording, call);
    pthread_mutex_unlock(&recordings->mutex);
}

struct recorded_list *recordings_hold(struct recordings *recordings, uint64_t command_buffer)
{
    pthread_mutex_lock(&recordings->mutex);
    const struct recording *recording = find(recordings, command_buffer);
    struct recorded_list *list = recording ? recording->list : NULL;
    if (list)
        atomic_fetch_add_explicit(&list->references, 1, memory_order_relaxed);
    pthread_mutex_unlock(&recordings->mutex);
    return list;
}

bool recorded_use_lives(const struct host_checker *checker, const struct recorded_use *recorded)
{
    return object_serial(checker->objects, recorded->use.object) == recorded->serial;
}

static void judge(const struct recordings *recordings, const struct recording *recording,
                  const struct use_origin *enqueued, struct uses *uses)
{
    for (size_t i = 0; i < recording->list->count; i++) {
        const struct recorded_command *command = &recording->list->commands[i];
        struct use_origin origin = command->origin;
        origin.call_id = enqueued->call_id;
        origin.stack = enqueued->stack;
        for (size_t j = 0; j < command->use_count; j++) {
            if (recorded_use_lives(recordings->checker, &command->uses[j]))
                uses_add(uses, recording->orders[i], &origin, &command->uses[j].use, 1, true);
        }
    }
}

void recordings_judge(struct recordings *recordings, uint64_t command_buffer,
                      const struct use_origin *enqueued, uses_report *report, void *user)
{
    pthread_mutex_lock(&recordings->mutex);
    struct recording *recording = find(recordings, command_buffer);
    if (recording && recording->commands && !recording->judged) {
        struct uses *uses = uses_create(recording->commands, report, user);
        recording->judged = uses != NULL;
        if (uses)
            judge(recordings, recording, enqueued, uses);
        uses_destroy(uses);
    }
    pthread_mutex_unlock(&recordings->mutex);
}

/* ---- life ---- */

struct recordings *recordings_create(struct host_checker *checker)
{
    struct recordings *recordings = alloc_zero(1, sizeof *recordings);
    if (!recordings)
        return NULL;
    recordings->checker = checker;
    pthread_mutex_init(&recordings->mutex, NULL);
    return recordings;
}

void recordings_destroy(struct recordings *recordings)
{
    struct recording *recording, *next;
    if (!recordings)
        return;
    HASH_ITER(hh, recordings->all, recording, next)
    {
        HASH_DEL(recordings->all, recording);
        recording_free(recording);
    }
    pthread_mutex_destroy(&recordings->mutex);
    alloc_free(recordings);
}
