/* A stretch: instructions of a block that only compute, one after the other, as one loop over the
 * lanes with scalar temporaries. What is the same for all lanes is computed once, before the loop.
 *
 *     if (an operand that is the same for all lanes is undefined) {
 *         interpret(...);
 *     } else {
 *         before: the uniform rows that are read, and what is computed of them; the terms of
 *             affine rows, which may be found not to hold
 *         follow(...), if a varying operand has undefined lanes: what the ops make of bits that
 *             all lanes have alike; if they have not, the stretch is interpreted
 *         for (u32 lane = 0; lane < 64; lane++) {
 *             what is computed, and the varying rows that somebody reads later
 *         }
 *         after: masks, uniform rows, and that they are defined, or what is undefined of them
 *     }
 *
 * All uniform rows and masks are read before any row is written, and written after all were read;
 * of varying rows that holds for each lane, since rows that overlap without being the same do not
 * meet in one stretch.
 *
 * A stretch may have loads, too: usual ones, made before, of bytes that are defined, or all of
 * which nobody ever wrote. What they load is read in the loop. It is there in addition to the same
 * instructions one by one, which follow it and are done where not all is usual:
 *
 *     if (it may succeed) {
 *         as above, but it is only followed which values are undefined wholly; instead of
 *         interpret(): goto apart
 *         goto done
 *     }
 *     apart: loads, and stretches without
 *     done: */
#ifndef REFERENCE_NATIVE_STRETCH_H
#define REFERENCE_NATIVE_STRETCH_H

#include "reference/native/op_text.h"
#include "reference/vm/live.h"
#include "trace/base/text.h"

enum {
    STRETCH_MAX = 192, /* instructions: what clang takes for a loop grows faster than the loop */
};

enum stretch_kind {
    STRETCH_LANE,  /* a number for each lane: v_N of the loop's body */
    STRETCH_TRUTH, /* a truth value for each lane: b_N */
    STRETCH_ONCE,  /* a number, or a whole mask: s_N */
    STRETCH_TERMS, /* an affine row: p_N + q_N * (lane mod run) + j_N * (lane div run) */
};

struct stretch_value {
    enum stretch_kind kind;
    vm_row row;
    uint32_t units;  /* that the row has, but for that of its terms */
    uint32_t width;  /* bytes of the number */
    bool decided;    /* decided_N says whether it is the same for all active lanes */
    bool floating;   /* there is also a f_N of the loop's body, the same but for bits of NaNs */
    uint32_t step;   /* 1 + number of the step that gives what is undefined of it; 0 = nothing is */
    uint32_t once;   /* number of the s_N that all lanes have; 0 = none */
    uint32_t number; /* of its name */
};

/* What is known of a unit in this stretch; of other stretches nothing is. */
struct stretch_unit {
    uint32_t stretch; /* which it is known of */
    uint32_t value;   /* 1 + index of the value that was computed there; 0 = none */
    vm_row read;      /* the varying row that was read from the frame here; 0 = none */
    uint32_t read_units;
    uint32_t once;   /* number of the s_N that has what was in the frame; 0 = none */
    uint32_t terms;  /* likewise of the p_N, q_N and j_N of the affine row before it */
    uint32_t spread; /* number of the e_N that has its bits as bytes; 0 = none */
    uint32_t step;   /* 1 + number of the step that reads what is undefined of it; 0 = none */
    bool checked;    /* whether it is defined is asked before the stretch */
};

/* Makes the stretches of a function, one after the other. */
struct stretches {
    const struct vm_code *code;
    const struct native_set *set;
    const uint64_t *constants;  /* by unit: what a constant row holds in each lane */
    const uint8_t *is_constant; /* by unit */
    const bool *is_idle;        /* by instruction of the block: it need not be executed */
    struct live *live;
    struct text *text; /* gets them */

    uint32_t number; /* of the stretch */
    uint32_t names;  /* given so far */
    struct stretch_unit *units;
    uint32_t block, first, count; /* its instructions, from the block's first on */
    bool loads;                   /* it may have loads */
    uint32_t memo, load_count;    /* of its first load; of its loads */
    struct stretch_value values[STRETCH_MAX];
    uint32_t value_count;
    struct text checks, before, lane;
    struct text undefined;    /* rows that may have undefined lanes */
    struct text steps, known; /* by which what becomes of those is followed; stretch_undefined.h */
    uint32_t step_count, known_count;
    uint32_t birth_count; /* of a stretch that loads: of rows and loads that may be undefined */
    bool failed;          /* memory was out */
    bool uses_active;     /* this one, or one before it, looks at active_lanes */
    bool opens;           /* it has ops whose results may be left open */
    bool leaves;          /* what is computed before the loop may say that terms do not hold */
    bool spoils;          /* it assigns to a row that it has read: it can be done once only */
    bool has_loop;
    bool sets;    /* its loop is made twice: where all lanes are active, nobody looks at what was in
                     the rows that are set */
    bool decides; /* that is left out where its comparisons are decided */
};

/* `code`, `set`, `constants`, `is_constant`, `is_idle`, `live` and `text` are set. False when
 * memory is out.
 */
bool stretches_init(struct stretches *stretches);
void stretches_release(struct stretches *stretches);

void stretches_begin(struct stretches *stretches, uint32_t block, uint32_t first);
/* It may have loads, of which the first has this memo. */
void stretches_begin_loads(struct stretches *stretches, uint32_t block, uint32_t first,
                           uint32_t memo);
/* False: it cannot be part of this stretch; of an empty one: of any. */
bool stretches_add(struct stretches *stretches, const struct vm_instruction *in);
/* Appends the stretch, if it has instructions. After one that may have loads the instructions are
 * to follow, and then the label done_N of its `number`. */
void stretches_end(struct stretches *stretches);

#endif
