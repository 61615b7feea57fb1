#include "layer/probes/reading.h"

#include "checkers/probe/report.h"
#include "checkers/probe/suspicion.h"
#include "layer/probes/captures.h"
#include "layer/probes/given.h"
#include "layer/probes/repeated.h"
#include "layer/probes/written.h"
#include "layer/targets.h"
#include "trace/base/alloc.h"

#include <string.h>
#include <time.h>

enum {
    LAUNCHES = 4096,   /* the last ones, whose calls and sizes are known */
    READ_EVERY = 1024, /* launches on a queue that nobody waits for */
    USES_MAX = 16,     /* that are not read: each keeps a copy that may be no more in use */
    FINISH_MS = 5000,
};

/* A queue on which kernels of a copy were launched since its reports were last read. */
struct use {
    struct use *next;
    cl_command_queue queue;
    struct copy *copy;
    struct copy_device *device;
    uint32_t launches;
    bool in_order;
};

/* A read that comes after the commands of a queue. */
struct pending {
    struct pending *next;
    cl_event event;
    struct copy *copy;
    struct copy_device *device;
    uint32_t *words;        /* the whole buffer */
    cl_command_queue queue; /* to compare with */
    uint32_t last;          /* launch that it comes after, if that was on the queue */
};

struct reading {
    sink_function *report;
    void *user; /* of it */
    struct captures *captures;
    struct written *written;
    struct repeated *repeated;
    pthread_mutex_t mutex;
    struct use *uses; /* the last one first */
    size_t use_count;
    struct pending *pending;
    uint32_t last;     /* number of a launch */
    uint32_t done;     /* of one up to which all has been read of all */
    uint64_t unread;   /* buffers that the driver did not give out */
    uint64_t left_out; /* records for which there was no room */
    struct reading_launch launches[LAUNCHES];
};

struct reading *reading_create(sink_function *report, void *user, struct captures *captures,
                               struct written *written)
{
    struct reading *reading = alloc_zero(1, sizeof *reading);
    if (!reading || !(reading->repeated = repeated_create())) {
        alloc_free(reading);
        return NULL;
    }
    reading->report = report;
    reading->user = user;
    reading->captures = captures;
    reading->written = written;
    pthread_mutex_init(&reading->mutex, NULL);
    return reading;
}

static void drop_use(struct use *use)
{
    copy_drop(use->copy);
    alloc_free(use);
}

/* The driver may still write to the words of one that has not ended: they stay. */
static void drop_pending(struct pending *pending, bool has_ended)
{
    if (pending->event)
        LAYER_TARGET(clReleaseEvent)(pending->event);
    copy_drop(pending->copy);
    if (has_ended)
        alloc_free(pending->words);
    alloc_free(pending);
}

void reading_destroy(struct reading *reading)
{
    if (!reading)
        return;
    while (reading->uses) {
        struct use *use = reading->uses;
        reading->uses = use->next;
        drop_use(use);
    }
    while (reading->pending) {
        struct pending *pending = reading->pending;
        reading->pending = pending->next;
        drop_pending(pending, false);
    }
    for (size_t i = 0; i < LAUNCHES; i++)
        given_drop(reading->launches[i].given);
    repeated_destroy(reading->repeated);
    pthread_mutex_destroy(&reading->mutex);
    alloc_free(reading);
}

/* ---- records ---- */

uint32_t reading_number(struct reading *reading, struct reading_launch *launch)
{
    pthread_mutex_lock(&reading->mutex);
    if (++reading->last == 0)
        ++reading->last;
    const uint32_t number = launch->number = reading->last;
    struct reading_launch *place = &reading->launches[number % LAUNCHES];
    struct given *before = place->given;
    *place = *launch;
    given_hold(place->given);
    pthread_mutex_unlock(&reading->mutex);
    given_drop(before);
    return number;
}

/* Holds what it was given. */
static bool find_launch(struct reading *reading, uint32_t number, const struct copy *copy,
                        struct reading_launch *launch)
{
    pthread_mutex_lock(&reading->mutex);
    *launch = reading->launches[number % LAUNCHES];
    const bool found = number != 0 && reading->last - number < LAUNCHES && launch->copy == copy;
    if (found)
        given_hold(launch->given);
    pthread_mutex_unlock(&reading->mutex);
    return found;
}

/* The launch that a finding is of is kept. False: the finding is not to be told, as it is of what
 * nobody had written, and which bytes these were is not known any more. */
static bool keep_launch(struct reading *reading, const struct reading_launch *launch,
                        const struct copy_device *device, const uint32_t *words,
                        enum rule_index rule)
{
    if (!suspicion_is_unwritten_global(words)) {
        captures_suspect(reading->captures, launch, device, rule != RULE_RACE_UNCONFIRMED);
        return true;
    }
    if (captures_want_unwritten(reading->captures, launch) &&
        !written_knows(reading->written, launch->number))
        return false;
    captures_suspect_unwritten(reading->captures, launch, device, reading->written);
    return true;
}

static void tell_record(struct reading *reading, const struct copy *copy,
                        const struct copy_device *device, const uint32_t *words)
{
    struct reading_launch launched;
    const bool is_known = find_launch(reading, words[REPORT_WORD_LAUNCH], copy, &launched);
    struct arena arena = {0};
    struct finding finding;
    if (!is_known)
        launched = (struct reading_launch){.kernel = "(one of many)"};
    struct suspicion_launch launch = {
        .kernel = launched.kernel,
        .device = device->name,
        .facts = facts_find(copy->facts, launched.kernel),
        .checked = copy->checked,
        .call_id = launched.call_id,
        .dimensions = launched.dimensions,
    };
    memcpy(launch.offset, launched.offset, sizeof launch.offset);
    memcpy(launch.global, launched.global, sizeof launch.global);
    memcpy(launch.local, launched.local, sizeof launch.local);
    if (suspicion_finding(words, &launch, &arena, &finding) &&
        (is_known ? keep_launch(reading, &launched, device, words, finding.rule)
                  : !suspicion_is_unwritten_global(words)) &&
        repeated_is_new(reading->repeated, &finding))
        reading->report(reading->user, &finding);
    given_drop(launched.given);
    arena_release(&arena);
}

static void note_unread(struct reading *reading)
{
    pthread_mutex_lock(&reading->mutex);
    reading->unread++;
    pthread_mutex_unlock(&reading->mutex);
}

/* With the device's lock. */
static void note_left_out(struct reading *reading, struct copy_device *device, uint32_t wanted)
{
    const uint32_t more = wanted > REPORT_RECORD_MAX ? wanted - REPORT_RECORD_MAX : 0;
    pthread_mutex_lock(&reading->mutex);
    if (more > device->left_out) {
        reading->left_out += more - device->left_out;
        device->left_out = more;
    }
    pthread_mutex_unlock(&reading->mutex);
}

/* Those of the buffer, of which `words` is a copy, that are not told yet. */
static void tell_records(struct reading *reading, const struct copy *copy,
                         struct copy_device *device, const uint32_t *words)
{
    const uint32_t *records = words + copy_report_records(copy);
    pthread_mutex_lock(&device->reading);
    const uint32_t count =
        words[REPORT_COUNT] < REPORT_RECORD_MAX ? words[REPORT_COUNT] : REPORT_RECORD_MAX;
    for (; device->told < count; device->told++) {
        const uint32_t *record = records + (size_t)device->told * REPORT_RECORD_WORDS;
        if (record[REPORT_WORD_WHAT] == REPORT_NOTHING)
            break; /* it is being written */
        tell_record(reading, copy, device, record);
    }
    note_left_out(reading, device, words[REPORT_COUNT]);
    pthread_mutex_unlock(&device->reading);
}

/* ---- reading at once ---- */

static uint32_t last_launch(struct reading *reading)
{
    pthread_mutex_lock(&reading->mutex);
    const uint32_t last = reading->last;
    pthread_mutex_unlock(&reading->mutex);
    return last;
}

/* The queue's launches have ended, so the reads do not wait for them. */
static void read_now(struct reading *reading, const struct use *use)
{
    struct copy_device *device = use->device;
    const size_t size = copy_report_words(use->copy) * sizeof(uint32_t);
    const uint32_t last = last_launch(reading);
    uint32_t count = 0;
    if (LAYER_TARGET(clEnqueueReadBuffer)(use->queue, device->report, CL_TRUE, 0, sizeof count,
                                          &count, 0, NULL, NULL) != CL_SUCCESS) {
        note_unread(reading);
        return;
    }
    pthread_mutex_lock(&device->reading);
    const bool has_news = count > device->told && device->told < REPORT_RECORD_MAX;
    note_left_out(reading, device, count);
    pthread_mutex_unlock(&device->reading);
    if (!has_news) {
        captures_told(reading->captures, use->copy, use->queue, last);
        return;
    }
    uint32_t *words = alloc(size);
    if (words && LAYER_TARGET(clEnqueueReadBuffer)(use->queue, device->report, CL_TRUE, 0, size,
                                                   words, 0, NULL, NULL) == CL_SUCCESS) {
        tell_records(reading, use->copy, device, words);
        captures_told(reading->captures, use->copy, use->queue, last);
    } else
        note_unread(reading);
    alloc_free(words);
}

/* ---- reading later ---- */

static void read_later(struct reading *reading, const struct use *use)
{
    const size_t size = copy_report_words(use->copy) * sizeof(uint32_t);
    struct pending *pending = alloc_zero(1, sizeof *pending);
    uint32_t *words = pending ? alloc(size) : NULL;
    cl_event before = NULL;
    if (!words) {
        alloc_free(pending);
        note_unread(reading);
        return;
    }
    *pending = (struct pending){.copy = copy_hold(use->copy),
                                .device = use->device,
                                .words = words,
                                .queue = use->queue,
                                .last = last_launch(reading)};
    if (!use->in_order)
        LAYER_TARGET(clEnqueueMarker)(use->queue, &before);
    const cl_int status =
        LAYER_TARGET(clEnqueueReadBuffer)(use->queue, use->device->report, CL_FALSE, 0, size, words,
                                          before ? 1 : 0, before ? &before : NULL, &pending->event);
    if (before)
        LAYER_TARGET(clReleaseEvent)(before);
    if (status != CL_SUCCESS) {
        drop_pending(pending, true);
        note_unread(reading);
        return;
    }
    LAYER_TARGET(clFlush)(use->queue);
    pthread_mutex_lock(&reading->mutex);
    pending->next = reading->pending;
    reading->pending = pending;
    pthread_mutex_unlock(&reading->mutex);
}

/* What came of those that have ended; false: there are others. */
static bool take_pending(struct reading *reading)
{
    struct pending *ended = NULL;
    pthread_mutex_lock(&reading->mutex);
    for (struct pending **at = &reading->pending; *at;) {
        struct pending *pending = *at;
        cl_int status = CL_COMPLETE;
        LAYER_TARGET(clGetEventInfo)
        (pending->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
        if (status > CL_COMPLETE) {
            at = &pending->next;
            continue;
        }
        *at = pending->next;
        pending->next = ended;
        ended = pending;
        if (status < 0) {
            memset(pending->words, 0, sizeof *pending->words); /* it read nothing */
            reading->unread++;
        }
    }
    const bool all = reading->pending == NULL;
    pthread_mutex_unlock(&reading->mutex);
    while (ended) {
        struct pending *pending = ended;
        ended = pending->next;
        tell_records(reading, pending->copy, pending->device, pending->words);
        captures_told(reading->captures, pending->copy, pending->queue, pending->last);
        drop_pending(pending, true);
    }
    return all;
}

/* ---- when ---- */

/* Takes those of the queue, NULL = of all, out of the list. */
static struct use *take_uses(struct reading *reading, cl_command_queue queue, bool in_order_only)
{
    struct use *taken = NULL;
    pthread_mutex_lock(&reading->mutex);
    for (struct use **at = &reading->uses; *at;) {
        struct use *use = *at;
        if ((queue && use->queue != queue) || (in_order_only && !use->in_order)) {
            at = &use->next;
            continue;
        }
        *at = use->next;
        reading->use_count--;
        use->next = taken;
        taken = use;
    }
    pthread_mutex_unlock(&reading->mutex);
    return taken;
}

static bool is_in_order(cl_command_queue queue)
{
    cl_command_queue_properties properties = 0;
    return LAYER_TARGET(clGetCommandQueueInfo)(queue, CL_QUEUE_PROPERTIES, sizeof properties,
                                               &properties, NULL) != CL_SUCCESS ||
           (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
}

/* The queue to read behind, since there are too many uses, and it has the oldest one; NULL = none.
 * Locked. */
static cl_command_queue crowded_queue(const struct reading *reading)
{
    const struct use *oldest = reading->uses;
    while (oldest && oldest->next)
        oldest = oldest->next;
    return oldest && reading->use_count > USES_MAX ? oldest->queue : NULL;
}

void reading_launched(struct reading *reading, cl_command_queue queue, struct copy *copy,
                      struct copy_device *device)
{
    bool is_old = false;
    pthread_mutex_lock(&reading->mutex);
    struct use *use = reading->uses;
    while (use && (use->queue != queue || use->device != device))
        use = use->next;
    if (use)
        is_old = ++use->launches % READ_EVERY == 0;
    else if ((use = alloc_zero(1, sizeof *use)) != NULL) {
        *use = (struct use){.next = reading->uses,
                            .queue = queue,
                            .copy = copy_hold(copy),
                            .device = device,
                            .launches = 1,
                            .in_order = is_in_order(queue)};
        reading->uses = use;
        reading->use_count++;
    }
    cl_command_queue crowded = is_old ? queue : crowded_queue(reading);
    if (crowded) /* which another thread may release */
        LAYER_TARGET(clRetainCommandQueue)(crowded);
    const bool has_pending = reading->pending != NULL;
    pthread_mutex_unlock(&reading->mutex);
    if (crowded) {
        reading_leave(reading, crowded);
        LAYER_TARGET(clReleaseCommandQueue)(crowded);
    } else if (has_pending)
        take_pending(reading);
}

void reading_waited(struct reading *reading, cl_command_queue queue, bool whole)
{
    struct use *uses = take_uses(reading, queue, !whole);
    while (uses) {
        struct use *use = uses;
        uses = use->next;
        read_now(reading, use);
        drop_use(use);
    }
    take_pending(reading);
}

void reading_leave(struct reading *reading, cl_command_queue queue)
{
    struct use *uses = take_uses(reading, queue, false);
    while (uses) {
        struct use *use = uses;
        uses = use->next;
        read_later(reading, use);
        drop_use(use);
    }
    take_pending(reading);
}

static bool is_given(const struct given *given, cl_mem memory)
{
    for (size_t i = 0; given && i < given->count; i++)
        if (given->arguments[i].kind == GIVEN_MEMORY && given->arguments[i].memory == memory)
            return true;
    return false;
}

bool reading_uses(struct reading *reading, cl_mem memory)
{
    bool uses = false;
    pthread_mutex_lock(&reading->mutex);
    const uint32_t new = reading->last - reading->done;
    for (uint32_t i = 0; !uses && i < new &&i < LAUNCHES; i++)
        uses = is_given(reading->launches[(reading->last - i) % LAUNCHES].given, memory);
    pthread_mutex_unlock(&reading->mutex);
    return uses;
}

bool reading_is_idle(struct reading *reading)
{
    pthread_mutex_lock(&reading->mutex);
    const bool is_idle = !reading->uses && !reading->pending;
    if (is_idle)
        reading->done = reading->last;
    pthread_mutex_unlock(&reading->mutex);
    return is_idle;
}

bool reading_finish(struct reading *reading)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    reading_leave(reading, NULL);
    bool all = take_pending(reading);
    for (int ms = 0; !all && ms < FINISH_MS; ms++) {
        nanosleep(&moment, NULL);
        all = take_pending(reading);
    }
    repeated_tell(reading->repeated, reading->report, reading->user);
    return all;
}

void reading_losses(struct reading *reading, uint64_t *unread, uint64_t *left_out)
{
    pthread_mutex_lock(&reading->mutex);
    *unread = reading->unread;
    *left_out = reading->left_out;
    pthread_mutex_unlock(&reading->mutex);
}
