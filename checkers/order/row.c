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

/* The cells of `count` elements from `offset` on, if they lie in one page that has the words that
 * the row needs. */
static bool row_cells(const struct order *order, const struct order_object *object,
                      const struct lane_row *row, uint64_t offset, uint32_t count,
                      struct cells *cells)
{
    const uint32_t within = (uint32_t)offset & (SHADOW_PAGE_SIZE - 1);
    const size_t index = (size_t)(offset >> SHADOW_PAGE_SHIFT);
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

/* One place that all lanes from the first to the last read. */
static bool row_one_cell(const struct cell_floors *floors, struct cells cells, uint32_t record,
                         uint32_t first, uint32_t last)
{
    const uint32_t n = cells.n == NULL ? 0 : *cells.n;
    return cell_settled(*floors, *cells.w, *cells.r, n) ||
           read_pair_fast(*floors, cells, entry_make(record, first), entry_make(record, last));
}

/* Lanes `first` to `last`, whose elements follow one another, or are one. */
static bool row_run(const struct order *order, const struct order_object *object,
                    const struct lane_row *row, const struct cell_floors *floors, uint32_t record,
                    uint32_t first, uint32_t last)
{
    const bool uniform = row->stride == 0 && first != last;
    const uint32_t count = uniform ? 1 : last - first + 1;
    const uint64_t offset = row->run == 0 ? row->offset + first * (uint64_t)row->stride
                                          : row->offset + first / row->run * (uint64_t)row->jump;
    struct cells cells;
    if (!row_cells(order, object, row, offset, count, &cells)) {
        return false;
    }
    if (uniform) {
        return !row->writes && row_one_cell(floors, cells, record, first, last);
    }
    const struct cell_run run = {
        .count = count, .first = entry_make(record, first), .lane_shift = 0, .taken = 1};
    return row->writes ? cell_loops()->write(cells, run, floors)
                       : cell_loops()->read(cells, run, floors);
}

/* Runs of rows that are too short, or all the same, go another way. */
enum { ROW_RUN_MIN = 8 };

static bool is_for_cells(const struct lane_row *row)
{
    const bool pattern =
        row->stride == (int64_t)row->size || row->stride == 0 || row->first == row->last;
    return pattern && (row->run == 0 || (row->run >= ROW_RUN_MIN && row->jump != 0));
}

bool row_judge(struct order *order, struct order_object *object, const struct lane_row *row)
{
    if (order->acquires || order->copying || !is_for_cells(row) ||
        shadow_is_wide_open(&order->shadow)) {
        return false;
    }
    const uint32_t slot = order_slot(row->site, row->writes ? OBSERVER_WRITE : OBSERVER_READ);
    const uint32_t record = row_record(order, slot, row->size);
    if (record == 0) {
        return false;
    }
    const struct cell_floors floors = row_floors(order, object->region);
    order->now->region_used[object->region] = true;
    if (row->run == 0) {
        return row_run(order, object, row, &floors, record, row->first, row->last);
    }
    /* What was accessed before a run that cannot be is accessed once more then, which changes
     * nothing. */
    bool done = true;
    for (uint32_t lane = 0; lane < ORDER_LANES && done; lane += row->run) {
        done = row_run(order, object, row, &floors, record, lane, lane + row->run - 1);
    }
    return done;
}
