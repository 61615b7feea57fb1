/* What no cell names any more is forgotten when there is too much of it. Record ids run out where a
 * launch has many intervals: the live ones are found by a scan of the global shadow, and numbered
 * anew in the same order. Histories are copied with them, or alone, when they have become many. */
#include "checkers/order/engine.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

/* Has the running group, or one that waits, a shadow of that generation? */
static bool is_live(const struct order *order, enum order_region region, uint64_t generation)
{
    bool live = generation == order->generation[region];
    for (size_t i = 0; i < order->group_count && region == ORDER_LOCAL && !live; i++) {
        live = order->groups[i].waits && order->groups[i].local_generation == generation;
    }
    return live;
}

/* Calls `visit` on w, and on r and n, of each cell of the live pages of the region; n is a
 * 0 for w, and where the page has none. */
static void visit_cells(struct order *order, enum order_region region,
                        void (*visit)(struct order *order, uint32_t *r, uint32_t *n, void *user),
                        void *user)
{
    struct order_object *object = NULL;
    struct order_object *next = NULL;
    HASH_ITER(hh, order->shadow.objects, object, next)
    {
        for (size_t i = 0; object->region == region && i < object->page_count; i++) {
            struct shadow_page *page = &object->pages[i];
            if (!is_live(order, region, page->generation)) {
                continue;
            }
            const bool was_packed = page->packed != NULL;
            if (was_packed && !shadow_page_unpack(&order->shadow, page)) {
                order->incomplete = true;
                continue;
            }
            uint32_t none = 0;
            for (uint32_t cell = 0; cell < shadow_page_cells(page); cell++) {
                if (shadow_page_is_written(page)) {
                    visit(order, &page->w[cell], &none, user);
                }
                if (page->r != NULL) {
                    visit(order, &page->r[cell], page->n == NULL ? &none : &page->n[cell], user);
                }
            }
            if (was_packed) {
                shadow_page_pack(&order->shadow, page);
            }
        }
    }
}

static void mark_history(const struct order *order, uint32_t history, uint32_t *keep)
{
    const struct histories *histories = &order->histories[ORDER_GLOBAL];
    while (history != 0) {
        const struct history_node *node = history_get(histories, history);
        keep[node->record] = 1;
        history = node->before;
    }
}

static void mark_cell(struct order *order, uint32_t *r, uint32_t *n, void *user)
{
    uint32_t *keep = user;
    if (order->acquires && *n == ENTRY_STATE) {
        mark_history(order, *r, keep);
        return;
    }
    struct reader_set set;
    readers_unpack(&order->readers[ORDER_GLOBAL], *r, *n, &set);
    for (uint32_t left = set.present; left != 0; left &= left - 1) {
        const struct reader_pair pair = set.pairs[__builtin_ctz(left)];
        keep[entry_record(pair.older)] = 1;
        keep[entry_record(pair.newer)] = 1;
    }
}

struct renumbering {
    enum order_region region;
    const uint32_t *keep;   /* new ids of records; NULL: they stay */
    struct readers readers; /* the states with new ids */
    struct histories histories;
    uint32_t *moved; /* by old history: the new one, 0 = none yet */
    uint32_t *path;  /* room for all nodes */
    size_t visited;  /* cells that could have one */
};

static uint32_t entry_renumbered(const uint32_t *keep, uint32_t entry)
{
    return entry == 0 ? 0 : entry_make(keep[entry_record(entry)], entry_lane(entry));
}

/* The copy of the history, from its oldest node that has none yet. 0 when memory is out. */
static uint32_t history_moved(const struct order *order, struct renumbering *renumbering,
                              uint32_t history)
{
    const struct histories *histories = &order->histories[renumbering->region];
    uint32_t *moved = renumbering->moved;
    size_t depth = 0;
    for (uint32_t next = history; next != 0 && moved[next] == 0;
         next = history_get(histories, next)->before) {
        renumbering->path[depth++] = next;
    }
    while (depth-- > 0) {
        const struct history_node *node = history_get(histories, renumbering->path[depth]);
        const uint32_t record =
            renumbering->keep != NULL ? renumbering->keep[node->record] : node->record;
        moved[renumbering->path[depth]] =
            history_add(&renumbering->histories, node->before == 0 ? 0 : moved[node->before],
                        node->class, record, node->mask);
        if (moved[renumbering->path[depth]] == 0) {
            return 0;
        }
    }
    return moved[history];
}

static void move_history(struct order *order, uint32_t *r, uint32_t *n, void *user)
{
    struct renumbering *renumbering = user;
    renumbering->visited++;
    if (*n == ENTRY_STATE) {
        *r = history_moved(order, renumbering, *r);
        *n = *r == 0 ? 0 : ENTRY_STATE;
        order->incomplete = order->incomplete || *r == 0;
    }
}

static void renumber_cell(struct order *order, uint32_t *r, uint32_t *n, void *user)
{
    struct renumbering *renumbering = user;
    if (order->acquires && *n == ENTRY_STATE) {
        move_history(order, r, n, user);
        return;
    }
    struct reader_set set;
    readers_unpack(&order->readers[ORDER_GLOBAL], *r, *n, &set);
    for (uint32_t left = set.present; left != 0; left &= left - 1) {
        struct reader_pair *pair = &set.pairs[__builtin_ctz(left)];
        pair->older = entry_renumbered(renumbering->keep, pair->older);
        pair->newer = entry_renumbered(renumbering->keep, pair->newer);
    }
    if (!readers_pack(&renumbering->readers, &set, r, n)) {
        *r = 0;
        *n = 0;
        order->incomplete = true;
    }
}

/* Bounds are ids, too, of accesses that may be forgotten: each becomes the first new id from it on.
 */
static void renumber_bounds(struct order *order, uint32_t *keep, uint32_t count)
{
    uint32_t bound = order->records.next;
    for (uint32_t id = count; id-- > 0;) {
        bound = keep[id] != 0 ? keep[id] : bound;
        keep[id] = bound;
    }
    keep[count] = order->records.next;
    sync_collect(order, keep);
}

/* False when memory is out. */
static bool renumbering_begin(struct order *order, enum order_region region, const uint32_t *keep,
                              struct renumbering *renumbering)
{
    const size_t count = order->histories[region].count + 1;
    *renumbering = (struct renumbering){
        .region = region,
        .keep = keep,
        .readers = {.widest = order->readers[region].widest},
        .moved = alloc_zero(count, sizeof(uint32_t)),
        .path = alloc(count * sizeof(uint32_t)),
    };
    readers_reset(&renumbering->readers);
    histories_reset(&renumbering->histories);
    return renumbering->moved != NULL && renumbering->path != NULL;
}

static void renumbering_release(struct renumbering *renumbering)
{
    alloc_free(renumbering->moved);
    alloc_free(renumbering->path);
}

static void take_histories(struct order *order, const struct renumbering *renumbering)
{
    struct histories *histories = &order->histories[renumbering->region];
    histories_release(histories);
    *histories = renumbering->histories;
}

void engine_renumber(struct order *order)
{
    ASSERT(order->waiting_count == 0);
    const uint32_t limit = order->records.limit;
    const uint32_t count = order->records.next;
    uint32_t *keep = alloc_zero((size_t)count + 1, sizeof *keep);
    struct renumbering renumbering = {.keep = NULL};
    if (keep == NULL || !renumbering_begin(order, ORDER_GLOBAL, keep, &renumbering)) {
        order->incomplete = true;
        goto out;
    }
    visit_cells(order, ORDER_GLOBAL, mark_cell, keep);
    keep[0] = 0;
    records_renumber(&order->records, keep);
    visit_cells(order, ORDER_GLOBAL, renumber_cell, &renumbering);
    readers_release(&order->readers[ORDER_GLOBAL]);
    order->readers[ORDER_GLOBAL] = renumbering.readers;
    take_histories(order, &renumbering);
    if (order->acquires) {
        renumber_bounds(order, keep, count);
    }
    const uint32_t half_way = order->records.next + (limit - order->records.next) / 2;
    const uint32_t usual = limit - limit / 4;
    order->renumber_at = half_way > usual ? half_way : usual;
out:
    renumbering_release(&renumbering);
    alloc_free(keep);
}

void engine_collect_histories(struct order *order, enum order_region region)
{
    struct histories *histories = &order->histories[region];
    struct renumbering renumbering;
    if (histories->count < histories->collect_at) {
        return;
    }
    if (renumbering_begin(order, region, NULL, &renumbering)) {
        visit_cells(order, region, move_history, &renumbering);
        take_histories(order, &renumbering);
        /* The next one should find as much to drop as it looks through. */
        histories->collect_at += histories->count + renumbering.visited;
    } else {
        order->incomplete = true;
    }
    renumbering_release(&renumbering);
}
