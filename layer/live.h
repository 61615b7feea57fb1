/* The objects that are alive, and what kernels and command-buffers can reach of them: memory
 * objects and shared virtual memory that are arguments of theirs, or that clSetKernelExecInfo
 * names.
 *
 * Any thread may call. Between live_lock and live_unlock nothing that was found goes away. */
#ifndef LAYER_LIVE_H
#define LAYER_LIVE_H

#include "layer/blocks.h"
#include "layer/hash.h"
#include "trace/api/call.h"
#include "trace/api/entry.h"
#include "trace/effect/shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct live;

/* What a kernel reaches: by arguments, and indirectly of SVM and of unified memory. */
enum live_reach { LIVE_BY_ARGUMENT, LIVE_SVM, LIVE_UNIFIED, LIVE_LISTS };

/* One that is alive: a memory object, a queue, a kernel, a command-buffer, or an allocation of
 * shared virtual memory (kind NONE). */
struct live_object {
    uint64_t handle; /* of an allocation: its address */
    enum api_object_kind kind;
    int64_t references;
    uint64_t
        base; /* of a memory object that was made in shared virtual memory: the address; or 0 */
    /* Of an allocation. */
    uint64_t size;      /* in bytes */
    uint64_t context;   /* the handle */
    uint32_t allocator; /* the entry point that gave it */
    /* The host uses it when it likes: fine-grained, or unified and not of a device. */
    bool is_shared;
    bool is_found;            /* it is the program's own (found.h): every kernel can reach it */
    bool is_atomic;           /* made so that a kernel may wait for what the host stores in it */
    struct blocks blocks;     /* of such: layer/shared.c */
    uint64_t use_count;       /* commands under way that can reach it */
    uint64_t number;          /* of no other allocation of the process */
    uint64_t named_version;   /* of a kernel: of what found.c has named for it; 0 = nothing */
    uint64_t queue;           /* of a command-buffer: its own */
    bool in_order;            /* of a queue */
    struct image_shape image; /* of an image whose creation says what it is */
    bool was_mapped;          /* of memory: for writing, once */
    /* Of a kernel, what it can reach: by the index of the argument, 0 = nothing, and what
     * clSetKernelExecInfo named; of a command-buffer all that its commands ever could, in the first
     * list; */
    struct live_list {
        uint64_t *items;
        size_t count;
    } lists[LIVE_LISTS];
    /* and all unified memory of these allocators, by bits of 1 << (entry - clHostMemAllocINTEL). */
    uint32_t allocators;
    UT_hash_handle hh;
};

/* Of an allocation: is it not shared virtual memory of OpenCL's, as commands on that have it? */
static inline bool live_is_unified(const struct live_object *object)
{
    return object->is_found || object->allocator != API_ENTRY_clSVMAlloc;
}

/* `with_arguments`: from the start; else only once there is memory with is_shared. NULL when memory
 * is out. */
struct live *live_create(bool with_arguments);
void live_destroy(struct live *live); /* NULL is fine */

/* Which calls there is something to do for: of clSetKernelArg and the like only once arguments are
 * followed. */
enum live_interest { LIVE_NEVER, LIVE_ARGUMENTS, LIVE_ALWAYS };
enum live_interest live_interest_in(uint32_t entry);
bool live_follows_arguments(const struct live *live);

/* Before each call is forwarded, and after it came back. Those of no interest may be left out. */
void live_before(struct live *live, const struct api_call *call);
void live_after(struct live *live, const struct api_call *call);

/* Is there memory that the host uses when it likes? */
bool live_has_shared(const struct live *live);

void live_lock(struct live *live);
void live_unlock(struct live *live);

/* The rest with the lock. */

/* NULL when it is not alive. */
struct live_object *live_find(const struct live *live, uint64_t handle);
/* The allocation of shared virtual memory that the address lies in. */
struct live_object *live_find_shared(const struct live *live, uint64_t address);
/* All objects, in any order: NULL begins and ends. */
struct live_object *live_next(const struct live *live, const struct live_object *object);

/* The queue that the call enqueues to; 0 = none is known. */
uint64_t live_queue_of(const struct live *live, const struct api_call *call);

typedef void live_function(void *user, struct live_object *object);
/* Memory objects and allocations that a kernel, or a command-buffer, can reach; the same one
 * perhaps more than once. */
void live_each_reached(const struct live *live, const struct live_object *kernel,
                       live_function *function, void *user);

#endif
