/* seq_cst fences that are too narrow: two strands each store, pass a fence and read what the other
 * stores, and the scopes of their fences do not include each other.
 *
 * Each strand keeps the words that it stored to last. When it reads another word behind a fence,
 * that it stored the one and read the other is noted; and the strand that had stored the second and
 * now reads the first, if there is one, is found by the two turned round. Local memory is within
 * the reach of each such fence, but for one of a sub-group, and left out. */
#include "checkers/order/engine.h"
#include "checkers/order/sync.h"

void fences_reset(struct crossings *crossings)
{
    HASH_CLEAR(hh, crossings->items);
    arena_release(&crossings->arena);
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

static struct crossing *find(const struct crossings *crossings, const struct crossing_key *key)
{
    struct crossing *found;
    HASH_FIND(hh, crossings->items, key, sizeof *key, found);
    return found;
}

/* The last one of its key counts. */
static void note(struct order *order, const struct crossing *crossing)
{
    struct crossings *crossings = &order->sync.crossings;
    struct crossing *noted = find(crossings, &crossing->key);
    if (noted != NULL) {
        noted->reader = crossing->reader;
        noted->site = crossing->site;
        noted->scope = crossing->scope;
        return;
    }
    noted = arena_alloc(&crossings->arena, 1, sizeof *noted);
    if (noted != NULL) {
        *noted = *crossing;
        HASH_ADD(hh, crossings->items, key, sizeof noted->key, noted);
    }
    order->sync.failed |= noted == NULL || noted->hh.tbl == NULL;
}

/* The strand that stored what this one reads, and read what it stored; NULL = none. */
static const struct crossing *find_opposite(const struct order *order,
                                            const struct crossing_key *key)
{
    const struct crossing_key opposite = {.stored_object = key->read_object,
                                          .stored_index = key->read_index,
                                          .read_object = key->stored_object,
                                          .read_index = key->stored_index};
    return find(&order->sync.crossings, &opposite);
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
            .key = {.stored_object = store->object,
                    .stored_index = store->index,
                    .read_object = access->object->key,
                    .read_index = access->offset / 4},
            .reader = {.slot = access->slot,
                       .group = order->now->id,
                       .vector = order->now->vector,
                       .lane = access->lane,
                       .record = order->records.next},
            .site = store->site,
            .scope = store->scope,
        };
        const bool is_one =
            store->object == crossing.key.read_object && store->index == crossing.key.read_index;
        const bool sequential = store->sequential && access->order == OBSERVER_ORDER_SEQ_CST;
        if (access->region != ORDER_GLOBAL || !store->fenced || is_one || sequential) {
            continue;
        }
        const struct crossing *opposite = find_opposite(order, &crossing.key);
        if (opposite != NULL) {
            tell(order, told, access, opposite, &crossing);
        }
        note(order, &crossing);
    }
}
