/* The course of execution: what floors each event leaves. Accesses are judged in judge.c. */
#include "checkers/order/order.h"

#include "checkers/order/engine.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>

static void begin_phase(struct order *order)
{
    order->now->phase_first = order->records.next;
    order->now->ran = 0;
}

void order_launch_begin(struct order *order, const struct order_launch *launch)
{
    const uint32_t slot_count = order_slot(launch->site_count, OBSERVER_READ);
    ASSERT(launch->sub_group_size > 0 && ORDER_LANES % launch->sub_group_size == 0);
    shadow_drop_before(&order->shadow, order->launch);
    order->shadow.unpacked /= 2;
    order->launch++;
    deferred_drop(order);
    order->deferred.rest = 0;
    order->incomplete = false;
    order->acquires = launch->acquires;
    order->device_scope = launch->device_scope;
    order->wide_scopes = launch->wide_scopes;
    order->seq_cst_alone = launch->seq_cst_alone;
    order->inert_apart = launch->inert_apart;
    order->narrow_fences = launch->narrow_fences;
    order->sub_group_shift = (unsigned)__builtin_ctz(launch->sub_group_size);
    records_reset(&order->records);
    for (int region = 0; region < ORDER_REGION_COUNT; region++) {
        readers_reset(&order->readers[region]);
        histories_reset(&order->histories[region]);
        order->generation[region] = ++order->last_generation;
    }
    for (size_t i = 0; i < order->group_count; i++) {
        order->groups[i].waits = false;
    }
    order->waiting_count = 0;
    order->now = order->groups;
    sync_launch_begin(order);
    order->renumber_at = order->records.limit - order->records.limit / 4;
    if (slot_count > order->slot_capacity) {
        struct slot_record *slots = alloc_zero(slot_count, sizeof *slots);
        alloc_free(order->slots);
        order->slots = slots;
        order->slot_capacity = slots == NULL ? 0 : slot_count;
        order->incomplete = slots == NULL;
    }
    engine_end_interval(order);
}

/* Room for one more group, which then is the running one. False when memory is out. */
static bool add_group(struct order *order)
{
    struct engine_group *grown =
        alloc_grow(order->groups, order->group_count, &order->group_capacity, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    order->groups = grown;
    order->now = &grown[order->group_count++];
    *order->now = (struct engine_group){.id = 0};
    return true;
}

/* Makes one that does not wait the running one. */
static bool take_group(struct order *order)
{
    if (!order->now->waits) {
        return true;
    }
    for (size_t i = 0; i < order->group_count; i++) {
        if (!order->groups[i].waits) {
            order->now = &order->groups[i];
            return true;
        }
    }
    return add_group(order);
}

void order_group_begin(struct order *order, uint64_t group, uint32_t item_count)
{
    engine_end_interval(order);
    deferred_drop(order);
    if (order->incomplete || !take_group(order)) {
        order->incomplete = true;
        return;
    }
    if (order->waiting_count == 0) {
        if (order->records.next >= order->renumber_at) {
            engine_renumber(order);
        }
        readers_reset(&order->readers[ORDER_LOCAL]);
        histories_reset(&order->histories[ORDER_LOCAL]);
    }
    ASSERT(item_count > 0 && !order->now->waits);
    order->now->id = group;
    order->now->resumed = false;
    order->now->vector = 0;
    order->now->group_first = order->records.next;
    order->now->run_first = order->records.next;
    order->now->state_floor = 0;
    memset(order->now->region_used, 0, sizeof order->now->region_used);
    order->generation[ORDER_LOCAL] = ++order->last_generation;
    order->now->local_generation = order->last_generation;
    for (int floor = 0; floor < ORDER_FLOOR_COUNT; floor++) {
        order->now->barrier_floor[floor] = order->now->group_first;
    }
    begin_phase(order);
    order->now->sub_floor_used = false;
    order->now->item_count = item_count;
    order->now->copies_used = false;
    order->now->copy_count = 0;
    order->now->waited_count = 0;
    memset(order->now->copies_fenced, 0, sizeof order->now->copies_fenced);
    order->now->told_count = 0;
    order->now->picture_count = 0;
    order->now->waited_floors = 0;
    order->copying = false;
    order->now->sub_group_count = ((size_t)item_count >> order->sub_group_shift) + 1;
    if (order->acquires) {
        sync_group_begin(order);
    }
    deferred_begin(order);
}

void order_group_keep(struct order *order)
{
    deferred_close(order);
    engine_end_interval(order);
    order->waiting_count += !order->now->waits;
    ASSERT(order->waiting_count <= order->group_count);
    order->now->waits = true;
    order->sync.releases.overlap = true;
}

void order_group_resume(struct order *order, uint64_t group)
{
    deferred_drop(order);
    engine_end_interval(order);
    for (size_t i = 0; i < order->group_count; i++) {
        struct engine_group *waiting = &order->groups[i];
        if (waiting->waits && waiting->id == group) {
            waiting->waits = false;
            waiting->resumed = true;
            waiting->run_first = order->records.next;
            ASSERT(order->waiting_count > 0);
            order->waiting_count--;
            order->now = waiting;
            order->generation[ORDER_LOCAL] = waiting->local_generation;
            return;
        }
    }
    ASSERT(order->incomplete); /* it could not begin */
}

/* The running vector stops and `next` goes on. */
static void note_ran(struct order *order, uint32_t next)
{
    const uint32_t first = order->now->run_first > order->now->phase_first
                               ? order->now->run_first
                               : order->now->phase_first;
    if (order->records.next > first) {
        order->now->ran |=
            order->now->vector < 64 ? UINT64_C(1) << order->now->vector : ~UINT64_C(0);
    }
    if ((order->now->ran >> (next & 63) & 1) != 0) {
        begin_phase(order);
    }
}

void order_vector_run(struct order *order, uint32_t vector)
{
    engine_end_interval(order);
    note_ran(order, vector);
    order->now->vector = vector;
    order->now->run_first = order->records.next;
}

static void set_barrier_floors(struct order *order, uint32_t regions)
{
    engine_end_interval(order);
    for (int floor = 0; floor < ORDER_FLOOR_COUNT; floor++) {
        if ((regions >> floor & 1) != 0) {
            order->now->barrier_floor[floor] = order->records.next;
        }
    }
    begin_phase(order);
    if ((regions >> ORDER_LOCAL & 1) != 0) {
        order->now->state_floor = (uint32_t)order->readers[ORDER_LOCAL].size;
        deferred_begin(order);
    }
}

/* Events besides accesses need memory, too, in launches that acquire; once it is out nothing is
 * judged any more. */
static bool follows_sync(struct order *order)
{
    if (order->acquires && sync_failed(&order->sync)) {
        order->incomplete = true;
    }
    return order->acquires && !order->incomplete;
}

void order_barrier(struct order *order, uint32_t regions, enum observer_scope scope)
{
    if (regions != 0 && follows_sync(order)) {
        sync_collect(order, NULL);
        sync_barrier(order, 0, order->now->item_count, regions, scope);
    }
    set_barrier_floors(order, regions);
}

void order_fence(struct order *order, const struct order_fence *fence)
{
    if (fence->regions == 0 || !follows_sync(order)) {
        return;
    }
    sync_collect(order, NULL);
    sync_fence(order, fence);
    engine_end_interval(order);
}

static bool reserve_sub_floors(struct order *order)
{
    if (order->now->sub_group_count > order->now->sub_floor_capacity) {
        for (int floor = 0; floor < ORDER_FLOOR_COUNT; floor++) {
            alloc_free(order->now->sub_floor[floor]);
            order->now->sub_floor[floor] = NULL;
        }
        order->now->sub_floor_capacity = 0;
        for (int floor = 0; floor < ORDER_FLOOR_COUNT; floor++) {
            order->now->sub_floor[floor] = alloc(order->now->sub_group_count * sizeof(uint32_t));
            if (order->now->sub_floor[floor] == NULL) {
                return false;
            }
        }
        order->now->sub_floor_capacity = order->now->sub_group_count;
    }
    for (int floor = 0; floor < ORDER_FLOOR_COUNT; floor++) {
        memset(order->now->sub_floor[floor], 0, order->now->sub_group_count * sizeof(uint32_t));
    }
    order->now->sub_floor_used = true;
    return true;
}

void order_sub_group_barrier(struct order *order, uint32_t vector, uint32_t lane, uint32_t regions,
                             enum observer_scope scope)
{
    deferred_close(order);
    if (regions != 0 && follows_sync(order)) {
        const uint32_t width = 1U << order->sub_group_shift;
        const uint32_t first = vector * ORDER_LANES + (lane & ~(width - 1));
        ASSERT(first < order->now->item_count);
        const uint32_t left = order->now->item_count - first;
        sync_collect(order, NULL);
        sync_barrier(order, first, left < width ? left : width, regions, scope);
    }
    engine_end_interval(order);
    if (order->incomplete || (!order->now->sub_floor_used && !reserve_sub_floors(order))) {
        order->incomplete = true;
        return;
    }
    const size_t index = sub_group_index(order, vector, lane);
    ASSERT(index < order->now->sub_group_count);
    for (int floor = 0; floor < ORDER_FLOOR_COUNT; floor++) {
        if ((regions >> floor & 1) != 0) {
            order->now->sub_floor[floor][index] = order->records.next;
        }
    }
}

/* ---- asynchronous copies ---- */

static struct order_copy floors_now(const struct order *order)
{
    struct order_copy floors = {.first = order->records.next,
                                .state_floor = order->now->state_floor};
    memcpy(floors.barrier_floor, order->now->barrier_floor, sizeof floors.barrier_floor);
    return floors;
}

static void set_floors(struct order *order, const struct order_copy *floors)
{
    order->now->state_floor = floors->state_floor;
    memcpy(order->now->barrier_floor, floors->barrier_floor, sizeof floors->barrier_floor);
}

/* Makes a picture of the floors of sub-groups; 0 when there are none or memory is out. */
static size_t take_picture(struct order *order)
{
    struct engine_group *now = order->now;
    const size_t size = now->sub_group_count;
    const size_t needed = now->picture_count + ORDER_FLOOR_COUNT * size;
    if (!now->sub_floor_used) {
        return 0;
    }
    while (now->picture_capacity < needed) {
        uint32_t *grown =
            alloc_grow(now->pictures, now->picture_capacity, &now->picture_capacity, sizeof *grown);
        if (grown == NULL) {
            order->incomplete = true;
            return 0;
        }
        now->pictures = grown;
    }
    for (int floor = 0; floor < ORDER_FLOOR_COUNT; floor++) {
        memcpy(now->pictures + now->picture_count + floor * size, now->sub_floor[floor],
               size * sizeof *now->pictures);
    }
    now->picture_count = needed;
    return needed - ORDER_FLOOR_COUNT * size + 1;
}

void order_copy_start(struct order *order, struct order_copy *copy)
{
    /* A single strand's program order comes before its copies; a barrier says the same. */
    if (order->now->item_count == 1) {
        set_barrier_floors(order, 1U << ORDER_LOCAL | 1U << ORDER_GLOBAL);
    }
    engine_end_interval(order);
    *copy = floors_now(order);
    if (follows_sync(order)) {
        copy->clocks = sync_copy_start(order);
    }
    order->now->copies_used = true;
    deferred_close(order);
    copy->sub_floors = take_picture(order);
    copy->number = order->now->copy_count++;
    memcpy(copy->fenced, order->now->copies_fenced, sizeof copy->fenced);
}

void order_copy_fence(struct order *order, uint32_t regions)
{
    for (int floor = 0; floor < ORDER_FLOOR_COUNT; floor++) {
        if ((regions >> floor & 1) != 0) {
            ASSERT(order->now->copies_fenced[floor] <= order->now->copy_count);
            order->now->copies_fenced[floor] = order->now->copy_count;
        }
    }
}

/* Copies that were told before the first fence are known by that to be ordered. */
static void note_told(struct order *order, const struct order_copy *copy)
{
    struct engine_group *now = order->now;
    uint32_t fenced = 0;
    for (int floor = 0; floor < ORDER_FLOOR_COUNT; floor++) {
        fenced |= now->copies_fenced[floor];
    }
    if (fenced == 0) {
        return;
    }
    struct told_copy *grown =
        alloc_grow(now->told, now->told_count, &now->told_capacity, sizeof *grown);
    if (grown == NULL) {
        order->incomplete = true;
        return;
    }
    now->told = grown;
    grown[now->told_count++] =
        (struct told_copy){.first = order->records.next, .number = copy->number};
}

void order_copy_begin(struct order *order, const struct order_copy *copy)
{
    ASSERT(!order->copying && (order->incomplete || order->now->copies_used));
    ASSERT(order->incomplete || copy->number < order->now->copy_count);
    order_vector_run(order, ORDER_COPY_VECTOR);
    order->kept = floors_now(order);
    set_floors(order, copy);
    if (follows_sync(order)) {
        order->sync.copy = order->now->known.copies[copy->clocks];
    }
    order->told = *copy;
    order->copying = true;
    note_told(order, copy);
}

void order_copy_end(struct order *order)
{
    ASSERT(order->copying);
    set_floors(order, &order->kept);
    order->copying = false;
    order_vector_run(order, 0);
}

void order_copy_wait(struct order *order, const struct order_copy *copy)
{
    struct engine_group *now = order->now;
    now->waited_count++;
    ASSERT(order->incomplete || now->waited_count <= now->copy_count);
    if (follows_sync(order)) {
        sync_collect(order, NULL);
        sync_copy_wait(order, copy->clocks);
    }
    if (copy->sub_floors == 0 || order->incomplete) {
        return;
    }
    ASSERT(copy->sub_floors + ORDER_FLOOR_COUNT * now->sub_group_count <= now->picture_count + 1);
    if (now->waited_floors == 0) {
        now->waited_floors = copy->sub_floors;
    }
    for (size_t i = 0; i < ORDER_FLOOR_COUNT * now->sub_group_count; i++) {
        uint32_t *known = &now->pictures[now->waited_floors - 1 + i];
        const uint32_t copys = now->pictures[copy->sub_floors - 1 + i];
        *known = *known > copys ? *known : copys;
    }
}

struct order_object *order_object(struct order *order, enum order_region region, uint32_t id,
                                  uint64_t size)
{
    const uint64_t space = region == ORDER_LOCAL ? (uint64_t)(order->now - order->groups) : 0;
    struct order_object *object =
        shadow_object(&order->shadow, space, region, id, size, order->launch);
    if (object == NULL) {
        order->incomplete = true;
    }
    return object;
}

void order_object_share(struct order_object *object)
{
    object->shared = true;
}

uint32_t order_next_record(const struct order *order)
{
    return order->records.next;
}

bool order_is_incomplete(const struct order *order)
{
    return engine_is_incomplete(order);
}

enum status order_create(uint32_t record_limit, order_race_function *report, void *user,
                         struct order **order, struct error *error)
{
    struct order *made = alloc_zero(1, sizeof *made);
    if (made == NULL) {
        return error_no_memory(error, sizeof *made);
    }
    const uint32_t most = ENTRY_RECORD_MAX + 1;
    made->report = report;
    made->readers[ORDER_GLOBAL].widest = OBSERVER_SCOPE_DEVICE;
    made->readers[ORDER_LOCAL].widest = OBSERVER_SCOPE_WORK_GROUP;
    made->user = user;
    made->records.limit = record_limit == 0 || record_limit > most ? most : record_limit;
    if (!add_group(made)) {
        alloc_free(made);
        return error_no_memory(error, sizeof(struct engine_group));
    }
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
        histories_release(&order->histories[region]);
    }
    for (size_t i = 0; i < order->group_count; i++) {
        for (int floor = 0; floor < ORDER_FLOOR_COUNT; floor++) {
            alloc_free(order->groups[i].sub_floor[floor]);
        }
        alloc_free(order->groups[i].told);
        alloc_free(order->groups[i].pictures);
    }
    sync_release(order);
    alloc_free(order->groups);
    shadow_release(&order->shadow);
    alloc_free(order->slots);
    alloc_free(order);
}
