/* One memory instruction of one lane vector, described once: the gate of the device fills it
 * (reference/vm/access.h), the observer is told of it (checkers/kernel/observer.h), and the engine
 * judges it (checkers/order/order.h). */
#ifndef CHECKERS_ORDER_LANE_ACCESS_H
#define CHECKERS_ORDER_LANE_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum observer_access_kind {
    OBSERVER_READ,
    OBSERVER_WRITE,
    OBSERVER_ATOMIC_READ,
    OBSERVER_ATOMIC_WRITE,
    OBSERVER_ATOMIC_RMW,
};

static inline bool access_is_atomic(enum observer_access_kind kind)
{
    return kind >= OBSERVER_ATOMIC_READ;
}
static inline bool access_writes(enum observer_access_kind kind)
{
    return kind != OBSERVER_READ && kind != OBSERVER_ATOMIC_READ;
}

/* SPIR-V's scopes in the order of strength that OpenCL gives them. A scope is also a distance: the
 * narrowest one that holds two work-items. */
enum observer_scope {
    OBSERVER_SCOPE_WORK_ITEM,
    OBSERVER_SCOPE_SUB_GROUP,
    OBSERVER_SCOPE_WORK_GROUP,
    OBSERVER_SCOPE_DEVICE,
    OBSERVER_SCOPE_ALL_DEVICES,
    OBSERVER_SCOPE_COUNT,
};

/* SPIR-V's memory orders, likewise. */
enum observer_order {
    OBSERVER_ORDER_RELAXED,
    OBSERVER_ORDER_ACQUIRE,
    OBSERVER_ORDER_RELEASE,
    OBSERVER_ORDER_ACQ_REL,
    OBSERVER_ORDER_SEQ_CST,
};

static inline bool order_acquires(enum observer_order order)
{
    return order == OBSERVER_ORDER_ACQUIRE || order >= OBSERVER_ORDER_ACQ_REL;
}
static inline bool order_releases(enum observer_order order)
{
    return order >= OBSERVER_ORDER_RELEASE;
}

struct observer_object;

/* What only some atomic operations have. */
struct lane_atomic {
    const uint8_t *lane_order; /* lanes act in the order [0], [1] ... [63]; NULL = ascending */
    bool is_compare_exchange;
    bool is_inert; /* it reads, and nothing depends on what: in another schedule it may read an
                      older value, and all else stays as it is */
    uint64_t only_reading; /* lanes of the access for which it fails: they read, in failure_order */
    enum observer_order failure_order;
};

/* In-bounds lanes only, on one object. The bytes of lane i are [offset + i * stride, + size) if
 * `offsets` is NULL, else [offsets[i], + size); only lanes of `mask` count. stride 0: all lanes
 * touch the same bytes. With a `run`, lanes come in runs, as the rows of a group of two dimensions
 * make them: lane i then starts at offset + (i % run) * stride + (i / run) * jump. */
struct lane_access {
    uint32_t site;
    enum observer_access_kind kind;
    const struct observer_object *object;
    uint32_t size; /* bytes that each lane touches, at least 1 */
    uint64_t mask; /* never 0 */
    uint64_t offset;
    int64_t stride;
    uint32_t run; /* lanes, a power of two below 64; 0 = no runs */
    int64_t jump;
    const uint64_t *offsets;
    enum observer_order order;        /* of atomics */
    enum observer_scope scope;        /* of atomics */
    const struct lane_atomic *atomic; /* NULL = nothing more to say */
    bool is_volatile;
    bool is_floating;   /* one floating-point number of `size` bytes */
    bool is_texel;      /* of an image: barriers have a flag of its own for it */
    bool is_read_write; /* to a texel, by an argument that is a read_write image */
    /* For writes whose every lane stores a value: `size` bytes for lane i at value + i *
     * value_stride, so that "the same value" can be told from different ones. NULL = unknown. */
    const void *value;
    size_t value_stride;
};

/* A plain access of the lanes from `first` to `last`, at places as lane_access has them; where all
 * are the same bytes, of these two lanes and any between. With a `run` it is of all lanes. No
 * texels. */
struct lane_row {
    uint32_t site;
    uint32_t size; /* bytes that each lane touches */
    const struct observer_object *object;
    uint64_t offset;
    int64_t stride, jump; /* without a run the jump is 0 */
    uint32_t run;
    uint8_t first, last;
    bool writes;
};

/* Where the bytes of a lane begin. */
static inline uint64_t lane_offset(const struct lane_access *access, uint32_t lane)
{
    if (access->offsets != NULL) {
        return access->offsets[lane];
    }
    if (access->run == 0) {
        return access->offset + (uint64_t)(access->stride * (int64_t)lane);
    }
    return access->offset + (uint64_t)((int64_t)(lane & (access->run - 1)) * access->stride) +
           (uint64_t)((int64_t)(lane >> __builtin_ctz(access->run)) * access->jump);
}

/* Legacy atomic functions of OpenCL C 2.0 and later compile to just this, and are meant for
 * counters that all work-groups share; only the explicit form says that the scope was a choice. */
static inline bool access_is_legacy(enum observer_access_kind kind, enum observer_order order,
                                    enum observer_scope scope)
{
    return kind == OBSERVER_ATOMIC_RMW && order == OBSERVER_ORDER_RELAXED &&
           scope == OBSERVER_SCOPE_WORK_GROUP;
}

/* The lanes of a compare-exchange that fails; 0 of all others. */
static inline uint64_t lanes_only_reading(const struct lane_access *access)
{
    return access->atomic != NULL ? access->atomic->only_reading : 0;
}

static inline bool access_is_compare_exchange(const struct lane_access *access)
{
    return access->atomic != NULL && access->atomic->is_compare_exchange;
}

#endif
