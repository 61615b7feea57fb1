/* That a command reads or writes bytes of an object. */
#ifndef CHECKERS_ORDER_USE_H
#define CHECKERS_ORDER_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum use_kind { USE_READ, USE_WRITE, USE_ATOMIC_READ, USE_ATOMIC_WRITE };

/* Do the scopes of an atomic use hold work-items of other commands? */
enum use_reach {
    USE_REACHES,       /* of the same device */
    USE_REACHES_ALL,   /* of all devices, and the host */
    USE_REACH_UNCLEAR, /* not by the letter, but legacy atomic functions are compiled so */
    USE_TOO_NARROW,
};

/* Which bytes: rows of `size`, row_pitch apart, in slices that are slice_pitch apart; or, with
 * `bits`, of one row those whose bit is set: bit i of the words is byte first + i. */
struct use_bytes {
    uint64_t first, size;
    uint64_t rows, row_pitch, slices, slice_pitch; /* rows and slices 0: one row */
    const uint64_t *bits;
};

/* Bytes without a gap, used in one way; size 0 = none. */
struct use_part {
    enum use_kind kind;
    uint64_t first, size;
};

/* A use is certain, or only possible: the command may as well do nothing of the kind. Of one that
 * is possible some bytes may be certain after all. */
enum { USE_CERTAIN_MAX = 2 };
struct use {
    uint64_t object; /* by any number of the caller's */
    enum use_kind kind;
    struct use_bytes bytes;
    bool possible;
    struct use_part certain[USE_CERTAIN_MAX]; /* among `bytes`; they are written only if `kind`
                                               * says so */
    enum use_reach reach;
    uint64_t device;   /* that an atomic use is of, by any number; 0 = all are one */
    bool equal_scopes; /* atomic uses reach each other only if their scopes are the same */
    bool guaranteed;   /* atomic operations of several commands on the object are, if they reach */
    bool own_memory;   /* a transfer between the object and the host memory that it was made of */
    bool awaited; /* one that is possible: what the command did will be known when it has ended */
};

static inline bool use_writes(enum use_kind kind)
{
    return kind == USE_WRITE || kind == USE_ATOMIC_WRITE;
}

static inline bool use_is_atomic(enum use_kind kind)
{
    return kind == USE_ATOMIC_READ || kind == USE_ATOMIC_WRITE;
}

/* Does whatever conflicts with a use of the second kind conflict with one of the first? */
static inline bool use_is_as_strong(enum use_kind kind, enum use_kind as)
{
    return kind == USE_WRITE || kind == as;
}
/* The same of their reach, where that counts. */
static inline bool use_reaches_no_further(const struct use *use, const struct use *than)
{
    return !use_is_atomic(use->kind) ||
           (use->reach == than->reach && use->device == than->device) ||
           (use->reach > than->reach && use->reach > USE_REACHES_ALL);
}
/* Does the scope of each of two atomic uses hold the other's work-items? */
bool use_scopes_meet(const struct use *a, const struct use *b);

/* The first bytes, without a gap, that both have; false when there are none. */
bool use_bytes_meet(const struct use_bytes *a, const struct use_bytes *b, uint64_t *first,
                    uint64_t *size);
/* Before any closer look: false where they may meet. */
bool use_bytes_are_apart(const struct use_bytes *a, const struct use_bytes *b);
/* Has `outer` all that `inner` has? May say no where that is not obvious. */
bool use_bytes_cover(const struct use_bytes *outer, const struct use_bytes *inner);
/* How many words the bits take. */
uint64_t use_bytes_words(const struct use_bytes *bytes);

/* The next bytes of the use that are certain, the first ones with *index 0; false when there are no
 * more. */
bool use_next_certain(const struct use *use, size_t *index, enum use_kind *kind,
                      struct use_bytes *bytes);
/* Is all that is certain of one use so of the other? May say no where that is not obvious. */
bool use_covers_certain(const struct use *outer, const struct use *inner);

#endif
