/* A work-item as a thread of the search, between machine.c and item*.c. */
#ifndef REFERENCE_EXPLORE_ITEM_H
#define REFERENCE_EXPLORE_ITEM_H

#include "reference/explore/private.h"

/* The most bytes that a lane accesses at once: reference/vm/access.h. */
enum { ACCESS_SIZE_MAX = 128 };

struct node {
    struct explorer *explorer;
    uint32_t thread, depth;
    struct node *parent, *first_child, *sibling;
    int64_t read;    /* by the operation that leads here from the parent */
    int64_t written; /* by it */
    bool exchanged;  /* it: a compare-exchange that did */
    enum machine_state state;
    const struct litmus_instruction *next; /* where it stops; NULL: see state */
    bool open;                             /* machine.is_open */
    struct gathered gathered;              /* with `next` a function of a work-group */
    /* Of `next`, as far as it was asked for, and what of it holds of all that comes later, too:
     * item_needs.c. */
    uint64_t asked, decided;
    struct machine_needs needs;
    uint64_t compared; /* items that were run to where they have read the same: item_alike.c */
};

/* An instruction that was found, and its site; for a barrier the iterations that it is in. */
struct found {
    struct litmus_instruction instruction, original; /* with the test's changes, and without */
    struct found *next;
    uint32_t site;
    uint32_t counters[LITMUS_LOOPS_MAX];
};

/* A loop that may wait. */
struct loop {
    uint32_t first, last; /* sites; the last is the spin */
    const struct vm_spin *spin;
    bool runs;        /* the item is in it */
    uint32_t entries; /* of vm_waiting, when it came there */
    uint32_t rounds;
    bool performed, changed; /* as machine_loop says */
    bool known;              /* `values` are those at the start of this round */
    /* Of each row 8 bytes; private memory. */
    uint8_t *values;
};

struct item {
    struct explorer *explorer;
    struct vm_explorer gate;
    struct observer observer;
    uint8_t *frame;      /* as a launch has it before its first vector */
    struct node nowhere; /* for those that there is no memory for */
    struct found *found;
    uint32_t barrier_count;         /* instances found */
    uint32_t met[LITMUS_LOOPS_MAX]; /* the iterations of the last barrier that it passed */
    struct loop *loops;             /* of the code's spins */
    uint32_t rounds;                /* that a loop may go */
    struct vm_object cell;
    uint8_t bytes[ACCESS_SIZE_MAX];
    /* The run under way. */
    struct node *node;
    int64_t *reads; /* that lead to the node */
    size_t read_capacity;
    uint32_t at;                                /* operations performed */
    const struct litmus_instruction *performed; /* the last one, if not settled */
    int64_t stored;                             /* by it, a store */
    bool stopped;
    /* What the operation of that number, from 1, reads counts as undefined; 0 = none. Then: has
     * that decided something, does what the node's operation writes depend on it, and has the item
     * gone round a loop that may wait? */
    uint32_t marked;
    bool decided, operand, went_round;
    uint64_t *undefined; /* of private memory: a word of all lanes for each byte */
};

static inline struct vm_vector *item_vector(const struct item *item)
{
    return launch_vector(item->explorer->launch, 0);
}

static inline uint32_t item_lane(const struct item *item)
{
    return item->explorer->lanes[item->node->thread];
}

/* Runs the item of the node from its start to there. */
void item_run_to(struct item *item, struct node *node);

/* ---- item_tree.c ---- */
/* Where the item begins; where it is when its next operation has read that. */
struct node *item_root(struct explorer *explorer, uint32_t thread);
struct node *item_child(struct node *node, int64_t old);

/* ---- item_alike.c ---- */
/* As machine.alike and machine.stays_alike say. */
bool item_are_alike(const struct explorer *explorer, uint32_t a, uint32_t b);
bool item_stays_alike(struct node *node, uint64_t others);
/* Those that it was compared with must have the same needs there. */
void item_compare_needs(struct node *node, uint64_t reads, struct machine_needs needs);

/* ---- item_needs.c ---- */
/* As machine.needs says, of the operation that the item is at in the node. */
struct machine_needs item_needs(struct node *node, uint64_t reads);
/* The item performs an operation, the `at`-th. */
void item_mark(struct item *item);
/* It stops at that one. */
void item_note_operands(struct item *item, uint32_t site,
                        const struct litmus_instruction *instruction);
void item_take_undefined(void *state, const struct observer_undefined *undefined);

/* ---- item_loops.c ---- */
/* The bytes of `values` of one round. */
size_t item_values_size(const struct item *item, const struct loop *loop);
/* The item is at that site: notes in which loops. */
void item_place_in_loops(struct item *item, uint32_t site);
/* As machine.is_open says. */
bool item_is_open(const struct item *item);
/* The item is held at the end of a round. False: it goes no further. */
bool item_go_round(struct item *item);

#endif
