#include "reference/icd/kernels/races.h"

#include "checkers/host/commands/clash.h"
#include "checkers/kernel/touched.h"
#include "reference/icd/exports.h"
#include "reference/icd/findings.h"
#include "reference/icd/kernels/host_changes.h"
#include "reference/icd/memory/mem.h"
#include "reference/vm/pipe.h"
#include "trace/base/alloc.h"

#include <inttypes.h>
#include <stdio.h>

static struct commands *commands;
static struct uses *uses;
static const struct command *running;
static const struct recorded *running_recorded; /* of the command-buffer that runs; NULL = none */
static const char *recorded_kernel;
static struct uses *recorded_uses; /* of such a one that is out of order */

/* ---- the call that a layer sees ---- */

static _Thread_local uint64_t next_call_id;

void clerk_set_launch_call(uint64_t call_id)
{
    next_call_id = call_id;
}

uint64_t races_take_call_id(void)
{
    const uint64_t call_id = next_call_id;
    next_call_id = 0;
    return call_id;
}

/* ---- reports ---- */

void races_describe(const struct uses_conflict *conflict, char what[RACES_WHAT_SIZE])
{
    const struct vm_object *object = vm_memory_find(icd_memory(), (uint32_t)conflict->object);
    const struct observer_object *identity = &object->identity;
    const char *origin = identity->origin ? identity->origin : "";
    const char *first_use = object->first_use ? object->first_use : "";
    char about[RACES_WHAT_SIZE] = "";
    if (*origin || *first_use)
        snprintf(about, sizeof(about), " (%s%s%s)", origin, *origin && *first_use ? ", " : "",
                 first_use);
    if (object->is_pipe)
        snprintf(what, RACES_WHAT_SIZE, "the end for %s of %s%s",
                 conflict->first == VM_PIPE_READ ? "reading" : "writing", identity->name, about);
    else if (conflict->size == 0)
        snprintf(what, RACES_WHAT_SIZE, "%s%s", identity->name, about);
    else
        snprintf(what, RACES_WHAT_SIZE, "bytes %" PRIu64 " to %" PRIu64 " of %s%s", conflict->first,
                 conflict->first + conflict->size - 1, identity->name, about);
}

static void report(void *user, const struct uses_conflict *conflict)
{
    (void)user;
    const struct launch_options options = options_launch();
    char what[RACES_WHAT_SIZE];
    if (!checks_has(&options.checks, clash_rule(conflict)))
        return;
    races_describe(conflict, what);
    clash_report(conflict, &(struct clash_words){.what = what}, findings_receive, NULL);
}

static void report_recorded(void *user, const struct uses_conflict *conflict)
{
    struct uses_conflict recorded = *conflict;
    recorded.why |= COMMAND_RECORDED;
    report(user, &recorded);
}

/* ---- the order ---- */

static bool ready(void)
{
    if (!commands)
        commands = commands_create();
    if (commands && !uses)
        uses = uses_create(commands, report, NULL);
    return uses != NULL;
}

bool races_queue_created(cl_command_queue queue)
{
    const bool in_order = (queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
    queue->order = ready() ? commands_queue_create(commands, in_order) : NULL;
    return queue->order != NULL;
}

void races_queue_destroyed(cl_command_queue queue)
{
    if (queue->order)
        commands_queue_destroy(commands, queue->order);
}

static struct ordered_command **list_events(const struct command_request *request)
{
    struct ordered_command **events =
        alloc_zero(request->wait_count, sizeof(struct ordered_command *));
    for (cl_uint i = 0; events && i < request->wait_count; i++)
        events[i] = request->wait_list[i]->order;
    return events;
}

bool races_waits_for_user_event(const struct command_request *request)
{
    struct ordered_command **events = list_events(request);
    const bool waits =
        !events || commands_wait_for_user_event(
                       commands, &(struct commands_wait){.queue = request->queue->order,
                                                         .events = events,
                                                         .event_count = request->wait_count});
    alloc_free(events);
    return waits;
}

struct ordered_command *races_enqueue(const struct command_request *request)
{
    struct ordered_command **events = list_events(request);
    struct ordered_command *order =
        events ? commands_enqueue(
                     commands,
                     &(struct commands_request){.queue = request->queue->order,
                                                .events = events,
                                                .event_count = request->wait_count,
                                                .orders = request->type == CL_COMMAND_MARKER ||
                                                          request->type == CL_COMMAND_BARRIER,
                                                .bars = (request->order & COMMAND_BARRIER) != 0})
               : NULL;
    alloc_free(events);
    return order;
}

struct ordered_command *races_user_event(void)
{
    return ready() ? commands_create_user_event(commands) : NULL;
}

void races_set_user_event(cl_event event)
{
    commands_set_user_event(commands, event->order);
}

void races_end_user_event(cl_event event)
{
    commands_end_user_event(commands, event->order, running->event->order);
}

void races_drop(struct ordered_command *order)
{
    command_drop(order);
}

void races_host_waited(cl_event event)
{
    if (!running)
        host_changes_look();
    commands_host_waited(commands, event->order);
    host_changes_known(commands);
}

void races_host_finished(cl_command_queue queue)
{
    if (!running)
        host_changes_look();
    commands_host_finished(commands, queue->order);
    host_changes_known(commands);
}

void races_status_asked(cl_event event)
{
    command_note_status_asked(event->order);
    host_changes_forget();
}

/* ---- what commands do ---- */

const char *races_function_name(cl_command_type type, bool recorded)
{
    static const struct {
        cl_command_type type;
        const char *name, *recorded;
    } names[] = {
        {CL_COMMAND_NDRANGE_KERNEL, "clEnqueueNDRangeKernel", "clCommandNDRangeKernelKHR"},
        {CL_COMMAND_TASK, "clEnqueueTask", NULL},
        {CL_COMMAND_NATIVE_KERNEL, "clEnqueueNativeKernel", NULL},
        {CL_COMMAND_READ_BUFFER, "clEnqueueReadBuffer", NULL},
        {CL_COMMAND_WRITE_BUFFER, "clEnqueueWriteBuffer", NULL},
        {CL_COMMAND_COPY_BUFFER, "clEnqueueCopyBuffer", "clCommandCopyBufferKHR"},
        {CL_COMMAND_READ_IMAGE, "clEnqueueReadImage", NULL},
        {CL_COMMAND_WRITE_IMAGE, "clEnqueueWriteImage", NULL},
        {CL_COMMAND_COPY_IMAGE, "clEnqueueCopyImage", "clCommandCopyImageKHR"},
        {CL_COMMAND_COPY_IMAGE_TO_BUFFER, "clEnqueueCopyImageToBuffer",
         "clCommandCopyImageToBufferKHR"},
        {CL_COMMAND_COPY_BUFFER_TO_IMAGE, "clEnqueueCopyBufferToImage",
         "clCommandCopyBufferToImageKHR"},
        {CL_COMMAND_MAP_BUFFER, "clEnqueueMapBuffer", NULL},
        {CL_COMMAND_MAP_IMAGE, "clEnqueueMapImage", NULL},
        {CL_COMMAND_READ_BUFFER_RECT, "clEnqueueReadBufferRect", NULL},
        {CL_COMMAND_WRITE_BUFFER_RECT, "clEnqueueWriteBufferRect", NULL},
        {CL_COMMAND_COPY_BUFFER_RECT, "clEnqueueCopyBufferRect", "clCommandCopyBufferRectKHR"},
        {CL_COMMAND_FILL_BUFFER, "clEnqueueFillBuffer", "clCommandFillBufferKHR"},
        {CL_COMMAND_FILL_IMAGE, "clEnqueueFillImage", "clCommandFillImageKHR"},
        {CL_COMMAND_MIGRATE_MEM_OBJECTS, "clEnqueueMigrateMemObjects", NULL},
        {CL_COMMAND_SVM_FREE, "clEnqueueSVMFree", NULL},
        {CL_COMMAND_SVM_MEMCPY, "clEnqueueSVMMemcpy", "clCommandSVMMemcpyKHR"},
        {CL_COMMAND_SVM_MEMFILL, "clEnqueueSVMMemFill", "clCommandSVMMemFillKHR"},
        {CL_COMMAND_SVM_MAP, "clEnqueueSVMMap", NULL},
        {CL_COMMAND_SVM_UNMAP, "clEnqueueSVMUnmap", NULL},
        {CL_COMMAND_MEMFILL_INTEL, "clEnqueueMemFillINTEL", NULL},
        {CL_COMMAND_MEMCPY_INTEL, "clEnqueueMemcpyINTEL", NULL},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].type == type)
            return recorded ? names[i].recorded : names[i].name;
    }
    return "a command";
}

static struct use_origin make_origin(void)
{
    const struct recorded *recorded = running_recorded;
    const char *kernel = recorded ? recorded_kernel : running->work.kernel;
    struct use_origin origin = {
        .function =
            races_function_name(recorded ? recorded->type : running->event->type, recorded != NULL),
        .queue = running->event->queue->ordinal,
        .call_id = running->work.call_id,
        .recorded = recorded != NULL,
        .recorded_call_id = recorded ? recorded->work.call_id : 0};
    if (kernel)
        snprintf(origin.detail, sizeof(origin.detail), "'%s'", kernel);
    return origin;
}

void races_command_begins(const struct command *command)
{
    if (running || command->work.calls_program || command->work.waits_for_host)
        host_changes_forget(); /* who has changed what is not known, or who knows what */
    else
        host_changes_look();
    running = command;
}

bool races_has_running(void)
{
    return running != NULL;
}

uint64_t races_running_call_id(void)
{
    return running->work.call_id;
}

void races_command_ends(void)
{
    host_changes_pass();
    running = NULL;
}

void races_buffer_begins(struct commands *order)
{
    recorded_uses = order ? uses_create(order, report_recorded, NULL) : NULL;
}

void races_recorded_begins(const struct recorded *recorded, const char *kernel)
{
    running_recorded = recorded;
    recorded_kernel = kernel;
}

void races_buffer_ends(void)
{
    uses_destroy(recorded_uses);
    recorded_uses = NULL;
    running_recorded = NULL;
}

void races_check_pending(const struct ordered_command *earlier, uint64_t call_id)
{
    const struct launch_options options = options_launch();
    if (!earlier || command_follows(commands, running->event->order, earlier) ||
        !checks_has(&options.checks, RULE_COMMAND_BUFFER_PENDING))
        return;
    const char *function = "clEnqueueCommandBufferKHR";
    const struct finding_place places[] = {{.kind = FINDING_PLACE_CALL,
                                            .label = "it is enqueued again",
                                            .function = function,
                                            .call_id = running->work.call_id},
                                           {.kind = FINDING_PLACE_CALL,
                                            .label = "it was enqueued before",
                                            .function = function,
                                            .call_id = call_id}};
    findings_receive(
        NULL,
        &(struct finding){.rule = RULE_COMMAND_BUFFER_PENDING,
                          .message = "a command-buffer is enqueued again while an earlier "
                                     "execution of it has not ended",
                          .reason = "The later command does not wait for the earlier one, and the "
                                    "command-buffer was made without "
                                    "CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR.",
                          .places = places,
                          .place_count = 2,
                          .call_id = running->work.call_id,
                          .count = 1});
}

/* The object that owns the bytes. */
static uint64_t owner_of(uint32_t object)
{
    return vm_memory_find(icd_memory(), object)->root->identity.id;
}

bool races_watches(const uint32_t *objects, size_t count)
{
    const struct launch_options options = options_launch();
    if (!clash_wanted(&options.checks) &&
        !checks_has(&options.checks, RULE_ATOMICS_ACROSS_KERNELS) &&
        !checks_has(&options.checks, RULE_RACE_ATOMIC_SCOPE) &&
        !checks_has(&options.checks, RULE_ATOMIC_SCOPE_UNCLEAR))
        return false;
    bool watches = commands_are_concurrent(commands);
    for (size_t i = 0; i < count && !watches; i++)
        watches = objects[i] && uses_is_mapped(uses, owner_of(objects[i]), running->event->order);
    return watches;
}

static void add(const struct use *use)
{
    const struct use_origin origin = make_origin();
    uses_add(uses, running->event->order, &origin, use, 1, commands_are_concurrent(commands));
    if (recorded_uses)
        uses_add(recorded_uses, running_recorded->order, &origin, use, 1, true);
}

static struct use make_use(uint32_t object, enum use_kind kind, const struct use_bytes *bytes)
{
    struct use use = {.object = owner_of(object), .kind = kind, .bytes = *bytes};
    use.bytes.first += vm_memory_find(icd_memory(), object)->root_offset;
    return use;
}

void races_use(uint32_t object, enum use_kind kind, const struct use_bytes *bytes)
{
    const struct use use = make_use(object, kind, bytes);
    add(&use);
}

void races_use_own_memory(uint32_t root, uint64_t size)
{
    const struct use_bytes whole = {.size = size};
    struct use use = make_use(root, USE_WRITE, &whole);
    use.own_memory = true;
    add(&use);
}

/* What kernels use are what they were given, and program-scope variables. On those, and on shared
 * virtual memory, atomic operations of several kernels are guaranteed to be atomic. */
static bool is_guaranteed(uint32_t object, const uint32_t *objects, size_t count)
{
    if (vm_memory_find(icd_memory(), object)->identity.svm != OBSERVER_SVM_NONE)
        return true;
    for (size_t i = 0; i < count; i++) {
        if (objects[i] && owner_of(objects[i]) == object)
            return false;
    }
    return true;
}

bool races_make_use(const struct touched_object *object, enum touched_kind kind, struct use *use)
{
    static const struct {
        enum use_kind kind;
        enum use_reach reach;
    } kinds[] = {
        [TOUCHED_READ] = {USE_READ, USE_REACHES},
        [TOUCHED_WRITE] = {USE_WRITE, USE_REACHES},
        [TOUCHED_ATOMIC_READ] = {USE_ATOMIC_READ, USE_REACHES},
        [TOUCHED_ATOMIC_WRITE] = {USE_ATOMIC_WRITE, USE_REACHES},
        [TOUCHED_NARROW_READ] = {USE_ATOMIC_READ, USE_TOO_NARROW},
        [TOUCHED_NARROW_WRITE] = {USE_ATOMIC_WRITE, USE_TOO_NARROW},
        [TOUCHED_WIDE_READ] = {USE_ATOMIC_READ, USE_REACHES_ALL},
        [TOUCHED_WIDE_WRITE] = {USE_ATOMIC_WRITE, USE_REACHES_ALL},
        [TOUCHED_LEGACY_WRITE] = {USE_ATOMIC_WRITE, USE_REACH_UNCLEAR},
    };
    uint64_t first, end;
    bool whole;
    if (!touched_extent(object, kind, &first, &end, &whole))
        return false;
    *use = (struct use){.object = object->id,
                        .kind = kinds[kind].kind,
                        .reach = kinds[kind].reach,
                        .equal_scopes = !options_launch().sched.wide_scopes,
                        .bytes = {.first = first, .size = end - first}};
    if (!whole) {
        use->bytes.first = first / 64 * 64;
        use->bytes.size = end - use->bytes.first;
        use->bytes.bits = object->bits[kind] + first / 64;
    }
    return true;
}

/* Memory without CL_MEM_SVM_ATOMICS is for one device at a time, whatever the scopes. What is no
 * such memory is not asked for its devices, nor are the commands of a command-buffer. A sub-device
 * counts as its root device: the specification does not say which of the two the scope means. */
static void limit_reach(struct use *use)
{
    const enum observer_svm svm = vm_memory_find(icd_memory(), (uint32_t)use->object)->identity.svm;
    const bool reaches_all = svm == OBSERVER_SVM_ATOMIC || svm == OBSERVER_SVM_SYSTEM;
    if (!reaches_all && use->reach == USE_REACHES_ALL)
        use->reach = USE_REACHES;
    if ((reaches_all || svm == OBSERVER_SVM_COARSE || svm == OBSERVER_SVM_FINE) &&
        !running_recorded)
        use->device = (uintptr_t)icd_root_of(running->event->queue->device);
}

static void use_objects(const struct touched_object *touched, size_t touched_count,
                        const uint32_t *objects, size_t count)
{
    for (size_t i = 0; i < touched_count; i++) {
        for (int kind = 0; kind < TOUCHED_KIND_COUNT; kind++) {
            struct use use;
            if (!races_make_use(&touched[i], (enum touched_kind)kind, &use))
                continue;
            use.guaranteed = is_guaranteed(touched[i].id, objects, count);
            limit_reach(&use);
            add(&use);
        }
    }
}

void races_host_changes(struct host_changes *changes, const struct touched *touched)
{
    host_changes_ran(changes, touched, running->event->order, commands);
}

void races_use_touched(const struct touched *touched, const uint32_t *objects, size_t count)
{
    use_objects(touched->objects, touched->count, objects, count);
    use_objects(touched->kept, touched->kept_count, objects, count);
}

void races_map(uint32_t object, bool writes, const struct use_bytes *bytes,
               const struct use_bytes *whole, uint64_t handle)
{
    const struct use_origin origin = make_origin();
    const struct use use = make_use(object, writes ? USE_WRITE : USE_READ, bytes);
    const struct use all = make_use(object, USE_WRITE, whole);
    uses_map(uses, running->event->order, &origin, &use, &all.bytes, handle);
}

void races_unmap(uint32_t object, uint64_t handle)
{
    uses_unmap(uses, owner_of(object), handle, running->event->order);
}

void races_object_destroyed(uint32_t object)
{
    if (uses && owner_of(object) == object)
        uses_forget(uses, object);
}
