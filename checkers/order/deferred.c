/* Accesses to local memory since the last barrier that ordered it, put off: no cell knows them yet.
 *
 * Work-items of a group mostly stay apart between two barriers, or only read; that is seen of
 * ranges of bytes. What a barrier has ordered is ordered for all of the group, and nobody outside
 * it can access the memory; so such accesses are forgotten there, without a cell that was ever
 * looked at. When one comes of which it is not plain that it meets none of the others, all are
 * judged by cells in their order, as if none had been put off. */
#include "checkers/order/exact.h"
#include "trace/base/assert.h"

#include <string.h>

/* Barriers without putting off after one between which it was in vain. */
enum { DEFERRED_REST = 16 };
/* A list that is longer than this is not searched. */
enum { DEFERRED_SEARCHED = 32 };

void deferred_begin(struct order *order)
{
    struct deferred *deferred = &order->deferred;
    const struct engine_group *now = order->now;
    deferred->count = 0;
    deferred->gather_count = 0;
    deferred->epoch++;
    deferred->open = !order->acquires && !now->resumed && !now->sub_floor_used && !now->copies_used;
    if (deferred->open && deferred->rest > 0) {
        deferred->rest--;
        deferred->open = false;
    }
}

void deferred_drop(struct order *order)
{
    order->deferred.count = 0;
    order->deferred.open = false;
}

/* Judges all by cells. The vector that runs is for each access the one that made it. */
static void judge_all(struct order *order)
{
    struct deferred *deferred = &order->deferred;
    struct engine_group *now = order->now;
    const struct engine_group kept = *now;
    for (uint32_t i = 0; i < deferred->count; i++) {
        const struct deferred_access *access = &deferred->list[i];
        const struct lane_access told = {
            .site = access->site,
            .kind = access->writes ? OBSERVER_WRITE : OBSERVER_READ,
            .size = access->size,
            .mask = access->mask,
            .offset = access->offset,
            .stride = access->stride,
            .run = access->run,
            .jump = access->jump,
            .offsets = access->gather == 0 ? NULL : deferred->gathers[access->gather - 1],
        };
        now->vector = access->vector;
        now->run_first = access->run_first;
        now->phase_first = access->phase_first;
        judge_recorded(order, access->object, &told, &told, access->record);
    }
    now->vector = kept.vector;
    now->run_first = kept.run_first;
    now->phase_first = kept.phase_first;
}

void deferred_close(struct order *order)
{
    if (order->deferred.open) {
        order->deferred.open = false;
        judge_all(order);
    }
}

/* ---- which bytes ---- */

static uint64_t magnitude(int64_t step)
{
    return step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
}

/* Does each lane of the pattern access bytes of its own? */
static bool lanes_apart(const struct deferred_access *access)
{
    const uint64_t stride = magnitude(access->stride);
    if (access->run == 0) {
        return stride >= access->size;
    }
    const uint64_t jump = magnitude(access->jump);
    const uint64_t along = (access->run - 1) * stride + access->size;
    const uint64_t across = (ORDER_LANES / access->run - 1) * jump + access->size;
    return (stride >= access->size && jump >= along) || (jump >= access->size && stride >= across);
}

static void widen(struct deferred_access *access, uint64_t steps)
{
    if ((int64_t)steps < 0) {
        access->low += steps;
    } else {
        access->high += steps;
    }
}

/* False: they are not known. */
static bool find_bytes(struct deferred_access *access)
{
    const uint32_t first = (uint32_t)__builtin_ctzll(access->mask);
    const uint32_t last = ORDER_LANES - 1 - (uint32_t)__builtin_clzll(access->mask);
    const uint64_t stride = (uint64_t)access->stride;
    const uint32_t in_run = access->run == 0 ? first : first & (access->run - 1);
    const uint32_t run = access->run == 0 ? 0 : first / access->run;
    access->low = access->offset + in_run * stride + run * (uint64_t)access->jump;
    access->high = access->low + access->size;
    if (first == last) { /* its pattern may be any: that of neighbours is likely */
        access->offset = access->low - (uint64_t)first * access->size;
        access->stride = access->size;
        access->run = 0;
        access->jump = 0;
        return true;
    }
    widen(access, (access->run == 0 ? last - first : access->run - 1) * stride);
    if (access->run != 0) {
        widen(access, (ORDER_LANES / access->run - 1) * (uint64_t)access->jump);
    }
    return access->run == 0 || access->mask == ~UINT64_C(0);
}

/* The same of a gather. Are the bytes of each lane its own, or need they not be? */
static bool find_gathered(struct order *order, struct deferred_access *access,
                          const uint64_t offsets[ORDER_LANES])
{
    const unsigned shift = (unsigned)__builtin_ctz(access->size);
    const uint32_t stamp = ++order->stamp;
    uint64_t bits = 0;
    uint64_t twice = 0;
    access->low = UINT64_MAX;
    access->high = 0;
    for (uint64_t left = access->mask; left != 0; left &= left - 1) {
        const uint64_t offset = offsets[__builtin_ctzll(left)];
        uint32_t *seen = &order->stamps[(offset >> shift) % ORDER_STAMPS];
        twice |= *seen == stamp;
        *seen = stamp;
        bits |= offset;
        access->low = offset < access->low ? offset : access->low;
        access->high = offset > access->high ? offset : access->high;
    }
    access->high += access->size;
    return !access->writes ||
           (twice == 0 && access->size == 1U << shift && (bits & (access->size - 1)) == 0);
}

/* ---- who meets ---- */

static bool overlap(const struct deferred_range *range, const struct deferred_access *access)
{
    return access->low < range->high && range->low < access->high;
}

static bool same_strands(const struct deferred_access *a, const struct deferred_access *b)
{
    return a->vector == b->vector && a->gather == 0 && b->gather == 0 && a->offset == b->offset &&
           a->stride == b->stride && a->run == b->run && a->jump == b->jump && a->size == b->size;
}

/* May bytes that one of the two writes be accessed by different strands? */
static bool meet(const struct deferred_access *a, const struct deferred_access *b)
{
    return (a->writes || b->writes) && a->object == b->object && a->low < b->high &&
           b->low < a->high && !same_strands(a, b);
}

static bool meets_any(const struct deferred *deferred, const struct deferred_access *access)
{
    const struct order_object *object = access->object;
    if (object->deferred_epoch != deferred->epoch ||
        (!overlap(&object->written, access) &&
         (!access->writes || !overlap(&object->read, access)))) {
        return false;
    }
    bool found = deferred->count > DEFERRED_SEARCHED;
    for (uint32_t i = 0; i < deferred->count && !found; i++) {
        found = meet(access, &deferred->list[i]);
    }
    return found;
}

static void note_range(struct deferred *deferred, const struct deferred_access *access)
{
    struct order_object *object = access->object;
    struct deferred_range *range = access->writes ? &object->written : &object->read;
    if (object->deferred_epoch != deferred->epoch) {
        object->deferred_epoch = deferred->epoch;
        object->read = object->written = (struct deferred_range){.low = UINT64_MAX};
    }
    range->low = access->low < range->low ? access->low : range->low;
    range->high = access->high > range->high ? access->high : range->high;
}

/* The access, which is complete but for who makes it. False: it is none to be put off. */
static bool add(struct order *order, struct deferred_access *access)
{
    struct deferred *deferred = &order->deferred;
    const struct engine_group *now = order->now;
    access->vector = now->vector;
    access->run_first = now->run_first;
    access->phase_first = now->phase_first;
    if (meets_any(deferred, access)) {
        deferred->rest = DEFERRED_REST;
        return false;
    }
    access->record =
        row_record(order, order_slot(access->site, access->writes ? OBSERVER_WRITE : OBSERVER_READ),
                   access->size);
    if (access->record == 0) {
        return false;
    }
    order->now->region_used[ORDER_LOCAL] = true;
    note_range(deferred, access);
    deferred->count++;
    return true;
}

bool deferred_add_row(struct order *order, struct order_object *object, const struct lane_row *row)
{
    struct deferred *deferred = &order->deferred;
    if (deferred->count == DEFERRED_MAX) {
        deferred->rest = DEFERRED_REST;
        deferred_close(order);
        return false;
    }
    struct deferred_access *access = &deferred->list[deferred->count];
    *access = (struct deferred_access){
        .object = object,
        .mask = (~UINT64_C(0) >> (ORDER_LANES - 1 - (row->last - row->first))) << row->first,
        .offset = row->offset,
        .stride = row->stride,
        .jump = row->jump,
        .run = row->run,
        .site = row->site,
        .size = row->size,
        .writes = row->writes};
    if (find_bytes(access) && (!row->writes || lanes_apart(access)) && add(order, access)) {
        return true;
    }
    deferred_close(order);
    return false;
}

bool deferred_add(struct order *order, struct order_object *object,
                  const struct lane_access *access)
{
    struct deferred *deferred = &order->deferred;
    struct deferred_access *made = &deferred->list[deferred->count];
    bool apart = !access_is_atomic(access->kind) && deferred->count < DEFERRED_MAX &&
                 (access->offsets == NULL || deferred->gather_count < DEFERRED_GATHERS);
    if (apart) {
        *made = (struct deferred_access){.object = object,
                                         .mask = access->mask,
                                         .offset = access->offset,
                                         .stride = access->stride,
                                         .jump = access->run == 0 ? 0 : access->jump,
                                         .run = access->run,
                                         .site = access->site,
                                         .size = access->size,
                                         .writes = access->kind == OBSERVER_WRITE};
    }
    if (apart && access->offsets == NULL) {
        apart = find_bytes(made) && (!made->writes || lanes_apart(made));
    } else if (apart) {
        memcpy(deferred->gathers[deferred->gather_count], access->offsets,
               sizeof *deferred->gathers);
        made->gather = ++deferred->gather_count;
        apart = find_gathered(order, made, access->offsets);
    }
    if (apart && add(order, made)) {
        return true;
    }
    deferred_close(order);
    return false;
}
