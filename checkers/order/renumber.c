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

static void mark_cell(struct order *order, uint32_t *r, uint32_t *n, void *user)
{
    uint32_t *keep = user;
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
};

static uint32_t entry_renumbered(const uint32_t *keep, uint32_t entry)
{
    return entry == 0 ? 0 : entry_make(keep[entry_record(entry)], entry_lane(entry));
}

static void renumber_cell(struct order *order, uint32_t *r, uint32_t *n, void *user)
{
    struct renumbering *renumbering = user;
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

void engine_renumber(struct order *order)
{
    const uint32_t limit = order->records.limit;
    uint32_t *keep = alloc_zero(order->records.next, sizeof *keep);
    if (keep == NULL) {
        order->incomplete = true;
        return;
    }
    visit_cells(order, mark_cell, keep);
    keep[0] = 0;
    records_renumber(&order->records, keep);
    struct renumbering renumbering = {.keep = keep,
                                      .readers = {.widest = order->readers[ORDER_GLOBAL].widest}};
    readers_reset(&renumbering.readers);
    visit_cells(order, renumber_cell, &renumbering);
    readers_release(&order->readers[ORDER_GLOBAL]);
    order->readers[ORDER_GLOBAL] = renumbering.readers;
    const uint32_t half_way = order->records.next + (limit - order->records.next) / 2;
    const uint32_t usual = limit - limit / 4;
    order->renumber_at = half_way > usual ? half_way : usual;
    alloc_free(keep);
}
