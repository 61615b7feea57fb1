/* Small programs of a few accesses to one element: which of their pairs race (checkers/oracle), and
 * all interleavings of the single loads and stores by which shadow cells judge them. */
#ifndef TESTS_UNIT_PROBE_RACING_H
#define TESTS_UNIT_PROBE_RACING_H

#include "checkers/oracle/oracle.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RACING_ITEMS = 5,
    RACING_EPOCHS = 2,
    RACING_KINDS = 5, /* CLERK_READ ... CLERK_ATOMIC_READ */
    RACING_ACCESSES = 6,
};

struct racing_access {
    uint32_t item;
    uint32_t epoch; /* barriers that its group has passed */
    uint32_t kind;  /* CLERK_READ ... but not CLERK_BOTH */
};

/* Work-items of groups, and how two accesses stand to each other. */
struct racing_world {
    enum oracle_region region;
    uint32_t groups[RACING_ITEMS]; /* of each item */
    bool races[RACING_ITEMS * RACING_EPOCHS * RACING_KINDS]
              [RACING_ITEMS * RACING_EPOCHS * RACING_KINDS];
};

/* Asks the oracle about every pair. `region` and `groups` are set. */
void racing_world_init(struct racing_world *world);
bool racing_races(const struct racing_world *world, struct racing_access a, struct racing_access b);
/* By the oracle itself: the later accesses of racing pairs, as bits. */
uint32_t racing_judge(const struct racing_world *world, const struct racing_access accesses[],
                      size_t count);
/* Those that race with any other, earlier or later, as bits. */
uint32_t racing_all(const struct racing_world *world, const struct racing_access accesses[],
                    size_t count);
/* Could the access come now, behind those? Barriers hold it back. */
bool racing_may_follow(const struct racing_world *world, const struct racing_access before[],
                       size_t count, struct racing_access access);

/* ---- interleavings ---- */

/* Performs an access by calls of the functions below, and returns whether it saw a race. */
typedef bool racing_perform(const struct racing_access *access);

struct racing_outcome {
    uint32_t found;     /* accesses that saw a race, as bits */
    uint64_t schedules; /* interleavings that end so */
};

struct racing_exploration {
    const struct racing_world *world;
    const struct racing_access *accesses; /* those of an item in their order */
    size_t count;
    racing_perform *perform;
    uint32_t whole_kinds; /* kinds, as bits, whose accesses are not interrupted */
};

/* Calls `see` for the outcomes, some of them more than once. The memory is RACING_WORDS words, all
 * 0 at first. */
void racing_explore(const struct racing_exploration *exploration,
                    void (*see)(struct racing_outcome outcome, void *context), void *context);

enum { RACING_WORDS = 2 };
/* For one order of whole accesses, which are performed at once: the memory, empty again. */
void racing_start(void);
extern uint64_t racing_cell[1];
extern uint32_t racing_words[RACING_WORDS];

/* Shared accesses. Places are in racing_cell or racing_words. */
uint32_t racing_load(const volatile uint32_t *place);
void racing_store(volatile uint32_t *place, uint32_t value);
uint32_t racing_exchange(volatile uint32_t *place, uint32_t value);
uint64_t racing_max(volatile uint64_t *place, uint64_t value);

#endif
