/* The engine: floors, and the accesses judged by them.
 *
 * An access goes the fast way (checkers/order/cells.h) where consecutive lanes touch consecutive
 * cells, and lane by lane otherwise. All lanes touching the same bytes to read them is common, too;
 * then only the first and the last lane count, which are as far apart as any two. */
#include "checkers/order/order.h"

#include "checkers/order/cells.h"
#include "checkers/order/engine.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>

/* Runs of fewer lanes than this are not worth the fast way. */
enum { RUN_LANES_MIN = 4 };

/* ---- what is ordered, and how far apart ---- */

static uint32_t entry_vector(const struct order *order, uint32_t entry)
{
    const uint32_t record = entry_record(entry);
    return record >= order->run_first ? order->vector
                                      : records_find(&order->records, record)->vector;
}

static size_t sub_group_index(const struct order *order, uint32_t vector, uint32_t lane)
{
    return ((size_t)vector << (ENTRY_LANE_BITS - order->sub_group_shift)) +
           (lane >> order->sub_group_shift);
}

/* The level of the running strand `lane` and that of `entry`. */
static enum order_level level_to(const struct order *order, uint32_t entry, uint32_t lane)
{
    if (entry_record(entry) < order->group_first) {
        return ORDER_LEVEL_DEVICE;
    }
    if (entry_vector(order, entry) != order->vector) {
        return ORDER_LEVEL_GROUP;
    }
    const uint32_t other = entry_lane(entry);
    if (other == lane) {
        return ORDER_LEVEL_STRAND;
    }
    return other >> order->sub_group_shift == lane >> order->sub_group_shift ? ORDER_LEVEL_SUB_GROUP
                                                                             : ORDER_LEVEL_GROUP;
}

/* The level of two entries of which not both are of earlier groups. */
static enum order_level level_between(const struct order *order, uint32_t a, uint32_t b)
{
    if (entry_record(a) < order->group_first || entry_record(b) < order->group_first) {
        return ORDER_LEVEL_DEVICE;
    }
    if (entry_vector(order, a) != entry_vector(order, b)) {
        return ORDER_LEVEL_GROUP;
    }
    if (entry_lane(a) == entry_lane(b)) {
        return ORDER_LEVEL_STRAND;
    }
    return entry_lane(a) >> order->sub_group_shift == entry_lane(b) >> order->sub_group_shift
               ? ORDER_LEVEL_SUB_GROUP
               : ORDER_LEVEL_GROUP;
}

/* Is the access `entry` ordered before what the running strand `lane` does now? A general clock of
 * the strand (acquire and release) would be asked where this says no. */
static bool ordered(const struct order *order, enum order_region region, uint32_t entry,
                    uint32_t lane)
{
    const uint32_t record = entry_record(entry);
    if (record < order->group_first) {
        return false;
    }
    if (record < order->barrier_floor[region]) {
        return true;
    }
    switch (level_to(order, entry, lane)) {
    case ORDER_LEVEL_STRAND:
        return true;
    case ORDER_LEVEL_SUB_GROUP:
        return order->sub_floor_used &&
               record < order->sub_floor[region][sub_group_index(order, order->vector, lane)];
    default:
        return false;
    }
}

/* OpenCL API 3.0, 3.3.5: scopes are inclusive if they are the same and wide enough for both
 * strands. */
static bool inclusive(enum order_level a, enum order_level b, enum order_level distance)
{
    return a == b && distance <= a;
}

/* ---- reader states ---- */

static unsigned reader_class(enum order_kind kind, enum order_level scope)
{
    switch (kind) {
    case ORDER_ATOMIC_READ:
        return READERS_ATOMIC_READ + scope;
    case ORDER_ATOMIC_WRITE:
        return READERS_ATOMIC_WRITE + scope;
    default:
        return READERS_PLAIN;
    }
}

static bool is_atomic(enum order_kind kind)
{
    return kind == ORDER_ATOMIC_READ || kind == ORDER_ATOMIC_WRITE;
}

/* Does an access of `kind` conflict with members of a class, scopes apart? */
static bool conflicts(enum order_kind kind, unsigned class)
{
    return kind == ORDER_WRITE || kind == ORDER_ATOMIC_WRITE || class >= READERS_ATOMIC_WRITE;
}

static enum order_level class_scope(unsigned class)
{
    return class >= READERS_ATOMIC_WRITE ? class - READERS_ATOMIC_WRITE
                                         : class - READERS_ATOMIC_READ;
}

/* What an access needs wherever it looks. */
struct access_context {
    const struct order_access *access;
    enum order_region region;
    enum order_level scope;
    unsigned class;
    uint32_t record;
    struct cell_floors floors;
    const struct order_access *told; /* the access as it was given: `access` may be a run of it */
};

static bool member_races(const struct order *order, const struct access_context *context,
                         unsigned class, uint32_t entry, uint32_t lane)
{
    if (entry == 0 || ordered(order, context->region, entry, lane)) {
        return false;
    }
    return !is_atomic(context->access->kind) || class == READERS_PLAIN ||
           !inclusive(class_scope(class), context->scope, level_to(order, entry, lane));
}

/* The member of the set that races with the access by `lane`; 0 if none does. */
static uint32_t racing_member(const struct order *order, const struct access_context *context,
                              const struct reader_set *set, uint32_t lane)
{
    for (uint32_t left = set->present; left != 0; left &= left - 1) {
        const unsigned class = (unsigned)__builtin_ctz(left);
        if (!conflicts(context->access->kind, class)) {
            continue;
        }
        const struct reader_pair pair = set->pairs[class];
        if (member_races(order, context, class, pair.newer, lane)) {
            return pair.newer;
        }
        if (member_races(order, context, class, pair.older, lane)) {
            return pair.older;
        }
    }
    return 0;
}

/* Of three strands' entries keep the two farthest apart. Of three levels in an ultrametric the two
 * largest are equal: the new entry either is no farther from either member than they are apart, or
 * as far from both. The pair is not saturated, so if a member is of an earlier group, the other is
 * of the same. */
static struct reader_pair farthest(const struct order *order, struct reader_pair pair,
                                   uint32_t entry, uint32_t lane)
{
    const enum order_level to_newer = level_to(order, pair.newer, lane);
    if (to_newer != ORDER_LEVEL_DEVICE &&
        level_between(order, pair.older, pair.newer) >= to_newer) {
        return pair;
    }
    return (struct reader_pair){.older = pair.newer, .newer = entry};
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
        set->plain_level = context->class == READERS_PLAIN ? ORDER_LEVEL_STRAND : set->plain_level;
        return true;
    }
    const struct reader_pair before = *pair;
    if (pair->newer != 0 && ordered(order, context->region, pair->newer, lane)) {
        pair->newer = 0;
    }
    if (ordered(order, context->region, pair->older, lane)) {
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
    const enum order_level level =
        pair->newer == 0 ? ORDER_LEVEL_STRAND : level_between(order, pair->older, pair->newer);
    if (level == ORDER_LEVEL_DEVICE) {
        set->saturated |= bit;
    }
    if (context->class == READERS_PLAIN) {
        set->plain_level = level;
    }
    return true;
}

/* ---- cells ---- */

/* Races of one lane on neighbouring cells with the same earlier access, told as one. */
struct race_run {
    uint32_t entry;
    uint64_t offset;
    uint32_t size;
};

static void tell_race(struct order *order, const struct access_context *context,
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
        .later = {.slot = context->access->slot,
                  .group = order->group,
                  .vector = order->vector,
                  .lane = lane,
                  .record = context->record},
        .offset = run->offset,
        .size = run->size,
        .distance = level_to(order, run->entry, lane),
    };
    order->report(order->user, context->told, &race);
}

static struct read_step *read_step_slot(struct order *order, enum order_region region,
                                        uint32_t before, uint32_t self)
{
    const uint32_t hash = (before * UINT32_C(0x9E3779B1)) ^ (self * UINT32_C(0x85EBCA77));
    return &order->steps[region][hash >> 24];
}

/* One cell, exactly; returns the entry that races, 0 if none does. */
static uint32_t access_cell(struct order *order, const struct access_context *context,
                            struct shadow_page *page, uint32_t cell, uint32_t lane)
{
    const uint32_t self = entry_make(context->record, lane);
    struct readers *readers = &order->readers[context->region];
    struct reader_set set;
    const uint32_t written = page->w[cell];
    const uint32_t before = page->r[cell];
    readers_unpack(readers, before, &set);
    uint32_t racing = 0;
    if (written != 0 && !ordered(order, context->region, written, lane)) {
        racing = written;
    } else {
        racing = racing_member(order, context, &set, lane);
    }
    if (context->access->kind == ORDER_WRITE) {
        page->w[cell] = self;
        page->r[cell] = 0;
        return racing;
    }
    if (racing != 0) {
        page->w[cell] = 0;
        set.present = 0;
        set.saturated = 0;
        set.plain_level = ORDER_LEVEL_STRAND;
    }
    if (!add_member(order, context, &set, self, lane)) {
        return racing;
    }
    if (!readers_pack(readers, &set, &page->r[cell])) {
        page->r[cell] = 0;
        order->incomplete = true;
    } else if (context->access->kind == ORDER_READ && racing == 0) {
        *read_step_slot(order, context->region, before, self) =
            (struct read_step){.before = before, .self = self, .after = page->r[cell]};
    }
    return racing;
}

/* Does a reader state stay as it is, and without a race, when the strand reads or updates
 * atomically? The frequent cases only: tiles read by many strands of a group since its last
 * barrier, and atomics of device scope. */
static inline bool state_stays(const struct order *order, const struct access_context *context,
                               uint32_t packed, uint32_t lane)
{
    const uint32_t *words = readers_words(&order->readers[context->region], packed);
    const uint32_t header = words[0];
    if (context->access->kind != ORDER_READ) {
        const uint32_t bit = 1U << context->class;
        return context->scope == ORDER_LEVEL_DEVICE &&
               header == (bit | bit << READERS_SATURATED_SHIFT);
    }
    /* Two plain readers since the last barrier, as far apart as this one is from them. */
    const uint32_t plain = 1U << READERS_PLAIN;
    return header == (plain | (uint32_t)ORDER_LEVEL_SUB_GROUP << READERS_LEVEL_SHIFT) &&
           !order->sub_floor_used &&
           words[1] >= context->floors.group_first + context->floors.barrier_span &&
           words[1] >= context->floors.run_first &&
           entry_lane(words[1]) >> order->sub_group_shift == lane >> order->sub_group_shift;
}

/* The plain read of a cell that no write races with, if it has been worked out before. */
static inline bool read_as_before(struct order *order, enum order_region region, uint32_t *r,
                                  uint32_t self)
{
    const struct read_step *step = read_step_slot(order, region, *r, self);
    if (step->before != *r || step->self != self) {
        return false;
    }
    *r = step->after;
    return true;
}

/* True when the cell needs no closer look; it then holds the access. */
static inline bool access_cell_fast(struct order *order, const struct access_context *context,
                                    uint32_t *w, uint32_t *r, uint32_t lane)
{
    const struct cell_floors floors = context->floors;
    const uint32_t self = entry_make(context->record, lane);
    const uint32_t read = *r;
    if (!cell_ordered(floors, *w, self)) {
        return false;
    }
    switch (context->access->kind) {
    case ORDER_READ:
        if (cell_full(floors, read)) {
            return true;
        }
        if (cell_ordered(floors, read, self)) {
            *r = self;
            return true;
        }
        return (read >= ENTRY_STATE && state_stays(order, context, read, lane)) ||
               read_as_before(order, context->region, r, self);
    case ORDER_WRITE:
        if (cell_ordered(floors, read, self)) {
            *w = self;
            *r = 0;
            return true;
        }
        return false;
    default:
        return read >= ENTRY_STATE && state_stays(order, context, read, lane);
    }
}

/* Bytes [offset, offset + size) of page `index`, touched by one lane. */
static void access_page_lane(struct order *order, const struct access_context *context,
                             size_t index, uint32_t offset, uint32_t size, uint32_t lane,
                             struct race_run *run)
{
    struct order_object *object = context->access->object;
    ASSERT(index < object->page_count);
    struct shadow_page *page =
        shadow_page_get(object, index, order->generation[context->region], offset, size);
    if (page == NULL) {
        order->incomplete = true;
        return;
    }
    const uint32_t granule = 1U << page->granule_shift;
    for (uint32_t at = offset; at < offset + size; at += granule) {
        const uint32_t cell = at >> page->granule_shift;
        if (access_cell_fast(order, context, &page->w[cell], &page->r[cell], lane)) {
            continue;
        }
        const uint32_t racing = access_cell(order, context, page, cell, lane);
        const uint64_t place = ((uint64_t)index << SHADOW_PAGE_SHIFT) + at;
        if (racing != 0 && racing == run->entry && run->offset + run->size == place) {
            run->size += granule;
        } else if (racing != 0) {
            tell_race(order, context, run, lane);
            *run = (struct race_run){.entry = racing, .offset = place, .size = granule};
        }
    }
}

/* All bytes that one lane touches. */
static void access_lane(struct order *order, const struct access_context *context, uint64_t offset,
                        uint32_t lane)
{
    struct race_run run = {0};
    uint32_t left = context->access->size;
    while (left > 0) {
        const size_t index = (size_t)(offset >> SHADOW_PAGE_SHIFT);
        const uint32_t within = (uint32_t)offset & (SHADOW_PAGE_SIZE - 1);
        const uint32_t room = SHADOW_PAGE_SIZE - within;
        const uint32_t size = left < room ? left : room;
        access_page_lane(order, context, index, within, size, lane, &run);
        offset += size;
        left -= size;
    }
    tell_race(order, context, &run, lane);
}

static uint64_t lane_offset(const struct order_access *access, uint32_t lane)
{
    if (access->offsets != NULL) {
        return access->offsets[lane];
    }
    if (access->run == 0) {
        return access->offset + (uint64_t)((int64_t)lane * access->stride);
    }
    return access->offset + (uint64_t)((int64_t)(lane & (access->run - 1)) * access->stride) +
           (uint64_t)((int64_t)(lane >> __builtin_ctz(access->run)) * access->jump);
}

/* The cells [*w, ...) and [*r, ...) of elements from `offset` on, if the page is ready and its
 * cells are of the access's size; *left is how many there are up to the end of the page. */
static inline bool ready_cells(const struct order *order, const struct access_context *context,
                               uint64_t offset, uint32_t **w, uint32_t **r, uint32_t *left)
{
    const struct order_object *object = context->access->object;
    const uint32_t size = context->access->size;
    ASSERT(offset >> SHADOW_PAGE_SHIFT < object->page_count);
    const struct shadow_page *page = &object->pages[offset >> SHADOW_PAGE_SHIFT];
    const uint32_t within = (uint32_t)offset & (SHADOW_PAGE_SIZE - 1);
    if (page->generation != order->generation[context->region] ||
        size != 1U << page->granule_shift || (within & (size - 1)) != 0) {
        return false;
    }
    const uint32_t cell = within >> page->granule_shift;
    *w = &page->w[cell];
    *r = &page->r[cell];
    *left = shadow_page_cells(page) - cell;
    return true;
}

/* Lane by lane. Elements of one cell in pages that are ready already, as gathers have them, take a
 * short cut. */
static void access_lanes(struct order *order, const struct access_context *context, uint64_t mask)
{
    uint32_t *w = NULL;
    uint32_t *r = NULL;
    uint32_t left = 0;
    for (; mask != 0; mask &= mask - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(mask);
        const uint64_t offset = lane_offset(context->access, lane);
        if (!ready_cells(order, context, offset, &w, &r, &left) ||
            !access_cell_fast(order, context, w, r, lane)) {
            access_lane(order, context, offset, lane);
        }
    }
}

/* All lanes of the mask read the same bytes: the first and the last count, which are as far apart
 * as any two. */
static void read_uniform(struct order *order, const struct access_context *context, uint64_t mask)
{
    const uint32_t first = (uint32_t)__builtin_ctzll(mask);
    const uint32_t last = ORDER_LANES - 1 - (uint32_t)__builtin_clzll(mask);
    const uint64_t offset = lane_offset(context->access, first);
    uint32_t *w = NULL;
    uint32_t *r = NULL;
    uint32_t left = 0;
    if (ready_cells(order, context, offset, &w, &r, &left) &&
        (cell_settled(context->floors, *w, *r) || (access_cell_fast(order, context, w, r, first) &&
                                                   access_cell_fast(order, context, w, r, last)))) {
        return;
    }
    access_lane(order, context, offset, first);
    if (last != first) {
        access_lane(order, context, offset, last);
    }
}

static uint64_t lane_mask(uint32_t first, uint32_t count)
{
    return (count == ORDER_LANES ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1) << first;
}

/* Lanes [lane, end), whose bytes follow one another; the access is plain and its size a power of
 * two. */
static void access_run(struct order *order, const struct access_context *context, uint32_t lane,
                       uint32_t end)
{
    const struct order_access *access = context->access;
    const unsigned size_shift = (unsigned)__builtin_ctz(access->size);
    while (lane < end) {
        const uint64_t offset = access->offset + (uint64_t)lane * access->size;
        const uint32_t within = (uint32_t)offset & (SHADOW_PAGE_SIZE - 1);
        uint32_t count = (SHADOW_PAGE_SIZE - within) >> size_shift;
        count = count < end - lane ? count : end - lane;
        struct shadow_page *page = NULL;
        ASSERT(offset >> SHADOW_PAGE_SHIFT < access->object->page_count);
        if (count > 0) {
            page = shadow_page_get(access->object, (size_t)(offset >> SHADOW_PAGE_SHIFT),
                                   order->generation[context->region], within, access->size);
        }
        bool done = false;
        if (page != NULL) {
            const unsigned lane_shift = size_shift - page->granule_shift;
            uint32_t *w = page->w + (within >> page->granule_shift);
            uint32_t *r = page->r + (within >> page->granule_shift);
            const uint32_t first = entry_make(context->record, lane);
            done =
                access->kind == ORDER_READ
                    ? cells_read(w, r, count << lane_shift, first, lane_shift, &context->floors)
                    : cells_write(w, r, count << lane_shift, first, lane_shift, &context->floors);
        }
        /* Something for the slow way, or an element across the end of the page. */
        count = count > 0 ? count : 1;
        if (!done) {
            access_lanes(order, context, lane_mask(lane, count));
        }
        lane += count;
    }
}

/* The lanes of `mask` lie one behind the other: run by run of consecutive lanes. */
static void access_runs(struct order *order, const struct access_context *context, uint64_t mask)
{
    while (mask != 0) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(mask);
        const uint64_t shifted = ~(mask >> lane);
        const uint32_t length = shifted == 0 ? ORDER_LANES : (uint32_t)__builtin_ctzll(shifted);
        const uint64_t run = lane_mask(lane, length);
        if (length >= RUN_LANES_MIN) {
            access_run(order, context, lane, lane + length);
        } else {
            access_lanes(order, context, run);
        }
        mask &= ~run;
    }
}

static void access_pattern(struct order *order, const struct access_context *context, uint64_t mask)
{
    const struct order_access *access = context->access;
    const bool plain = !is_atomic(access->kind);
    if (access->offsets == NULL && access->stride == 0 && access->kind == ORDER_READ) {
        read_uniform(order, context, mask);
    } else if (access->offsets == NULL && plain && access->stride == (int64_t)access->size &&
               (access->size & (access->size - 1)) == 0) {
        access_runs(order, context, mask);
    } else {
        access_lanes(order, context, mask);
    }
}

/* Do all runs read the same cells one behind the other, without a need to note it? */
static bool runs_settled(const struct order *order, const struct access_context *context)
{
    const struct order_access *access = context->access;
    uint32_t *w = NULL;
    uint32_t *r = NULL;
    uint32_t left = 0;
    return access->stride == (int64_t)access->size &&
           ready_cells(order, context, access->offset, &w, &r, &left) && left >= access->run &&
           cells_settled(w, r, access->run, &context->floors);
}

/* Run by run, each a pattern of its own. Of runs that all read the same places the first and the
 * last count, as of lanes that do. */
static void access_tiles(struct order *order, const struct access_context *context)
{
    const struct order_access *access = context->access;
    const uint32_t run = access->run;
    const bool reads = access->kind == ORDER_READ;
    const bool repeats = reads && access->jump == 0 && access->mask == ~UINT64_C(0);
    ASSERT(access->offsets == NULL && run < ORDER_LANES && (run & (run - 1)) == 0);
    if (repeats && runs_settled(order, context)) {
        return;
    }
    struct order_access part = *access;
    struct access_context part_context = *context;
    part.run = 0;
    part_context.access = &part;
    for (uint32_t lane = 0; lane < ORDER_LANES; lane += run) {
        const uint64_t mask = access->mask & lane_mask(lane, run);
        if (mask == 0 || (repeats && lane != 0 && lane != ORDER_LANES - run)) {
            continue;
        }
        if (reads && access->stride == 0) {
            read_uniform(order, context, mask);
            continue;
        }
        part.mask = mask;
        part.offset = access->offset + (uint64_t)((int64_t)(lane / run) * access->jump) -
                      (uint64_t)((int64_t)lane * access->stride);
        access_pattern(order, &part_context, mask);
    }
}

static uint32_t slot_record(struct order *order, uint32_t slot)
{
    struct slot_record *cached = &order->slots[slot];
    if (cached->interval != order->interval) {
        const uint32_t record = records_add(&order->records, slot, order->group, order->vector);
        if (record == 0) {
            return 0;
        }
        *cached = (struct slot_record){.interval = order->interval, .record = record};
    }
    return cached->record;
}

void order_access(struct order *order, const struct order_access *access)
{
    if (order->incomplete) {
        return;
    }
    const enum order_region region = access->object->region;
    const uint32_t record = slot_record(order, access->slot);
    if (record == 0) {
        order->incomplete = true;
        return;
    }
    /* OpenCL API 3.0, 3.3.5: on local memory a scope wider than the work-group is the work-group's.
     */
    const bool clamped = region == ORDER_LOCAL && access->scope > ORDER_LEVEL_GROUP;
    const enum order_level scope = clamped ? ORDER_LEVEL_GROUP : access->scope;
    const uint32_t group_first = entry_make(order->group_first, 0);
    const struct access_context context = {
        .access = access,
        .region = region,
        .scope = scope,
        .class = reader_class(access->kind, scope),
        .record = record,
        .told = access,
        .floors = {.group_first = group_first,
                   .barrier_span = entry_make(order->barrier_floor[region], 0) - group_first,
                   .run_first = entry_make(order->run_first, 0),
                   .state_span = region == ORDER_LOCAL ? order->state_floor : 0,
                   .full_first = ENTRY_STATE | ENTRY_GROUP | order->state_first[region],
                   .full_span =
                       order->sub_floor_used ? 0 : ENTRY_GROUP - order->state_first[region]},
    };
    if (access->run == 0) {
        access_pattern(order, &context, access->mask);
    } else {
        access_tiles(order, &context);
    }
}

/* ---- the course of execution ---- */

static void end_interval(struct order *order)
{
    order->interval++;
    records_end_interval(&order->records);
}

void order_launch_begin(struct order *order, uint32_t slot_count, uint32_t sub_group_size)
{
    ASSERT(sub_group_size > 0 && ORDER_LANES % sub_group_size == 0);
    shadow_drop_before(&order->shadow, order->launch);
    order->launch++;
    order->incomplete = false;
    order->sub_group_shift = (unsigned)__builtin_ctz(sub_group_size);
    records_reset(&order->records);
    for (int region = 0; region < ORDER_REGION_COUNT; region++) {
        readers_reset(&order->readers[region]);
        order->generation[region] = ++order->last_generation;
    }
    memset(order->steps, 0, sizeof order->steps);
    order->renumber_at = order->records.limit - order->records.limit / 4;
    if (slot_count > order->slot_capacity) {
        struct slot_record *slots = alloc_zero(slot_count, sizeof *slots);
        alloc_free(order->slots);
        order->slots = slots;
        order->slot_capacity = slots == NULL ? 0 : slot_count;
        order->incomplete = slots == NULL;
    }
    end_interval(order);
}

void order_group_begin(struct order *order, uint64_t group, uint32_t item_count)
{
    end_interval(order);
    if (order->records.next >= order->renumber_at && !order->incomplete) {
        engine_renumber(order);
    }
    order->group = group;
    order->vector = 0;
    order->group_first = order->records.next;
    order->run_first = order->records.next;
    order->state_floor = 0;
    readers_reset(&order->readers[ORDER_LOCAL]);
    order->generation[ORDER_LOCAL] = ++order->last_generation;
    for (int region = 0; region < ORDER_REGION_COUNT; region++) {
        order->barrier_floor[region] = order->group_first;
        order->state_first[region] = (uint32_t)order->readers[region].size;
    }
    order->sub_floor_used = false;
    order->sub_group_count = ((size_t)item_count >> order->sub_group_shift) + 1;
}

void order_vector_run(struct order *order, uint32_t vector)
{
    end_interval(order);
    order->vector = vector;
    order->run_first = order->records.next;
}

void order_barrier(struct order *order, uint32_t regions)
{
    end_interval(order);
    for (int region = 0; region < ORDER_REGION_COUNT; region++) {
        if ((regions >> region & 1) != 0) {
            order->barrier_floor[region] = order->records.next;
            order->state_first[region] = (uint32_t)order->readers[region].size;
        }
    }
    if ((regions >> ORDER_LOCAL & 1) != 0) {
        order->state_floor = (uint32_t)order->readers[ORDER_LOCAL].size;
    }
}

static bool reserve_sub_floors(struct order *order)
{
    if (order->sub_group_count > order->sub_floor_capacity) {
        for (int region = 0; region < ORDER_REGION_COUNT; region++) {
            alloc_free(order->sub_floor[region]);
            order->sub_floor[region] = NULL;
        }
        order->sub_floor_capacity = 0;
        for (int region = 0; region < ORDER_REGION_COUNT; region++) {
            order->sub_floor[region] = alloc(order->sub_group_count * sizeof(uint32_t));
            if (order->sub_floor[region] == NULL) {
                return false;
            }
        }
        order->sub_floor_capacity = order->sub_group_count;
    }
    for (int region = 0; region < ORDER_REGION_COUNT; region++) {
        memset(order->sub_floor[region], 0, order->sub_group_count * sizeof(uint32_t));
    }
    order->sub_floor_used = true;
    return true;
}

void order_sub_group_barrier(struct order *order, uint32_t vector, uint32_t lane, uint32_t regions)
{
    end_interval(order);
    if (!order->sub_floor_used && !reserve_sub_floors(order)) {
        order->incomplete = true;
        return;
    }
    const size_t index = sub_group_index(order, vector, lane);
    ASSERT(index < order->sub_group_count);
    for (int region = 0; region < ORDER_REGION_COUNT; region++) {
        if ((regions >> region & 1) != 0) {
            order->sub_floor[region][index] = order->records.next;
        }
    }
}

struct order_object *order_object(struct order *order, enum order_region region, uint32_t id,
                                  uint64_t size)
{
    struct order_object *object = shadow_object(&order->shadow, region, id, size, order->launch);
    if (object == NULL) {
        order->incomplete = true;
    }
    return object;
}

uint32_t order_next_record(const struct order *order)
{
    return order->records.next;
}

bool order_is_incomplete(const struct order *order)
{
    return order->incomplete;
}

enum status order_create(uint32_t record_limit, order_race_function *report, void *user,
                         struct order **order, struct error *error)
{
    struct order *made = alloc_zero(1, sizeof *made);
    if (made == NULL) {
        return error_no_memory(error, sizeof *made);
    }
    const uint32_t most = UINT32_C(1) << ENTRY_RECORD_BITS;
    made->report = report;
    made->user = user;
    made->records.limit = record_limit == 0 || record_limit > most ? most : record_limit;
    *order = made;
    return STATUS_OK;
}

void order_destroy(struct order *order)
{
    if (order == NULL) {
        return;
    }
    records_release(&order->records);
    for (int region = 0; region < ORDER_REGION_COUNT; region++) {
        readers_release(&order->readers[region]);
        alloc_free(order->sub_floor[region]);
    }
    shadow_release(&order->shadow);
    alloc_free(order->slots);
    alloc_free(order);
}
