/* Memory in which no two work-items of a launch can meet unordered, whatever its values are: the
 * form of the kernel's accesses shows it. A kernel's checked copy (checked.h) needs no cells for
 * such memory.
 *
 * The forms of a kernel (facts.h) are found once; whether they keep work-items apart depends on the
 * sizes of a launch and on the values of its arguments: `out[y * width + x]` does so where `width`
 * is at least the first global size. */
#ifndef CHECKERS_PROBE_APART_H
#define CHECKERS_PROBE_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an id is multiplied with, beside a number. */
enum apart_factor_kind { APART_ARGUMENT, APART_GLOBAL_SIZE, APART_LOCAL_SIZE, APART_GROUP_COUNT };
struct apart_factor {
    uint32_t kind;   /* enum apart_factor_kind */
    uint32_t number; /* of the argument, an integer; or the dimension */
    bool is_signed;  /* the argument */
};

enum apart_id {
    APART_GLOBAL_ID,
    APART_LOCAL_ID,
    APART_GROUP_ID,
    APART_GLOBAL_PLACE /* the global id without the offset, as in get_global_linear_id() */
};
enum { APART_FACTORS = 2 };
struct apart_term {
    uint32_t id, dimension; /* enum apart_id */
    int64_t scale;          /* in bytes */
    struct apart_factor factors[APART_FACTORS];
    uint32_t factor_count;
};

/* All accesses that nothing else orders are to bytes within [sum of the terms + a constant that is
 * the same for all items, that + span). Addresses are that modulo 2^bits alone: they are computed
 * from integers of fewer than 64 bits, whose sums may wrap. Bytes that are apart modulo 2^bits are
 * apart. */
struct apart_form {
    struct apart_term *terms;
    size_t term_count;
    uint64_t span;
    uint32_t bits; /* up to 64 */
    /* Bits by dimension: of these accesses, all are of items with one and the same global, or
     * local, id there, as it is modulo 2^32. */
    uint32_t one_global, one_local;
};

/* Of an argument or of a variable in local memory: by what the kernel does through that one.
 * Whether another argument, or an image, is of the same memory is known at a launch. */
struct apart {
    bool is_known;            /* else nothing shows that items are apart */
    struct apart_form *forms; /* each has to hold; none = nothing unordered writes there */
    size_t form_count;
    /* Of local memory: before anything of it is read each item of the group has written so many
     * bytes by the form of this number, from 1, and a constant of 0; 0 = that is not known. */
    uint32_t writer;
    uint64_t written;
};

/* A launch: sizes in items, 0 = not known. */
struct apart_launch {
    uint32_t dimensions;
    uint64_t offset[3], global[3], local[3];
    /* The bytes of an argument that is a value; NULL = they are not known. */
    const void *(*value_of)(const void *user, uint32_t argument, size_t *size);
    const void *user;
};

/* `is_local`: of local memory, where only items of one group can meet. */
bool apart_holds(const struct apart *apart, const struct apart_launch *launch, bool is_local);
/* Has each of the `size` bytes of local memory been written before one is read? */
bool apart_fills(const struct apart *apart, const struct apart_launch *launch, uint64_t size);

#endif
