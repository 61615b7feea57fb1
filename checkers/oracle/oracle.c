#include "checkers/oracle/oracle.h"

#include "trace/base/alloc.h"
#include "trace/base/arena.h"
#include "trace/base/assert.h"

#include <string.h>

/* By region and unit: times. */
struct clock {
    uint32_t *times[ORACLE_REGION_COUNT];
};

/* A release that an atomic object carries to whoever reads it. */
struct head {
    uint32_t unit;
    enum oracle_scope scope;
    uint32_t flags; /* of a fence before the store; 0 = the store itself released */
    bool seq_cst;
    struct clock clock; /* of the unit at the release */
};

struct heads {
    const struct head **items;
    size_t count, capacity;
};

/* A release that a unit's read has seen, for its acquire fences. */
struct pending {
    const struct head *head;
    uint32_t object;
};

struct unit {
    uint32_t now; /* its time: events so far */
    struct clock clock;
    /* Its release fences, the last one of each scope, flags and kind. */
    struct heads fences;
    struct pending *pending;
    size_t pending_count, pending_capacity;
};

struct access {
    size_t event;
    uint32_t unit, time;
    enum oracle_kind kind;
    enum oracle_scope scope;
    uint64_t offset, size;
};

struct object {
    struct access *accesses;
    size_t access_count, access_capacity;
    struct heads *heads; /* of the value that each byte has */
};

/* Whose event it was, and when. */
struct moment {
    uint32_t unit, time;
};

struct oracle {
    const struct oracle_machine *machine;
    struct unit *units;
    struct object *objects;
    struct arena arena; /* clocks and heads */
    struct moment *moments;
    size_t event_count, moment_capacity;
    struct oracle_race *races;
    size_t race_count, race_capacity;
    bool failed;
};

/* ---- scopes and regions ---- */

static enum oracle_scope distance(const struct oracle_machine *machine, uint32_t a, uint32_t b,
                                  enum oracle_sharing sharing)
{
    const struct oracle_unit *x = &machine->units[a];
    const struct oracle_unit *y = &machine->units[b];
    if (a == b) {
        return ORACLE_WORK_ITEM;
    }
    /* OpenCL API 3.0, 3.3.5: device scope holds the kernel-instance, and on SVM the device. */
    if (x->device != y->device || (x->kernel != y->kernel && sharing == ORACLE_BUFFER)) {
        return ORACLE_ALL_DEVICES;
    }
    if (x->kernel != y->kernel || x->group != y->group) {
        return ORACLE_DEVICE;
    }
    return x->sub_group != y->sub_group ? ORACLE_WORK_GROUP : ORACLE_SUB_GROUP;
}

static enum oracle_scope clamp(enum oracle_scope scope, const struct oracle_object *object)
{
    if (object->region == ORACLE_LOCAL && scope > ORACLE_WORK_GROUP) {
        return ORACLE_WORK_GROUP;
    }
    if (object->sharing != ORACLE_SVM_ATOMICS && scope == ORACLE_ALL_DEVICES) {
        return ORACLE_DEVICE;
    }
    return scope;
}

bool oracle_inclusive(const struct oracle_machine *machine, uint32_t a, enum oracle_scope a_scope,
                      uint32_t b, enum oracle_scope b_scope, uint32_t object_index)
{
    const struct oracle_object *object = &machine->objects[object_index];
    const enum oracle_scope needed = distance(machine, a, b, object->sharing);
    a_scope = clamp(a_scope, object);
    b_scope = clamp(b_scope, object);
    if (machine->scope_rule == ORACLE_SCOPES_EQUAL && a_scope != b_scope) {
        return false;
    }
    return needed <= a_scope && needed <= b_scope;
}

uint32_t oracle_joined(const struct oracle_machine *machine, enum oracle_region region,
                       uint32_t release_flags, uint32_t acquire_flags, bool both_seq_cst)
{
    const uint32_t here = 1U << region;
    const bool both_fences = release_flags != 0 && acquire_flags != 0;
    uint32_t joined = 0;
    if ((release_flags == 0 || (release_flags & here) != 0) &&
        (acquire_flags == 0 || (acquire_flags & here) != 0)) {
        joined = here;
    }
    /* OpenCL API 3.0, Fence Operations: of two fences that both have CLK_GLOBAL_MEM_FENCE and
     * CLK_LOCAL_MEM_FENCE, meeting the conditions for one memory is enough for both. */
    if (joined != 0 && both_fences) {
        joined |= release_flags & acquire_flags & (ORACLE_FLAG_GLOBAL | ORACLE_FLAG_LOCAL);
    }
    /* An image fence is a fence of its own, which uses atomic objects in global memory. */
    if (region == ORACLE_GLOBAL && both_fences) {
        joined |= release_flags & acquire_flags & ORACLE_FLAG_IMAGE;
    }
    if ((joined & here) != 0 && both_seq_cst && machine->seq_cst_crosses) {
        joined |= ORACLE_FLAG_GLOBAL | ORACLE_FLAG_LOCAL;
    }
    return joined;
}

/* ---- clocks ---- */

static bool clock_make(struct oracle *oracle, struct clock *clock)
{
    const size_t count = oracle->machine->unit_count;
    for (int region = 0; region < ORACLE_REGION_COUNT; region++) {
        clock->times[region] = arena_alloc(&oracle->arena, count, sizeof(uint32_t));
        if (clock->times[region] == NULL) {
            return false;
        }
    }
    return true;
}

static void clock_join(const struct oracle *oracle, const struct clock *into,
                       const struct clock *from, uint32_t regions)
{
    for (int region = 0; region < ORACLE_REGION_COUNT; region++) {
        for (size_t u = 0; (regions >> region & 1) != 0 && u < oracle->machine->unit_count; u++) {
            if (from->times[region][u] > into->times[region][u]) {
                into->times[region][u] = from->times[region][u];
            }
        }
    }
}

/* All that the unit did and does now happens before what it does next. */
static void clock_tick(struct oracle *oracle, uint32_t unit)
{
    struct unit *u = &oracle->units[unit];
    u->now++;
    for (int region = 0; region < ORACLE_REGION_COUNT; region++) {
        u->clock.times[region][unit] = u->now;
    }
}

/* ---- releases ---- */

static bool heads_add(struct heads *heads, const struct head *head)
{
    const struct head **items =
        alloc_grow(heads->items, heads->count, &heads->capacity, sizeof *heads->items);
    if (items == NULL) {
        return false;
    }
    heads->items = items;
    heads->items[heads->count++] = head;
    return true;
}

static struct head *head_make(struct oracle *oracle, uint32_t unit, enum oracle_scope scope,
                              uint32_t flags, bool seq_cst)
{
    struct head *head = arena_alloc(&oracle->arena, 1, sizeof *head);
    if (head == NULL || !clock_make(oracle, &head->clock)) {
        return NULL;
    }
    head->unit = unit;
    head->scope = scope;
    head->flags = flags;
    head->seq_cst = seq_cst;
    clock_join(oracle, &head->clock, &oracle->units[unit].clock, ~0U);
    return head;
}

static bool release_fence(struct oracle *oracle, uint32_t unit, enum oracle_scope scope,
                          uint32_t flags, bool seq_cst)
{
    struct heads *fences = &oracle->units[unit].fences;
    const struct head *head = head_make(oracle, unit, scope, flags, seq_cst);
    if (head == NULL) {
        return false;
    }
    for (size_t i = 0; i < fences->count; i++) {
        const struct head *old = fences->items[i];
        if (old->scope == scope && old->flags == flags && old->seq_cst == seq_cst) {
            fences->items[i] = head; /* which has all that the old one has */
            return true;
        }
    }
    return heads_add(fences, head);
}

/* Only a unit's own releases stay before its atomic store: the release sequence goes on through
 * stores of the same unit, and through read-modify-writes of any. */
static void keep_own(struct heads *heads, uint32_t unit)
{
    size_t kept = 0;
    for (size_t i = 0; i < heads->count; i++) {
        if (heads->items[i]->unit == unit) {
            heads->items[kept++] = heads->items[i];
        }
    }
    heads->count = kept;
}

static bool release_store(struct oracle *oracle, const struct oracle_event *event)
{
    struct object *object = &oracle->objects[event->object];
    const struct heads *fences = &oracle->units[event->unit].fences;
    const struct head *own = NULL;
    if (oracle_releases(event->order)) {
        own = head_make(oracle, event->unit, event->scope, 0, event->order == ORACLE_SEQ_CST);
        if (own == NULL) {
            return false;
        }
    }
    for (uint64_t byte = event->offset; byte < event->offset + event->size; byte++) {
        struct heads *heads = &object->heads[byte];
        if (event->kind != ORACLE_ATOMIC_UPDATE) {
            keep_own(heads, event->unit);
        }
        if (own != NULL && !heads_add(heads, own)) {
            return false;
        }
        for (size_t i = 0; i < fences->count; i++) {
            if (!heads_add(heads, fences->items[i])) {
                return false;
            }
        }
    }
    return true;
}

/* ---- acquires ---- */

/* An acquire (by a fence if `flags`) of what the unit read from the object. */
static void acquire(struct oracle *oracle, uint32_t unit, const struct head *head, uint32_t object,
                    enum oracle_scope scope, uint32_t flags, bool seq_cst)
{
    const struct oracle_machine *machine = oracle->machine;
    if (head->unit != unit &&
        oracle_inclusive(machine, head->unit, head->scope, unit, scope, object)) {
        const uint32_t joined = oracle_joined(machine, machine->objects[object].region, head->flags,
                                              flags, head->seq_cst && seq_cst);
        clock_join(oracle, &oracle->units[unit].clock, &head->clock, joined);
    }
}

static void acquire_fence(struct oracle *oracle, uint32_t unit, enum oracle_scope scope,
                          uint32_t flags, bool seq_cst)
{
    const struct unit *u = &oracle->units[unit];
    for (size_t i = 0; flags != 0 && i < u->pending_count; i++) {
        acquire(oracle, unit, u->pending[i].head, u->pending[i].object, scope, flags, seq_cst);
    }
}

static bool add_pending(struct oracle *oracle, uint32_t unit, const struct head *head,
                        uint32_t object)
{
    struct unit *u = &oracle->units[unit];
    for (size_t i = 0; i < u->pending_count; i++) {
        if (u->pending[i].head == head && u->pending[i].object == object) {
            return true;
        }
    }
    struct pending *pending =
        alloc_grow(u->pending, u->pending_count, &u->pending_capacity, sizeof *pending);
    if (pending == NULL) {
        return false;
    }
    u->pending = pending;
    u->pending[u->pending_count++] = (struct pending){head, object};
    return true;
}

static bool acquire_read(struct oracle *oracle, const struct oracle_event *event)
{
    const struct object *object = &oracle->objects[event->object];
    for (uint64_t byte = event->offset; byte < event->offset + event->size; byte++) {
        const struct heads *heads = &object->heads[byte];
        for (size_t i = 0; i < heads->count; i++) {
            if (oracle_acquires(event->order)) {
                acquire(oracle, event->unit, heads->items[i], event->object, event->scope, 0,
                        event->order == ORACLE_SEQ_CST);
            }
            if (!add_pending(oracle, event->unit, heads->items[i], event->object)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- accesses ---- */

static bool conflicts(const struct access *earlier, const struct oracle_event *event)
{
    const bool overlap = earlier->offset < event->offset + event->size &&
                         event->offset < earlier->offset + earlier->size;
    return earlier->unit != event->unit && overlap &&
           (oracle_writes(earlier->kind) || oracle_writes(event->kind));
}

/* OpenCL API 3.0, 3.3.6: conflicting actions of different units race if at least one is not atomic
 * or they do not have inclusive scopes, and they are unordered by the happens-before of their
 * memory. */
static bool races(const struct oracle *oracle, const struct access *earlier,
                  const struct oracle_event *event)
{
    const enum oracle_region region = oracle->machine->objects[event->object].region;
    if (!conflicts(earlier, event) ||
        earlier->time <= oracle->units[event->unit].clock.times[region][earlier->unit]) {
        return false;
    }
    return !(oracle_is_atomic(earlier->kind) && oracle_is_atomic(event->kind) &&
             oracle_inclusive(oracle->machine, earlier->unit, earlier->scope, event->unit,
                              event->scope, event->object));
}

static bool add_race(struct oracle *oracle, const struct access *earlier,
                     const struct oracle_event *event)
{
    struct oracle_race *list =
        alloc_grow(oracle->races, oracle->race_count, &oracle->race_capacity, sizeof *list);
    if (list == NULL) {
        return false;
    }
    const uint64_t offset = earlier->offset > event->offset ? earlier->offset : event->offset;
    const uint64_t end = earlier->offset + earlier->size < event->offset + event->size
                             ? earlier->offset + earlier->size
                             : event->offset + event->size;
    oracle->races = list;
    list[oracle->race_count++] =
        (struct oracle_race){earlier->event, oracle->event_count, offset, end - offset};
    return true;
}

static bool judge_access(struct oracle *oracle, const struct oracle_event *event)
{
    struct object *object = &oracle->objects[event->object];
    for (size_t i = 0; i < object->access_count; i++) {
        if (races(oracle, &object->accesses[i], event) &&
            !add_race(oracle, &object->accesses[i], event)) {
            return false;
        }
    }
    struct access *accesses = alloc_grow(object->accesses, object->access_count,
                                         &object->access_capacity, sizeof *accesses);
    if (accesses == NULL) {
        return false;
    }
    object->accesses = accesses;
    accesses[object->access_count++] = (struct access){
        .event = oracle->event_count,
        .unit = event->unit,
        .time = oracle->units[event->unit].now,
        .kind = event->kind,
        .scope = event->scope,
        .offset = event->offset,
        .size = event->size,
    };
    return true;
}

static bool perform_access(struct oracle *oracle, const struct oracle_event *event)
{
    const struct object *object = &oracle->objects[event->object];
    ASSERT(event->offset <= oracle->machine->objects[event->object].size &&
           event->size <= oracle->machine->objects[event->object].size - event->offset);
    clock_tick(oracle, event->unit);
    /* First the acquire: what happens before the release that it reads from happens before the
     * read itself, so that an earlier store by the releasing unit, of unequal scope, does not race
     * with it. */
    const bool atomic = oracle_is_atomic(event->kind);
    if (atomic && oracle_reads(event->kind) && !acquire_read(oracle, event)) {
        return false;
    }
    if (!judge_access(oracle, event)) {
        return false;
    }
    if (atomic && oracle_writes(event->kind)) {
        return release_store(oracle, event);
    }
    if (event->kind == ORACLE_WRITE) {
        for (uint64_t byte = event->offset; byte < event->offset + event->size; byte++) {
            object->heads[byte].count = 0;
        }
    }
    return true;
}

/* ---- fences, barriers, edges ---- */

static bool perform_fence(struct oracle *oracle, const struct oracle_event *event)
{
    const bool seq_cst = event->order == ORACLE_SEQ_CST;
    clock_tick(oracle, event->unit);
    if (oracle_acquires(event->order)) {
        acquire_fence(oracle, event->unit, event->scope, event->flags, seq_cst);
    }
    return !oracle_releases(event->order) || event->flags == 0 ||
           release_fence(oracle, event->unit, event->scope, event->flags, seq_cst);
}

static bool meets(const struct oracle *oracle, const struct oracle_event *event, size_t unit)
{
    const struct oracle_unit *x = &oracle->machine->units[event->unit];
    const struct oracle_unit *y = &oracle->machine->units[unit];
    return y->is_item && x->device == y->device && x->kernel == y->kernel && x->group == y->group &&
           (event->kind == ORACLE_BARRIER || x->sub_group == y->sub_group);
}

/* OpenCL API 3.0, 3.3.6: a barrier is an entry fence, which releases, and an exit fence, which
 * acquires; every entry fence synchronises with the exit fences of the others. */
static bool perform_barrier(struct oracle *oracle, const struct oracle_event *event)
{
    const size_t count = oracle->machine->unit_count;
    struct clock join;
    if (!clock_make(oracle, &join)) {
        return false;
    }
    for (size_t u = 0; u < count; u++) {
        if (!meets(oracle, event, u)) {
            continue;
        }
        clock_tick(oracle, (uint32_t)u);
        if (event->flags != 0 &&
            !release_fence(oracle, (uint32_t)u, event->scope, event->flags, false)) {
            return false;
        }
        clock_join(oracle, &join, &oracle->units[u].clock, event->flags);
    }
    for (size_t u = 0; u < count; u++) {
        if (meets(oracle, event, u)) {
            clock_join(oracle, &oracle->units[u].clock, &join, event->flags);
            acquire_fence(oracle, (uint32_t)u, event->scope, event->flags, false);
        }
    }
    return true;
}

static bool perform_edge(struct oracle *oracle, const struct oracle_event *event)
{
    clock_tick(oracle, event->unit);
    clock_join(oracle, &oracle->units[event->target].clock, &oracle->units[event->unit].clock,
               event->flags);
    return true;
}

static bool perform(struct oracle *oracle, const struct oracle_event *event)
{
    switch (event->kind) {
    case ORACLE_FENCE:
        return perform_fence(oracle, event);
    case ORACLE_BARRIER:
    case ORACLE_SUB_GROUP_BARRIER:
        return perform_barrier(oracle, event);
    case ORACLE_EDGE:
        return perform_edge(oracle, event);
    default:
        return perform_access(oracle, event);
    }
}

/* ---- the module ---- */

static bool make_objects(struct oracle *oracle)
{
    const struct oracle_machine *machine = oracle->machine;
    oracle->objects = alloc_zero(machine->object_count, sizeof *oracle->objects);
    for (size_t i = 0; oracle->objects != NULL && i < machine->object_count; i++) {
        oracle->objects[i].heads = alloc_zero(machine->objects[i].size, sizeof(struct heads));
        if (oracle->objects[i].heads == NULL) {
            return false;
        }
    }
    return oracle->objects != NULL;
}

struct oracle *oracle_create(const struct oracle_machine *machine)
{
    struct oracle *oracle = alloc_zero(1, sizeof *oracle);
    if (oracle == NULL) {
        return NULL;
    }
    oracle->machine = machine;
    oracle->units = alloc_zero(machine->unit_count, sizeof *oracle->units);
    bool made = oracle->units != NULL && make_objects(oracle);
    for (size_t u = 0; made && u < machine->unit_count; u++) {
        made = clock_make(oracle, &oracle->units[u].clock);
    }
    if (!made) {
        oracle_destroy(oracle);
        return NULL;
    }
    return oracle;
}

void oracle_destroy(struct oracle *oracle)
{
    if (oracle == NULL) {
        return;
    }
    for (size_t u = 0; oracle->units != NULL && u < oracle->machine->unit_count; u++) {
        alloc_free(oracle->units[u].fences.items);
        alloc_free(oracle->units[u].pending);
    }
    for (size_t i = 0; oracle->objects != NULL && i < oracle->machine->object_count; i++) {
        struct object *object = &oracle->objects[i];
        for (uint64_t byte = 0; object->heads != NULL && byte < oracle->machine->objects[i].size;
             byte++) {
            alloc_free(object->heads[byte].items);
        }
        alloc_free(object->heads);
        alloc_free(object->accesses);
    }
    alloc_free(oracle->units);
    alloc_free(oracle->objects);
    alloc_free(oracle->moments);
    alloc_free(oracle->races);
    arena_release(&oracle->arena);
    alloc_free(oracle);
}

enum status oracle_step(struct oracle *oracle, const struct oracle_event *event,
                        struct error *error)
{
    struct moment *moments =
        alloc_grow(oracle->moments, oracle->event_count, &oracle->moment_capacity, sizeof *moments);
    oracle->moments = moments != NULL ? moments : oracle->moments;
    oracle->failed = oracle->failed || moments == NULL || !perform(oracle, event);
    if (oracle->failed) {
        return error_set(error, STATUS_NO_MEMORY, "out of memory for the clocks of %zu events",
                         oracle->event_count);
    }
    moments[oracle->event_count++] = (struct moment){event->unit, oracle->units[event->unit].now};
    return STATUS_OK;
}

const struct oracle_race *oracle_races(const struct oracle *oracle, size_t *count)
{
    *count = oracle->race_count;
    return oracle->races;
}

bool oracle_is_ordered(const struct oracle *oracle, size_t index, uint32_t target,
                       enum oracle_region region)
{
    const struct moment *moment = &oracle->moments[index];
    return moment->unit == target ||
           moment->time <= oracle->units[target].clock.times[region][moment->unit];
}
