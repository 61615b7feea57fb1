/* Changes of a test's source that may mend it: of one place each, by what its operations are. */
#ifndef CHECKERS_LITMUS_CHANGES_H
#define CHECKERS_LITMUS_CHANGES_H

#include "checkers/litmus/litmus.h"

enum {
    CHANGES_MAX = 64, /* in place, and as many fences */
    /* The weight of a change to seq_cst: more than all others together. */
    CHANGES_SEQ_CST = 64,
};

struct change {
    struct litmus_edit edit;
    uint32_t weight; /* of stronger orders, wider scopes and more memories more */
};

struct changes {
    const struct litmus_test *test;
    enum oracle_scope fence_scope;       /* of fences that are put in */
    struct change list[2 * CHANGES_MAX]; /* those of what is there first, then fences */
    size_t in_place_count, count;
};

/* None yet. */
void changes_init(struct changes *changes, const struct litmus_test *test,
                  enum oracle_scope_rule rule);
/* Do both change the same of one place? Then there can be one of them. */
bool changes_are_of_one_place(const struct litmus_edit *a, const struct litmus_edit *b);
/* Adds those of the instruction's order, scope and flags; before any fences. */
void changes_add_in_place(struct changes *changes, const struct litmus_instruction *instruction);
/* Adds fences before and behind it. */
void changes_add_fences(struct changes *changes, const struct litmus_instruction *instruction);

#endif
