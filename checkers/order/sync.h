/* What orders strands besides barriers, in launches that acquire: atomic operations and fences
 * (OpenCL API 3.0, 3.3.6, "Atomic Operations" and "Fence Operations").
 *
 * Every strand of the running group has a clock for each region. A release takes a picture of them,
 * and an atomic store hands it, with those of the strand's release fences before it, to the words
 * that it writes; a read-modify-write leaves there what it found; another strand's plain atomic
 * store takes all away but that strand's own (the release sequence). Who reads the word acquires at
 * once, if the operation does, and else by an acquire fence later.
 *
 * What only strands of a group that has ended could acquire is dropped. An operation on more than
 * one word, or on part of one, counts for each word it touches. */
#ifndef CHECKERS_ORDER_SYNC_H
#define CHECKERS_ORDER_SYNC_H

#include "checkers/order/clocks.h"
#include "checkers/order/order.h"
#include "trace/base/arena.h"
#include "trace/base/hash.h"

/* ---- releases.c ---- */

/* Releases: what a strand knew when it released it, in lists: those of its fences that its next
 * atomic stores carry, those that an atomic object carries to whoever reads it, those that a strand
 * has read and that an acquire fence of its own would acquire. Releases that would be acquired by
 * just the same operations are one. */

/* A clock for each of the regions. */
struct region_clocks {
    uint32_t of[ORDER_FLOOR_COUNT];
};

/* `into` comes to say what `from` does, in the regions of the bits. */
static inline void region_clocks_join(struct clocks *clocks, struct region_clocks *into,
                                      const struct region_clocks *from, unsigned regions)
{
    for (int region = 0; region < ORDER_FLOOR_COUNT; region++) {
        if ((regions >> region & 1) != 0) {
            into->of[region] = clocks_join(clocks, into->of[region], from->of[region]);
        }
    }
}
#define ORDER_ALL_REGIONS ((1U << ORDER_FLOOR_COUNT) - 1)

/* How a release can be acquired. */
struct release_key {
    uint8_t scope;      /* enum observer_scope */
    uint8_t fence;      /* the regions of a fence, as bits; 0 = the atomic store itself released */
    uint8_t sequential; /* seq_cst */
    uint8_t region;     /* of the atomic object, only where it has been read; as the next one */
    uint8_t widest;     /* wider scopes count as this one */
    /* Only where it can be read: by strands no farther than this from the one that released. What
     * several of those released is one then. */
    uint8_t level;
};

struct release {
    struct release_key key;
    uint32_t next; /* in its list; 0 = none */
    /* The unit of that level: the group, and the sub-group in it. On the level of the device the
     * group of the one that came last: local clocks say nothing outside it, unless groups
     * overlap. */
    uint64_t group;
    uint32_t sub_group;
    struct region_clocks clocks;
};

struct releases {
    struct release *items; /* [0] is unused */
    size_t count, capacity;
    uint32_t free; /* a list */
    bool failed;   /* memory was out: lists lack members */
    bool overlap;  /* groups go on after others: what one knew of its local memory may come back */
};

void releases_reset(struct releases *releases);
void releases_release(struct releases *releases);

static inline struct release *release_get(const struct releases *releases, uint32_t release)
{
    return &releases->items[release];
}

/* Joins `release` with the one of its key and unit in the list, or puts it there. */
void releases_add(struct releases *releases, struct clocks *clocks, uint32_t *list,
                  const struct release *release);
/* Likewise, but `release` says all that the one in the list does: it is put in its place. */
void releases_renew(struct releases *releases, uint32_t *list, const struct release *release);
/* Makes the list empty. */
void releases_drop(struct releases *releases, uint32_t *list);
/* Takes out those that only strands of groups which have ended could acquire. */
void releases_drop_groups(struct releases *releases, uint32_t *list, const struct order *order);

struct order;

enum { SYNC_MESSAGES = 8 };

/* A word of global memory that a strand stored to last, and the widest of the seq_cst fences that
 * it has passed since. */
struct fence_store {
    uint64_t object, index; /* as of sync_word */
    bool sequential;        /* the store is seq_cst */
    bool fenced;
    uint32_t site; /* of the fence */
    enum observer_scope scope;
};
enum { FENCE_STORES = 4 };

/* What a strand of the running group knows and has done. */
struct sync_strand {
    struct region_clocks clocks;
    uint32_t fences;                    /* releases: of its fences */
    uint32_t pending;                   /* releases that it has read */
    uint32_t fence_regions, fence_site; /* its last release fence that is not a barrier; 0 = none */
    uint32_t operation_count;           /* atomic ones */
    uint32_t store_count;               /* ever; the last ones are in stores */
    struct fence_store stores[FENCE_STORES];
    uint32_t message_count; /* ever; the last ones are in messages */
    struct order_message messages[SYNC_MESSAGES];
};

/* Four bytes of memory that were stored atomically. */
struct sync_word {
    uint64_t object, index; /* order_object's key; offset / 4 */
    uint64_t generation;    /* of the region's shadow */
    uint64_t sequence;      /* of stores, unique; a new one where others' releases are taken away */
    uint32_t releases;
    uint8_t live;             /* bit b: byte b has the atomic value, no plain write came since */
    struct order_side writer; /* its record is what comes next; good while numbers are the same */
    uint32_t operation;       /* the writer's operation_count */
    uint32_t numbering;
    bool updated; /* the last store was a read-modify-write */
    bool broken;  /* the writer took away a release in what `lost` had written, another strand */
    struct order_side lost;
    uint32_t fence_regions, fence_site; /* of the writer at the store */
};

/* A strand's own releases in a word, which its own plain atomic stores leave there. */
struct sync_own {
    uint64_t sequence; /* they are good while the word's is the same; 0 = free */
    uint32_t word, strand;
    uint32_t releases;
};

/* The strands of one group. */
struct sync_group {
    struct sync_strand *strands;
    size_t strand_count, strand_capacity;
    struct region_clocks *copies; /* of its asynchronous copies */
    size_t copy_count, copy_capacity;
    struct sync_own *owns; /* open addressing */
    size_t own_count, own_table_size;
};

/* What strands stored before a seq_cst fence, and read behind it. */
struct crossing {
    struct crossing_key {
        uint64_t stored_object, stored_index, read_object, read_index;
    } key;
    struct order_side reader;
    uint32_t site; /* of the fence */
    enum observer_scope scope;
    UT_hash_handle hh;
};
struct crossings {
    struct arena arena;
    struct crossing *items; /* of what was stored and read the last one */
};

/* A release of a strand, in launches in which reads may be inert. */
struct sync_released {
    uint64_t group;
    uint32_t vector, lane;
    uint32_t record;    /* what came next */
    uint32_t operation; /* the strand's atomic operation that carries it, from 1 */
};

struct sync {
    struct clocks clocks;
    struct releases releases;
    struct region_clocks copy; /* of the copy that is being told */
    struct sync_word *words;
    size_t word_count, word_capacity;
    uint32_t *word_table; /* open addressing; 1 + index into words, 0 = free */
    size_t word_table_size;
    uint64_t last_sequence;
    struct crossings crossings;     /* while narrow_fences */
    struct sync_released *released; /* while inert_apart: in the order in which they were made */
    size_t released_count, released_capacity;
    bool failed; /* memory was out */
};

/* One atomic operation of one lane of the running vector. */
struct sync_access {
    struct order_object *object;
    enum order_region region;
    uint64_t offset;
    uint32_t size, lane, slot;
    enum observer_scope scope; /* the widest of the object at most */
    enum observer_order order;
    bool updates;
    bool inert; /* it acquires nothing, whatever it reads */
};

void sync_launch_begin(struct order *order);
void sync_group_begin(struct order *order);
void sync_release(struct order *order);
/* Memory was out since the launch began. */
bool sync_failed(const struct sync *sync);

/* What a lane of the running vector knows and has done. */
struct sync_strand *sync_strand_of(const struct order *order, uint32_t lane);
/* The running vector's lane begins one more atomic operation. */
void sync_count(struct order *order, uint32_t lane);
/* What the operation does by reading, before its own access is judged, and by writing, after. */
void sync_read(struct order *order, const struct sync_access *access);
void sync_write(struct order *order, const struct sync_access *access);
/* A plain write leaves nothing to acquire. */
void sync_overwrite(struct order *order, const struct order_object *object, uint64_t offset,
                    uint32_t size);
void sync_fence(struct order *order, const struct order_fence *fence);
/* The strands [first, first + count) of the group are at a barrier whose floors are not set yet. */
void sync_barrier(struct order *order, uint32_t first, uint32_t count, uint32_t regions,
                  enum observer_scope scope);
/* A copy that starts now knows what any strand of the group knows; gives its number. */
uint32_t sync_copy_start(struct order *order);
/* It has been waited for: what it knows all strands of the group know. */
void sync_copy_wait(struct order *order, uint32_t copy);

/* Of those lanes of the vector that made the access of `record`, which does the running strand know
 * to have made it? */
uint64_t sync_known(const struct order *order, enum order_region floor, uint32_t record,
                    uint64_t group, uint32_t vector, uint64_t mask, uint32_t lane);
/* Moves the clocks that are in use to new memory where there is much else, or, if bounds is not
 * NULL, always: it maps the ids of records that are numbered anew. */
void sync_collect(struct order *order, const uint32_t *bounds);

/* ---- fences.c ---- */

/* seq_cst fences that are too narrow (struct order_narrow), in launches with narrow_fences. */

void fences_reset(struct crossings *crossings);
/* The strand has passed the fence. */
void fences_pass(struct sync_strand *strand, const struct order_fence *fence);
/* An atomic operation of one lane stores; reads, of which `told` is told. */
void fences_store(struct order *order, const struct sync_access *access);
void fences_read(struct order *order, const struct lane_access *told,
                 const struct sync_access *access);

/* ---- words.c ---- */

/* The words of memory that were stored atomically in this launch, and whose releases lie in them;
 * for checkers/order/sync.c alone. */

void words_reset(struct sync *sync);
void words_release(struct sync *sync);

/* NULL when the word has not been stored to, or its memory is fresh since. Good until the next
 * words_make. */
struct sync_word *words_find(struct order *order, const struct order_object *object,
                             uint64_t index);
/* NULL when memory is out. */
struct sync_word *words_make(struct order *order, struct order_object *object, uint64_t index);
/* Nobody has stored to it. */
void words_clear(struct order *order, struct sync_word *word);

/* The strand's own releases in the word, none where they were taken away. NULL when it has none and
 * `make` is false, or when memory is out. Good until the next call. */
struct sync_own *words_own(struct order *order, const struct sync_word *word, uint32_t strand,
                           bool make);
/* Those of all strands, when the group has ended. */
void words_drop_owns(struct sync *sync, struct sync_group *group);
/* Likewise, when the releases themselves are gone. */
void words_forget_owns(struct sync_group *group);

#endif
