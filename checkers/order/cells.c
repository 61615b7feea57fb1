/* Each loop is written once, always inlined, and compiled twice on x86-64: for the baseline and for
 * AVX2, picked by what the processor has. Both compute the same. */
#include "checkers/order/cells.h"

#define LOOP static inline __attribute__((always_inline)) bool

LOOP read_loop(const uint32_t *restrict w, uint32_t *restrict r, uint32_t count, uint32_t first,
               unsigned lane_shift, struct cell_floors floors)
{
    uint32_t bad = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t self = first + (i >> lane_shift);
        /* Numbers, not truth values: no branch, so that the loop is vectorised. */
        const uint32_t w_ordered = cell_ordered(floors, w[i], self);
        const uint32_t r_ordered = cell_ordered(floors, r[i], self);
        const uint32_t full = cell_full(floors, r[i]);
        bad |= (w_ordered & (full | r_ordered)) ^ 1;
    }
    if (bad != 0) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t self = first + (i >> lane_shift);
        r[i] = cell_full(floors, r[i]) ? r[i] : self;
    }
    return true;
}

LOOP write_loop(uint32_t *restrict w, uint32_t *restrict r, uint32_t count, uint32_t first,
                unsigned lane_shift, struct cell_floors floors)
{
    uint32_t bad = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t self = first + (i >> lane_shift);
        const uint32_t w_ordered = cell_ordered(floors, w[i], self);
        const uint32_t r_ordered = cell_ordered(floors, r[i], self);
        bad |= (w_ordered & r_ordered) ^ 1;
    }
    if (bad != 0) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        w[i] = first + (i >> lane_shift);
        r[i] = 0;
    }
    return true;
}

LOOP settled_loop(const uint32_t *restrict w, const uint32_t *restrict r, uint32_t count,
                  struct cell_floors floors)
{
    uint32_t bad = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t settled = cell_settled(floors, w[i], r[i]);
        bad |= settled ^ 1;
    }
    return bad == 0;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static bool
settled_avx2(const uint32_t *w, const uint32_t *r, uint32_t count, const struct cell_floors *floors)
{
    return settled_loop(w, r, count, *floors);
}

__attribute__((target("avx2"))) static bool read_avx2(const uint32_t *w, uint32_t *r,
                                                      uint32_t count, uint32_t first,
                                                      unsigned lane_shift,
                                                      const struct cell_floors *floors)
{
    return read_loop(w, r, count, first, lane_shift, *floors);
}

__attribute__((target("avx2"))) static bool write_avx2(uint32_t *w, uint32_t *r, uint32_t count,
                                                       uint32_t first, unsigned lane_shift,
                                                       const struct cell_floors *floors)
{
    return write_loop(w, r, count, first, lane_shift, *floors);
}
#endif

bool cells_read(const uint32_t *w, uint32_t *r, uint32_t count, uint32_t first, unsigned lane_shift,
                const struct cell_floors *floors)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        return read_avx2(w, r, count, first, lane_shift, floors);
    }
#endif
    return read_loop(w, r, count, first, lane_shift, *floors);
}

bool cells_write(uint32_t *w, uint32_t *r, uint32_t count, uint32_t first, unsigned lane_shift,
                 const struct cell_floors *floors)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        return write_avx2(w, r, count, first, lane_shift, floors);
    }
#endif
    return write_loop(w, r, count, first, lane_shift, *floors);
}

bool cells_settled(const uint32_t *w, const uint32_t *r, uint32_t count,
                   const struct cell_floors *floors)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        return settled_avx2(w, r, count, floors);
    }
#endif
    return settled_loop(w, r, count, *floors);
}
