/* Random types of OpenCL C: integers and vectors of them, arrays, structures and unions, nested in
 * each other. A union's members fill it without gaps, so that to read one after another was written
 * is defined. */
#ifndef TESTS_FUZZ_RANDOM_SHAPE_H
#define TESTS_FUZZ_RANDOM_SHAPE_H

#include "tests/fuzz/random_expression.h"

enum form { VALUE, ARRAY, STRUCT, UNION };
enum { SHAPES_MAX = 256, SHAPE_MEMBERS = 5 };

/* Shapes are numbered; members are `m0`, `m1` ... */
struct shape {
    enum form form;
    struct type value;               /* of a VALUE */
    uint32_t count;                  /* elements of an ARRAY, members of the others */
    uint32_t members[SHAPE_MEMBERS]; /* an ARRAY has one: its element */
    uint32_t size, align, leaves;    /* bytes, and how many VALUEs it holds */
};

struct shapes {
    struct shape list[SHAPES_MAX];
    uint32_t count;
};

/* Appends definitions of `structures` structures and unions, with functions for each:
 *
 *     ulong hash_tN(const private struct tN *p)     of all that is in it
 *     void fill_tN(private struct tN *p, uint x)    component by component */
void shapes_make(struct shapes *shapes, uint32_t structures, struct text *out);

/* A structure or union. */
uint32_t shape_aggregate(const struct shapes *shapes);
/* The shape of a value; it is added if it is not there. */
uint32_t shape_of_value(struct shapes *shapes, struct type type);
/* Valid until some more names were asked for. */
const char *shape_name(const struct shapes *shapes, uint32_t shape);

/* Statements that take what is at `place` into `hash`, or write to all of it what follows from `x`.
 */
void shape_hash(const struct shapes *shapes, uint32_t shape, const char *place, uint32_t depth,
                struct text *out);
void shape_fill(const struct shapes *shapes, uint32_t shape, const char *place, uint32_t depth,
                struct text *out);

#endif
