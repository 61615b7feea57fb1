/* The inside of struct order, shared by the files of the engine; nobody else includes it. */
#ifndef CHECKERS_ORDER_ENGINE_H
#define CHECKERS_ORDER_ENGINE_H

#include "checkers/order/order.h"
#include "checkers/order/readers.h"
#include "checkers/order/records.h"
#include "checkers/order/sync.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

/* ---- history.c ---- */

/* Histories: everything that accessed the bytes of a cell since its last plain write, for launches
 * that acquire. There two members of a class (checkers/order/readers.h) would not do: a later
 * strand may be ordered after the far one and not after the near one.
 *
 * A history is a chain of immutable nodes, the newest first, each the lanes of one record that
 * accessed the cell in one way. Equal nodes are stored once, so that cells with the same past share
 * it. 0 is the empty history. */

struct history_node {
    uint64_t mask; /* lanes */
    uint32_t before;
    uint32_t record;
    uint32_t oldest;  /* the least record from here on */
    uint32_t length;  /* nodes from here on */
    uint16_t class;   /* READERS_... */
    uint16_t classes; /* bit c: a member of class c is here or before */
};

struct histories {
    struct history_node *nodes; /* [0] is unused */
    size_t count, capacity;
    size_t collect_at; /* a count from which on it pays to drop those that no cell has any more */
    uint32_t *table;   /* open addressing; 0 = free */
    size_t table_size;
};

void histories_reset(struct histories *histories);
void histories_release(struct histories *histories);

static inline const struct history_node *history_get(const struct histories *histories,
                                                     uint32_t history)
{
    return &histories->nodes[history];
}

/* The history with one node more, or with the lanes in its newest node, if that is of the same
 * class and record. 0 when memory is out. */
uint32_t history_add(struct histories *histories, uint32_t history, unsigned class, uint32_t record,
                     uint64_t mask);

/* ---- shadow.c ---- */

/* The shadow of memory: for each byte the last plain write and what has read it since.
 *
 * An object has a directory of pages, one for 4 KiB of its memory, filled in when first touched. A
 * page has a granule of 1 to 16 bytes, the size of its first access, and one cell for each granule;
 * an access that needs a finer granule splits the page, and the copies are exact because a cell
 * speaks for each of its bytes. A cell is three words (checkers/order/entry.h), each in an array of
 * its own so that a run of cells is checked by vector code (cells.c). The first
 * array is there only in pages that were written; the second only in those that more than whole
 * runs of writes have touched; the third only where several strands have read some of the bytes, or
 * accessed them atomically.
 *
 * The pages of global memory that were opened last have their words as such. Older ones are
 * *packed*: since lanes mostly touch one cell after the other, some runs of evenly rising words
 * say all of an array. One that is touched again is unpacked, and lets more pages stay open: a
 * launch that goes over its memory again and again soon has all of it open.
 *
 * Clearing is lazy: a page belongs to a *generation*, and one of an older generation counts as
 * empty. */

enum {
    SHADOW_PAGE_SHIFT = 12,
    SHADOW_PAGE_SIZE = 1 << SHADOW_PAGE_SHIFT,
    SHADOW_GRANULE_SHIFT_MAX = 4,
    /* So many pages are open, and so many more for each that had to be unpacked. */
    SHADOW_OPEN_PAGES = 256,
    SHADOW_OPENED_AGAIN = 8
};

enum shadow_store { SHADOW_W, SHADOW_R, SHADOW_N, SHADOW_STORES };

/* The words of a page, each array as what is smallest: runs, which follow those of the arrays
 * before; halves, each the difference of a word, its flags in the lowest bits, and `base`, or 0 for
 * 0; or in its store. */
struct shadow_packed {
    struct shadow_array {
        enum shadow_form { SHADOW_NONE, SHADOW_RUNS, SHADOW_HALVES, SHADOW_WORDS } form;
        uint32_t count; /* of runs */
        uint32_t base;
        uint16_t *halves;
    } arrays[SHADOW_STORES];
    struct shadow_run {
        uint32_t first,
            step;        /* the word of its first cell, and by how much they rise, modulo 2^32 */
        uint32_t length; /* in cells */
    } runs[];
};

struct shadow_page {
    uint64_t generation; /* 0 = never touched */
    /* The words of the cells. NULL = 0 in all of them; n has words only where r has. Where nothing
     * was written w is shadow_unwritten, to be read alone. */
    uint32_t *w, *r, *n;
    struct shadow_packed *packed; /* NULL = the page is open; else w, r and n are as if untouched */
    /* What is allocated for w, r and n, kept over generations, and for how many cells. */
    uint32_t *stores[SHADOW_STORES];
    uint16_t capacities[SHADOW_STORES];
    uint8_t granule_shift;
    bool listed; /* in struct shadow's list of open pages */
};

struct order_object {
    uint64_t key; /* space, region and id */
    enum order_region region;
    bool shared;     /* order_object_share */
    uint64_t launch; /* the last launch that asked for it */
    uint64_t synced; /* the last launch that stored to it atomically: words.c */
    /* The last launch that accessed it atomically, and the sizes of those accesses, or'ed. */
    uint64_t atomic_launch;
    uint32_t atomic_sizes;
    /* Bytes that accesses which are put off read and write, good while that is the epoch. */
    uint64_t deferred_epoch;
    struct deferred_range {
        uint64_t low, high;
    } read, written;
    struct shadow_page *pages;
    size_t page_count;
    UT_hash_handle hh;
};

/* The widest scope that its atomic operations have. */
static inline enum observer_scope order_object_widest(const struct order_object *object)
{
    return object->region == ORDER_LOCAL ? OBSERVER_SCOPE_WORK_GROUP
           : object->shared              ? OBSERVER_SCOPE_ALL_DEVICES
                                         : OBSERVER_SCOPE_DEVICE;
}

struct shadow {
    struct order_object *objects;
    /* Open pages of global memory that could be packed, a ring: `open_count` from `open_first` on,
     * the oldest first. */
    struct shadow_page **open;
    size_t open_first, open_count, open_capacity;
    size_t unpacked; /* pages, since the launch began, and a part of those before */
    /* Stores that no page needs now, of SHADOW_PAGE_SIZE >> i words each. Threads that allocate
     * and free them again and again keep asking the system for the same memory. */
    struct shadow_spare {
        struct shadow_spare *next;
    } * spares[SHADOW_GRANULE_SHIFT_MAX + 1];
};

/* The object of that region and id in that space (below 2^24), made at need; one of another size is
 * made anew. NULL when memory is out. */
struct order_object *shadow_object(struct shadow *shadow, uint64_t space, enum order_region region,
                                   uint32_t id, uint64_t size, uint64_t launch);
/* Frees the objects that were last asked for before `launch`. */
void shadow_drop_before(struct shadow *shadow, uint64_t launch);
void shadow_release(struct shadow *shadow);

/* Makes `page` of `object` an open one of `generation` whose granule divides both `offset` and
 * `size`. False when memory is out: the page is then as it was. */
bool shadow_page_open(struct shadow *shadow, const struct order_object *object,
                      struct shadow_page *page, uint64_t generation, uint32_t offset,
                      uint32_t size);

static inline uint32_t shadow_page_cells(const struct shadow_page *page)
{
    return (uint32_t)SHADOW_PAGE_SIZE >> page->granule_shift;
}

/* Zeros. */
extern const uint32_t shadow_unwritten[SHADOW_PAGE_SIZE];

static inline bool shadow_page_is_written(const struct shadow_page *page)
{
    return page->w != shadow_unwritten;
}

/* Gives the page a w to write to; its r; its r and n. False when memory is out. */
bool shadow_page_write(struct shadow *shadow, struct shadow_page *page);
bool shadow_page_single(struct shadow *shadow, struct shadow_page *page);
bool shadow_page_pair(struct shadow *shadow, struct shadow_page *page);
/* Packs what can be. Without memory the page stays open. */
void shadow_page_pack(struct shadow *shadow, struct shadow_page *page);
/* Gives a packed page its words back. False when memory is out. */
bool shadow_page_unpack(struct shadow *shadow, struct shadow_page *page);

/* Between accesses, which hold on to the words of pages: packs the oldest of too many open pages.
 */
void shadow_pack_oldest(struct shadow *shadow);
static inline bool shadow_is_wide_open(const struct shadow *shadow)
{
    return shadow->open_count > SHADOW_OPEN_PAGES + SHADOW_OPENED_AGAIN * shadow->unpacked;
}

/* The page, ready for bytes [offset, offset + size) of it; NULL when memory is out.
 */
static inline struct shadow_page *shadow_page_get(struct shadow *shadow,
                                                  struct order_object *object, size_t index,
                                                  uint64_t generation, uint32_t offset,
                                                  uint32_t size)
{
    struct shadow_page *page = &object->pages[index];
    const uint32_t fraction = (1U << page->granule_shift) - 1;
    if (page->generation == generation && page->packed == NULL &&
        ((offset | size) & fraction) == 0) {
        return page;
    }
    return shadow_page_open(shadow, object, page, generation, offset, size) ? page : NULL;
}

/* The record that a slot made last, good while `interval` is the current one. */
struct slot_record {
    uint64_t interval;
    uint32_t record, size; /* size: of the access */
};

enum { ORDER_STAMPS = 4096 };

/* Accesses to local memory that are put off (deferred.c), in order. */
enum { DEFERRED_MAX = 192, DEFERRED_GATHERS = 32 };
struct deferred {
    bool open;     /* accesses are put off; else the list is empty, or of no use */
    uint32_t rest; /* barriers from now on after which it is not opened */
    uint64_t epoch;
    uint32_t count, gather_count;
    struct deferred_access {
        struct order_object *object;
        uint64_t low, high; /* its bytes are among these */
        uint64_t mask, offset;
        int64_t stride, jump; /* as lane_access has them */
        uint32_t run;
        uint32_t gather; /* 1 + the index of its offsets; 0 = it has a pattern */
        uint32_t site, size;
        uint32_t record, vector, run_first, phase_first; /* of the group, when it was made */
        bool writes;
    } list[DEFERRED_MAX];
    uint64_t gathers[DEFERRED_GATHERS][64];
};

/* One group, where its execution stands. */
struct told_copy {
    uint32_t first, number;
};

struct engine_group {
    uint64_t id;
    bool waits;   /* others run; it will go on */
    bool resumed; /* it has waited: not all records from group_first on are its own */
    uint32_t vector;
    uint32_t group_first, run_first;
    uint32_t barrier_floor[ORDER_FLOOR_COUNT];
    uint32_t state_floor; /* local reader states below it are ordered by a barrier */
    /* Records from here to run_first are of other vectors than the running one: since then no
     * vector has run twice. Bit v of `ran`: vector v made records since. */
    uint32_t phase_first;
    uint64_t ran;
    bool region_used[ORDER_FLOOR_COUNT]; /* the group has accessed the region */
    uint64_t local_generation;           /* of the shadow of its local memory */
    /* By sub-group; below group_first = none. Made at the first sub-group barrier. */
    uint32_t *sub_floor[ORDER_FLOOR_COUNT];
    size_t sub_floor_capacity, sub_group_count;
    bool sub_floor_used;
    uint32_t item_count;
    bool copies_used;                          /* it has started asynchronous copies */
    uint32_t copy_count, waited_count;         /* of copies: started, and waited for */
    uint32_t copies_fenced[ORDER_FLOOR_COUNT]; /* that many come before the last fence of copies */
    /* What copies accessed that were told since the first such fence, by the record it begins at.
     */
    struct told_copy *told;
    size_t told_count, told_capacity;
    /* Pictures of sub_floor, one after the other: as it was when copies started, and, from
     * `waited_floors` - 1 on, the highest that copies knew which have been waited for. */
    uint32_t *pictures;
    size_t picture_count, picture_capacity; /* numbers */
    size_t waited_floors;                   /* 0 = none */
    struct sync_group known;
};

struct order {
    order_race_function *report;
    void *user;
    struct records records;
    struct readers readers[ORDER_REGION_COUNT];
    /* In launches that acquire, instead of readers. */
    struct histories histories[ORDER_REGION_COUNT];
    struct sync sync;
    struct shadow shadow;
    uint64_t launch;
    uint64_t generation[ORDER_REGION_COUNT], last_generation;
    struct slot_record *slots;
    size_t slot_capacity;
    uint64_t interval; /* counts up for ever */
    uint32_t renumber_at;
    bool incomplete;
    bool acquires, device_scope, wide_scopes, seq_cst_alone; /* as struct order_launch has them */
    bool inert_apart, narrow_fences;

    /* By element modulo their number: the access that touched it last, to see lanes of one cell. */
    uint32_t stamps[ORDER_STAMPS];
    uint32_t stamp;
    struct deferred deferred;

    unsigned sub_group_shift;
    struct engine_group *groups; /* those that wait, the running one, and room for others */
    size_t group_count, group_capacity, waiting_count;
    struct engine_group *now; /* the running one */
    bool copying;             /* what is told now is a copy's */
    struct order_copy told;   /* that copy */
    struct order_copy kept;   /* the group's floors while the copy's hold */
};

/* Has the group begun and not ended? */
static inline bool engine_group_lives(const struct order *order, uint64_t group)
{
    for (size_t i = 0; i < order->group_count && order->waiting_count > 0; i++) {
        if (order->groups[i].waits && order->groups[i].id == group) {
            return true;
        }
    }
    return group == order->now->id;
}

static inline size_t sub_group_index(const struct order *order, uint32_t vector, uint32_t lane)
{
    return ((size_t)vector << (ENTRY_LANE_BITS - order->sub_group_shift)) +
           (lane >> order->sub_group_shift);
}

/* The sub-group's floor in the picture that begins at number `at` - 1. */
static inline uint32_t pictured_floor(const struct order *order, size_t at, enum order_region floor,
                                      size_t sub_group)
{
    const struct engine_group *now = order->now;
    return now->pictures[at - 1 + (size_t)floor * now->sub_group_count + sub_group];
}

/* How far the running vector's lane is from another strand. */
static inline enum observer_scope strand_distance(const struct order *order,
                                                  const struct order_side *other, uint32_t lane)
{
    if (other->group != order->now->id) {
        return OBSERVER_SCOPE_DEVICE;
    }
    return sub_group_index(order, other->vector, other->lane) !=
                   sub_group_index(order, order->now->vector, lane)
               ? OBSERVER_SCOPE_WORK_GROUP
               : OBSERVER_SCOPE_SUB_GROUP;
}

/* OpenCL API 3.0, 3.3.5: scopes are inclusive if they are the same and wide enough for both
 * strands; 3.1: if each is wide enough. */
static inline bool inclusive(const struct order *order, enum observer_scope a,
                             enum observer_scope b, enum observer_scope distance)
{
    return (a == b || order->wide_scopes) && distance <= a && distance <= b;
}

/* Accesses made from now on can be told from those made before. */
static inline void engine_end_interval(struct order *order)
{
    order->interval++;
    records_end_interval(&order->records);
}

static inline bool engine_is_incomplete(const struct order *order)
{
    return order->incomplete || (order->acquires && sync_failed(&order->sync));
}

/* deferred.c: a barrier has ordered all that came before in local memory, or the group begins. */
void deferred_begin(struct order *order);
/* What is in the list was of a group that has ended. */
void deferred_drop(struct order *order);
/* Judges what was put off; until the next barrier nothing more is. */
void deferred_close(struct order *order);
/* Puts off an access to local memory, while that is open. False: it is to be judged now, and all
 * before it have been. */
bool deferred_add_row(struct order *order, struct order_object *object, const struct lane_row *row);
bool deferred_add(struct order *order, struct order_object *object,
                  const struct lane_access *access);
/* row.c: order_row by cells, judge.c: order_access by cells, of orders that are not incomplete. */
bool row_judge(struct order *order, struct order_object *object, const struct lane_row *row);
void judge_access(struct order *order, struct order_object *object,
                  const struct lane_access *access);
/* The same of the record. `told` is the access as it was given. */
void judge_recorded(struct order *order, struct order_object *object,
                    const struct lane_access *access, const struct lane_access *told,
                    uint32_t record);

/* renumber.c, while no group waits: forgets the records that no cell names any more, and numbers
 * the rest anew. Local shadows must be stale. */
void engine_renumber(struct order *order);
/* renumber.c, between accesses: forgets the histories of the region that no cell has any more, once
 * there are many. */
void engine_collect_histories(struct order *order, enum order_region region);

#endif
