#include "checkers/order/exact.h"

/* ---- what is ordered, and how far apart ---- */

static uint32_t entry_vector(const struct order *order, uint32_t entry)
{
    const uint32_t record = entry_record(entry);
    return record >= order->now->run_first ? order->now->vector
                                           : records_find(&order->records, record)->vector;
}

/* Had its sub-group passed a barrier after the entry, a work-item's, by the picture? */
static bool before_picture(const struct order *order, size_t at, enum order_region floor,
                           uint32_t entry)
{
    return at != 0 &&
           entry_record(entry) < pictured_floor(order, at, floor,
                                                sub_group_index(order, entry_vector(order, entry),
                                                                entry_lane(entry)));
}

/* Was it made by the running group? */
static bool is_own(const struct order *order, uint32_t entry)
{
    const struct engine_group *now = order->now;
    const uint32_t record = entry_record(entry);
    return record >= now->run_first ||
           (record >= now->group_first &&
            (!now->resumed || records_find(&order->records, record)->group == now->id));
}

static enum observer_scope level_in_vector(const struct order *order, uint32_t a, uint32_t b)
{
    return a == b                                                       ? OBSERVER_SCOPE_WORK_ITEM
           : a >> order->sub_group_shift == b >> order->sub_group_shift ? OBSERVER_SCOPE_SUB_GROUP
                                                                        : OBSERVER_SCOPE_WORK_GROUP;
}

enum observer_scope exact_level(const struct order *order, uint32_t entry, uint32_t lane)
{
    if (!is_own(order, entry)) {
        return OBSERVER_SCOPE_DEVICE;
    }
    if (order->copying || entry_vector(order, entry) != order->now->vector) {
        return OBSERVER_SCOPE_WORK_GROUP;
    }
    return level_in_vector(order, entry_lane(entry), lane);
}

/* The level of two entries of which not both are of other groups. */
static enum observer_scope level_between(const struct order *order, uint32_t a, uint32_t b)
{
    if (!is_own(order, a) || !is_own(order, b)) {
        return OBSERVER_SCOPE_DEVICE;
    }
    const uint32_t vector = entry_vector(order, a);
    if (vector != entry_vector(order, b) || vector == ORDER_COPY_VECTOR) {
        return OBSERVER_SCOPE_WORK_GROUP;
    }
    return level_in_vector(order, entry_lane(a), entry_lane(b));
}

/* Is the access of a copy that a fence orders before the one that is told now? */
static bool ordered_by_copy_fence(const struct order *order, enum order_region floor,
                                  uint32_t record)
{
    const struct engine_group *now = order->now;
    size_t low = 0;
    size_t high = now->told_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (now->told[middle].first <= record) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && now->told[low - 1].number < order->told.fenced[floor];
}

/* By the course of execution. */
static bool ordered_by_floors(const struct order *order, enum order_region floor, uint32_t entry,
                              uint32_t lane)
{
    const uint32_t record = entry_record(entry);
    if (!is_own(order, entry)) {
        return false;
    }
    if (record < order->now->barrier_floor[floor]) {
        return true;
    }
    const bool by_copy = order->now->copies_used && entry_vector(order, entry) == ORDER_COPY_VECTOR;
    if (order->copying) {
        return record >= order->now->run_first ||
               (by_copy ? record < order->told.first || ordered_by_copy_fence(order, floor, record)
                        : before_picture(order, order->told.sub_floors, floor, entry));
    }
    /* A copy has been waited for, and so has what it knew. */
    if (by_copy || before_picture(order, order->now->waited_floors, floor, entry)) {
        return true;
    }
    switch (exact_level(order, entry, lane)) {
    case OBSERVER_SCOPE_WORK_ITEM:
        return true;
    case OBSERVER_SCOPE_SUB_GROUP:
        return order->now->sub_floor_used &&
               record <
                   order->now->sub_floor[floor][sub_group_index(order, order->now->vector, lane)];
    default:
        return false;
    }
}

uint64_t exact_known(const struct order *order, enum order_region floor, uint32_t record,
                     uint64_t mask, uint32_t lane)
{
    const struct record_interval *interval = records_find(&order->records, record);
    return sync_known(order, floor, record, interval->group, interval->vector, mask, lane);
}

bool exact_ordered(const struct order *order, enum order_region floor, uint32_t entry,
                   uint32_t lane)
{
    if (ordered_by_floors(order, floor, entry, lane)) {
        return true;
    }
    return order->acquires && exact_known(order, floor, entry_record(entry),
                                          UINT64_C(1) << entry_lane(entry), lane) != 0;
}

/* ---- reader states ---- */

bool exact_conflicts(enum observer_access_kind kind, unsigned class)
{
    return access_writes(kind) || class >= READERS_ATOMIC_WRITE;
}

bool exact_races(const struct order *order, const struct access_context *context, unsigned class,
                 uint32_t entry, uint32_t lane)
{
    if (entry == 0 || exact_ordered(order, context->floor, entry, lane)) {
        return false;
    }
    return !access_is_atomic(context->access->kind) || class == READERS_PLAIN ||
           !inclusive(order, reader_scope(class), context->scope, exact_level(order, entry, lane));
}

/* The member of the set that races with the access by `lane`; 0 if none does. */
static uint32_t racing_member(const struct order *order, const struct access_context *context,
                              const struct reader_set *set, uint32_t lane)
{
    for (uint32_t left = set->present; left != 0; left &= left - 1) {
        const unsigned class = (unsigned)__builtin_ctz(left);
        if (!exact_conflicts(context->access->kind, class)) {
            continue;
        }
        const struct reader_pair pair = set->pairs[class];
        if (exact_races(order, context, class, pair.newer, lane)) {
            return pair.newer;
        }
        if (exact_races(order, context, class, pair.older, lane)) {
            return pair.older;
        }
    }
    return 0;
}

/* Of three strands' entries keep the two farthest apart. Of three levels in an ultrametric the two
 * largest are equal: the new entry either is no farther from either member than they are apart, or
 * as far from both. The pair is not saturated, so if a member is of another group, the other is of
 * the same. */
static struct reader_pair farthest(const struct order *order, struct reader_pair pair,
                                   uint32_t entry, uint32_t lane)
{
    const enum observer_scope to_newer = exact_level(order, pair.newer, lane);
    if (to_newer != OBSERVER_SCOPE_DEVICE &&
        level_between(order, pair.older, pair.newer) >= to_newer) {
        return pair;
    }
    return (struct reader_pair){.older = pair.newer, .newer = entry};
}

static bool is_lowest(const struct reader_set *set, unsigned class)
{
    return (unsigned)__builtin_ctz(set->present) == class;
}

/* Adds the strand's access to its class; false when the set already says all there is to say. */
static bool add_member(const struct order *order, const struct access_context *context,
                       struct reader_set *set, uint32_t entry, uint32_t lane)
{
    const uint32_t bit = 1U << context->class;
    struct reader_pair *pair = &set->pairs[context->class];
    if ((set->saturated & bit) != 0) {
        return false;
    }
    if ((set->present & bit) == 0) {
        *pair = (struct reader_pair){.older = entry};
        set->present |= bit;
        set->level = is_lowest(set, context->class) ? OBSERVER_SCOPE_WORK_ITEM : set->level;
        return true;
    }
    const struct reader_pair before = *pair;
    if (pair->newer != 0 && exact_ordered(order, context->floor, pair->newer, lane)) {
        pair->newer = 0;
    }
    if (exact_ordered(order, context->floor, pair->older, lane)) {
        pair->older = pair->newer;
        pair->newer = 0;
    }
    if (pair->older == 0) {
        pair->older = entry;
    } else if (pair->newer == 0) {
        pair->newer = entry;
    } else {
        *pair = farthest(order, *pair, entry, lane);
    }
    if (pair->older == before.older && pair->newer == before.newer) {
        return false;
    }
    const enum observer_scope level = pair->newer == 0
                                          ? OBSERVER_SCOPE_WORK_ITEM
                                          : level_between(order, pair->older, pair->newer);
    if (level == OBSERVER_SCOPE_DEVICE) {
        set->saturated |= bit;
    }
    if (is_lowest(set, context->class)) {
        set->level = level;
    }
    return true;
}

/* ---- cells ---- */

void exact_tell_race(struct order *order, const struct access_context *context,
                     const struct race_run *run, uint32_t lane)
{
    if (run->entry == 0) {
        return;
    }
    const uint32_t record = entry_record(run->entry);
    const struct record_interval *interval = records_find(&order->records, record);
    const struct order_race race = {
        .earlier = {.slot = order->records.slots[record],
                    .group = interval->group,
                    .vector = interval->vector,
                    .lane = entry_lane(run->entry),
                    .record = record},
        .later = {.slot = order_slot(context->access->site, context->access->kind),
                  .group = order->now->id,
                  .vector = order->now->vector,
                  .lane = lane,
                  .record = context->record},
        .offset = run->offset,
        .size = run->size,
        .distance = exact_level(order, run->entry, lane),
        .floor = context->floor,
        .sizes_differ = run->sizes_differ,
    };
    order->report(order->user, context->told, &race);
}

uint32_t exact_access_cell(struct order *order, const struct access_context *context,
                           struct shadow_page *page, uint32_t cell, uint32_t lane)
{
    const uint32_t self = entry_make(context->record, lane);
    struct readers *readers = &order->readers[context->region];
    struct reader_set set;
    const uint32_t written = page->w[cell];
    uint32_t n = page->n == NULL ? 0 : page->n[cell];
    readers_unpack(readers, page->r[cell], n, &set);
    uint32_t racing = 0;
    if (written != 0 && !exact_ordered(order, context->floor, written, lane)) {
        racing = written;
    } else {
        racing = racing_member(order, context, &set, lane);
    }
    if (context->access->kind == OBSERVER_WRITE) {
        page->w[cell] = self;
        set.present = 0;
    } else if (racing != 0) {
        if (written != 0) {
            page->w[cell] = 0;
        }
        set.present = 0;
        set.saturated = 0;
        set.level = OBSERVER_SCOPE_WORK_ITEM;
    }
    if (context->access->kind != OBSERVER_WRITE && !add_member(order, context, &set, self, lane)) {
        return racing;
    }
    if (!readers_pack(readers, &set, &page->r[cell], &n) ||
        ((n != 0 || (page->r[cell] & ENTRY_ATOMIC) != 0) &&
         !shadow_page_pair(&order->shadow, page))) {
        page->r[cell] = 0;
        n = 0;
        order->incomplete = true;
    }
    if (page->n != NULL) {
        page->n[cell] = n;
    }
    return racing;
}
