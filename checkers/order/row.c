/* The short way of an access: a row of lanes whose cells follow one another, or are one, in a page
 * that is ready for it, and nothing else to look at. */
#include "checkers/order/exact.h"

uint32_t row_record(struct order *order, uint32_t slot, uint32_t size)
{
    struct slot_record *cached = &order->slots[slot];
    if (cached->interval != order->interval) {
        const uint32_t record =
            records_add(&order->records, slot, order->now->id, order->now->vector);
        if (record == 0) {
            return 0;
        }
        *cached = (struct slot_record){.interval = order->interval, .record = record, .size = size};
    }
    return cached->record;
}

/* With sub-group barriers or copies nothing but the barriers of the group is certain, and in a
 * group that has waited nothing but that the running vector's records are its own. */
struct cell_floors row_floors(const struct order *order, enum order_region floor)
{
    if (order->now->resumed) {
        return (struct cell_floors){
            .run_first = entry_make(order->now->run_first, 0),
            .unknown_span = ENTRY_FLAG,
            .full_first = ENTRY_ATOMIC,
            .sub_group_shift = order->sub_group_shift,
        };
    }
    const uint32_t group_first = entry_make(order->now->group_first, 0);
    const uint32_t barrier_end = entry_make(order->now->barrier_floor[floor], 0);
    const uint32_t phase_first = entry_make(order->now->phase_first, 0);
    const bool unclear = order->now->sub_floor_used || order->now->copies_used;
    /* In local memory what a barrier orders is over for all, but for copies under way. */
    const bool over = floor == ORDER_LOCAL && order->now->copy_count == order->now->waited_count;
    const uint32_t unknown_end = unclear                     ? ENTRY_FLAG
                                 : phase_first > barrier_end ? phase_first
                                                             : barrier_end;
    return (struct cell_floors){
        .group_first = group_first,
        .barrier_span = barrier_end - group_first,
        .run_first = entry_make(order->now->run_first, 0),
        .unknown_span = unknown_end - barrier_end,
        .full_first = unclear ? ENTRY_ATOMIC : barrier_end,
        .is_local = mask_of(over),
        .state_span = over && !order->acquires ? order->now->state_floor : 0,
        .sub_group_shift = order->sub_group_shift,
    };
}

/* The cells of the row, if they lie in one page that has the words that it needs. */
static bool row_cells(const struct order *order, const struct order_object *object,
                      const struct lane_row *row, uint32_t count, struct cells *cells)
{
    const uint32_t within = (uint32_t)row->offset & (SHADOW_PAGE_SIZE - 1);
    const size_t index = (size_t)(row->offset >> SHADOW_PAGE_SHIFT);
    if (index >= object->page_count || within + count * row->size > SHADOW_PAGE_SIZE) {
        return false;
    }
    const struct shadow_page *page = &object->pages[index];
    if (page->generation != order->generation[object->region] || page->packed != NULL ||
        row->size != 1U << page->granule_shift || (within & (row->size - 1)) != 0 ||
        (row->writes ? !shadow_page_is_written(page) : page->r == NULL)) {
        return false;
    }
    *cells = page_cells(page, within >> page->granule_shift);
    return true;
}

static bool row_one_cell(struct cell_floors floors, struct cells cells, uint32_t record,
                         const struct lane_row *row)
{
    const uint32_t n = cells.n == NULL ? 0 : *cells.n;
    return !row->writes && (cell_settled(floors, *cells.w, *cells.r, n) ||
                            read_pair_fast(floors, cells, entry_make(record, row->first),
                                           entry_make(record, row->last)));
}

bool order_row(struct order *order, struct order_object *object, const struct lane_row *row)
{
    const uint32_t count = row->is_uniform ? 1 : row->last - row->first + 1U;
    struct cells cells;
    if (order->acquires || order->copying || order_is_incomplete(order) ||
        shadow_is_wide_open(&order->shadow) || !row_cells(order, object, row, count, &cells)) {
        return false;
    }
    const uint32_t slot = order_slot(row->site, row->writes ? OBSERVER_WRITE : OBSERVER_READ);
    const uint32_t record = row_record(order, slot, row->size);
    if (record == 0) {
        return false;
    }
    const struct cell_floors floors = row_floors(order, object->region);
    const struct cell_run run = {
        .count = count, .first = entry_make(record, row->first), .lane_shift = 0, .taken = 1};
    order->now->region_used[object->region] = true;
    if (row->is_uniform) {
        return row_one_cell(floors, cells, record, row);
    }
    return row->writes ? cell_loops()->write(cells, run, &floors)
                       : cell_loops()->read(cells, run, &floors);
}
