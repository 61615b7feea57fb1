#include "layer/profile.h"

#include "layer/driver/driver_ask.h"
#include "layer/range.h"
#include "layer/targets.h"
#include "trace/api/entry.h"
#include "trace/base/alloc.h"
#include "trace/spool.h"

#include <CL/cl_ext.h>
#include <pthread.h>
#include <string.h>

enum {
    WAITING_MAX = 1 << 16, /* commands that have not ended, whose events are kept */
    LOOKS_ENQUEUED = 1,    /* so many that have not ended end a search for others: */
    LOOKS_WAITED = 64,
    EACH_WIDELY = 256, /* commands; queues are not equally fast */
};

/* A command whose times are still to be taken. */
struct waiting {
    struct waiting *next;
    uint64_t call_id;
    cl_event event;   /* has a reference of ours */
    bool is_programs; /* who has others */
};

/* A queue that profiles though the program did not ask for it. A row stays until another queue has
 * the handle, since events outlive their queue. */
struct silent_queue {
    uint64_t queue;                  /* 0 = the row is free */
    cl_queue_properties *properties; /* as the program gave them; NULL = none */
    uint64_t count;                  /* of these numbers */
};

struct profile {
    struct spool *spool;
    struct range *range;
    struct sink_profiling counting;
    pthread_mutex_t mutex; /* guards what follows */
    struct waiting *first, **last;
    uint64_t count, excess, late;
    struct silent_queue *queues;
    size_t queue_count, queue_capacity;
    bool refused;
};

static void record_line(void *user, const struct api_line *line, const char *file)
{
    const struct profile *profile = user;
    spool_line(profile->spool, line, file);
}

const struct sink_profiling *profile_counting(struct profile *profile)
{
    return &profile->counting;
}

struct profile *profile_create(struct spool *spool, struct range *range)
{
    struct profile *profile = alloc_zero(1, sizeof *profile);
    if (!profile)
        return NULL;
    profile->spool = spool;
    profile->range = range;
    profile->counting = (struct sink_profiling){record_line, profile};
    profile->last = &profile->first;
    pthread_mutex_init(&profile->mutex, NULL);
    return profile;
}

static void free_waiting(struct waiting *list, bool release)
{
    while (list) {
        struct waiting *next = list->next;
        if (release)
            LAYER_TARGET(clReleaseEvent)(list->event);
        alloc_free(list);
        list = next;
    }
}

void profile_destroy(struct profile *profile)
{
    if (!profile)
        return;
    free_waiting(profile->first, false);
    for (size_t i = 0; i < profile->queue_count; i++)
        alloc_free(profile->queues[i].properties);
    alloc_free(profile->queues);
    pthread_mutex_destroy(&profile->mutex);
    alloc_free(profile);
}

/* ---- commands that have ended ---- */

static bool ask_time(cl_event event, cl_profiling_info name, uint64_t *time)
{
    return driver_ask(API_ENTRY_clGetEventProfilingInfo, (uint64_t)event, name, time, sizeof *time,
                      NULL);
}

static void record_times(const struct profile *profile, const struct waiting *ended)
{
    struct api_command_times times = {.call_id = ended->call_id};
    if (!ask_time(ended->event, CL_PROFILING_COMMAND_QUEUED, &times.queued_ns) ||
        !ask_time(ended->event, CL_PROFILING_COMMAND_SUBMIT, &times.submit_ns) ||
        !ask_time(ended->event, CL_PROFILING_COMMAND_START, &times.start_ns) ||
        !ask_time(ended->event, CL_PROFILING_COMMAND_END, &times.end_ns))
        return;
    if (!ask_time(ended->event, CL_PROFILING_COMMAND_COMPLETE, &times.complete_ns))
        times.complete_ns = 0; /* before OpenCL 2.0 */
    spool_times(profile->spool, &times);
}

/* Has it ended, and how? A command that failed has no times. */
static cl_int status_of(cl_event event)
{
    cl_int status = CL_QUEUED;
    driver_ask(API_ENTRY_clGetEventInfo, (uint64_t)event, CL_EVENT_COMMAND_EXECUTION_STATUS,
               &status, sizeof status, NULL);
    return status;
}

static struct waiting *take_out(struct profile *profile, struct waiting **at)
{
    struct waiting *taken = *at;
    *at = taken->next;
    if (!*at)
        profile->last = at;
    taken->next = NULL;
    profile->count--;
    return taken;
}

/* Takes out those that have ended, the oldest first, until it has seen so many that have not. */
static struct waiting *take_ended(struct profile *profile, uint64_t looks)
{
    struct waiting *ended = NULL;
    struct waiting **end = &ended;
    pthread_mutex_lock(&profile->mutex);
    for (struct waiting **at = &profile->first; *at && looks > 0;) {
        if (status_of((*at)->event) > CL_COMPLETE) {
            at = &(*at)->next;
            looks--;
            continue;
        }
        *end = take_out(profile, at);
        end = &(*end)->next;
    }
    pthread_mutex_unlock(&profile->mutex);
    return ended;
}

/* The recording was over before they were. */
static void note_late(struct profile *profile, const struct waiting *ended)
{
    pthread_mutex_lock(&profile->mutex);
    for (; ended; ended = ended->next)
        profile->late++;
    pthread_mutex_unlock(&profile->mutex);
}

/* The driver may call the program when it is given the last reference: not with the mutex. */
static void collect(struct profile *profile, uint64_t looks)
{
    struct waiting *ended = take_ended(profile, looks);
    for (const struct waiting *one = ended; one; one = one->next)
        if (status_of(one->event) == CL_COMPLETE)
            record_times(profile, one);
    if (ended && range_is_outside(profile->range))
        note_late(profile, ended);
    free_waiting(ended, true);
}

static void wait_for(struct profile *profile, uint64_t call_id, cl_event event, bool is_programs)
{
    struct waiting *added = alloc(sizeof *added);
    struct waiting *dropped = NULL;
    if (!added) {
        LAYER_TARGET(clReleaseEvent)(event);
        return;
    }
    *added = (struct waiting){.call_id = call_id, .event = event, .is_programs = is_programs};
    pthread_mutex_lock(&profile->mutex);
    *profile->last = added;
    profile->last = &added->next;
    profile->count++;
    if (profile->count > WAITING_MAX) {
        dropped = take_out(profile, &profile->first);
        profile->excess++;
    }
    pthread_mutex_unlock(&profile->mutex);
    free_waiting(dropped, true);
}

void profile_finish(struct profile *profile)
{
    collect(profile, UINT64_MAX);
}

struct profile_gaps profile_gaps(struct profile *profile)
{
    pthread_mutex_lock(&profile->mutex);
    const struct profile_gaps gaps = {profile->count + profile->late, profile->excess,
                                      profile->refused};
    pthread_mutex_unlock(&profile->mutex);
    return gaps;
}

/* ---- queues that profile unasked ---- */

/* With the mutex. NULL = it is none. */
static struct silent_queue *find_silent(struct profile *profile, uint64_t queue)
{
    for (size_t i = 0; i < profile->queue_count; i++)
        if (queue != 0 && profile->queues[i].queue == queue)
            return &profile->queues[i];
    return NULL;
}

static bool is_silent(struct profile *profile, uint64_t queue)
{
    pthread_mutex_lock(&profile->mutex);
    const bool found = find_silent(profile, queue) != NULL;
    pthread_mutex_unlock(&profile->mutex);
    return found;
}

static bool event_is_silent(struct profile *profile, uint64_t event)
{
    cl_command_queue queue = NULL;
    return driver_ask(API_ENTRY_clGetEventInfo, event, CL_EVENT_COMMAND_QUEUE, &queue, sizeof queue,
                      NULL) &&
           is_silent(profile, (uint64_t)queue);
}

static void forget_queue(struct profile *profile, uint64_t queue)
{
    pthread_mutex_lock(&profile->mutex);
    struct silent_queue *row = find_silent(profile, queue);
    if (row) {
        alloc_free(row->properties);
        *row = profile->queues[--profile->queue_count];
    }
    pthread_mutex_unlock(&profile->mutex);
}

/* Without memory for it the program sees that the queue profiles. */
static void add_queue(struct profile *profile, uint64_t queue, const struct api_value *properties)
{
    struct silent_queue row = {.queue = queue};
    if (properties->kind == API_VALUE_PROPERTIES) {
        row.properties = alloc(properties->count * sizeof *row.properties);
        row.count = row.properties ? properties->count : 0;
        if (row.properties)
            memcpy(row.properties, properties->data, row.count * sizeof *row.properties);
    }
    pthread_mutex_lock(&profile->mutex);
    struct silent_queue *grown =
        alloc_grow(profile->queues, profile->queue_count, &profile->queue_capacity, sizeof *grown);
    if (grown) {
        profile->queues = grown;
        grown[profile->queue_count++] = row;
    }
    pthread_mutex_unlock(&profile->mutex);
    if (!grown)
        alloc_free(row.properties);
}

static void note_refusal(struct profile *profile)
{
    pthread_mutex_lock(&profile->mutex);
    profile->refused = true;
    pthread_mutex_unlock(&profile->mutex);
}

/* ---- before a call ---- */

static bool creates_queue(uint32_t entry)
{
    return entry == API_ENTRY_clCreateCommandQueue ||
           entry == API_ENTRY_clCreateCommandQueueWithProperties ||
           entry == API_ENTRY_clCreateCommandQueueWithPropertiesKHR;
}

/* The parameters of all three. */
enum { QUEUE_DEVICE = API_clCreateCommandQueue_device };
enum { QUEUE_PROPERTIES = API_clCreateCommandQueue_properties };
_Static_assert((int)QUEUE_PROPERTIES == API_clCreateCommandQueueWithProperties_properties,
               "the same place");

/* cl_khr_command_buffer: a queue with another property takes no command-buffers. */
static bool keeps_command_buffers(uint64_t device)
{
    cl_command_queue_properties supported = 0;
    return !driver_ask(API_ENTRY_clGetDeviceInfo, device,
                       CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR, &supported,
                       sizeof supported, NULL) ||
           (supported & CL_QUEUE_PROFILING_ENABLE) != 0;
}

/* The flags in the list, which has `count` numbers with its end; NULL = there are none. */
static cl_queue_properties *find_flags(cl_queue_properties *list, uint64_t count)
{
    for (uint64_t i = 0; i + 2 < count; i += 2)
        if (list[i] == CL_QUEUE_PROPERTIES)
            return &list[i + 1];
    return NULL;
}

/* The list with profiling; NULL = it has it, is not for the host, or is wrong. */
static const cl_queue_properties *add_profiling(const struct api_value *given, struct arena *arena)
{
    const bool is_list = given->kind == API_VALUE_PROPERTIES;
    const uint64_t count = is_list ? given->count : 1;
    cl_queue_properties *list = arena_alloc(arena, count + 2, sizeof *list);
    if (!list || (!is_list && given->bits != 0))
        return NULL;
    list[0] = CL_QUEUE_PROPERTIES;
    list[1] = CL_QUEUE_PROFILING_ENABLE;
    list[2] = 0;
    if (is_list)
        memcpy(list + 2, given->data, count * sizeof *list);
    cl_queue_properties *flags = find_flags(list + 2, count);
    if (!flags)
        return list;
    if (*flags & (CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_ON_DEVICE))
        return NULL;
    *flags |= CL_QUEUE_PROFILING_ENABLE;
    return list + 2;
}

static void give(struct profile_change *change, uint64_t *word, uint64_t value)
{
    change->word = word;
    change->given = *word;
    *word = value;
}

static void change_queue(struct profile *profile, const struct api_call *call, uint64_t *words,
                         struct arena *arena, struct profile_change *made)
{
    uint64_t *word = &words[QUEUE_PROPERTIES];
    const bool is_flags = call->entry == API_ENTRY_clCreateCommandQueue;
    const cl_queue_properties *list =
        is_flags ? NULL : add_profiling(&call->arguments[QUEUE_PROPERTIES], arena);
    const bool asks = is_flags ? (*word & CL_QUEUE_PROFILING_ENABLE) != 0 : !list;
    if (asks)
        return;
    if (!keeps_command_buffers(words[QUEUE_DEVICE]))
        note_refusal(profile);
    else
        give(made, word, is_flags ? *word | CL_QUEUE_PROFILING_ENABLE : (uint64_t)list);
}

/* The place of the event of a command that is recorded, or NULL. OpenCL API 1.1, 5.8:
 * clEnqueueMarker fails without one. */
static uint64_t *event_of(const struct profile *profile, const struct api_call *call,
                          uint64_t *words)
{
    const uint32_t out = api_entry_find_role(api_entry_get(call->entry), API_ROLE_OUT_EVENT);
    return out == API_PARAMETER_NONE || (call->entry == API_ENTRY_clEnqueueMarker && !words[out]) ||
                   range_is_outside(profile->range)
               ? NULL
               : &words[out];
}

void profile_before(struct profile *profile, const struct api_call *call, uint64_t *words,
                    struct arena *arena, struct profile_change *made)
{
    uint64_t *event = event_of(profile, call, words);
    *made = (struct profile_change){0};
    if (creates_queue(call->entry))
        change_queue(profile, call, words, arena, made);
    else if (call->entry == API_ENTRY_clReleaseCommandQueue ||
             call->entry == API_ENTRY_clReleaseContext)
        collect(profile, UINT64_MAX);
    else if (event && *event == 0)
        give(made, event, (uint64_t)&made->event);
}

bool profile_was_refused(const struct api_call *call, uint64_t result,
                         struct profile_change *change)
{
    if (!creates_queue(call->entry) || result != 0 || !change->word)
        return false;
    *change->word = change->given;
    return true;
}

/* ---- what the program is told ---- */

/* OpenCL API 3.0, 5.1: what clCreateCommandQueueWithProperties was given, or nothing. */
static bool answer_properties(struct profile *profile, const uint64_t *words, uint64_t *result)
{
    const uint64_t queue = words[API_clGetCommandQueueInfo_command_queue];
    void *value = (void *)words[API_clGetCommandQueueInfo_param_value];
    size_t *actual = (size_t *)words[API_clGetCommandQueueInfo_param_value_size_ret];
    size_t size;
    if (!driver_ask(API_ENTRY_clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES_ARRAY, NULL, 0,
                    &size))
        return false; /* before OpenCL 3.0 */
    pthread_mutex_lock(&profile->mutex);
    const struct silent_queue *row = find_silent(profile, queue);
    if (row) {
        size = row->count * sizeof *row->properties;
        const bool fits = !value || size <= words[API_clGetCommandQueueInfo_param_value_size];
        *result = (uint64_t)(int64_t)(fits ? CL_SUCCESS : CL_INVALID_VALUE);
        if (fits && value && size > 0)
            memcpy(value, row->properties, size);
        if (fits && actual)
            *actual = size;
    }
    pthread_mutex_unlock(&profile->mutex);
    return row != NULL;
}

bool profile_answers(struct profile *profile, const struct api_call *call, const uint64_t *words,
                     uint64_t *result)
{
    if (call->entry == API_ENTRY_clGetCommandQueueInfo &&
        words[API_clGetCommandQueueInfo_param_name] == CL_QUEUE_PROPERTIES_ARRAY)
        return answer_properties(profile, words, result);
    if (call->entry != API_ENTRY_clGetEventProfilingInfo ||
        !event_is_silent(profile, words[API_clGetEventProfilingInfo_event]))
        return false;
    *result = (uint64_t)(int64_t)CL_PROFILING_INFO_NOT_AVAILABLE;
    return true;
}

/* The flags that the driver gave, without those that clerk asked for. */
static void hide_flag(struct profile *profile, uint64_t queue, uint64_t place)
{
    cl_command_queue_properties flags;
    if (place == 0 || !is_silent(profile, queue))
        return;
    memcpy(&flags, (const void *)place, sizeof flags);
    flags &= ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE;
    memcpy((void *)place, &flags, sizeof flags);
}

/* References without those of ours. */
static void hide_reference(struct profile *profile, uint64_t event, uint64_t place)
{
    cl_uint count;
    bool found = false;
    if (place == 0)
        return;
    pthread_mutex_lock(&profile->mutex);
    for (const struct waiting *one = profile->first; one && !found; one = one->next)
        found = one->is_programs && (uint64_t)one->event == event;
    pthread_mutex_unlock(&profile->mutex);
    memcpy(&count, (const void *)place, sizeof count);
    count -= found;
    memcpy((void *)place, &count, sizeof count);
}

/* OpenCL API 1.0, 5.1: profiling may be asked for afterwards. */
static void note_setting(struct profile *profile, const uint64_t *words)
{
    const uint64_t queue = words[API_clSetCommandQueueProperty_command_queue];
    hide_flag(profile, queue, words[API_clSetCommandQueueProperty_old_properties]);
    if (words[API_clSetCommandQueueProperty_properties] & CL_QUEUE_PROFILING_ENABLE)
        forget_queue(profile, queue);
}

static void correct_answer(struct profile *profile, const struct api_call *call,
                           const uint64_t *words)
{
    if (call->entry == API_ENTRY_clGetCommandQueueInfo &&
        words[API_clGetCommandQueueInfo_param_name] == CL_QUEUE_PROPERTIES)
        hide_flag(profile, words[0], words[API_clGetCommandQueueInfo_param_value]);
    else if (call->entry == API_ENTRY_clGetEventInfo &&
             words[API_clGetEventInfo_param_name] == CL_EVENT_REFERENCE_COUNT)
        hide_reference(profile, words[0], words[API_clGetEventInfo_param_value]);
    else if (call->entry == API_ENTRY_clSetCommandQueueProperty)
        note_setting(profile, words);
    else if (call->entry == API_ENTRY_clFinish || call->entry == API_ENTRY_clWaitForEvents)
        collect(profile, LOOKS_WAITED);
}

/* ---- after a call ---- */

static void note_queue(struct profile *profile, const struct api_call *call, uint64_t queue,
                       const struct profile_change *change, bool again)
{
    forget_queue(profile, queue);
    if (again)
        note_refusal(profile);
    else if (change->word)
        add_queue(profile, queue, &call->arguments[QUEUE_PROPERTIES]);
}

static void note_command(struct profile *profile, const struct api_call *call, cl_event event,
                         bool is_programs)
{
    if (is_programs)
        LAYER_TARGET(clRetainEvent)(event);
    wait_for(profile, call->id, event, is_programs);
    collect(profile,
            api_call_blocks(call) || call->id % EACH_WIDELY == 0 ? LOOKS_WAITED : LOOKS_ENQUEUED);
}

void profile_after(struct profile *profile, const struct api_call *call, uint64_t *words,
                   uint64_t result, const struct profile_change *change, bool again)
{
    const bool has_status = api_entry_get(call->entry)->return_role == API_ROLE_STATUS;
    const bool succeeded = has_status ? (cl_int)result == CL_SUCCESS : result != 0;
    cl_event event = change->event;
    if (change->word)
        *change->word = change->given;
    if (!succeeded)
        return;
    const uint64_t *place = event_of(profile, call, words);
    const bool is_programs = place && *place != 0;
    if (is_programs)
        memcpy(&event, (const void *)*place, sizeof event);
    if (creates_queue(call->entry))
        note_queue(profile, call, result, change, again);
    else if (event)
        note_command(profile, call, event, is_programs);
    else
        correct_answer(profile, call, words);
}
