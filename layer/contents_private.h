/* The inside of contents, shared by its files: contents.c (which bytes each call has),
 * contents_map.c (mapped regions) and contents_pending.c (the commands whose bytes are not there
 * yet). All functions with the mutex. */
#ifndef LAYER_CONTENTS_PRIVATE_H
#define LAYER_CONTENTS_PRIVATE_H

#include "layer/blocks.h"
#include "layer/contents.h"
#include "layer/host_bytes.h"
#include "layer/live.h"
#include "layer/readable.h"
#include "trace/spool.h"

#include <pthread.h>
#include <stdatomic.h>

/* ---- shared.c ---- */

/* Shared memory that the host uses when it likes: fine-grained buffers of shared virtual memory,
 * and unified memory of the host, or of both.
 *
 * No call tells what the host wrote there. It is found, by blocks, when the program gives a command
 * to a device that can reach the memory: it is what changed since the host last saw the memory.
 * What the host sees is what changed when the program learns that the last such command is
 * complete. In between nobody can tell who wrote what, and what the host wrote then counts as seen.
 * Both become contents of a call, of API_ARGUMENT_HOST_WROTE and API_ARGUMENT_HOST_SEES. Functions
 * may be called from any thread. */

/* What one command can reach of it. */
struct shared_uses;

/* The call is about to give a command to a device. NULL if that can reach no such memory; else
 * shared_complete or shared_drop must follow. */
struct shared_uses *shared_begin(struct live *live, struct spool *spool,
                                 const struct api_call *call, struct readable *readable);
/* The program learns by the call with this id (0: by a callback) that the command is complete. */
void shared_complete(struct shared_uses *uses, struct spool *spool, uint64_t call_id,
                     struct readable *readable);
/* The command did not come about, or is forgotten. */
void shared_drop(struct shared_uses *uses);

struct mapping {
    struct mapping *next;
    uint64_t mem; /* 0 = SVM */
    cl_map_flags flags;
    struct effect shown;
    bool ready;           /* the map is complete, and `blocks` has noted what it showed */
    struct blocks blocks; /* of one for writing */
    bool unmapped;        /* while its completion is still awaited: freed when that comes */
};

/* Where a command stands: its event (0 = the application asked for none), and in its queue. */
struct place {
    uint64_t event, queue, sequence;
};

/* A command whose bytes are not there yet. */
struct pending {
    struct pending *next;
    uint64_t call_id;
    struct place place;
    struct effect bytes;      /* in the host's memory */
    struct mapping *mapping;  /* of a map; else NULL */
    struct shared_uses *uses; /* of shared memory: then nothing else is awaited here; else NULL */
};

/* What is over when a command is: all before it in the queue, if that is in order, and what it
 * waited for. */
struct mark {
    struct mark *next;
    struct place place;
    struct place over; /* the event's command, or (event 0) the queue's up to there */
};

struct contents {
    struct spool *spool;
    struct spool *of_commands; /* the same, or NULL: their bytes are not kept */
    struct live *live;
    uint8_t interest[API_ENTRY_COUNT]; /* enum live_interest: what this and `live` do, together */
    uint8_t effects[API_ENTRY_COUNT];  /* of commands on the host's memory: bits of effect_kind */
    pthread_mutex_t mutex; /* guards all that follows; taken before the lock of `live` */
    struct mapping *mappings;
    struct pending *pending;
    struct mark *marks;
    uint64_t sequence;
    uint64_t teller; /* the call by which the program learns what is complete; 0 = a callback */
    atomic_uint_fast64_t pending_count; /* read without the mutex: usually 0 */
};

/* ---- maps ---- */

/* The call maps the region of the memory object, or of SVM (0). */
void contents_mapped(struct contents *contents, const struct api_call *call, uint64_t mem,
                     cl_map_flags flags, const struct effect *shown, struct readable *readable);
/* The map is complete: what it shows is a result of the run, and what a write through it is
 * compared with. */
void contents_map_ready(struct contents *contents, uint64_t call_id, struct mapping *mapping,
                        struct readable *readable);
/* The call is about to unmap what one of its arguments points to. */
void contents_unmapped(struct contents *contents, const struct api_call *call,
                       struct readable *readable);
void contents_map_free(struct mapping *mapping);

/* ---- commands ---- */

bool contents_in_order(const struct contents *contents, uint64_t queue);

/* A transfer to the host, or a map, which has `mapping`: its bytes are saved when they are there.
 */
void contents_give_back(struct contents *contents, const struct api_call *call,
                        const struct effect *bytes, struct mapping *mapping,
                        struct readable *readable);
/* A command that is about to be given to a device, and what of shared memory it can reach: it is
 * awaited from now on, since it may be over before the call returns. */
void contents_command_begins(struct contents *contents, const struct api_call *call,
                             struct shared_uses *uses);
void contents_command_failed(struct contents *contents, const struct api_call *call);
void contents_command_enqueued(struct contents *contents, const struct api_call *call);
/* If it blocked. */
void contents_command_over(struct contents *contents, const struct api_call *call,
                           struct readable *readable);
/* While something is awaited: what the end of the call's command will tell, or, of one that
 * blocked, what it told. */
void contents_enqueued(struct contents *contents, const struct api_call *call,
                       struct readable *readable);
/* The program learns that an event's command is over, or those of a queue up to that place. */
void contents_event_over(struct contents *contents, uint64_t event, struct readable *readable);
void contents_queue_over(struct contents *contents, uint64_t queue, uint64_t sequence,
                         struct readable *readable);
void contents_pending_release(struct contents *contents);

#endif
