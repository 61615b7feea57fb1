/* Performing a recorded run again, on any device, and comparing what it reads back.
 *
 * Every call of the recording is performed through the OpenCL loader in the order in which the
 * calls began, on one thread. Handles, mapped pointers and host memory of the recording are
 * replaced by replay's own; bytes that the application gave come from the trace's contents. What
 * the application read back is compared, byte by byte, with what the target gives. Calls that only
 * ask (clGet...) are not performed, except that where the recording saw a command complete, replay
 * waits for it. Where calls of several threads overlapped, a call that blocks is performed without
 * blocking and waited for where the recorded call returned, so that replay cannot stop where the
 * run did not.
 *
 * What a callback did is in the recording as calls like any other; the callbacks themselves are not
 * registered. Where one ran, the command whose end it told is waited for: what came after may rely
 * on it.
 *
 * Where the trace has what launches found and left in memory (contents `all`), what they leave is
 * compared too, and each launch can be performed alone: only the calls that make objects and set
 * arguments are performed then, and before the launch its memory is made what it found. */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "replay/compare.h"
#include "replay/object.h"
#include "trace/api/entry.h"
#include "trace/base/status.h"
#include "trace/base/text.h"
#include "trace/reader.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- target.c ---- */

/* The device that a run is replayed on, reached through the OpenCL loader like any program reaches
 * it: OCL_ICD_VENDORS and its kind are set by the caller before the target is opened. */

struct replay_target {
    void *library;
    cl_platform_id platform;
    cl_device_id device;
    char *platform_name, *device_name;
    bool has_images, has_pipes;
    cl_device_svm_capabilities svm;
    api_function *functions[API_ENTRY_COUNT]; /* NULL where the loader lacks it */
};

/* Opens the first device of a platform, both counted from 0. STATUS_NOT_FOUND says what is missing:
 * the loader, the platform or a device. Destroy with replay_target_close. */
enum status replay_target_open(uint32_t platform_index, struct replay_target **target,
                               struct error *error);
/* The first device of the driver in this file, without a loader; it has no names and properties. */
enum status replay_target_open_driver(const char *path, struct replay_target **target,
                                      struct error *error);
/* NULL is fine. The loader stays loaded: drivers rarely survive being unloaded. */
void replay_target_close(struct replay_target *target);
/* An extension function of the target's platform; NULL when it has none of that name. */
api_function *replay_target_extension(const struct replay_target *target, const char *name);

/* CL(target, clFinish)(queue): the target's entry point with its own type. It is there: target_open
 * asks for every function that is called this way. */
#define CL(target, name) ((__typeof__(name) *)(target)->functions[API_ENTRY_##name])

/* One read-back, or one object after a launch, whose bytes differ. Pointers are valid during the
 * call that hands it over. */
struct replay_difference {
    const struct api_call *call; /* the recorded call that read them, or the launch */
    bool is_launch;
    const char *object;       /* "buffer#3" */
    const char *type;         /* of the kernel argument it was passed as, "uint*"; "" = unknown */
    uint64_t offset;          /* of the first differing element, in bytes in the object */
    bool offset_is_in_object; /* false: `offset` counts in the host memory of the call */
    uint64_t size;            /* bytes compared */
    struct replay_bytes_difference bytes; /* value_size 0: only digests were recorded */
};

/* A launch whose memory was compared. */
struct replay_launch {
    const struct api_call *call;
    uint32_t objects, differing_objects;
    uint64_t bytes, differing_bytes; /* of differing objects of which only digests were recorded,
                                        the pieces that differ */
    bool is_close;                   /* not equal, but the tolerance covers it */
};

/* One call that succeeded where the recorded one failed, or the reverse. */
struct replay_status_difference {
    const struct api_call *call;
    int32_t recorded, replayed;
};

struct store;

/* What a memory object, or shared virtual memory, holds after the last call that is performed. */
struct replay_left {
    uint64_t object; /* its handle in the recording, or its address */
    uint64_t size;
    const void *bytes; /* valid during the call that hands it over */
};

struct replay_options {
    /* Let each kernel run before the next call, so that what the device reports while it runs
     * belongs to the launch named by `launch`. */
    bool settle_launches;
    /* Each of the recording's threads is one (replay/threads.c). Launches are not waited for, and
     * what they leave is not compared. */
    bool free_threads;
    struct replay_tolerance tolerance; /* of bytes whose type is known */
    /* The driver of the reference device, which is asked for types that neither target nor
     * recording tell; NULL = none. */
    const char *compiler;
    /* The launches to perform alone, by their calls in ascending order (replay_select); NULL = the
     * whole run. */
    const uint64_t *launches;
    size_t launch_count;
    /* Reference outputs: a trace of contents alone. What is read back, and left by launches, is
     * compared with them instead of the recording; NULL = none. */
    struct trace *golden;
    /* Where to put what the target gives, as such contents; NULL = nowhere. */
    struct store *keep;
    bool keep_launches; /* also what launches leave, of which the recording has nothing */
    uint64_t last;      /* the call that is performed last; 0 = all are performed */
    void *user;
    /* Each may be NULL. Called on the thread of replay_run; with free_threads, on one after
     * another.
     */
    void (*difference)(void *user, const struct replay_difference *difference);
    void (*status_difference)(void *user, const struct replay_status_difference *difference);
    void (*launch_compared)(void *user, const struct replay_launch *launch);
    /* Before a call that enqueues a kernel is performed, on the same thread, the call; NULL when
     * what runs from then on cannot be told apart any more (a launch that waits for a user event).
     */
    void (*launch)(void *user, const struct api_call *call);
    /* Before any call that enqueues or records a command, on the thread that performs it. */
    void (*command)(void *user, const struct api_call *call);
    /* Then: the kernel could reach memory that the recorded program may have changed meanwhile,
     * or what commands made of such. */
    void (*launch_beside_host)(void *user, const struct api_call *call);
    /* At the end of a whole run, of each memory object that is alive then; a failure ends the
     * replay. */
    enum status (*left)(void *user, const struct replay_left *left, struct error *error);
    /* With settle_launches, when it has been waited for; a failure ends the replay. */
    enum status (*launch_settled)(void *user, const struct api_call *call, struct error *error);
};

struct replay_result {
#define COUNT(name) uint64_t name;
#include "replay/result.def"
#undef COUNT
    uint64_t ulp; /* the farthest apart that floating-point values are, close or not */
    double relative;
};

/* Which launches: all conditions hold. */
struct replay_selection {
    uint64_t first, last;        /* calls; last 0 = no limit */
    const char *kernel;          /* its name; NULL = any */
    uint32_t shard, shard_count; /* every shard_count-th, from the shard-th (from 1) on; 0 = all */
};

/* The calls of those launches of the trace that have contents, in *launches, which lives in the
 * arena; *without_contents is the number of those that have none. STATUS_NOT_FOUND says why there
 * is none at all. A shard may be empty. */
enum status replay_select(struct trace *trace, const struct replay_selection *selection,
                          struct arena *arena, const uint64_t **launches, size_t *count,
                          uint64_t *without_contents, struct error *error);

/* What the recording needs and the target, or replay, does not have: one line each, in `list`, with
 * how often and where first. Empty when the recording can be replayed. */
enum status replay_missing(struct trace *trace, const struct replay_target *target,
                           struct text *list, struct error *error);

/* Performs the recording. One that begins later than its program did has the calls that made what
 * is alive there, and what memory held. STATUS_OK: performed to its end, whatever it gave.
 * Otherwise a call that succeeded in the recording cannot be performed, and the sentence names it
 * and says why; *result then holds what was done so far. */
enum status replay_run(struct trace *trace, const struct replay_target *target,
                       const struct replay_options *options, struct replay_result *result,
                       struct error *error);

/* ---- recorded.c ---- */

/* What the device was like that a run was recorded on, as it answered the program and the layer. */

struct trace;

/* Appends the traits (trace/api/personality.h) that make the reference device one on which the run
 * can be performed, beside those asked for: "opencl-3.0,max-work-group=4096"; nothing where the
 * usual device will do, or the trace does not say. Of several recorded devices the newest version
 * and the largest sizes count. What was asked for stays as it is. */
enum status replay_recorded_traits(struct trace *trace, const char *asked, struct text *traits,
                                   struct error *error);

#endif
