#include "layer/probes/probes.h"

#include "layer/driver/driver_ask.h"
#include "layer/live.h"
#include "layer/probes/allocations.h"
#include "layer/probes/captures.h"
#include "layer/probes/kernels.h"
#include "layer/probes/parameters.h"
#include "layer/probes/reading.h"
#include "layer/probes/released.h"
#include "layer/probes/shadows.h"
#include "layer/probes/touched.h"
#include "layer/probes/written.h"
#include "layer/targets.h"
#include "trace/api/selection.h"
#include "trace/api/settings.h"
#include "trace/base/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What became of the launches of the kernels of one name. */
struct tally {
    struct tally *next;
    char *name;
    uint64_t launches, checked;
    char *reason; /* of the first that was not */
};

struct probes {
    struct live *live;
    struct selection *selection;
    struct kernels *kernels;
    struct reading *reading;
    struct shadows *shadows;
    struct touched *touched;
    struct captures *captures;
    struct released *released;
    struct written *written;
    struct allocations *allocations;
    pthread_mutex_t mutex; /* of what follows */
    struct tally *tallies;
    uint64_t without_races[LACKS]; /* of these, such whose races were not all looked for */
};

struct probes *probes_create(struct live *live, sink_function *report, void *user)
{
    struct probes *probes = alloc_zero(1, sizeof *probes);
    if (!probes)
        return NULL;
    pthread_mutex_init(&probes->mutex, NULL);
    probes->live = live;
    probes->selection = selection_create();
    probes->kernels = kernels_create(live);
    probes->released = released_create();
    probes->captures = probes->released ? captures_create(live, probes->released) : NULL;
    probes->shadows = shadows_create(strtoull(setting_value(SETTING_PROBE_MEMORY), NULL, 10) << 20);
    probes->touched = probes->shadows ? touched_create(probes->shadows) : NULL;
    probes->written = probes->shadows ? written_create(probes->shadows) : NULL;
    if (probes->captures && probes->written)
        probes->reading = reading_create(report, user, probes->captures, probes->written);
    probes->allocations = allocations_create(live);
    if (probes->selection && probes->kernels && probes->reading && probes->touched &&
        probes->allocations)
        return probes;
    probes_destroy(probes);
    return NULL;
}

void probes_destroy(struct probes *probes)
{
    if (!probes)
        return;
    selection_destroy(probes->selection);
    reading_destroy(probes->reading);
    captures_destroy(probes->captures);
    released_destroy(probes->released);
    kernels_destroy(probes->kernels);
    touched_destroy(probes->touched);
    written_destroy(probes->written);
    shadows_destroy(probes->shadows);
    allocations_destroy(probes->allocations);
    while (probes->tallies) {
        struct tally *tally = probes->tallies;
        probes->tallies = tally->next;
        alloc_free(tally->name);
        alloc_free(tally->reason);
        alloc_free(tally);
    }
    pthread_mutex_destroy(&probes->mutex);
    alloc_free(probes);
}

/* ---- counting ---- */

/* Locked. NULL when memory is out. */
static struct tally *tally_of(struct probes *probes, const char *name)
{
    struct tally *tally = probes->tallies;
    while (tally && strcmp(tally->name, name) != 0)
        tally = tally->next;
    if (tally || !(tally = alloc_zero(1, sizeof *tally)))
        return tally;
    tally->name = alloc_string(name);
    if (!tally->name) {
        alloc_free(tally);
        return NULL;
    }
    tally->next = probes->tallies;
    probes->tallies = tally;
    return tally;
}

/* Not all races of a launch are looked for. */
static void note_lack(struct probes *probes, enum parameters_lack lack)
{
    pthread_mutex_lock(&probes->mutex);
    probes->without_races[lack]++;
    pthread_mutex_unlock(&probes->mutex);
}

/* `reason`: "" = the launch is checked. */
static void count(struct probes *probes, const char *name, const char *reason)
{
    pthread_mutex_lock(&probes->mutex);
    struct tally *tally = tally_of(probes, name);
    if (tally) {
        tally->launches++;
        tally->checked += reason[0] == '\0';
        if (reason[0] != '\0' && !tally->reason)
            tally->reason = alloc_string(reason);
    }
    pthread_mutex_unlock(&probes->mutex);
}

/* ---- launches ---- */

static void note_sizes(const struct api_call *call, const uint64_t *words,
                       struct reading_launch *launch)
{
    const uint64_t *offset = NULL, *local = NULL;
    const uint64_t *global = NULL;
    launch->dimensions = 1;
    launch->global[0] = launch->local[0] = 1;
    if (call->entry != API_ENTRY_clEnqueueNDRangeKernel)
        return;
    launch->dimensions = (uint32_t)words[API_clEnqueueNDRangeKernel_work_dim];
    offset = (const uint64_t *)words[API_clEnqueueNDRangeKernel_global_work_offset];
    global = (const uint64_t *)words[API_clEnqueueNDRangeKernel_global_work_size];
    local = (const uint64_t *)words[API_clEnqueueNDRangeKernel_local_work_size];
    if (launch->dimensions > 3 || !global)
        launch->dimensions = 0; /* the driver refuses it */
    for (uint32_t i = 0; i < launch->dimensions; i++) {
        launch->offset[i] = offset ? offset[i] : 0;
        launch->global[i] = global[i];
        launch->local[i] = local ? local[i] : 0;
    }
}
_Static_assert(sizeof(size_t) == sizeof(uint64_t), "sizes are read as they are");

/* The copy of the kernel, with these words otherwise, which may change. Its event if `touching`
 * needs it, which is to be released. */
static uint64_t perform(struct probes *probes, const struct reading_launch *launch,
                        const struct api_call *call, uint64_t *own, const struct touching *touching,
                        cl_event *event)
{
    const uint32_t out = api_entry_find_role(api_entry_get(call->entry), API_ROLE_OUT_EVENT);
    const bool is_asked = own[out] != 0;
    struct capture *capture = captures_enqueue(probes->captures, launch, call->entry, own);
    *event = NULL;
    if ((touching || capture) && !is_asked)
        own[out] = (uint64_t)event;
    const uint64_t result = api_perform(call->entry, layer_targets[call->entry], own);
    const bool launched = (cl_int)result == CL_SUCCESS;
    if (launched && (touching || capture) && is_asked) {
        memcpy(event, (const void *)own[out], sizeof *event);
        if (*event)
            LAYER_TARGET(clRetainEvent)(*event);
    }
    captures_enqueued(probes->captures, capture, launch, (cl_command_queue)own[0], *event);
    if (!touching && *event) {
        LAYER_TARGET(clReleaseEvent)(*event);
        *event = NULL;
    }
    return result;
}

/* What it uses that is not written whole; NULL = nothing, or that cannot be followed. */
static struct following *begin_following(struct probes *probes, const struct probed *probed,
                                         const struct reading_launch *launch,
                                         const struct parameters_launch *with)
{
    struct written_launch uses = {.queue = with->queue,
                                  .device = with->device->device,
                                  .number = with->number,
                                  .sizes = {.dimensions = launch->dimensions}};
    memcpy(uses.sizes.offset, launch->offset, sizeof uses.sizes.offset);
    memcpy(uses.sizes.global, launch->global, sizeof uses.sizes.global);
    struct following *following = written_begin(probes->written, probed, &uses);
    if (following)
        following_keep(following, captures_want_unwritten(probes->captures, launch));
    return following;
}

/* Which of the copies runs: that with all cells where they, or maps, are needed. What it then does
 * not get is NULL. True: it needs cells that it does not get. The words may change. */
static bool choose_copy(struct probes *probes, struct probed *probed, const struct api_call *call,
                        uint64_t *own, struct parameters_launch *with, struct touching **touching,
                        struct following **following)
{
    const bool needs_all = *touching || !with->is_apart;
    cl_kernel full = needs_all || *following ? probed_full(probed) : NULL;
    with->kernel = full ? full : probed->kernel;
    with->is_full = full != NULL;
    with->is_apart = !full || !needs_all;
    if (!full) {
        written_give_up(probes->written, *following);
        touched_enqueued(probes->touched, *touching, NULL);
        *touching = NULL;
    }
    if (!full || (*following && !written_prepare(probes->written, *following, call->entry, own)))
        *following = NULL;
    with->touching = *touching;
    with->following = *following;
    return needs_all && !full;
}

/* With the kernel's lock. */
static const char *enqueue(struct probes *probes, struct host_checker *checker,
                           struct probed *probed, const struct copy_device *device,
                           struct reading_launch *launch, const struct api_call *call,
                           const uint64_t *words, uint64_t *result)
{
    uint64_t own[API_ARGUMENT_MAX];
    enum parameters_lack lack;
    cl_event event;
    launch->given = probed->given;
    struct parameters_launch with = {.queue = (cl_command_queue)words[0],
                                     .device = device,
                                     .number = reading_number(probes->reading, launch),
                                     .allocations = probes->allocations};
    const struct touched_launch touches = {.checker = device->has_long_atomics ? checker : NULL,
                                           .queue = with.queue,
                                           .call_id = call->id,
                                           .number = with.number};
    struct touching *touching = touched_begin(probes->touched, probed, &touches);
    struct following *following = begin_following(probes, probed, launch, &with);
    with.is_apart = parameters_are_apart(probed, launch->dimensions, launch->offset, launch->global,
                                         launch->local, &with.is_written);
    memcpy(own, words, api_entry_get(call->entry)->parameter_count * sizeof *own);
    const bool lacks_full = choose_copy(probes, probed, call, own, &with, &touching, &following);
    if (!parameters_set(probed, probes->shadows, &with, &lack)) {
        written_launched(probes->written, following, false);
        touched_enqueued(probes->touched, touching, NULL);
        return "the driver refuses an argument of its checked copy";
    }
    if (lacks_full)
        lack = LACK_FULL;
    own[API_clEnqueueNDRangeKernel_kernel] = (uint64_t)with.kernel;
    *result = perform(probes, launch, call, own, touching, &event);
    written_launched(probes->written, following, (cl_int)*result == CL_SUCCESS);
    touched_enqueued(probes->touched, touching, event);
    if ((cl_int)*result != CL_SUCCESS)
        return "its checked copy needs more of the device than there is";
    if (lack != LACK_NOTHING)
        note_lack(probes, lack);
    return NULL;
}

/* NULL when the launch was enqueued; else why not, as the end of a sentence. */
static const char *launch_copy(const struct session *session, struct probed *probed,
                               const struct api_call *call, const uint64_t *words, uint64_t *result)
{
    struct probes *probes = session->probes;
    cl_command_queue queue = (cl_command_queue)words[0];
    cl_device_id device_id = NULL;
    if (probed->reason[0] != '\0')
        return probed->reason;
    LAYER_TARGET(clGetCommandQueueInfo)(queue, CL_QUEUE_DEVICE, sizeof device_id, &device_id, NULL);
    struct copy_device *device = copy_find_device(probed->copy, device_id);
    struct reading_launch launch = {.copy = probed->copy,
                                    .call_id = call->id,
                                    .function = api_entry_get(call->entry)->name,
                                    .kernel = probed->name};
    note_sizes(call, words, &launch);
    if (!device || launch.dimensions == 0)
        return "its program was not built for the device";
    pthread_mutex_lock(&probed->mutex);
    const char *reason =
        enqueue(probes, session->checker, probed, device, &launch, call, words, result);
    pthread_mutex_unlock(&probed->mutex);
    if (!reason)
        reading_launched(probes->reading, queue, probed->copy, device);
    return reason;
}
_Static_assert((int)API_clEnqueueNDRangeKernel_kernel == (int)API_clEnqueueTask_kernel,
               "both have their kernel in one place");

bool probes_launch(const struct session *session, const struct api_call *call,
                   const uint64_t *words, const char **reason, uint64_t *result)
{
    struct probes *probes = session->probes;
    *reason = NULL;
    if (!api_entry_launches(call->entry))
        return false;
    struct probed *probed =
        kernels_find(probes->kernels, (cl_kernel)words[API_clEnqueueNDRangeKernel_kernel]);
    bool launched = false;
    if (probed && !probed->is_reference) {
        *reason = selection_leaves_out(probes->selection, probed->name);
        if (!*reason)
            *reason = launch_copy(session, probed, call, words, result);
        launched = *reason == NULL;
        if (launched)
            count(probes, probed->name, "");
    }
    probed_drop(probed);
    return launched;
}

/* A launch that runs the kernel as it is; NULL = nobody asks why. */
static void note_unchecked(struct probes *probes, uint64_t kernel, const char *reason)
{
    struct probed *probed = kernels_find(probes->kernels, (cl_kernel)kernel);
    if (probed)
        written_assume_arguments(probes->written, probed);
    if (probed && !probed->is_reference && reason)
        count(probes, probed->name, reason);
    probed_drop(probed);
}

/* ---- the other calls ---- */

/* The kernel will not be checked. */
static void assume_argument(struct probes *probes, const struct api_call *call,
                            const uint64_t *words)
{
    const void *value = (const void *)words[API_clSetKernelArg_arg_value];
    uint64_t memory = 0;
    if (call->entry != API_ENTRY_clSetKernelArg || !value ||
        words[API_clSetKernelArg_arg_size] != sizeof memory)
        return;
    memcpy(&memory, value, sizeof memory);
    live_lock(probes->live);
    const struct live_object *object = live_find(probes->live, memory);
    const bool is_memory = object && object->kind == API_OBJECT_MEM;
    live_unlock(probes->live);
    if (is_memory)
        written_assume(probes->written, memory);
}

static void set_argument(struct probes *probes, const struct api_call *call, const uint64_t *words)
{
    struct probed *probed = kernels_find(probes->kernels, (cl_kernel)words[0]);
    if (probed)
        kernels_set(probes->kernels, probed, call, words);
    if (!probed || probed->reason[0] != '\0' || probed->is_reference)
        assume_argument(probes, call, words);
    probed_drop(probed);
}

/* The object, or allocation, is gone if nothing is alive there any more. */
static void forget_memory(struct probes *probes, uint64_t object)
{
    live_lock(probes->live);
    const bool is_alive = live_find(probes->live, object) != NULL;
    live_unlock(probes->live);
    if (!is_alive) {
        shadows_forget(probes->shadows, object);
        written_forget(probes->written, object);
    }
}

/* What a launch that may still report something uses outlives the program's last reference. */
static void keep_memory(struct probes *probes, uint64_t object)
{
    if (!captures_are_wanted(probes->captures) || reading_is_idle(probes->reading))
        return;
    live_lock(probes->live);
    const bool is_alive = live_find(probes->live, object) != NULL;
    live_unlock(probes->live);
    if (!is_alive && reading_uses(probes->reading, (cl_mem)object))
        released_keep(probes->released, (cl_mem)object);
}

static void let_go(struct probes *probes)
{
    if (!released_is_empty(probes->released) && reading_is_idle(probes->reading))
        released_forget(probes->released);
}

static void forget_program(struct kernels *kernels, uint64_t program)
{
    if (driver_is_last(API_ENTRY_clGetProgramInfo, program, CL_PROGRAM_REFERENCE_COUNT))
        kernels_forget_program(kernels, (cl_program)program);
}

/* A program may end with its last kernel. */
static void forget_kernel(struct kernels *kernels, uint64_t kernel)
{
    uint64_t program = 0;
    if (!driver_is_last(API_ENTRY_clGetKernelInfo, kernel, CL_KERNEL_REFERENCE_COUNT))
        return;
    if (driver_ask(API_ENTRY_clGetKernelInfo, kernel, CL_KERNEL_PROGRAM, &program, sizeof program,
                   NULL))
        forget_program(kernels, program);
    kernels_forget(kernels, (cl_kernel)kernel);
}

void probes_before(struct probes *probes, const struct api_call *call, const uint64_t *words)
{
    touched_collect(probes->touched, false);
    written_before(probes->written, call);
    switch (call->entry) {
    case API_ENTRY_clReleaseKernel:
        forget_kernel(probes->kernels, words[0]);
        break;
    case API_ENTRY_clReleaseProgram:
        forget_program(probes->kernels, words[0]);
        break;
    case API_ENTRY_clSVMFree:
    case API_ENTRY_clMemFreeINTEL:
    case API_ENTRY_clMemBlockingFreeINTEL:
        allocations_free(probes->allocations, words[API_clSVMFree_svm_pointer]);
        break;
    case API_ENTRY_clReleaseMemObject:
        keep_memory(probes, words[0]);
        break;
    case API_ENTRY_clSetMemObjectDestructorCallback:
    case API_ENTRY_clSetContextDestructorCallback:
        released_keep_no_more(probes->released);
        break;
    case API_ENTRY_clReleaseCommandQueue:
        reading_leave(probes->reading, (cl_command_queue)words[0]);
        written_leave(probes->written, (cl_command_queue)words[0]);
        break;
    default:
        break;
    }
}

void probes_performed(struct probes *probes, const struct api_call *call, const uint64_t *words,
                      const char *reason)
{
    switch (call->entry) {
    case API_ENTRY_clSetKernelArg:
    case API_ENTRY_clSetKernelArgSVMPointer:
    case API_ENTRY_clSetKernelArgMemPointerINTEL:
    case API_ENTRY_clSetKernelArgDevicePointerEXT:
    case API_ENTRY_clSetKernelExecInfo:
        set_argument(probes, call, words);
        break;
    case API_ENTRY_clSVMAlloc:
    case API_ENTRY_clEnqueueSVMMap:
    case API_ENTRY_clEnqueueSVMMemcpy:
        allocations_learn(probes->allocations);
        break;
    case API_ENTRY_clEnqueueNDRangeKernel:
    case API_ENTRY_clEnqueueTask:
        note_unchecked(probes, words[API_clEnqueueNDRangeKernel_kernel], reason);
        break;
    case API_ENTRY_clReleaseMemObject:
        forget_memory(probes, words[0]);
        break;
    case API_ENTRY_clSVMFree:
    case API_ENTRY_clMemFreeINTEL:
    case API_ENTRY_clMemBlockingFreeINTEL:
        forget_memory(probes, words[API_clSVMFree_svm_pointer]);
        break;
    case API_ENTRY_clCommandNDRangeKernelKHR:
        note_unchecked(probes, words[API_clCommandNDRangeKernelKHR_kernel],
                       "it is in a command-buffer");
        break;
    case API_ENTRY_clFinish:
        reading_waited(probes->reading, (cl_command_queue)words[0], true);
        written_waited(probes->written, (cl_command_queue)words[0], true);
        break;
    default:
        written_enqueued(probes->written, call);
        if (!api_entry_enqueues(call->entry) || !api_call_blocks(call))
            break;
        reading_waited(probes->reading, (cl_command_queue)words[0], false);
        written_waited(probes->written, (cl_command_queue)words[0], false);
        break;
    }
    captures_collect(probes->captures);
    let_go(probes);
}

void probes_after(const struct session *session, const struct api_call *call)
{
    struct kernels *kernels = session->probes->kernels;
    written_made(session->probes->written, call);
    const struct api_value *made = &call->arguments[API_clCreateKernelsInProgram_kernels];
    switch (call->entry) {
    case API_ENTRY_clCreateKernel:
        kernels_add(session, kernels, (cl_kernel)call->result.bits, NULL);
        break;
    case API_ENTRY_clCloneKernel:
        kernels_add(session, kernels, (cl_kernel)call->result.bits,
                    (cl_kernel)call->arguments[API_clCloneKernel_source_kernel].bits);
        break;
    case API_ENTRY_clCreateKernelsInProgram: {
        const uint64_t *handles = made->kind == API_VALUE_HANDLES ? made->data : NULL;
        for (uint32_t i = 0; handles && i < made->count; i++)
            kernels_add(session, kernels, (cl_kernel)handles[i], NULL);
        break;
    }
    default:
        break;
    }
}

/* ---- the end ---- */

bool probes_finish(struct probes *probes)
{
    const bool all = reading_finish(probes->reading);
    captures_collect(probes->captures);
    let_go(probes);
    touched_finish(probes->touched);
    return all;
}

/* Appends the reasons, each once, with how many kernels it is of. */
static void append_reasons(const struct probes *probes, struct text *text)
{
    const char *before = " (";
    for (const struct tally *tally = probes->tallies; tally; tally = tally->next) {
        uint64_t kernels = 0;
        bool is_first = true;
        for (const struct tally *other = probes->tallies; tally->reason && other;
             other = other->next) {
            const bool is_same = other->reason && strcmp(other->reason, tally->reason) == 0;
            kernels += is_same;
            if (is_same && other != tally && kernels == 1)
                is_first = false;
        }
        if (!tally->reason || !is_first)
            continue;
        text_format(text, "%s%s", before, tally->name);
        if (kernels > 1)
            text_format(text, " and %" PRIu64 " more", kernels - 1);
        text_format(text, ": %s", tally->reason);
        before = "; ";
    }
    if (before[0] == ';')
        text_append(text, ")");
}

static const char *const lacks[LACKS] = {
    [LACK_MEMORY] = "races on global memory, for lack of memory (--probe-memory)",
    [LACK_LOCAL] = "races on local memory, for lack of it",
    [LACK_ATOMICS] = "races on global memory, since the device lacks cl_khr_int64_extended_atomics",
    [LACK_FULL] = "some races, because the driver has no copy of the kernel that looks for all",
    [LACK_ORDER] = "races, since sub-groups may order their work-items",
    [LACK_WAITS] = "races on local memory, since their work-items wait for each other in loops",
};

static void append_losses(const struct probes *probes, struct text *text)
{
    uint64_t unread, left_out;
    reading_losses(probes->reading, &unread, &left_out);
    if (left_out > 0)
        text_format(text, "; %" PRIu64 " more report%s had no room", left_out,
                    left_out == 1 ? "" : "s");
    if (unread > 0)
        text_format(text, "; what launches reported could not be read %" PRIu64 " time%s", unread,
                    unread == 1 ? "" : "s");
}

bool probes_summary(struct probes *probes, struct text *text)
{
    uint64_t kernels = 0, checked_kernels = 0, launches = 0, checked = 0;
    pthread_mutex_lock(&probes->mutex);
    for (const struct tally *tally = probes->tallies; tally; tally = tally->next) {
        kernels++;
        checked_kernels += tally->checked == tally->launches;
        launches += tally->launches;
        checked += tally->checked;
    }
    text_format(text,
                "probes: %" PRIu64 " of %" PRIu64 " kernel%s, %" PRIu64 " of %" PRIu64
                " launch%s checked",
                checked_kernels, kernels, kernels == 1 ? "" : "s", checked, launches,
                launches == 1 ? "" : "es");
    append_reasons(probes, text);
    for (size_t lack = 0; lack < LACKS; lack++) {
        if (probes->without_races[lack] > 0)
            text_format(text, "; %" PRIu64 " without %s", probes->without_races[lack], lacks[lack]);
    }
    pthread_mutex_unlock(&probes->mutex);
    append_losses(probes, text);
    return kernels > 0;
}
