/* Which bytes of global memory a launch really touched, and how: collected from its accesses where
 * somebody wants to know, one bit for each byte of an object and kind of access. */
#ifndef CHECKERS_KERNEL_TOUCHED_H
#define CHECKERS_KERNEL_TOUCHED_H

#include "checkers/kernel/observer.h"

enum touched_kind {
    TOUCHED_READ,
    TOUCHED_WRITE,
    TOUCHED_ATOMIC_READ,
    TOUCHED_ATOMIC_WRITE,
    /* The same in scopes narrower than the device, */
    TOUCHED_NARROW_READ,
    TOUCHED_NARROW_WRITE,
    /* in wider ones, */
    TOUCHED_WIDE_READ,
    TOUCHED_WIDE_WRITE,
    TOUCHED_LEGACY_WRITE, /* as legacy atomic functions are compiled, which are meant for all */
    TOUCHED_KIND_COUNT,
};

static inline bool touched_is_atomic(enum touched_kind kind)
{
    return kind != TOUCHED_READ && kind != TOUCHED_WRITE;
}

static inline bool touched_writes(enum touched_kind kind)
{
    return kind == TOUCHED_WRITE || kind == TOUCHED_ATOMIC_WRITE || kind == TOUCHED_NARROW_WRITE ||
           kind == TOUCHED_WIDE_WRITE || kind == TOUCHED_LEGACY_WRITE;
}

/* Stands for the work-groups that are not told apart. */
#define TOUCHED_ALL_GROUPS UINT64_MAX

struct touched_object {
    uint32_t id;
    uint32_t site;                      /* 0 unless sites are told apart */
    uint64_t group;                     /* counted in ascending order, or ALL_GROUPS */
    uint64_t size;                      /* bytes */
    uint64_t *bits[TOUCHED_KIND_COUNT]; /* bit i % 64 of word i / 64: byte i; NULL = none */
    uint64_t low[TOUCHED_KIND_COUNT],
        high[TOUCHED_KIND_COUNT]; /* words with bits: low to high - 1 */
};

struct touched {
    struct touched_object *objects; /* in the order in which they were first touched */
    size_t count, capacity;
    size_t recent;      /* the object of the access before */
    bool out_of_memory; /* something is missing */
    /* With `apart` sites are told apart, and so are groups for which keep_group was set while they
     * ran: what they touched stands in `kept`, in the order in which they ended. */
    bool apart, keep_group;
    uint64_t group; /* the running one; ALL_GROUPS = none */
    struct touched_object *kept;
    size_t kept_count, kept_capacity;
    uint64_t kept_size; /* bytes of their bits */
    bool tangled; /* groups ran in turns, or there were too many: those in `kept` are not all */
};

/* Start with zeroes. `scope`: of one that is atomic, as the language means it. */
void touched_add(struct touched *touched, const struct lane_access *access,
                 enum observer_scope scope);
/* OpenCL API 3.0, 3.3.2: "At any one time, only one kernel-instance may write into a pipe, and only
 * one kernel-instance may read from a pipe." So each end counts as a byte that is written: that for
 * reading as the pipe's first byte, the other one as its second. The packets do not count. */
void touched_add_pipe_end(struct touched *touched, uint32_t site,
                          const struct observer_object *pipe, bool writes);
void touched_release(struct touched *touched);
/* Adds to `to` what `from` has, of the same launch; touched_move takes it out there, where
 * collecting goes on. */
void touched_copy(struct touched *to, const struct touched *from);
void touched_move(struct touched *to, struct touched *from);

/* The group runs from now on, or has ended. */
void touched_group_begin(struct touched *touched, uint64_t group);
void touched_group_end(struct touched *touched);

/* The bytes from the first to the last that were touched in one way; false when none was. `whole`:
 * all between them too. */
bool touched_extent(const struct touched_object *object, enum touched_kind kind, uint64_t *first,
                    uint64_t *end, bool *whole);
/* Were any bytes of an object touched in the one way by the one and in the other by the other? */
bool touched_meet(const struct touched_object *a, enum touched_kind a_kind,
                  const struct touched_object *b, enum touched_kind b_kind);

#endif
