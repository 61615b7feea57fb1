/* Inside the explorer: the memory and the work-items of a kernel as the search sees them. */
#ifndef REFERENCE_EXPLORE_PRIVATE_H
#define REFERENCE_EXPLORE_PRIVATE_H

#include "checkers/litmus/machine.h"
#include "checkers/litmus/search.h"
#include "reference/sched/group.h"

/* Where a location lies. */
struct explore_place {
    uint32_t object, size;
    uint64_t offset;
    uint32_t group; /* of local memory */
    uint64_t users; /* work-items that come there: item_alike.c */
};

struct explorer {
    struct litmus_test test;
    struct explore_place *places; /* of the test's locations */
    size_t place_capacity;
    struct sched_launch request;        /* with the explorer's observer */
    struct launch *launch;              /* storage for one work-item's group */
    uint32_t lanes[LITMUS_THREADS_MAX]; /* of the threads, all in vector 0 */
    struct arena arena;
    bool failed;        /* `error` says why, and nothing more is found */
    enum status status; /* then */
    struct error error;
    struct item *item;                      /* item.c: what runs them */
    struct node *roots[LITMUS_THREADS_MAX]; /* item_tree.c: where each begins */
    /* item_alike.c: for each item those that are not like it; some were told apart now. */
    uint64_t apart[LITMUS_THREADS_MAX];
    bool differs;
};

/* ---- fail.c ---- */
/* Notes why the kernel cannot be explored, if nothing was noted before: "line 3: " and the words.
 * UINT32_MAX = no site. */
void explorer_fail(struct explorer *explorer, uint32_t site, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void explorer_no_memory(struct explorer *explorer, size_t size);
uint32_t explorer_line(const struct explorer *explorer, uint32_t site);

/* ---- places.c ---- */
/* As a kernel's argument, if it is one. NULL: memory ran out. */
const char *explorer_object_name(struct explorer *explorer, const struct observer_object *object);
/* Room for the first places, or for twice as many as there are. False: no memory. */
bool explorer_make_places(struct explorer *explorer);
/* The location that the access of a work-item of the group leads to. False: it cannot be one. */
bool explorer_locate(struct explorer *explorer, uint32_t group,
                     const struct vm_coming_access *access, uint32_t *location);

/* ---- gather.c ---- */
/* What a work-item brings to a function of its work-group or sub-group: a value, and whose is asked
 * for. */
struct gathered {
    uint64_t value;
    uint64_t ids[3];
};
/* Of all work-items of a group or sub-group, in their order. */
struct gathering {
    uint32_t site, count;
    const struct gathered *items[LITMUS_THREADS_MAX];
};
/* NULL: the site is no barrier. */
const struct vm_barrier *explorer_barrier(const struct explorer *explorer, uint32_t site);
/* Work-items bring something there. */
bool explorer_gathers(const struct vm_barrier *barrier);
/* And are given something. */
bool explorer_gives(const struct vm_barrier *barrier);
/* Is it an op that gives what a sub-group makes together, once all of it have met right before? */
bool explorer_is_together(const struct vm_code *code, uint32_t site);
/* Its operands, and its result. */
struct gathered explorer_read_operands(const struct vm_vector *vector, uint32_t lane,
                                       const struct vm_instruction *in);
void explorer_write_operand(const struct vm_vector *vector, uint32_t lane,
                            const struct vm_instruction *in, uint64_t value);
struct gathered explorer_read_arguments(const struct vm_vector *vector, uint32_t lane,
                                        const struct vm_barrier *barrier);
void explorer_write_result(const struct vm_vector *vector, uint32_t lane,
                           const struct vm_barrier *barrier, uint64_t value);
/* What it gives the item of that index. */
uint64_t explorer_gather(struct explorer *explorer, const struct gathering *gathering,
                         uint32_t index);

/* ---- machine.c ---- */
extern const struct machine explorer_machine;

/* ---- item.c ---- */
/* What runs the launch's work-items one by one; lives in the explorer's arena. `rounds`: how often
 * a loop may go round. */
enum status explorer_create_item(struct explorer *explorer, uint32_t rounds, struct error *error);

#endif
