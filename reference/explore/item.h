/* A work-item as a thread of the search, between item.c and item_loops.c. */
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
};

static inline struct vm_vector *item_vector(const struct item *item)
{
    return launch_vector(item->explorer->launch, 0);
}

static inline uint32_t item_lane(const struct item *item)
{
    return item->explorer->lanes[item->node->thread];
}

/* The bytes of `values` of one round. */
size_t item_values_size(const struct item *item, const struct loop *loop);
/* The item is at that site: notes in which loops. */
void item_place_in_loops(struct item *item, uint32_t site);
/* As machine.is_open says. */
bool item_is_open(const struct item *item);
/* The item is held at the end of a round. False: it goes no further. */
bool item_go_round(struct item *item);

#endif
