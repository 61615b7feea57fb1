/* What cells.cl needs to be C of the host: its shared accesses are steps of racing.h. */
#ifndef TESTS_UNIT_PROBE_CELLS_HOST_H
#define TESTS_UNIT_PROBE_CELLS_HOST_H

#include "checkers/probe/cell_layout.h"
#include "tests/unit/probe/racing.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t uint;
typedef uint64_t ulong;
typedef struct {
    uint x, y;
} uint2;

/* The second word first, which is the order that could miss more. */
static inline uint2 racing_load_both(volatile uint *place)
{
    uint2 both;
    both.y = racing_load(&place[1]);
    both.x = racing_load(&place[0]);
    return both;
}

#define __global
#define __local
#define CLERK_LOAD(place)         racing_load(place)
#define CLERK_LOAD_BOTH(place)    racing_load_both(place)
#define CLERK_STORE(place, value) racing_store(place, value)
#define atom_max(place, value)    racing_max(place, value)
#define atomic_xchg(place, value) racing_exchange(place, value)
#define cl_khr_int64_extended_atomics
#pragma GCC diagnostic ignored "-Wunknown-pragmas" /* which enable extensions */

#endif
