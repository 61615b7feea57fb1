/* What replay_run carries from call to call. Private to replay/. */
#ifndef REPLAY_STATE_H
#define REPLAY_STATE_H

#include "replay/replay.h"
#include "replay/rows.h"
#include "trace/base/scratch.h"

#include <pthread.h>
#include <string.h>

/* A region that the recording mapped: what stands for the address it was given. */
struct replay_map {
    uint64_t address;
    void *pointer;
    cl_map_flags flags;
    struct replay_rows rows;
};

/* An allocation of shared virtual memory. */
struct replay_shared {
    uint64_t address, size; /* in the recording */
    unsigned char *pointer; /* here */
    uint64_t context;       /* ours, that it is freed in */
    uint32_t allocator;     /* the entry point that gave it */
    bool is_of_host;        /* the host uses it when it likes: fine-grained, unified */
    unsigned char *before;  /* of such: what it held when the host last wrote or saw it; or NULL */
    char type[REPLAY_TYPE_SIZE]; /* as of struct replay_object */
    bool is_freed;
    bool is_touched; /* something but maps was given it */
    struct replay_marks marks;
};

/* A transfer between host memory and an object that was enqueued and not seen to complete yet. */
struct replay_transfer {
    cl_event event;    /* ours */
    void *memory;      /* ours, freed when the transfer is over; NULL = what is not */
    const void *bytes; /* what to compare: `memory`, or mapped or shared memory; NULL for a write */
    uint64_t size;
    uint32_t argument;    /* the parameter that recorded bytes are of */
    struct api_call call; /* copied; its lists live in `arena` */
    struct arena arena;
    struct replay_map map;  /* of a map; else its address is 0 */
    uint64_t object_handle; /* the recording's handle of the memory object */
};

/* What a launch found in a memory object here. */
struct replay_found {
    uint64_t object; /* the recording's handle */
    unsigned char *bytes;
    uint64_t size;
};

/* A wait that is performed later than its call. */
struct replay_wait {
    uint64_t end_ns;
    uint64_t call_id; /* then the program sees what the recording has of this call; 0 = none */
    cl_event event;   /* wait for this, ours; or NULL: */
    cl_command_queue queue; /* finish this, ours */
    uint64_t held_by;       /* the user event, of the recording, that holds it back; or 0 */
};

/* A context, queue or program of the target's that replay holds a reference to until the end:
 * kernels, events and commands keep these alive, so that the recording may name them after their
 * last release. */
struct replay_kept {
    enum api_object_kind kind;
    uint64_t handle;
    uint64_t held_by; /* of a queue: the user event that holds what is enqueued to it; or 0 */
};

struct replay_threads;
struct replay_compiler;

/* Where a recording begins, memory becomes what it held before what was mapped is mapped again: a
 * command must not use memory that is mapped for writing. */
enum replay_stage {
    REPLAY_ALL,
    REPLAY_WITHOUT_MAPS,
    REPLAY_MAPS,
};

struct replay {
    struct replay_threads *threads; /* NULL = there is one thread */
    pthread_mutex_t *lock; /* of theirs, which guards all this; NULL = there is one thread */
    struct trace *trace;
    const struct replay_target *target;
    const struct replay_options *options;
    struct replay_result *result;
    struct replay_objects *objects;
    struct replay_map *maps;
    size_t map_count, map_capacity;
    struct replay_shared *shared; /* also what was freed since */
    size_t shared_count, shared_capacity;
    bool shared_moved;      /* one lies elsewhere than in the recording */
    bool shared_is_of_host; /* the host uses one when it likes */
    struct replay_transfer *transfers;
    size_t transfer_count, transfer_capacity;
    struct replay_wait *waits;
    size_t wait_count, wait_capacity;
    struct replay_kept *kept;
    size_t kept_count, kept_capacity;
    struct replay_found *found; /* of the launch at hand */
    size_t found_count;
    struct arena found_memory;
    struct arena host_memory;          /* of CL_MEM_USE_HOST_PTR: lives until the end */
    struct replay_compiler **compiler; /* made when it is needed: replay/types.h */
    uint64_t open_user_events;
    struct scratch headers; /* the directory of what programs include */
    enum replay_stage stage;
    bool
        launches_are_mixed; /* a launch had to be left waiting: no later finding is surely of one */
};

/* One call being rebuilt. */
struct replay_prepared {
    const struct api_call *call;
    const struct api_entry_info *info;
    struct arena *arena; /* of this call: everything but `memory` */
    uint32_t entry;      /* what is performed: call->entry, mostly */
    uint64_t words[API_ARGUMENT_MAX];
    void *memory;           /* host memory of a transfer, for alloc_free; NULL = none */
    void *shared;           /* shared memory that the transfer writes; NULL = none */
    uint64_t memory_size;   /* of either */
    uint32_t read_argument; /* the parameter whose memory the call writes; API_PARAMETER_NONE */
    cl_event *event;        /* where the command's event goes; NULL when the entry gives none */
    bool event_is_ours;     /* the recorded call asked for none */
    cl_int *status;         /* errcode_ret; NULL when the entry has none */
    uint64_t object_handle; /* the recording's handle of the memory object that is transferred; 0 */
};

/* Of a list of handles, sizes or addresses. */
static inline uint64_t replay_element(const struct api_value *list, uint32_t index)
{
    uint64_t element;
    memcpy(&element, (const uint64_t *)list->data + index, sizeof element);
    return element;
}

/* The first element behind a pointer that the recorded call wrote through; 0 where there is none.
 */
static inline uint64_t replay_output(const struct api_call *call, uint32_t index)
{
    const struct api_value *value = index == API_PARAMETER_NONE ? NULL : &call->arguments[index];
    return value && value->count && value->data ? replay_element(value, 0) : 0;
}

/* Around what may wait in the driver; for others to go on. */
static inline void replay_leave(struct replay *replay)
{
    if (replay->lock)
        pthread_mutex_unlock(replay->lock);
}
static inline void replay_enter(struct replay *replay)
{
    if (replay->lock)
        pthread_mutex_lock(replay->lock);
}

/* replay/threads.c: the call, with its arguments made, is about to be given to the driver, where it
 * waits for the user event `held_by` if that is not 0. STATUS_UNSUPPORTED if no other thread can
 * set it. */
enum status replay_begins(struct replay *replay, const struct api_call *call, uint64_t held_by,
                          struct error *error);
/* The user event was set. */
void replay_threads_held_end(const struct replay *replay, uint64_t user_event);

/* replay/replay.c: one call of the recording, whatever is to be done about it. `overlapped`: others
 * began before it returned. */
enum status replay_call(struct replay *replay, const struct api_call *call, bool overlapped,
                        struct arena *arena, struct error *error);
/* What waits for a user event ends. */
void replay_fail_user_events(struct replay *replay);

/* replay/telling.c */
/* An error that starts with the call: "call 12, clBuildProgram". */
enum status replay_fail(const struct api_call *call, enum status status, struct error *error,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));
/* What the program read is not what was recorded: counted and told, unless it
 * is close. */
void replay_read_differs(struct replay *replay, const struct replay_difference *difference);
/* What two stretches of bytes, one after the other, show together. */
void replay_join_difference(struct replay_bytes_difference *all,
                            const struct replay_bytes_difference *piece, uint64_t piece_offset);

/* replay/judge.c: did the recorded call return? */
bool replay_is_completed(const struct api_call *call);
/* The cl_int that the recorded call gave, through its result or errcode_ret; CL_SUCCESS for entry
 * points that give none. */
int32_t replay_recorded_status(const struct api_call *call, const struct api_entry_info *info);
/* "CL_SUCCESS", or the number, in the buffer. */
const char *replay_status_name(int32_t status, char buffer[16]);
/* Is it a call that waits and does nothing else? */
bool replay_is_waiting(const struct api_call *call);
/* Judges what the call gave here, by its `result`, against what it gave in the recording.
 * STATUS_OK: go on; *succeeded says whether the target did it. */
enum status replay_judge_status(struct replay *replay, const struct replay_prepared *prepared,
                                uint64_t result, bool *succeeded, struct error *error);

/* replay/call_arguments.c: rebuilds the arguments by their roles. STATUS_NOT_FOUND when the call
 * names an object that does not stand for anything. */
enum status replay_prepare(struct replay *replay, const struct api_call *call, struct arena *arena,
                           struct replay_prepared *prepared, struct error *error);

struct replay_argument {
    cl_kernel kernel;         /* the target's */
    uint64_t recorded_kernel; /* the recording's handle of it; 0 = not known */
    uint64_t call_id;         /* at which it is that handle's */
    cl_uint index;
    void *value; /* of the recording, then of the target; or NULL */
    uint64_t size;
};
/* replay/call_arguments.c: the value of a kernel's argument, in place. *reached is the old handle
 * of the memory object that it is, or 0. */
enum status replay_argument_here(const struct replay *replay, const struct api_call *call,
                                 const struct replay_argument *argument, uint64_t *reached,
                                 struct error *error);

/* replay/call_arguments.c: what stands here for an element of a list. */
typedef enum status replay_list_item(const struct replay *replay, struct replay_prepared *prepared,
                                     const struct api_parameter *parameter, uint64_t element,
                                     uint64_t *here, struct error *error);
/* The list of what `item` makes of each element; NULL: the elements as they are. */
enum status replay_list(const struct replay *replay, struct replay_prepared *prepared,
                        const struct api_parameter *parameter, const struct api_value *value,
                        replay_list_item *item, uint64_t *word, struct error *error);

/* replay/recording.c: command-buffers. An element of sync_point_wait_list, and the word of configs.
 */
replay_list_item replay_sync_point_here;
enum status replay_configs(struct replay *replay, struct replay_prepared *prepared,
                           const struct api_value *value, uint64_t *word, struct error *error);
/* What a successful call leaves: sync points, commands that can be changed. */
enum status replay_recording_note(struct replay *replay, const struct replay_prepared *prepared,
                                  struct error *error);
/* The queue, ours, that a call enqueues to. */
cl_command_queue replay_queue_of(const struct replay *replay,
                                 const struct replay_prepared *prepared);

/* replay/transfer.c: read-backs and what is under way. */
/* Takes over the event and memory of a performed transfer; `map`: what it mapped, or NULL. */
enum status replay_transfer_add(struct replay *replay, struct replay_prepared *prepared,
                                const struct replay_map *map, struct error *error);
/* Compares and drops the transfers that have completed. */
enum status replay_transfers_settle(struct replay *replay, struct error *error);
/* Makes sure that the map of this recorded address is over, and compared, before the region is
 * written or unmapped. */
enum status replay_map_settle(struct replay *replay, uint64_t address, struct error *error);
void replay_transfers_release(struct replay *replay);

/* replay/held.c: the user event, by the recording's handle, that holds back the command of this
 * recorded event, or what the call enqueues or waits for; 0 = none is known. */
uint64_t replay_event_held_by(const struct replay *replay, uint64_t old_event);
uint64_t replay_held_by(const struct replay *replay, const struct replay_prepared *prepared);
/* The call succeeded, and was held by that; its event in the recording, or 0. */
void replay_held_note(const struct replay *replay, const struct replay_prepared *prepared,
                      uint64_t held_by, uint64_t old_event);
/* The user event was set. */
void replay_held_end(const struct replay *replay, uint64_t user_event);
/* The error that a wait which was put off has no end. */
enum status replay_held_for_ever(uint64_t call_id, struct error *error);

/* replay/waits.c: waits for the event, ours, while others go on. */
void replay_await(struct replay *replay, cl_event event);
/* Waits for what every queue has. */
void replay_finish_queues(const struct replay *replay);
/* Waits that are performed later than their calls. */
enum status replay_wait_add(struct replay *replay, const struct replay_wait *wait,
                            struct error *error);
/* clFinish and clWaitForEvents that other calls overlapped: waited for at that time. */
enum status replay_wait_defer(struct replay *replay, const struct replay_prepared *prepared,
                              uint64_t end_ns, struct error *error);
/* Waits for what the recording had waited for by this time, but for what a user event holds. */
enum status replay_waits_end(struct replay *replay, uint64_t time_ns, struct error *error);
/* For all but what the recording never saw the end of. STATUS_UNSUPPORTED if one is held still. */
enum status replay_waits_end_all(struct replay *replay, struct error *error);
/* What comes after a callback may rely on what it told: the event, which a user event may hold, is
 * waited for where the callback ran that the call registered. */
enum status replay_callback_await(struct replay *replay, const struct api_call *call,
                                  cl_event event, uint64_t held_by, struct error *error);
/* A call that only registers a callback. */
enum status replay_callback_note(struct replay *replay, const struct api_call *call,
                                 struct error *error);

/* replay/launch.c: launches whose memory the trace has. */
bool replay_is_launch(const struct api_call *call);
/* Does it run kernels: a launch, or what was recorded into a command-buffer? */
bool replay_runs_kernels(const struct api_call *call);
/* Is the launch to be performed alone? */
bool replay_runs_alone(const struct replay *replay, const struct api_call *call);
/* Does a call matter to launches that run alone: does it make objects, or say what they are? */
bool replay_prepares_launches(const struct api_call *call);
/* Before a launch whose memory the trace has: finishes every queue, as recording did. Of one that
 * runs alone the memory becomes what the recorded launch found; of others it is kept, so that what
 * they leave alone is not compared. */
enum status replay_launch_prepare(struct replay *replay, const struct replay_prepared *prepared,
                                  struct error *error);
/* Compares what the launch, which is over, left. */
enum status replay_launch_compare(struct replay *replay, const struct replay_prepared *prepared,
                                  struct error *error);

/* replay/launch.c: what stands for a memory object of the recording, or for its shared virtual
 * memory; `call` is named where there is none. */
struct memory_object;
enum status replay_memory_find(const struct replay *replay, const struct api_call *call,
                               uint64_t handle, struct memory_object *found, struct error *error);
/* Makes of its bytes what the trace says that this call found there. */
enum status replay_memory_give(const struct replay *replay, const struct api_call *call,
                               cl_command_queue queue, uint64_t handle, struct arena *arena,
                               struct error *error);
/* All bytes of the object as they are here, with the recording's addresses, in the arena. */
enum status replay_memory_read(const struct replay *replay, const struct api_call *call,
                               cl_command_queue queue, const struct memory_object *object,
                               struct arena *arena, unsigned char **bytes, struct error *error);

/* replay/beginning.c: memory becomes what it was where the recording begins. */
enum status replay_begin(const struct replay *replay, uint64_t begins_after, struct error *error);
/* Hands over what memory holds after the last call that is performed. */
enum status replay_leave_memory(const struct replay *replay, struct error *error);

/* replay/headers.c: where the trace has files that the call's program includes, they are made
 * again, and *word becomes the options that lead to them. */
enum status replay_headers(struct replay *replay, struct replay_prepared *prepared,
                           const struct api_value *options, uint64_t *word, struct error *error);

/* replay/native_kernel.c: what is performed in the place of a native kernel: a barrier with what it
 * waits for, and no event; */
struct api_call replay_native_begin(const struct api_call *call);
/* what it did to its memory objects; */
enum status replay_native_write(struct replay *replay, const struct api_call *call,
                                struct error *error);
/* and a barrier with its event. */
struct api_call replay_native_end(const struct api_call *call);

/* replay/keep.c: the trace whose bytes the target's are compared with. */
struct trace *replay_reference(const struct replay *replay);
/* Puts the target's bytes into the store of reference outputs, if there is one. */
enum status replay_keep(const struct replay *replay, uint64_t call_id,
                        const struct api_content *content, struct error *error);

/* replay/shared.c: the allocation that the recording's address lies in, if it was not freed; NULL =
 * none. */
struct replay_shared *replay_shared_find(const struct replay *replay, uint64_t address);
/* What the address, which lies in the allocation, is here. */
void *replay_shared_here(const struct replay_shared *shared, uint64_t address);
/* Does the call give shared memory? */
bool replay_allocates(uint32_t entry);
/* Such a call gave `result`. */
enum status replay_shared_add(struct replay *replay, const struct replay_prepared *prepared,
                              uint64_t result, struct error *error);
/* The recording freed what lies at the address. */
void replay_shared_freed(const struct replay *replay, uint64_t address);
void replay_shared_release(struct replay *replay);
/* Bytes of the recording that lay at this address of its memory: the pointers to shared memory in
 * them become those of the target; and back. */
void replay_shared_point_here(const struct replay *replay, void *bytes, uint64_t size,
                              uint64_t address);
void replay_shared_point_back(const struct replay *replay, void *bytes, uint64_t size,
                              uint64_t address);

/* replay/host_memory.c: notes what the command can reach together; */
void replay_host_shares(const struct replay *replay, const struct api_call *call);
/* can it reach memory that the program may have changed beside it, or what became of such; */
bool replay_is_beside_host(const struct replay *replay, const struct api_call *call);
/* and does the memory object, or shared memory, hold what cannot be known? */
bool replay_is_unsure(const struct replay *replay, uint64_t handle);
/* Before a call is performed, what the program wrote into shared memory; */
enum status replay_host_wrote(struct replay *replay, const struct api_call *call,
                              struct error *error);
/* and what it saw there after it, compared. */
enum status replay_host_sees(struct replay *replay, uint64_t call_id, struct error *error);

/* replay/map.c: mapped regions. */
/* The region is mapped at `pointer`; it is a transfer as well. */
enum status replay_map_add(struct replay *replay, struct replay_prepared *prepared, void *pointer,
                           struct error *error);
/* Puts what the application wrote into the region where the target's map points, and forgets the
 * map, which is about to end. */
enum status replay_map_write(struct replay *replay, const struct replay_prepared *prepared,
                             struct error *error);

/* ---- threads.c ---- */

/* The recording's threads, each performed by one of its own.
 *
 * A call waits for what it needs of calls that other threads made before it: those that made an
 * object it names, that use one it releases, or whose handle it gives to another; those on the same
 * queue, program or kernel, since what they do there has an order; and those by which the program
 * learned that something was over, since threads tell each other such things in ways that no
 * recording has. It waits for the end of those that had returned when it began, and for the
 * beginning of others. So nothing waits in a circle, and a program whose threads agree on their
 * order gives the same again.
 *
 * What replay knows has one lock, which is held by whoever is not in the driver. */

struct replay_threads;

/* Performs all calls of the cursor. */
enum status replay_threads_run(struct replay *replay, struct trace_cursor *cursor,
                               struct error *error);

#endif
