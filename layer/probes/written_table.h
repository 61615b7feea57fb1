/* What written.h has, for the files that make it: written.c, of objects and what the host does, and
 * written_launches.c. */
#ifndef LAYER_PROBES_WRITTEN_TABLE_H
#define LAYER_PROBES_WRITTEN_TABLE_H

#include "layer/hash.h"
#include "layer/probes/written.h"
#include "layer/probes/written_map.h"

#include <pthread.h>
#include <stdatomic.h>

/* A memory object, no part of another, that is not known to be written whole. */
struct followed {
    UT_hash_handle hh;
    uint64_t object, size;
    struct byte_ranges host; /* what the host, or a copy, wrote: in the map too, if there is one */
    struct written_map map;
    bool is_copied;      /* a copy may still come to the map: what the host writes then is not known
                            there */
    cl_device_id device; /* that has used it: two need not see each other's bytes of one map */
    uint32_t launches;
    uint64_t full_until; /* all before is written */
    cl_command_queue last_queue;
    bool is_due; /* its map is to be looked at when that queue has been waited for */
};

struct following_object {
    uint64_t object;
    cl_mem map;                /* held; NULL = it counts as written */
    struct written_map before; /* a copy of it, from before the launch */
};
struct following {
    struct following *next; /* of those that are kept, the oldest first */
    struct written_launch launch;
    bool is_kept;  /* what was unwritten before is copied */
    bool has_left; /* its queue is gone */
    cl_event *events;
    size_t event_count;
    size_t count;
    struct following_object objects[];
};

struct written {
    struct shadows *shadows;
    atomic_size_t count; /* of what is followed */
    pthread_mutex_t mutex;
    struct followed *followed;
    struct following *kept;
    size_t kept_count;
};

/* Without the mutex: is anything followed? */
static inline bool followed_any(const struct written *written)
{
    return atomic_load(&written->count) > 0;
}

/* With the mutex. NULL when it is not followed. */
struct followed *followed_find(const struct written *written, uint64_t object);
/* Of a memory object that may be a part of another: and where in that it begins. */
struct followed *followed_find_root(const struct written *written, uint64_t memory,
                                    uint64_t *offset);
/* The object that is no part of another, and where in it the memory begins. */
uint64_t written_root_of(uint64_t memory, uint64_t *offset);
/* It counts as written; NULL is fine. */
void followed_drop(struct written *written, struct followed *followed);

/* Also without the mutex, where nobody else has it. */
void following_free(struct written *written, struct following *following);

#endif
