#include "oracle.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>

struct action {
    uint32_t strand;
    uint32_t time; /* of the strand */
    enum observer_access_kind kind;
    enum observer_scope scope;
};

struct byte_history {
    struct action *actions;
    size_t count, capacity;
};

struct oracle {
    struct oracle_strand strands[ORACLE_STRANDS];
    uint32_t strand_count;
    uint32_t sub_group_size;
    /* clock[r][t][u]: what u did up to this time happens before what t does next. */
    uint32_t clock[ORDER_FLOOR_COUNT][ORACLE_STRANDS][ORACLE_STRANDS];
    uint32_t now[ORACLE_STRANDS];
    struct byte_history bytes[ORACLE_OBJECTS][ORACLE_BYTES];
};

struct oracle *oracle_create(void)
{
    struct oracle *oracle = alloc_zero(1, sizeof *oracle);
    ASSERT(oracle != NULL);
    return oracle;
}

void oracle_destroy(struct oracle *oracle)
{
    for (int object = 0; object < ORACLE_OBJECTS; object++) {
        for (int byte = 0; byte < ORACLE_BYTES; byte++) {
            alloc_free(oracle->bytes[object][byte].actions);
        }
    }
    alloc_free(oracle);
}

static void forget(struct oracle *oracle, int object)
{
    for (int byte = 0; byte < ORACLE_BYTES; byte++) {
        oracle->bytes[object][byte].count = 0;
    }
}

void oracle_launch_begin(struct oracle *oracle, const struct oracle_strand *strands, uint32_t count,
                         uint32_t sub_group_size)
{
    ASSERT(count <= ORACLE_STRANDS);
    memcpy(oracle->strands, strands, count * sizeof *strands);
    oracle->strand_count = count;
    oracle->sub_group_size = sub_group_size;
    for (int region = 0; region < ORDER_FLOOR_COUNT; region++) {
        for (uint32_t t = 0; t < count; t++) {
            memset(oracle->clock[region][t], 0, count * sizeof(uint32_t));
        }
    }
    memset(oracle->now, 0, sizeof oracle->now);
    for (int object = 0; object < ORACLE_OBJECTS; object++) {
        forget(oracle, object);
    }
}

void oracle_group_begin(struct oracle *oracle, const enum order_region regions[ORACLE_OBJECTS])
{
    for (int object = 0; object < ORACLE_OBJECTS; object++) {
        if (regions[object] == ORDER_LOCAL) {
            forget(oracle, object);
        }
    }
}

void oracle_barrier(struct oracle *oracle, const bool in[ORACLE_STRANDS], uint32_t regions)
{
    uint32_t join[ORACLE_STRANDS];
    for (int region = 0; region < ORDER_FLOOR_COUNT; region++) {
        if ((regions >> region & 1) == 0) {
            continue;
        }
        memset(join, 0, sizeof join);
        for (uint32_t t = 0; t < oracle->strand_count; t++) {
            if (!in[t]) {
                continue;
            }
            oracle->clock[region][t][t] = oracle->now[t];
            for (uint32_t u = 0; u < oracle->strand_count; u++) {
                if (oracle->clock[region][t][u] > join[u]) {
                    join[u] = oracle->clock[region][t][u];
                }
            }
        }
        for (uint32_t t = 0; t < oracle->strand_count; t++) {
            if (in[t]) {
                memcpy(oracle->clock[region][t], join, oracle->strand_count * sizeof(uint32_t));
            }
        }
    }
}

static void learn(struct oracle *oracle, int region, uint32_t strand, uint32_t from)
{
    for (uint32_t u = 0; u < oracle->strand_count; u++) {
        if (oracle->clock[region][strand][u] < oracle->clock[region][from][u]) {
            oracle->clock[region][strand][u] = oracle->clock[region][from][u];
        }
    }
}

void oracle_copy_start(struct oracle *oracle, uint32_t copy, const bool in[ORACLE_STRANDS])
{
    for (int region = 0; region < ORDER_FLOOR_COUNT; region++) {
        for (uint32_t t = 0; t < oracle->strand_count; t++) {
            if (in[t]) {
                learn(oracle, region, copy, t);
            }
        }
    }
}

void oracle_copy_behind(struct oracle *oracle, uint32_t copy, uint32_t earlier, uint32_t regions)
{
    for (int region = 0; region < ORDER_FLOOR_COUNT; region++) {
        if ((regions >> region & 1) != 0) {
            oracle->clock[region][copy][earlier] = UINT32_MAX;
        }
    }
}

void oracle_copy_wait(struct oracle *oracle, uint32_t copy, const bool in[ORACLE_STRANDS])
{
    for (int region = 0; region < ORDER_FLOOR_COUNT; region++) {
        for (uint32_t t = 0; t < oracle->strand_count; t++) {
            if (in[t]) {
                learn(oracle, region, t, copy);
                oracle->clock[region][t][copy] = UINT32_MAX;
            }
        }
    }
}

static enum observer_scope distance(const struct oracle *oracle, uint32_t a, uint32_t b)
{
    const struct oracle_strand *x = &oracle->strands[a];
    const struct oracle_strand *y = &oracle->strands[b];
    if (x->group != y->group) {
        return OBSERVER_SCOPE_DEVICE;
    }
    const bool together = x->vector == y->vector &&
                          x->lane / oracle->sub_group_size == y->lane / oracle->sub_group_size;
    if (!together) {
        return OBSERVER_SCOPE_WORK_GROUP;
    }
    return a == b ? OBSERVER_SCOPE_WORK_ITEM : OBSERVER_SCOPE_SUB_GROUP;
}

static bool is_write(enum observer_access_kind kind)
{
    return kind == OBSERVER_WRITE || kind == OBSERVER_ATOMIC_WRITE;
}

static bool is_atomic(enum observer_access_kind kind)
{
    return kind == OBSERVER_ATOMIC_READ || kind == OBSERVER_ATOMIC_WRITE;
}

static enum observer_scope clamped(enum observer_scope scope, enum order_region region)
{
    return region == ORDER_LOCAL && scope > OBSERVER_SCOPE_WORK_GROUP ? OBSERVER_SCOPE_WORK_GROUP
                                                                      : scope;
}

static bool races(const struct oracle *oracle, const struct action *earlier, uint32_t strand,
                  enum order_region region, enum observer_access_kind kind,
                  enum observer_scope scope)
{
    if (earlier->strand == strand || !(is_write(earlier->kind) || is_write(kind))) {
        return false;
    }
    if (earlier->time <= oracle->clock[region][strand][earlier->strand]) {
        return false;
    }
    const enum observer_scope a = clamped(earlier->scope, region);
    const enum observer_scope b = clamped(scope, region);
    const bool inclusive = a == b && distance(oracle, earlier->strand, strand) <= a;
    return !(is_atomic(earlier->kind) && is_atomic(kind) && inclusive);
}

bool oracle_races_with(const struct oracle *oracle, uint32_t earlier, uint32_t strand,
                       uint32_t object, enum order_region region, uint64_t byte,
                       enum observer_access_kind kind, enum observer_scope scope)
{
    const struct byte_history *history = &oracle->bytes[object][byte];
    for (size_t i = 0; i < history->count; i++) {
        if (history->actions[i].strand == earlier &&
            races(oracle, &history->actions[i], strand, region, kind, scope)) {
            return true;
        }
    }
    return false;
}

bool oracle_access(struct oracle *oracle, uint32_t strand, uint32_t object,
                   enum order_region region, uint64_t byte, enum observer_access_kind kind,
                   enum observer_scope scope)
{
    ASSERT(strand < oracle->strand_count && object < ORACLE_OBJECTS && byte < ORACLE_BYTES);
    struct byte_history *history = &oracle->bytes[object][byte];
    bool found = false;
    for (size_t i = 0; i < history->count; i++) {
        found = found || races(oracle, &history->actions[i], strand, region, kind, scope);
    }
    struct action *actions =
        alloc_grow(history->actions, history->count, &history->capacity, sizeof *actions);
    ASSERT(actions != NULL);
    history->actions = actions;
    history->actions[history->count++] = (struct action){
        .strand = strand, .time = ++oracle->now[strand], .kind = kind, .scope = scope};
    return found;
}
