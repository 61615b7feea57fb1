/* Record ids run out where a launch has many intervals. Most records are forgotten by then: no cell
 * names them any more. The live ones are found by a scan of the global shadow, and numbered anew in
 * the same order. */
#include "checkers/order/engine.h"
#include "trace/base/alloc.h"

/* Calls `visit` on w, and on r and n, of each cell of the live global pages; n is a
 * 0 for w, and where the page has none. */
static void visit_cells(struct order *order,
                        void (*visit)(struct order *order, uint32_t *r, uint32_t *n, void *user),
                        void *user)
{
    struct order_object *object = NULL;
    struct order_object *next = NULL;
    HASH_ITER(hh, order->shadow.objects, object, next)
    {
        for (size_t i = 0; object->region == ORDER_GLOBAL && i < object->page_count; i++) {
            struct shadow_page *page = &object->pages[i];
            if (page->generation != order->generation[ORDER_GLOBAL]) {
                continue;
            }
            for (uint32_t cell = 0; cell < shadow_page_cells(page); cell++) {
                uint32_t none = 0;
                visit(order, &page->w[cell], &none, user);
                visit(order, &page->r[cell], page->n == NULL ? &none : &page->n[cell], user);
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
    const uint32_t *keep;
    struct readers readers; /* the states with new ids */
    struct histories histories;
    uint32_t *moved; /* by old history: the new one, 0 = none yet */
};

static uint32_t entry_renumbered(const uint32_t *keep, uint32_t entry)
{
    return entry == 0 ? 0 : entry_make(keep[entry_record(entry)], entry_lane(entry));
}

/* The history with new ids: node by node from the oldest that has none yet. 0 when memory is out.
 */
static uint32_t history_renumbered(const struct order *order, struct renumbering *renumbering,
                                   uint32_t history)
{
    const struct histories *histories = &order->histories[ORDER_GLOBAL];
    while (renumbering->moved[history] == 0) {
        uint32_t oldest = history;
        const struct history_node *node = history_get(histories, oldest);
        while (node->before != 0 && renumbering->moved[node->before] == 0) {
            oldest = node->before;
            node = history_get(histories, oldest);
        }
        const uint32_t before = node->before == 0 ? 0 : renumbering->moved[node->before];
        const uint32_t moved = history_add(&renumbering->histories, before, node->class,
                                           renumbering->keep[node->record], node->mask);
        if (moved == 0) {
            return 0;
        }
        renumbering->moved[oldest] = moved;
    }
    return renumbering->moved[history];
}

static void renumber_cell(struct order *order, uint32_t *r, uint32_t *n, void *user)
{
    struct renumbering *renumbering = user;
    if (order->acquires && *n == ENTRY_STATE) {
        *r = history_renumbered(order, renumbering, *r);
        *n = *r == 0 ? 0 : ENTRY_STATE;
        order->incomplete = order->incomplete || *r == 0;
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

void engine_renumber(struct order *order)
{
    const uint32_t limit = order->records.limit;
    const uint32_t count = order->records.next;
    uint32_t *keep = alloc_zero((size_t)count + 1, sizeof *keep);
    struct renumbering renumbering = {
        .keep = keep,
        .readers = {.widest = order->readers[ORDER_GLOBAL].widest},
        .moved = alloc_zero(order->histories[ORDER_GLOBAL].count + 1, sizeof(uint32_t)),
    };
    if (keep == NULL || renumbering.moved == NULL) {
        order->incomplete = true;
        alloc_free(keep);
        alloc_free(renumbering.moved);
        return;
    }
    visit_cells(order, mark_cell, keep);
    keep[0] = 0;
    records_renumber(&order->records, keep);
    readers_reset(&renumbering.readers);
    histories_reset(&renumbering.histories);
    visit_cells(order, renumber_cell, &renumbering);
    readers_release(&order->readers[ORDER_GLOBAL]);
    histories_release(&order->histories[ORDER_GLOBAL]);
    order->readers[ORDER_GLOBAL] = renumbering.readers;
    order->histories[ORDER_GLOBAL] = renumbering.histories;
    alloc_free(renumbering.moved);
    if (order->acquires) {
        renumber_bounds(order, keep, count);
    }
    const uint32_t half_way = order->records.next + (limit - order->records.next) / 2;
    const uint32_t usual = limit - limit / 4;
    order->renumber_at = half_way > usual ? half_way : usual;
    alloc_free(keep);
}
