#include "layer/probes/captures.h"

#include "checkers/probe/captured.h"
#include "layer/driver/driver_ask.h"
#include "layer/live.h"
#include "layer/probes/contents.h"
#include "layer/probes/given.h"
#include "layer/probes/reading.h"
#include "layer/targets.h"
#include "trace/api/cache.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define TOTAL_BYTES_MAX (UINT64_C(1) << 30) /* of the memory of all launches that are kept */

static const char no_memory[] = "memory is out";

/* A kernel that reported something, and what there is of its launches. */
struct suspect {
    struct suspect *next;
    struct cache_key program;
    char *kernel;
    char *path;      /* of the file */
    bool is_counted; /* what its memory holds */
    bool is_armed;   /* the next launch is to be kept */
    bool is_kept;    /* there is a launch in the file */
};

/* A launch that is being kept. */
struct capture {
    struct capture *next;
    struct suspect *suspect;
    struct captured captured; /* the memory's bytes are freed with this */
    cl_mem *memory;           /* of captured.memory, held; NULL of shared virtual memory */
    size_t room;              /* for memory */
    cl_event *events;         /* of reads that have been enqueued */
    size_t event_count;
};

struct captures {
    char *directory; /* NULL = nothing is kept */
    struct live *live;
    pthread_mutex_t mutex;
    struct suspect *suspects;
    size_t suspect_count;
    atomic_size_t armed_count, pending_count;
    uint64_t bytes;
    struct capture *pending;
};

struct captures *captures_create(struct live *live)
{
    const char *directory = getenv(CAPTURED_DIRECTORY);
    struct captures *captures = alloc_zero(1, sizeof *captures);
    if (!captures)
        return NULL;
    pthread_mutex_init(&captures->mutex, NULL);
    if (!directory || !*directory)
        return captures;
    captures->live = live;
    captures->directory = alloc_string(directory);
    if (captures->directory)
        return captures;
    captures_destroy(captures);
    return NULL;
}

/* The driver may still write to what reads that have not ended lead to: it stays. */
static void drop_capture(struct capture *capture, bool has_ended)
{
    struct captured *captured = &capture->captured;
    for (size_t i = 0; i < capture->event_count; i++)
        LAYER_TARGET(clReleaseEvent)(capture->events[i]);
    for (size_t i = 0; has_ended && i < captured->memory_count; i++)
        alloc_free(captured->memory[i].bytes);
    captured_release(captured);
    alloc_free(capture);
}

void captures_destroy(struct captures *captures)
{
    if (!captures)
        return;
    while (captures->pending) {
        struct capture *capture = captures->pending;
        captures->pending = capture->next;
        drop_capture(capture, false);
    }
    while (captures->suspects) {
        struct suspect *suspect = captures->suspects;
        captures->suspects = suspect->next;
        alloc_free(suspect->kernel);
        alloc_free(suspect->path);
        alloc_free(suspect);
    }
    pthread_mutex_destroy(&captures->mutex);
    alloc_free(captures->directory);
    alloc_free(captures);
}

/* ---- what is kept of a launch ---- */

/* Other threads may release it: held, or NULL when it is not alive. */
static cl_mem hold_memory(struct captures *captures, cl_mem memory)
{
    live_lock(captures->live);
    const struct live_object *object = live_find(captures->live, (uint64_t)memory);
    const bool is_held = object && object->kind == API_OBJECT_MEM &&
                         LAYER_TARGET(clRetainMemObject)(memory) == CL_SUCCESS;
    live_unlock(captures->live);
    return is_held ? memory : NULL;
}

static void let_go(struct capture *capture)
{
    for (size_t i = 0; i < capture->captured.memory_count; i++)
        if (capture->memory[i])
            LAYER_TARGET(clReleaseMemObject)(capture->memory[i]);
    capture->memory = NULL;
}

/* A held memory object, of which one reference passes to the capture; NULL, or why it cannot be
 * kept. */
static const char *add_memory(struct capture *capture, cl_mem memory)
{
    struct captured *captured = &capture->captured;
    capture->memory[captured->memory_count] = memory;
    return contents_describe(memory, &captured->memory[captured->memory_count++]);
}

static const char *find_memory(struct captures *captures, struct capture *capture, cl_mem memory,
                               uint32_t *index)
{
    struct captured *captured = &capture->captured;
    for (*index = 0; *index < captured->memory_count; ++*index)
        if (capture->memory[*index] == memory)
            return NULL;
    cl_mem held = hold_memory(captures, memory);
    return held ? add_memory(capture, held)
                : "a memory object of it was released before clerk had read it";
}

static const char *add_argument(struct captures *captures, struct capture *capture,
                                const struct given_argument *given,
                                struct captured_argument *argument)
{
    const void *bytes = given->bytes ? given->bytes : given->small;
    argument->size = given->size;
    switch (given->kind) {
    case GIVEN_VALUE:
        argument->kind = CAPTURED_VALUE;
        argument->bytes = arena_copy(&capture->captured.arena, bytes, given->size);
        return argument->bytes ? NULL : no_memory;
    case GIVEN_LOCAL:
        argument->kind = CAPTURED_LOCAL;
        return NULL;
    case GIVEN_MEMORY:
        argument->kind = CAPTURED_MEMORY;
        return find_memory(captures, capture, given->memory, &argument->index);
    case GIVEN_SHARED:
        argument->kind = CAPTURED_SHARED;
        return contents_find_shared(captures->live, given->address, &capture->captured,
                                    capture->room, argument);
    case GIVEN_SAMPLER:
        argument->kind = CAPTURED_SAMPLER;
        argument->bytes = arena_copy(&capture->captured.arena, bytes, given->size);
        return argument->bytes ? NULL : no_memory;
    case GIVEN_NULL:
        argument->kind = CAPTURED_NULL;
        return NULL;
    case GIVEN_OTHER:
        return given->reason;
    default:
        return "an argument of it was not set";
    }
}

/* Which bytes of which buffer a memory object has. An image has no more than some of a buffer that
 * it is made from: it counts as all of it. */
static cl_mem bytes_of(cl_mem memory, const struct captured_memory *described, uint64_t *begin,
                       uint64_t *end)
{
    const bool is_buffer = described->type == CL_MEM_OBJECT_BUFFER;
    *begin = 0;
    for (;;) {
        cl_mem parent = NULL;
        size_t offset = 0;
        LAYER_TARGET(clGetMemObjectInfo)
        (memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL);
        LAYER_TARGET(clGetMemObjectInfo)(memory, CL_MEM_OFFSET, sizeof offset, &offset, NULL);
        if (!parent)
            break;
        *begin += offset;
        memory = parent;
    }
    *begin = is_buffer ? *begin : 0;
    *end = is_buffer ? *begin + described->size : UINT64_MAX;
    return memory;
}

/* Each memory object is kept by itself: a sub-buffer without what it is made from, which may be
 * large. That cannot be where two have bytes in common. */
static bool have_common_bytes(const struct capture *capture)
{
    const struct captured *captured = &capture->captured;
    for (size_t i = 0; i < captured->memory_count; i++) {
        uint64_t begin, end, other_begin, other_end;
        if (!capture->memory[i])
            continue;
        cl_mem whole = bytes_of(capture->memory[i], &captured->memory[i], &begin, &end);
        for (size_t k = 0; k < i; k++)
            if (capture->memory[k] &&
                bytes_of(capture->memory[k], &captured->memory[k], &other_begin, &other_end) ==
                    whole &&
                begin < other_end && other_begin < end)
                return true;
    }
    return false;
}

/* Does the kernel use pointers that are not made from its arguments? */
static bool has_pointers(const struct reading_launch *launch)
{
    const struct checked_kernel *checked = checked_find(launch->copy->checked, launch->kernel);
    for (size_t i = 0; checked && i < checked->parameter_count; i++)
        if (checked->parameters[i].hidden == CHECKED_HIDDEN_SHARED)
            return true;
    return false;
}

static bool make_lists(struct capture *capture, size_t count, size_t shared)
{
    struct captured *captured = &capture->captured;
    capture->room = count + shared + 1;
    captured->arguments = arena_alloc(&captured->arena, count + 1, sizeof *captured->arguments);
    captured->memory = arena_alloc(&captured->arena, capture->room, sizeof *captured->memory);
    capture->memory = arena_alloc(&captured->arena, capture->room, sizeof(cl_mem));
    capture->events = arena_alloc(&captured->arena, capture->room, sizeof(cl_event));
    return captured->arguments && captured->memory && capture->memory && capture->events;
}

static const char *add_arguments(struct captures *captures, struct capture *capture,
                                 const struct reading_launch *launch)
{
    struct captured *captured = &capture->captured;
    const struct given *given = launch->given;
    const char *reason = NULL;
    if (!given || !make_lists(capture, given->count, contents_shared_count(captures->live)))
        return no_memory;
    captured->argument_count = given->count;
    for (size_t i = 0; !reason && i < given->count; i++)
        reason = add_argument(captures, capture, &given->arguments[i], &captured->arguments[i]);
    if (!reason && has_pointers(launch))
        reason = contents_keep_all_shared(captures->live, captured, capture->room);
    if (!reason && have_common_bytes(capture))
        reason = "two memory objects among its arguments have bytes in common";
    return reason;
}

static const char *make_room(struct captures *captures, struct capture *capture)
{
    struct captured *captured = &capture->captured;
    uint64_t total = 0;
    for (size_t i = 0; i < captured->memory_count; i++) {
        total += captured->memory[i].size;
        if (total > CAPTURED_BYTES_MAX)
            return "its memory objects have more than 256 MiB";
    }
    pthread_mutex_lock(&captures->mutex);
    const bool is_new = !capture->suspect->is_counted;
    const bool is_much = is_new && captures->bytes + total > TOTAL_BYTES_MAX;
    captures->bytes += is_new && !is_much ? total : 0;
    capture->suspect->is_counted |= !is_much;
    pthread_mutex_unlock(&captures->mutex);
    if (is_much)
        return "the memory of other launches was kept, 1 GiB in all";
    for (size_t i = 0; i < captured->memory_count; i++)
        if (!(captured->memory[i].bytes = alloc(captured->memory[i].size)))
            return no_memory;
    return NULL;
}

/* NULL when memory is out. */
static struct capture *describe(struct captures *captures, struct suspect *suspect,
                                const struct reading_launch *launch, bool is_after)
{
    struct capture *capture = alloc_zero(1, sizeof *capture);
    if (!capture)
        return NULL;
    size_t size;
    const void *program = held_facts_request(launch->copy->held, &size);
    struct captured *captured = &capture->captured;
    capture->suspect = suspect;
    *captured = (struct captured){.kernel = suspect->kernel,
                                  .function = launch->function,
                                  .call_id = launch->call_id,
                                  .is_after = is_after,
                                  .dimensions = launch->dimensions,
                                  .program_size = size};
    captured->program = arena_copy(&captured->arena, program, size);
    memcpy(captured->offset, launch->offset, sizeof captured->offset);
    memcpy(captured->global, launch->global, sizeof captured->global);
    memcpy(captured->local, launch->local, sizeof captured->local);
    const char *reason = captured->program ? NULL : no_memory;
    if (!reason)
        reason = add_arguments(captures, capture, launch);
    if (!reason)
        reason = make_room(captures, capture);
    captured->reason = reason ? reason : "";
    return capture;
}

/* ---- files ---- */

/* A file that grows beyond what the program may write would end it, by a signal. */
static bool may_write(size_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           size <= limit.rlim_cur;
}

/* Without what is not there. */
static void write_reason(const struct captured *captured, const char *reason, const char *path)
{
    const struct captured none = {
        .kernel = captured->kernel, .reason = reason, .function = captured->function};
    struct text text = TEXT_INIT;
    captured_pack(&none, &text);
    if (!text.failed && may_write(text.size))
        file_write_private(path, text.bytes, text.size, NULL);
    text_release(&text);
}

static void write_capture(struct captures *captures, const struct capture *capture)
{
    const struct captured *captured = &capture->captured;
    struct suspect *suspect = capture->suspect;
    const char *reason = captured->reason;
    struct text text = TEXT_INIT;
    pthread_mutex_lock(&captures->mutex);
    if (reason[0] == '\0') {
        captured_pack(captured, &text);
        if (text.failed)
            reason = no_memory;
        else if (!may_write(text.size))
            reason = "the program may not write files of that size";
        else if (file_write_private(suspect->path, text.bytes, text.size, NULL))
            reason = "the file for it could not be written";
        else
            suspect->is_kept = true;
    }
    text_release(&text);
    if (reason[0] != '\0' && !suspect->is_kept)
        write_reason(captured, reason, suspect->path);
    pthread_mutex_unlock(&captures->mutex);
}

/* ---- kernels ---- */

static struct cache_key key_of(const struct copy *copy)
{
    size_t size;
    const void *request = held_facts_request(copy->held, &size);
    return cache_digest(request, size);
}

/* Locked. */
static struct suspect *find_suspect(const struct captures *captures, struct cache_key program,
                                    const char *kernel)
{
    struct suspect *suspect = captures->suspects;
    while (suspect && (suspect->program.lo != program.lo || suspect->program.hi != program.hi ||
                       strcmp(suspect->kernel, kernel) != 0))
        suspect = suspect->next;
    return suspect;
}

/* Locked. NULL if it is one already, there are too many, or memory is out. */
static struct suspect *add_suspect(struct captures *captures, struct cache_key program,
                                   const char *kernel)
{
    if (captures->suspect_count == CAPTURED_LAUNCHES_MAX || find_suspect(captures, program, kernel))
        return NULL;
    struct suspect *suspect = alloc_zero(1, sizeof *suspect);
    if (!suspect)
        return NULL;
    suspect->program = program;
    suspect->kernel = alloc_string(kernel);
    suspect->path = alloc_format("%s/launch-%ld-%zu", captures->directory, (long)getpid(),
                                 captures->suspect_count);
    if (!suspect->kernel || !suspect->path) {
        alloc_free(suspect->kernel);
        alloc_free(suspect->path);
        alloc_free(suspect);
        return NULL;
    }
    captures->suspect_count++;
    suspect->next = captures->suspects;
    captures->suspects = suspect;
    suspect->is_armed = true;
    captures->armed_count++;
    return suspect;
}

/* ---- a launch that has ended ---- */

/* A queue of its own: what others hold may wait for what the program does next. */
static cl_command_queue make_queue(const struct copy *copy, cl_device_id device)
{
    cl_context context = NULL;
    cl_int status;
    if (LAYER_TARGET(clGetProgramInfo)(copy->program, CL_PROGRAM_CONTEXT, sizeof context, &context,
                                       NULL) != CL_SUCCESS)
        return NULL;
    return LAYER_TARGET(clCreateCommandQueue)
               ? LAYER_TARGET(clCreateCommandQueue)(context, device, 0, &status)
               : NULL;
}

static const char *read_at_once(const struct captures *captures, struct capture *capture,
                                cl_command_queue queue)
{
    struct captured *captured = &capture->captured;
    const char *reason = queue ? NULL : "the driver makes no command-queue";
    for (size_t i = 0; !reason && i < captured->memory_count; i++) {
        const struct captured_memory *memory = &captured->memory[i];
        if (memory->type == CAPTURED_SHARED_MEMORY)
            reason = contents_read_shared(captures->live, queue, memory);
        else if (contents_read(queue, capture->memory[i], memory, CL_TRUE, 0, NULL, NULL) !=
                 CL_SUCCESS)
            reason = "the host may not read a memory object of it";
    }
    return reason;
}

void captures_suspect(struct captures *captures, const struct reading_launch *launch,
                      const struct copy_device *device)
{
    if (!captures->directory)
        return;
    const struct cache_key key = key_of(launch->copy);
    pthread_mutex_lock(&captures->mutex);
    struct suspect *suspect = add_suspect(captures, key, launch->kernel);
    pthread_mutex_unlock(&captures->mutex);
    struct capture *capture = suspect ? describe(captures, suspect, launch, true) : NULL;
    if (!capture)
        return;
    if (capture->captured.reason[0] == '\0') {
        cl_command_queue queue = make_queue(launch->copy, device->device);
        const char *reason = read_at_once(captures, capture, queue);
        capture->captured.reason = reason ? reason : "";
        if (queue)
            LAYER_TARGET(clReleaseCommandQueue)(queue);
    }
    let_go(capture);
    write_capture(captures, capture);
    drop_capture(capture, true);
}

/* ---- the next launch ---- */

/* The one that is armed, which then is no more. */
static struct suspect *take_armed(struct captures *captures, const struct reading_launch *launch)
{
    if (atomic_load_explicit(&captures->armed_count, memory_order_relaxed) == 0)
        return NULL;
    const struct cache_key key = key_of(launch->copy);
    pthread_mutex_lock(&captures->mutex);
    struct suspect *suspect = find_suspect(captures, key, launch->kernel);
    const bool is_armed = suspect && suspect->is_armed;
    if (is_armed) {
        suspect->is_armed = false;
        captures->armed_count--;
    }
    pthread_mutex_unlock(&captures->mutex);
    return is_armed ? suspect : NULL;
}

/* Reads that wait for what the launch waits for. */
static const char *enqueue_reads(struct capture *capture, cl_command_queue queue, cl_uint count,
                                 const cl_event *list)
{
    struct captured *captured = &capture->captured;
    for (size_t i = 0; i < captured->memory_count; i++) {
        if (contents_read(queue, capture->memory[i], &captured->memory[i], CL_FALSE, count, list,
                          &capture->events[capture->event_count]) != CL_SUCCESS)
            return "the host may not read a memory object of it";
        capture->event_count++;
    }
    return NULL;
}

/* The launch waits for them too, as in a queue that is not in order nothing else sees to it. */
static bool wait_for_reads(struct capture *capture, cl_uint before, uint64_t *count,
                           uint64_t *events)
{
    const cl_event *list = (const cl_event *)*events;
    const size_t all = before + capture->event_count;
    cl_event *both = arena_alloc(&capture->captured.arena, all + 1, sizeof(cl_event));
    if (!both)
        return false;
    for (size_t i = 0; i < all; i++)
        both[i] = i < before ? list[i] : capture->events[i - before];
    *count = all;
    *events = all > 0 ? (uint64_t)both : 0;
    return true;
}

struct capture *captures_enqueue(struct captures *captures, const struct reading_launch *launch,
                                 uint32_t entry, uint64_t *words)
{
    const struct api_entry_info *info = api_entry_get(entry);
    const uint32_t count = api_entry_find_parameter(info, "num_events_in_wait_list");
    const uint32_t list = api_entry_find_parameter(info, "event_wait_list");
    struct suspect *suspect = take_armed(captures, launch);
    struct capture *capture = suspect ? describe(captures, suspect, launch, false) : NULL;
    if (!capture)
        return NULL;
    if (capture->captured.reason[0] == '\0' && !contents_are_arguments(&capture->captured))
        capture->captured.reason =
            "it may reach shared virtual memory that is not one of its arguments";
    if (capture->captured.reason[0] == '\0') {
        const cl_uint before = (cl_uint)words[count];
        const char *reason = enqueue_reads(capture, (cl_command_queue)words[0], before,
                                           (const cl_event *)words[list]);
        if (!wait_for_reads(capture, before, &words[count], &words[list]))
            reason = no_memory;
        capture->captured.reason = reason ? reason : "";
    }
    let_go(capture);
    return capture;
}

void captures_enqueued(struct captures *captures, struct capture *capture, bool launched)
{
    if (!capture)
        return;
    if (!launched && capture->captured.reason[0] == '\0')
        capture->captured.reason = "the driver refused its next launch";
    pthread_mutex_lock(&captures->mutex);
    capture->next = captures->pending;
    captures->pending = capture;
    captures->pending_count++;
    pthread_mutex_unlock(&captures->mutex);
}

/* Have the reads ended? One that failed is the capture's reason. */
static bool has_ended(struct capture *capture)
{
    for (size_t i = 0; i < capture->event_count; i++) {
        cl_int status = CL_COMPLETE;
        LAYER_TARGET(clGetEventInfo)
        (capture->events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
        if (status > CL_COMPLETE)
            return false;
        if (status < 0)
            capture->captured.reason = "reading its memory failed";
    }
    return true;
}

void captures_collect(struct captures *captures)
{
    struct capture *ended = NULL;
    if (atomic_load_explicit(&captures->pending_count, memory_order_relaxed) == 0)
        return;
    pthread_mutex_lock(&captures->mutex);
    for (struct capture **at = &captures->pending; *at;) {
        struct capture *capture = *at;
        if (!has_ended(capture)) {
            at = &capture->next;
            continue;
        }
        *at = capture->next;
        capture->next = ended;
        ended = capture;
        captures->pending_count--;
    }
    pthread_mutex_unlock(&captures->mutex);
    while (ended) {
        struct capture *capture = ended;
        ended = capture->next;
        write_capture(captures, capture);
        drop_capture(capture, true);
    }
}
