/* Happens-before: which of two accesses comes first, and which two nothing orders.
 *
 * The library knows strands, regions, barriers and a shadow of memory; what a strand is called,
 * where in a program an access stands and how a race is told are its callers' business. Here a
 * strand is one lane (a work-item) of a vector of up to 64, several vectors make a group, a group
 * runs until it ends or waits for others, and a launch is ordered after every earlier launch.
 *
 * Time is counted in *records*. A record is "this vector makes this access (slot) in this
 * interval"; an interval ends wherever something could order other strands after it. Record ids
 * rise in execution order, so "all that a group did before its barrier" is one number, the next id
 * at the barrier: a floor. What ordered means, for the strand that runs now and an earlier access
 * (record id, lane) in region r:
 *
 *     same lane of the same vector              program order
 *     same group    and id < barrier floor[r]   a barrier with the flag of r came between
 *     same sub-group and id < sub-group floor[r]
 *     another group                             never
 *
 * In launches that *acquire* each strand has a clock besides, consulted where the above says "not
 * ordered": what it learned by atomic operations and fences (checkers/order/sync.h).
 *
 * A conflict of two atomics is not a race if their scopes include each other (OpenCL
 * API 3.0, 3.3.5: equal scopes, both strands within; 3.1: each wide enough). One thread at a time.
 */
#ifndef CHECKERS_ORDER_ORDER_H
#define CHECKERS_ORDER_ORDER_H

#include "checkers/order/lane_access.h"
#include "trace/base/status.h"

enum { ORDER_LANES = 64 };

struct order;
struct order_object; /* the shadow of one memory object */

/* The texels of images lie in global memory, but a barrier covers them by a flag of their own: what
 * has floors are the regions and, after them, texels. As bits they are the observer's flags. */
enum order_region {
    ORDER_LOCAL,
    ORDER_GLOBAL,
    ORDER_REGION_COUNT,
    ORDER_TEXELS = ORDER_REGION_COUNT,
    ORDER_FLOOR_COUNT,
};

/* What accesses are told apart by: a site and a kind, as an asynchronous copy reads and writes at
 * one site. */
enum { ORDER_SLOTS_OF_SITE = 8 };

static inline uint32_t order_slot(uint32_t site, enum observer_access_kind kind)
{
    return site * ORDER_SLOTS_OF_SITE + (uint32_t)kind;
}
static inline uint32_t order_slot_site(uint32_t slot)
{
    return slot / ORDER_SLOTS_OF_SITE;
}

struct order_side {
    uint32_t slot;
    uint64_t group; /* as given to order_group_begin */
    uint32_t vector;
    uint32_t lane;
    uint32_t record;
};

/* A value that one strand stored atomically and another read: what might have ordered the two. */
struct order_message {
    struct order_side writer; /* its record is one that came after the store; 0 = not known */
    uint32_t operation; /* the store is the writer's atomic operation number so many, from 1 */
    uint32_t reader_slot;
    enum order_region region;   /* of the atomic object, as the next one */
    enum observer_scope widest; /* wider scopes count as this one */
    enum observer_scope distance;
    unsigned ordered; /* the regions in which it did order, as bits */
    /* A release came with the value: by the store, or by the fence of release_fence's regions. */
    bool released;
    unsigned release_fence;
    enum observer_scope release_scope;
    bool inert;   /* nothing depends on the value, so it did not order them (order_launch) */
    bool updated; /* the store was a read-modify-write */
    bool broken;  /* the store overwrote a release in what `lost` had written, another strand */
    struct order_side lost;
    /* The last release fence of the writer before the store, and the first acquire fence of the
     * reader after it read: their regions (0 = no such fence) and sites. */
    unsigned fence_before, fence_after;
    uint32_t fence_before_site, fence_after_site;
    enum observer_scope fence_after_scope;
};

/* Two strands each stored an atomic object, passed a seq_cst fence, and read the other's object, in
 * global memory, of which at least one access is not seq_cst; and the scopes of the fences do not
 * include each other. So nothing keeps both from reading what was there before the stores. */
struct order_narrow {
    uint32_t sites[2]; /* the fences, that of the earlier side first */
    enum observer_scope scopes[2];
};

/* Two strands, the bytes of one element of the later access on which they meet, and how far apart
 * they are. After a race the bytes start anew with the later access. */
struct order_race {
    struct order_side earlier, later;
    uint64_t offset;
    uint32_t size;
    enum observer_scope distance;
    unsigned floor; /* what a barrier between them would have to cover: ORDER_GLOBAL ... _TEXELS */
    /* No race: two atomic operations that include each other and which nothing orders; but they are
     * of different sizes, so of different objects. */
    bool sizes_differ;
    /* Not NULL: no race; the sides are the reads. */
    const struct order_narrow *narrow;
};

/* `access` is the later one, as it was given. */
typedef void order_race_function(void *user, const struct lane_access *access,
                                 const struct order_race *race);

/* What the later strand, or another one of its group, has read of the earlier one, or of its group,
 * or of an object that many update, that did not order the two; NULL = nothing is known. Only
 * while the race is reported. */
const struct order_message *order_race_message(const struct order *order,
                                               const struct order_race *race);
/* In launches with inert_apart, while a race is reported: by which of its atomic operations, from
 * 1, the strand released first what it had done by that access, as far as it did that itself; 0 =
 * that is not known. */
uint32_t order_release_after(const struct order *order, const struct order_side *side);

/* `record_limit`: records that may be live in a launch; 0 = the most there can be (2^24).
 * Renumbering takes place before the limit is hit. STATUS_NO_MEMORY is the only failure. */
enum status order_create(uint32_t record_limit, order_race_function *report, void *user,
                         struct order **order, struct error *error);
void order_destroy(struct order *order);

struct order_launch {
    uint32_t site_count;     /* sites are below this; their slots are 32 bits */
    uint32_t sub_group_size; /* divides 64 */
    bool acquires;           /* acquire, release and fences are told, and order */
    bool device_scope;       /* atomic operations are of device scope, whatever they say */
    bool wide_scopes;        /* OpenCL 3.1: scopes need not be equal to include each other */
    bool seq_cst_alone;      /* seq_cst operations synchronise in one memory, not in both */
    bool narrow_fences;      /* seq_cst fences may be too narrow: they are told */
    bool inert_apart;        /* reads on which nothing depends (lane_atomic) acquire nothing */
};

/* Everything before is ordered before everything after. Shadows of objects that the launch before
 * did not touch are freed. */
void order_launch_begin(struct order *order, const struct order_launch *launch);
/* A group begins: its local memory is fresh. The one that ran has ended, unless it is kept. */
void order_group_begin(struct order *order, uint64_t group, uint32_t item_count);
/* The running group waits: others begin, or go on, before it goes on itself. Objects of local
 * memory must be asked for anew whenever another group runs. */
void order_group_keep(struct order *order);
/* A group that was kept goes on; tell order_vector_run which vector. The one that ran has ended, or
 * is kept. */
void order_group_resume(struct order *order, uint64_t group);
/* The events that follow are of this vector of the group. */
void order_vector_run(struct order *order, uint32_t vector);
/* All strands of the group have passed a barrier that covers these regions (bit 1 << region; texels
 * count as one). `scope` is that of its fences. */
void order_barrier(struct order *order, uint32_t regions, enum observer_scope scope);
/* The same for the one sub-group that `lane` of `vector` is in. */
void order_sub_group_barrier(struct order *order, uint32_t vector, uint32_t lane, uint32_t regions,
                             enum observer_scope scope);

/* A fence of the running vector's lanes. */
struct order_fence {
    uint32_t site;
    uint64_t mask;
    uint32_t regions;
    enum observer_scope scope;
    enum observer_order order;
};
void order_fence(struct order *order, const struct order_fence *fence);

/* An asynchronous copy is a strand of its own of the group: what was ordered before its start is
 * ordered before it, and it is ordered before whatever the group does after its wait. What it
 * accesses is told at the wait, between begin and end, whatever lanes it is spread over; the side
 * of such an access in a race has vector ORDER_COPY_VECTOR. A fence orders the copies that were
 * started before it before those after it: what they accessed in the regions must be told before
 * what these did. */
#define ORDER_COPY_VECTOR UINT32_MAX
struct order_copy {
    uint32_t first; /* the record id that came next at the start */
    uint32_t barrier_floor[ORDER_FLOOR_COUNT], state_floor;
    uint32_t clocks;                    /* what the group's strands knew at the start; inside */
    uint32_t number;                    /* of the group's copies, from 0 */
    uint32_t fenced[ORDER_FLOOR_COUNT]; /* copies of lower numbers that fences order before it */
    size_t sub_floors; /* what sub-group barriers had ordered at the start; inside */
};
void order_copy_start(struct order *order, struct order_copy *copy);
void order_copy_fence(struct order *order, uint32_t regions);
void order_copy_begin(struct order *order, const struct order_copy *copy);
/* Tell order_vector_run which vector goes on. */
void order_copy_end(struct order *order);
/* The group has waited for it, and all that it accessed has been told. */
void order_copy_wait(struct order *order, const struct order_copy *copy);

/* The object of that id, in local memory the running group's; NULL when memory is out. The pointer
 * is good until the launch ends. */
struct order_object *order_object(struct order *order, enum order_region region, uint32_t id,
                                  uint64_t size);
/* The object is fine-grained shared memory with atomics: of others the widest scope is the
 * device's, in local memory the work-group's (OpenCL API 3.0, 3.3.5). */
void order_object_share(struct order_object *object);
/* An access of the running vector to the object, at most 4096 bytes of each lane, before its
 * effect. Calls `report` for each race. A slot has the same scope whenever it comes in a launch. */
void order_access(struct order *order, struct order_object *object,
                  const struct lane_access *access);

/* The same of a row, in a short way. False: it is not one for the short way, and order_access must
 * be told of it. */
bool order_row(struct order *order, struct order_object *object, const struct lane_row *row);

/* The id that the next record will get: accesses made so far have smaller ones. */
uint32_t order_next_record(const struct order *order);
/* Memory or records ran out in this launch: from then on accesses were not looked at. */
bool order_is_incomplete(const struct order *order);

#endif
