/* Atomic operations of different sizes on the same bytes. */
#include "checkers/order/exact.h"

/* Which of the lanes that made an access of the class and record have one of another size that the
 * access conflicts with? */
static uint64_t of_other_size(const struct order *order, const struct access_context *context,
                              unsigned class, uint32_t record, uint64_t mask)
{
    const struct slot_record *slot = &order->slots[order->records.slots[record]];
    const bool differs = class != READERS_PLAIN && slot->size != context->access->size &&
                         exact_conflicts(context->access->kind, class);
    return differs ? mask : 0;
}

static uint32_t find_in_history(const struct order *order, const struct access_context *context,
                                uint32_t history, uint32_t lane)
{
    while (history != 0) {
        const struct history_node *node = history_get(&order->histories[context->region], history);
        uint64_t left = of_other_size(order, context, node->class, node->record, node->mask);
        for (; left != 0; left &= left - 1) {
            const uint32_t entry = entry_make(node->record, (uint32_t)__builtin_ctzll(left));
            if (!exact_ordered(order, context->floor, entry, lane)) {
                return entry;
            }
        }
        history = node->before;
    }
    return 0;
}

static uint32_t find_in_set(const struct order *order, const struct access_context *context,
                            const struct reader_set *set, uint32_t lane)
{
    for (uint32_t left = set->present; left != 0; left &= left - 1) {
        const unsigned class = (unsigned)__builtin_ctz(left);
        const uint32_t entries[] = {set->pairs[class].newer, set->pairs[class].older};
        for (int i = 0; i < 2; i++) {
            const uint32_t entry = entries[i];
            if (entry != 0 && of_other_size(order, context, class, entry_record(entry), 1) != 0 &&
                !exact_ordered(order, context->floor, entry, lane)) {
                return entry;
            }
        }
    }
    return 0;
}

static uint32_t find_in_cell(const struct order *order, const struct access_context *context,
                             const struct shadow_page *page, uint32_t cell, uint32_t lane)
{
    const uint32_t n = page->n == NULL ? 0 : page->n[cell];
    if (context->acquires) {
        return n == ENTRY_STATE ? find_in_history(order, context, page->r[cell], lane) : 0;
    }
    struct reader_set set;
    readers_unpack(&order->readers[context->region], page->r[cell], n, &set);
    return find_in_set(order, context, &set, lane);
}

/* In the page where it begins: what is aligned lies in one. */
void sizes_check(struct order *order, const struct access_context *context, uint64_t offset,
                 uint32_t lane)
{
    const struct lane_access *access = context->access;
    struct shadow_page *page = &context->object->pages[offset >> SHADOW_PAGE_SHIFT];
    const uint32_t granule = 1U << page->granule_shift;
    const uint64_t page_end = (offset | (SHADOW_PAGE_SIZE - 1)) + 1;
    const uint64_t end = offset + access->size < page_end ? offset + access->size : page_end;
    if (page->generation != order->generation[context->region]) {
        return;
    }
    if (page->packed != NULL && !shadow_page_unpack(&order->shadow, page)) {
        order->incomplete = true;
        return;
    }
    if (page->r == NULL) {
        return;
    }
    struct race_run run = {.sizes_differ = true};
    for (uint64_t at = offset & ~(uint64_t)(granule - 1); at < end && run.entry == 0;
         at += granule) {
        const uint32_t cell = ((uint32_t)at & (SHADOW_PAGE_SIZE - 1)) >> page->granule_shift;
        run.entry = find_in_cell(order, context, page, cell, lane);
        run.offset = at > offset ? at : offset;
        run.size = (uint32_t)((at + granule < end ? at + granule : end) - run.offset);
    }
    exact_tell_race(order, context, &run, lane);
}
