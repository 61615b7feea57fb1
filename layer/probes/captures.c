#include "layer/probes/captures.h"

#include "layer/probes/capture.h"
#include "layer/probes/reading.h"
#include "layer/probes/running.h"
#include "layer/probes/watched.h"
#include "layer/targets.h"
#include "trace/base/alloc.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOTAL_BYTES_MAX (UINT64_C(1) << 30) /* of the memory of all launches that are kept */

static const char no_memory[] = "memory is out";

/* A kernel that reported something, and what there is of its launches. */
struct suspect {
    struct suspect *next;
    struct cache_key program;
    char *kernel;
    char *path;        /* of the file */
    bool is_counted;   /* what its memory holds */
    bool is_armed;     /* the next launch is to be kept */
    bool is_unwritten; /* of reads of what nobody had written, not of what else it reported */
    bool is_kept;      /* there is a launch in the file */
};

struct captures {
    char *directory; /* NULL = nothing is kept */
    struct capture_from from;
    pthread_mutex_t mutex;
    struct suspect *suspects;
    size_t suspect_count;
    atomic_size_t armed_count, pending_count;
    uint64_t bytes;
    struct capture *pending;
    struct watched *watched;
};

struct captures *captures_create(struct live *live, struct released *released)
{
    const char *directory = getenv(CAPTURED_DIRECTORY);
    struct captures *captures = alloc_zero(1, sizeof *captures);
    if (!captures)
        return NULL;
    pthread_mutex_init(&captures->mutex, NULL);
    if (!directory || !*directory)
        return captures;
    captures->from = (struct capture_from){.live = live, .released = released};
    captures->directory = alloc_string(directory);
    captures->watched = watched_create();
    if (captures->directory && captures->watched)
        return captures;
    captures_destroy(captures);
    return NULL;
}

bool captures_are_wanted(const struct captures *captures)
{
    return captures->directory != NULL;
}

void captures_destroy(struct captures *captures)
{
    if (!captures)
        return;
    while (captures->pending) {
        struct capture *capture = captures->pending;
        captures->pending = capture->next;
        capture_drop(capture, false);
    }
    watched_destroy(captures->watched);
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

/* NULL, or why there is none for what its memory holds. */
static const char *make_room(struct captures *captures, struct capture *capture)
{
    const uint64_t total = capture_bytes(capture);
    if (total > CAPTURED_BYTES_MAX)
        return "its memory objects have more than 256 MiB";
    pthread_mutex_lock(&captures->mutex);
    bool *is_counted = capture->suspect ? &capture->suspect->is_counted : &capture->is_counted;
    const bool is_new = !*is_counted;
    const bool is_much = is_new && captures->bytes + total > TOTAL_BYTES_MAX;
    captures->bytes += is_new && !is_much ? total : 0;
    *is_counted |= !is_much;
    pthread_mutex_unlock(&captures->mutex);
    if (is_much)
        return "the memory of other launches was kept, 1 GiB in all";
    return capture_make_room(capture) ? NULL : no_memory;
}

/* Without a suspect of a launch that is watched. NULL when memory is out. */
static struct capture *describe(struct captures *captures, struct suspect *suspect,
                                const struct reading_launch *launch, bool is_after)
{
    const char *kernel = suspect ? suspect->kernel : launch->kernel;
    struct capture *capture = capture_create(&captures->from, kernel, launch, is_after);
    if (!capture)
        return NULL;
    capture->suspect = suspect;
    const char *reason = capture->captured.reason[0] == '\0' ? make_room(captures, capture) : NULL;
    capture->captured.reason = reason ? reason : capture->captured.reason;
    return capture;
}

/* ---- files ---- */

/* Without what is not there. */
static void write_reason(const struct captured *captured, const char *reason, const char *path)
{
    const struct captured none = {
        .kernel = captured->kernel, .reason = reason, .function = captured->function};
    capture_write(&none, path);
}

static void write_capture(struct captures *captures, const struct capture *capture)
{
    const struct captured *captured = &capture->captured;
    struct suspect *suspect = capture->suspect;
    const char *reason = captured->reason;
    pthread_mutex_lock(&captures->mutex);
    if (reason[0] == '\0') {
        const char *failure = capture_write(captured, suspect->path);
        reason = failure ? failure : "";
        suspect->is_kept |= !failure;
    }
    if (reason[0] != '\0' && !suspect->is_kept)
        write_reason(captured, reason, suspect->path);
    pthread_mutex_unlock(&captures->mutex);
}

/* ---- kernels ---- */

/* Locked. */
static struct suspect *find_suspect(const struct captures *captures, struct cache_key program,
                                    const char *kernel, bool is_unwritten)
{
    struct suspect *suspect = captures->suspects;
    while (suspect &&
           (suspect->program.lo != program.lo || suspect->program.hi != program.hi ||
            suspect->is_unwritten != is_unwritten || strcmp(suspect->kernel, kernel) != 0))
        suspect = suspect->next;
    return suspect;
}

/* Locked. NULL if it is one already, there are too many, or memory is out. */
static struct suspect *add_suspect(struct captures *captures, struct cache_key program,
                                   const char *kernel, bool is_unwritten)
{
    if (captures->suspect_count == CAPTURED_LAUNCHES_MAX ||
        find_suspect(captures, program, kernel, is_unwritten))
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
    suspect->is_unwritten = is_unwritten;
    suspect->is_armed = !is_unwritten;
    captures->armed_count += !is_unwritten;
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

/* One that was watched has ended, and is dropped; the suspect gets it, if there is one. */
static void end_watched(struct captures *captures, struct capture *capture, struct suspect *suspect)
{
    const uint64_t bytes = capture_bytes(capture);
    running_end(capture->running, true);
    capture->captured.is_running = false;
    pthread_mutex_lock(&captures->mutex);
    if (suspect && suspect->is_armed) {
        suspect->is_armed = false;
        captures->armed_count--;
    }
    if (capture->is_counted && (!suspect || suspect->is_counted))
        captures->bytes -= bytes;
    else if (capture->is_counted)
        suspect->is_counted = true;
    pthread_mutex_unlock(&captures->mutex);
    const bool has_ended = capture_has_ended(capture);
    if (suspect && has_ended) {
        capture->suspect = suspect;
        write_capture(captures, capture);
    }
    capture_drop(capture, has_ended);
}

void captures_told(struct captures *captures, const struct copy *copy, cl_command_queue queue,
                   uint32_t number)
{
    struct capture *capture;
    while (captures->directory &&
           (capture = watched_take_silent(captures->watched, copy, queue, number)) != NULL)
        end_watched(captures, capture, NULL);
}

/* `written`: NULL = it is kept for something else. */
static void suspect_launch(struct captures *captures, const struct reading_launch *launch,
                           const struct copy_device *device, struct written *written, bool is_shown)
{
    if (!captures->directory)
        return;
    const struct cache_key key = launch->copy->key;
    pthread_mutex_lock(&captures->mutex);
    struct suspect *suspect = add_suspect(captures, key, launch->kernel, written != NULL);
    struct suspect *known =
        suspect ? suspect : find_suspect(captures, key, launch->kernel, written != NULL);
    pthread_mutex_unlock(&captures->mutex);
    struct capture *watched = written ? NULL : watched_take(captures->watched, launch->number);
    if (watched)
        end_watched(captures, watched, known);
    if (watched || !is_shown)
        return;
    struct capture *capture = suspect ? describe(captures, suspect, launch, true) : NULL;
    if (!capture)
        return;
    cl_command_queue queue =
        capture->captured.reason[0] == '\0' ? make_queue(launch->copy, device->device) : NULL;
    if (queue && written)
        capture_read_undefined(capture, written, launch->number);
    capture_read(capture, captures->from.live, queue);
    if (queue)
        LAYER_TARGET(clReleaseCommandQueue)(queue);
    write_capture(captures, capture);
    capture_drop(capture, true);
}

void captures_suspect(struct captures *captures, const struct reading_launch *launch,
                      const struct copy_device *device, bool is_shown)
{
    suspect_launch(captures, launch, device, NULL, is_shown);
}

void captures_suspect_unwritten(struct captures *captures, const struct reading_launch *launch,
                                const struct copy_device *device, struct written *written)
{
    suspect_launch(captures, launch, device, written, true);
}

bool captures_want_unwritten(struct captures *captures, const struct reading_launch *launch)
{
    if (!captures->directory)
        return false;
    const struct cache_key key = launch->copy->key;
    pthread_mutex_lock(&captures->mutex);
    const bool wanted = captures->suspect_count < CAPTURED_LAUNCHES_MAX &&
                        !find_suspect(captures, key, launch->kernel, true);
    pthread_mutex_unlock(&captures->mutex);
    return wanted;
}

/* ---- the next launch ---- */

/* The one that is armed, which then is no more. */
static struct suspect *take_armed(struct captures *captures, const struct reading_launch *launch)
{
    if (atomic_load_explicit(&captures->armed_count, memory_order_relaxed) == 0)
        return NULL;
    const struct cache_key key = launch->copy->key;
    pthread_mutex_lock(&captures->mutex);
    struct suspect *suspect = find_suspect(captures, key, launch->kernel, false);
    const bool is_armed = suspect && suspect->is_armed;
    if (is_armed) {
        suspect->is_armed = false;
        captures->armed_count--;
    }
    pthread_mutex_unlock(&captures->mutex);
    return is_armed ? suspect : NULL;
}

/* Its file is written while it runs. */
static void begin_running(struct captures *captures, struct capture *capture, uint32_t number)
{
    char *path =
        alloc_format("%s/running-%ld-%010" PRIu32, captures->directory, (long)getpid(), number);
    capture->captured.is_running = true;
    if (path)
        capture->running =
            running_begin(&capture->captured, capture->events, capture->event_count, path);
    alloc_free(path);
}

struct capture *captures_enqueue(struct captures *captures, const struct reading_launch *launch,
                                 uint32_t entry, uint64_t *words)
{
    struct suspect *suspect = take_armed(captures, launch);
    const bool is_wanted =
        suspect || (captures->directory && watched_wants(captures->watched, launch));
    struct capture *capture = is_wanted ? describe(captures, suspect, launch, false) : NULL;
    if (capture)
        capture_read_before(capture, launch, entry, words);
    if (capture && !suspect)
        begin_running(captures, capture, launch->number);
    return capture;
}

void captures_enqueued(struct captures *captures, struct capture *capture,
                       const struct reading_launch *launch, cl_command_queue queue, cl_event event)
{
    if (!capture)
        return;
    if (event && capture->running)
        running_launched(capture->running, event);
    if (!event) {
        running_end(capture->running, true);
        capture->running = NULL;
    }
    if (!event && capture->captured.reason[0] == '\0')
        capture->captured.reason = "the driver refused its next launch";
    if (!capture->suspect) {
        watched_keep(captures->watched, capture, launch, queue);
        return;
    }
    pthread_mutex_lock(&captures->mutex);
    capture->next = captures->pending;
    captures->pending = capture;
    captures->pending_count++;
    pthread_mutex_unlock(&captures->mutex);
}

void captures_collect(struct captures *captures)
{
    struct capture *ended = NULL;
    if (atomic_load_explicit(&captures->pending_count, memory_order_relaxed) == 0)
        return;
    pthread_mutex_lock(&captures->mutex);
    for (struct capture **at = &captures->pending; *at;) {
        struct capture *capture = *at;
        if (!capture_has_ended(capture)) {
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
        capture_drop(capture, true);
    }
}
