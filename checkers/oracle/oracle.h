/* The definition of a data race, as plain as can be: what the fast engine (checkers/order) must
 * equal, and what litmus tests are judged by. It knows neither host nor device.
 *
 * A *unit* is a unit of execution: a work-item, or an asynchronous copy. One interleaving of the
 * units' events is told, event by event; for each access all earlier accesses to the same bytes are
 * looked at. OpenCL has two happens-before relations, and the texels of images are treated as a
 * third region, so each unit has a clock for each region, and a clock names for every unit the
 * time up to which its events happen before. Nothing is dropped or shortened: time and memory grow
 * with the square of the events.
 *
 * What the specification leaves open is decided in docs/MEMORY_MODEL.md. One thread at a time. */
#ifndef CHECKERS_ORACLE_ORACLE_H
#define CHECKERS_ORACLE_ORACLE_H

#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum oracle_region { ORACLE_LOCAL, ORACLE_GLOBAL, ORACLE_IMAGE, ORACLE_REGION_COUNT };

/* Fence and barrier flags. */
enum {
    ORACLE_FLAG_GLOBAL = 1 << ORACLE_GLOBAL,
    ORACLE_FLAG_LOCAL = 1 << ORACLE_LOCAL,
    ORACLE_FLAG_IMAGE = 1 << ORACLE_IMAGE,
};

enum oracle_order {
    ORACLE_RELAXED,
    ORACLE_ACQUIRE,
    ORACLE_RELEASE,
    ORACLE_ACQ_REL,
    ORACLE_SEQ_CST,
};

/* A scope is also a distance: the narrowest scope that holds two units. */
enum oracle_scope {
    ORACLE_WORK_ITEM,
    ORACLE_SUB_GROUP,
    ORACLE_WORK_GROUP,
    ORACLE_DEVICE,
    ORACLE_ALL_DEVICES,
};

/* OpenCL up to 3.0 wants inclusive scopes to be equal; from 3.1 on each must only be wide enough.
 */
enum oracle_scope_rule { ORACLE_SCOPES_EQUAL, ORACLE_SCOPES_WIDE_ENOUGH };

/* What wide scopes mean for an object. Local objects and images are of the first kind. */
enum oracle_sharing {
    ORACLE_BUFFER,      /* a memory object that is not SVM: all_devices counts as device */
    ORACLE_COARSE_SVM,  /* so do program-scope variables; device spans kernel-instances too */
    ORACLE_SVM_ATOMICS, /* fine-grained SVM with atomics: all_devices is what it says */
};

struct oracle_unit {
    uint32_t device, kernel, group, sub_group; /* kernel-instance; each unique within the former */
    bool is_item;                              /* else a copy, which meets no barrier */
};

struct oracle_object {
    enum oracle_region region; /* local memory: one object for each work-group */
    enum oracle_sharing sharing;
    uint64_t size; /* bytes */
};

/* Borrowed until oracle_destroy. */
struct oracle_machine {
    const struct oracle_unit *units;
    size_t unit_count;
    const struct oracle_object *objects;
    size_t object_count;
    enum oracle_scope_rule scope_rule;
    /* Two seq_cst operations that synchronise in one region do so in both, global and local. */
    bool seq_cst_crosses;
    /* The one order of seq_cst operations says nothing of two whose scopes do not include each
     * other. For checkers/litmus alone: of one interleaving it decides nothing. */
    bool seq_cst_scoped;
};

enum oracle_kind {
    ORACLE_READ,
    ORACLE_WRITE,
    ORACLE_ATOMIC_READ, /* a failed compare-exchange too */
    ORACLE_ATOMIC_WRITE,
    ORACLE_ATOMIC_UPDATE, /* reads and writes */
    ORACLE_FENCE,
    ORACLE_BARRIER,           /* all items of the unit's work-group are at it */
    ORACLE_SUB_GROUP_BARRIER, /* all items of its sub-group */
    /* What `unit` did happens before what `target` does next, in the regions of `flags`: an
     * asynchronous copy starts after each item of its group, and they wait for it; a kernel starts
     * after another. */
    ORACLE_EDGE,
};

struct oracle_event {
    enum oracle_kind kind;
    uint32_t unit; /* of a barrier: any that meets at it */
    uint32_t object;
    uint64_t offset, size; /* accesses */
    enum oracle_order order;
    enum oracle_scope scope;
    uint32_t flags;  /* fences, barriers, edges */
    uint32_t target; /* edges */
};

/* Two events, numbered from 0 as they were told, and the bytes on which they meet. */
struct oracle_race {
    size_t earlier, later;
    uint64_t offset, size;
};

struct oracle;

/* NULL when memory is out. */
struct oracle *oracle_create(const struct oracle_machine *machine);
void oracle_destroy(struct oracle *oracle);

/* The next event. A race changes nothing: what follows is judged as if there were none. Fails when
 * memory is out, and for good. */
enum status oracle_step(struct oracle *oracle, const struct oracle_event *event,
                        struct error *error);
/* Every racing pair so far, in the order of the later event, then of the earlier one. The array is
 * good until the next step. */
const struct oracle_race *oracle_races(const struct oracle *oracle, size_t *count);

/* Does what `unit` did up to and including event `index` happen before what `target` does next, in
 * that region? The event must be one of the unit's. */
bool oracle_is_ordered(const struct oracle *oracle, size_t index, uint32_t target,
                       enum oracle_region region);

/* ---- what the axioms of weak executions share ---- */

static inline bool oracle_is_access(enum oracle_kind kind)
{
    return kind <= ORACLE_ATOMIC_UPDATE;
}
static inline bool oracle_is_atomic(enum oracle_kind kind)
{
    return kind >= ORACLE_ATOMIC_READ && kind <= ORACLE_ATOMIC_UPDATE;
}
static inline bool oracle_reads(enum oracle_kind kind)
{
    return kind == ORACLE_READ || kind == ORACLE_ATOMIC_READ || kind == ORACLE_ATOMIC_UPDATE;
}
static inline bool oracle_writes(enum oracle_kind kind)
{
    return kind == ORACLE_WRITE || kind == ORACLE_ATOMIC_WRITE || kind == ORACLE_ATOMIC_UPDATE;
}
static inline bool oracle_acquires(enum oracle_order order)
{
    return order == ORACLE_ACQUIRE || order >= ORACLE_ACQ_REL;
}
static inline bool oracle_releases(enum oracle_order order)
{
    return order >= ORACLE_RELEASE;
}

/* OpenCL C 3.0, 6.15.12: may an operation of that kind have the order? */
static inline bool oracle_may_have_order(enum oracle_kind kind, enum oracle_order order)
{
    const bool takes = order == ORACLE_ACQUIRE || order == ORACLE_ACQ_REL;
    const bool gives = order == ORACLE_RELEASE || order == ORACLE_ACQ_REL;
    return !(kind == ORACLE_ATOMIC_READ && gives) && !(kind == ORACLE_ATOMIC_WRITE && takes);
}
/* May a compare-exchange with that order fail with the other? It is then a read, and no stronger.
 */
static inline bool oracle_may_fail_with(enum oracle_order order, enum oracle_order failure)
{
    static const enum oracle_order strongest[] = {ORACLE_RELAXED, ORACLE_ACQUIRE, ORACLE_RELAXED,
                                                  ORACLE_ACQUIRE, ORACLE_SEQ_CST};
    return oracle_may_have_order(ORACLE_ATOMIC_READ, failure) && failure <= strongest[order];
}

/* Inclusive scope, for an atomic operation or fence of each unit that meet through the object. */
bool oracle_inclusive(const struct oracle_machine *machine, uint32_t a, enum oracle_scope a_scope,
                      uint32_t b, enum oracle_scope b_scope, uint32_t object);

/* The regions in which a release by `unit` and an acquire synchronise through an atomic object of
 * `region`, scopes aside, as flags; 0 = they do not. `release_flags` and `acquire_flags` are those
 * of the fences, 0 for atomic operations. */
uint32_t oracle_joined(const struct oracle_machine *machine, enum oracle_region region,
                       uint32_t release_flags, uint32_t acquire_flags, bool both_seq_cst);

#endif
