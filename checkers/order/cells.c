/* Each loop is written once, always inlined, and compiled three times on x86-64: for the baseline,
 * for AVX2 and for AVX-512, picked by what the processor has. All compute the same. */
#include "checkers/order/exact.h"

/* Of one loop over pairs; more than 64 where an access is wider than the granule of its page. */
enum { READ_MAX = 256 };

#define LOOP static inline __attribute__((always_inline)) bool
#define EACH static inline __attribute__((always_inline)) void

enum { EACH_COUNT = 64 };

/* The entry of the strand that cell i of the run is of. */
static inline uint32_t self_of(struct cell_run run, uint32_t i)
{
    return run.first + (i >> run.lane_shift);
}

/* Does the strand access its cell i? `gaps` is a constant where the loop is inlined: that of runs
 * without gaps does not ask. */
static inline cell_mask takes(struct cell_run run, bool gaps, uint32_t i)
{
    return gaps ? mask_of((i & ((1U << run.lane_shift) - 1)) < run.taken) : ~(cell_mask)0;
}

static inline bool has_gaps(struct cell_run run)
{
    return run.taken != 1U << run.lane_shift;
}

LOOP read_alone_loop(struct cells cells, struct cell_run run, bool gaps, struct cell_floors floors)
{
    const uint32_t *restrict w = cells.w;
    uint32_t *restrict r = cells.r;
    uint32_t bad = 0;
    for (uint32_t i = 0; i < run.count; i++) {
        const uint32_t self = self_of(run, i);
        const cell_mask w_ordered = entry_ordered(floors, w[i], self);
        const cell_mask r_ordered = entry_ordered(floors, r[i], self);
        bad |= ~(w_ordered & r_ordered) & takes(run, gaps, i);
    }
    for (uint32_t i = 0; i < run.count && bad == 0; i++) {
        r[i] = mask_choose(takes(run, gaps, i), self_of(run, i), r[i]);
    }
    return bad == 0;
}

LOOP read_part_loop(struct cells cells, struct cell_run run, bool gaps, struct cell_floors floors)
{
    uint32_t older[READ_MAX];
    uint32_t newer[READ_MAX];
    const uint32_t *restrict w = cells.w;
    uint32_t *restrict r = cells.r;
    uint32_t *restrict n = cells.n;
    uint32_t bad = 0;
    for (uint32_t i = 0; i < run.count; i++) {
        older[i] = r[i];
        newer[i] = n[i];
        const cell_mask good = cell_add(floors, w[i], &older[i], &newer[i], self_of(run, i), 0);
        bad |= ~good & takes(run, gaps, i);
    }
    for (uint32_t i = 0; i < run.count && bad == 0; i++) {
        r[i] = mask_choose(takes(run, gaps, i), older[i], r[i]);
        n[i] = mask_choose(takes(run, gaps, i), newer[i], n[i]);
    }
    return bad == 0;
}

LOOP read_loop(struct cells cells, struct cell_run run, bool gaps, struct cell_floors floors)
{
    if (cells.n == NULL) {
        return read_alone_loop(cells, run, gaps, floors);
    }
    return run.count <= READ_MAX && read_part_loop(cells, run, gaps, floors);
}

LOOP write_unread_loop(struct cells cells, struct cell_run run, bool gaps,
                       struct cell_floors floors)
{
    uint32_t *restrict w = cells.w;
    uint32_t bad = 0;
    for (uint32_t i = 0; i < run.count; i++) {
        bad |= ~entry_ordered(floors, w[i], self_of(run, i)) & takes(run, gaps, i);
    }
    for (uint32_t i = 0; i < run.count && bad == 0; i++) {
        w[i] = mask_choose(takes(run, gaps, i), self_of(run, i), w[i]);
    }
    return bad == 0;
}

LOOP write_alone_loop(struct cells cells, struct cell_run run, bool gaps, struct cell_floors floors)
{
    uint32_t *restrict w = cells.w;
    uint32_t *restrict r = cells.r;
    uint32_t bad = 0;
    for (uint32_t i = 0; i < run.count; i++) {
        const uint32_t self = self_of(run, i);
        bad |= ~(entry_ordered(floors, w[i], self) & entry_ordered(floors, r[i], self)) &
               takes(run, gaps, i);
    }
    for (uint32_t i = 0; i < run.count && bad == 0; i++) {
        w[i] = mask_choose(takes(run, gaps, i), self_of(run, i), w[i]);
        r[i] = mask_choose(takes(run, gaps, i), 0, r[i]);
    }
    return bad == 0;
}

LOOP write_part_loop(struct cells cells, struct cell_run run, bool gaps, struct cell_floors floors)
{
    uint32_t *restrict w = cells.w;
    uint32_t *restrict r = cells.r;
    uint32_t *restrict n = cells.n;
    uint32_t bad = 0;
    for (uint32_t i = 0; i < run.count; i++) {
        const uint32_t self = self_of(run, i);
        bad |= ~(entry_ordered(floors, w[i], self) & readers_ordered(floors, r[i], n[i], self)) &
               takes(run, gaps, i);
    }
    for (uint32_t i = 0; i < run.count && bad == 0; i++) {
        w[i] = mask_choose(takes(run, gaps, i), self_of(run, i), w[i]);
        r[i] = mask_choose(takes(run, gaps, i), 0, r[i]);
        n[i] = mask_choose(takes(run, gaps, i), 0, n[i]);
    }
    return bad == 0;
}

LOOP write_loop(struct cells cells, struct cell_run run, bool gaps, struct cell_floors floors)
{
    if (cells.r == NULL) {
        return write_unread_loop(cells, run, gaps, floors);
    }
    return cells.n == NULL ? write_alone_loop(cells, run, gaps, floors)
                           : write_part_loop(cells, run, gaps, floors);
}

EACH add_each_loop(struct cells copies, uint32_t first, uint32_t kind, struct cell_floors floors,
                   cell_mask *restrict good)
{
    const uint32_t *restrict w = copies.w;
    uint32_t *restrict r = copies.r;
    uint32_t *restrict n = copies.n;
    for (uint32_t i = 0; i < EACH_COUNT; i++) {
        uint32_t older = r[i];
        uint32_t newer = n[i];
        good[i] = cell_add(floors, w[i], &older, &newer, first + i, kind);
        r[i] = older;
        n[i] = newer;
    }
}

EACH write_each_loop(struct cells copies, uint32_t first, struct cell_floors floors,
                     cell_mask *restrict good)
{
    uint32_t *restrict w = copies.w;
    uint32_t *restrict r = copies.r;
    uint32_t *restrict n = copies.n;
    for (uint32_t i = 0; i < EACH_COUNT; i++) {
        good[i] =
            entry_ordered(floors, w[i], first + i) & readers_ordered(floors, r[i], n[i], first + i);
        w[i] = first + i;
        r[i] = 0;
        n[i] = 0;
    }
}

LOOP settled_loop(struct cells cells, uint32_t count, struct cell_floors floors)
{
    const uint32_t *restrict w = cells.w;
    const uint32_t *restrict r = cells.r;
    const uint32_t *restrict n = cells.n;
    uint32_t bad = n == NULL;
    for (uint32_t i = 0; i < count && n != NULL; i++) {
        const cell_mask settled = cell_settled(floors, w[i], r[i], n[i]);
        bad |= ~settled;
    }
    return bad == 0;
}

/* ---- the sets ---- */

/* The loops as functions of the instruction set that the attribute names. */
#define LOOPS(set, attribute)                                                                      \
    attribute static bool read_##set(struct cells cells, struct cell_run run,                      \
                                     const struct cell_floors *floors)                             \
    {                                                                                              \
        return has_gaps(run) ? read_loop(cells, run, true, *floors)                                \
                             : read_loop(cells, run, false, *floors);                              \
    }                                                                                              \
    attribute static bool write_##set(struct cells cells, struct cell_run run,                     \
                                      const struct cell_floors *floors)                            \
    {                                                                                              \
        return has_gaps(run) ? write_loop(cells, run, true, *floors)                               \
                             : write_loop(cells, run, false, *floors);                             \
    }                                                                                              \
    attribute static bool settled_##set(struct cells cells, uint32_t count,                        \
                                        const struct cell_floors *floors)                          \
    {                                                                                              \
        return settled_loop(cells, count, *floors);                                                \
    }                                                                                              \
    attribute static void add_each_##set(struct cells copies, uint32_t first, uint32_t kind,       \
                                         const struct cell_floors *floors, cell_mask *good)        \
    {                                                                                              \
        add_each_loop(copies, first, kind, *floors, good);                                         \
    }                                                                                              \
    attribute static void write_each_##set(struct cells copies, uint32_t first,                    \
                                           const struct cell_floors *floors, cell_mask *good)      \
    {                                                                                              \
        write_each_loop(copies, first, *floors, good);                                             \
    }                                                                                              \
    static const struct cell_loops loops_##set = {                                                 \
        .read = read_##set,                                                                        \
        .write = write_##set,                                                                      \
        .settled = settled_##set,                                                                  \
        .add_each = add_each_##set,                                                                \
        .write_each = write_each_##set,                                                            \
    };

LOOPS(base, )
#if defined(__x86_64__)
#define V4_SETS "avx512f,avx512vl,avx512bw,avx512dq"
LOOPS(v3, __attribute__((target("avx2"))))
#if defined(__clang__) /* which has the width as an option only */
LOOPS(v4, __attribute__((target(V4_SETS))))
#else
LOOPS(v4, __attribute__((target(V4_SETS ",prefer-vector-width=512"))))
#endif
#endif

const struct cell_loops *cell_loops(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq")) {
        return &loops_v4;
    }
    if (__builtin_cpu_supports("avx2")) {
        return &loops_v3;
    }
#endif
    return &loops_base;
}
