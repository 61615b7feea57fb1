/* seq_cst fences that are too narrow: two strands each store, pass a fence and read what the other
 * stores, and the scopes of their fences do not include each other.
 *
 * Each strand keeps the words that it stored to last. When it reads another word behind a fence,
 * that it stored the one and read the other is noted; and the strand that had stored the second and
 * now reads the first, if there is one, is found by the two turned round. Local memory is within
 * the reach of each such fence, but for one of a sub-group, and left out. */
#include "checkers/order/engine.h"
#include "checkers/order/sync.h"
#include "trace/base/alloc.h"

#include <string.h>

enum { TABLE_SIZE_MIN = 64 };

void fences_reset(struct crossings *crossings)
{
    if (crossings->count > 0) {
        memset(crossings->table, 0, crossings->table_size * sizeof *crossings->table);
    }
    crossings->count = 0;
}

void fences_release(struct crossings *crossings)
{
    alloc_free(crossings->items);
    alloc_free(crossings->table);
}

void fences_pass(struct sync_strand *strand, const struct order_fence *fence)
{
    if ((fence->regions >> ORDER_GLOBAL & 1) == 0) {
        return;
    }
    for (uint32_t i = 0; i < FENCE_STORES && i < strand->store_count; i++) {
        struct fence_store *store = &strand->stores[i];
        if (!store->fenced || store->scope < fence->scope) {
            store->fenced = true;
            store->site = fence->site;
            store->scope = fence->scope;
        }
    }
}

void fences_store(struct order *order, const struct sync_access *access)
{
    struct sync_strand *strand = sync_strand_of(order, access->lane);
    if (access->region != ORDER_GLOBAL) {
        return;
    }
    const struct fence_store store = {.object = access->object->key,
                                      .index = access->offset / 4,
                                      .sequential = access->order == OBSERVER_ORDER_SEQ_CST};
    for (uint32_t i = 0; i < FENCE_STORES && i < strand->store_count; i++) {
        if (strand->stores[i].object == store.object && strand->stores[i].index == store.index) {
            strand->stores[i] = store;
            return;
        }
    }
    strand->stores[strand->store_count++ % FENCE_STORES] = store;
}

/* ---- crossings ---- */

static size_t hash(const struct crossing *crossing)
{
    const uint64_t parts[] = {crossing->stored_object, crossing->stored_index,
                              crossing->read_object, crossing->read_index};
    uint64_t mixed = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        mixed = (mixed ^ parts[i]) * UINT64_C(0xFF51AFD7ED558CCD);
        mixed ^= mixed >> 33;
    }
    return (size_t)mixed;
}

/* The place of one like it in the table, or the free one where it would be. */
static uint32_t *slot_of(const struct crossings *crossings, const struct crossing *like)
{
    const size_t last = crossings->table_size - 1;
    size_t slot = hash(like) & last;
    while (crossings->table[slot] != 0) {
        const struct crossing *known = &crossings->items[crossings->table[slot] - 1];
        if (known->stored_object == like->stored_object &&
            known->stored_index == like->stored_index && known->read_object == like->read_object &&
            known->read_index == like->read_index) {
            break;
        }
        slot = (slot + 1) & last;
    }
    return &crossings->table[slot];
}

/* Room for one more. False when memory is out. */
static bool reserve(struct crossings *crossings)
{
    if (2 * (crossings->count + 1) <= crossings->table_size) {
        return true;
    }
    const size_t size = crossings->table_size == 0 ? TABLE_SIZE_MIN : 2 * crossings->table_size;
    uint32_t *table = alloc_zero(size, sizeof *table);
    if (table == NULL) {
        return false;
    }
    alloc_free(crossings->table);
    crossings->table = table;
    crossings->table_size = size;
    for (size_t i = 0; i < crossings->count; i++) {
        *slot_of(crossings, &crossings->items[i]) = (uint32_t)i + 1;
    }
    return true;
}

static void note(struct order *order, const struct crossing *crossing)
{
    struct crossings *crossings = &order->sync.crossings;
    struct crossing *grown =
        alloc_grow(crossings->items, crossings->count, &crossings->capacity, sizeof *grown);
    if (grown != NULL) {
        crossings->items = grown;
    }
    if (grown == NULL || !reserve(crossings)) {
        order->sync.failed = true;
        return;
    }
    uint32_t *const slot = slot_of(crossings, crossing);
    if (*slot == 0) {
        *slot = (uint32_t)++crossings->count;
    }
    crossings->items[*slot - 1] = *crossing;
}

/* The strand that stored what this one reads, and read what it stored; NULL = none. */
static const struct crossing *find_opposite(const struct order *order,
                                            const struct crossing *crossing)
{
    const struct crossings *crossings = &order->sync.crossings;
    const struct crossing opposite = {.stored_object = crossing->read_object,
                                      .stored_index = crossing->read_index,
                                      .read_object = crossing->stored_object,
                                      .read_index = crossing->stored_index};
    const uint32_t at = crossings->table_size > 0 ? *slot_of(crossings, &opposite) : 0;
    return at != 0 ? &crossings->items[at - 1] : NULL;
}

static void tell(struct order *order, const struct lane_access *told,
                 const struct sync_access *access, const struct crossing *earlier,
                 const struct crossing *later)
{
    const struct order_narrow narrow = {.sites = {earlier->site, later->site},
                                        .scopes = {earlier->scope, later->scope}};
    const enum observer_scope distance = strand_distance(order, &earlier->reader, access->lane);
    const bool is_own = distance == OBSERVER_SCOPE_SUB_GROUP &&
                        earlier->reader.vector == later->reader.vector &&
                        earlier->reader.lane == later->reader.lane;
    if (is_own || inclusive(order, earlier->scope, later->scope, distance)) {
        return;
    }
    const struct order_race race = {.earlier = earlier->reader,
                                    .later = later->reader,
                                    .offset = access->offset,
                                    .size = access->size,
                                    .distance = distance,
                                    .floor = ORDER_GLOBAL,
                                    .narrow = &narrow};
    order->report(order->user, told, &race);
}

void fences_read(struct order *order, const struct lane_access *told,
                 const struct sync_access *access)
{
    const struct sync_strand *strand = sync_strand_of(order, access->lane);
    for (uint32_t i = 0; i < FENCE_STORES && i < strand->store_count; i++) {
        const struct fence_store *store = &strand->stores[i];
        const struct crossing crossing = {
            .stored_object = store->object,
            .stored_index = store->index,
            .read_object = access->object->key,
            .read_index = access->offset / 4,
            .reader = {.slot = access->slot,
                       .group = order->now->id,
                       .vector = order->now->vector,
                       .lane = access->lane,
                       .record = order->records.next},
            .site = store->site,
            .scope = store->scope,
        };
        const bool is_one =
            store->object == crossing.read_object && store->index == crossing.read_index;
        const bool sequential = store->sequential && access->order == OBSERVER_ORDER_SEQ_CST;
        if (access->region != ORDER_GLOBAL || !store->fenced || is_one || sequential) {
            continue;
        }
        const struct crossing *opposite = find_opposite(order, &crossing);
        if (opposite != NULL) {
            tell(order, told, access, opposite, &crossing);
        }
        note(order, &crossing);
    }
}
