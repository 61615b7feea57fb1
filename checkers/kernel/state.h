/* The inside of the kernel checker, shared by its files; nobody else includes it. */
#ifndef CHECKERS_KERNEL_STATE_H
#define CHECKERS_KERNEL_STATE_H

#include "checkers/kernel/checker.h"
#include "checkers/order/order.h"
#include "trace/base/arena.h"

#include <uthash.h>

_Static_assert(OBSERVER_FENCE_LOCAL == 1 << ORDER_LOCAL &&
                   OBSERVER_FENCE_GLOBAL == 1 << ORDER_GLOBAL &&
                   OBSERVER_FENCE_IMAGE == 1 << ORDER_TEXELS,
               "flags of barriers and fences are regions of the engine");

/* The first OpenCL C with CLK_IMAGE_MEM_FENCE, and with memory orders. */
enum { OPENCL_C_IMAGE_FENCE = 200, OPENCL_C_ORDERS = 200 };

/* One finding of the running launch, while it is counted. */
struct case_key {
    uint32_t rule;
    uint32_t site, other_site; /* the lower first */
    uint32_t detail; /* kind of fault, of divergence: what else tells two findings apart */
};

/* Why atomic operations and fences did not order the two sides of a race, from the flag that the
 * later side has read. */
struct why {
    const char *reason; /* NULL = nothing is known */
    const char *advice;
    uint32_t store_slot, load_slot;                     /* of the flag */
    struct finding_change changes[FINDING_CHANGES_MAX]; /* that the advice is */
};

struct kernel_case {
    struct case_key key;
    struct finding finding; /* strings are the arena's or the launch's */
    uint32_t object_id;     /* of races: the object that the finding names */
    bool across_groups;     /* of races: the advice is for those between work-groups, too */
    struct why why;         /* of races: of the first */
    struct kernel_prediction prediction; /* of RULE_ACQUIRE_UNUSED */
    struct kernel_case *next;
    UT_hash_handle hh;
};

/* What an access site does besides its place; by slot. */
struct site_access {
    enum observer_access_kind kind;
    enum observer_order order;
    enum observer_scope scope;
    uint32_t size;
    bool is_volatile, is_floating;
    uint32_t object_id; /* of the object that was accessed last, good while `object` is not NULL */
    struct order_object *object;
    uint64_t turn;         /* of local memory: checker's, when `object` was asked for */
    uint32_t unwatched_id; /* an object whose reads need no watching; 0 = none */
};

/* The latest barrier of the running group, of each execution scope. */
struct passed_barrier {
    bool passed;
    uint32_t site;
    uint32_t flags, regions; /* regions: as checkers/order has them */
    uint32_t next_record;    /* accesses before it have smaller record ids */
    uint32_t vector;         /* of sub-groups: those of `mask` in this vector passed it last */
    uint64_t mask;
};

/* ---- texels.c ---- */

struct written_image;
struct texels {
    struct written_image *images; /* that this launch writes and can read */
    size_t image_count, image_capacity;
    uint32_t last_stamp;
};

void texels_forget(struct texels *texels); /* the launch has ended */

/* A group that has begun and not ended. */
struct group_state {
    uint64_t group[3];
    uint64_t group_size[3]; /* its work-items: fewer at an edge */
    uint32_t vector;
    struct passed_barrier group_barrier, sub_group_barrier;
    struct order_copy *copies; /* by their number */
    size_t copy_capacity;
    /* texels.c: by linear local id, of work-items that wrote texels since their last image fence; 0
     * = they have not. Made for the first that writes, of all that a group has. */
    uint32_t *stamps;
    size_t stamp_count;
};

struct kernel_checker {
    struct checks checks;
    kernel_checker_report *report;
    kernel_checker_notice *notice; /* NULL = nobody */
    void *user;
    struct touched *touched;             /* the caller's, or NULL */
    bool has_races;                      /* a rule about races is on */
    bool is_scout, has_found;            /* kernel_checker_create_scout */
    kernel_checker_predicted *predicted; /* NULL = it looks at what is, not at what might be */
    void *predicted_user;
    struct kernel_prediction expected[KERNEL_EXPECTED_MAX]; /* kernel_checker_expect */
    uint32_t expected_count;
    bool has_shown;
    bool answered; /* observer.h: in this launch */
    struct observer observer;
    struct order *order;
    struct site_access *accesses;
    size_t access_capacity;

    /* ---- the running launch ---- */
    struct observer_launch launch;
    struct arena arena;
    struct kernel_case *cases;       /* the hash table */
    struct kernel_case *recent_case; /* the one counted last, mostly the next one too; or NULL */
    struct kernel_case *first_case, **last_case;
    bool judges_races;
    bool unwatched_written; /* reads of an object that is written have not been watched */
    bool out_of_memory;     /* some finding could not be kept */
    bool has_stopped;       /* a work-item ended where its own assertion did not hold */
    struct group_state now; /* the running group */
    bool group_runs;        /* it has not ended */
    struct texels texels;
    uint64_t turn;               /* counts the times that another group of several went on */
    struct group_state *waiting; /* groups that will go on */
    size_t waiting_count, waiting_capacity;
};

/* Has the kernel's language memory orders? Before it has, there is mem_fence, which reaches the own
 * work-group. */
static inline bool kernel_has_orders(const struct kernel_checker *checker)
{
    const uint32_t version = checker->launch.opencl_c_version;
    return version == 0 || version >= OPENCL_C_ORDERS;
}

/* texels.c: an access to an image that the launch can read and write. */
void texels_access(struct kernel_checker *checker, const struct lane_access *access);
/* These work-items, or all of the group, passed an image fence. */
void texels_fence(struct kernel_checker *checker, uint32_t vector, uint64_t mask);
void texels_fence_group(struct kernel_checker *checker);

/* Counts the case. It is new when its finding's count is 1: then its words are to be written. NULL
 * where its rule is not looked at, or memory is out. */
struct kernel_case *case_counted(struct kernel_checker *checker, const struct case_key *key);
/* The same; NULL also when the case is not new. */
struct finding *case_count(struct kernel_checker *checker, const struct case_key *key);

/* Forgets all cases, and gives back the memory of their words. */
void cases_drop(struct kernel_checker *checker);

/* race.c: fits order_race_function; the user is the checker. */
void race_report(void *user, const struct lane_access *access, const struct order_race *race);

/* Functions of the observer that make findings of single events; the state is the checker.
 * faults.c, pipes.c, undefined.c, divergence.c, ending.c, enqueue.c, remarks.c, asserted.c. */
void fault_report(void *state, const struct observer_fault *fault);
void undefined_report(void *state, const struct observer_undefined *undefined);
void divergence_report(void *state, const struct observer_divergence *divergence);
void copy_lost_report(void *state, uint32_t site);
void copy_overlap_report(void *state, const struct observer_overlap *overlap);
void reservation_lost_report(void *state, uint32_t site, const struct observer_object *pipe,
                             uint64_t count, bool writes);
void remark_report(void *state, uint32_t site, enum observer_remark kind, uint32_t item);
void assertion_report(void *state, const struct observer_assertion *assertion);
void unfinished_report(void *state, const struct observer_unfinished *unfinished);
void dependence_report(void *state, const struct observer_dependence *dependence);
void queue_fault_report(void *state, const struct observer_queue_fault *fault);
/* `what`: "data races". */
/* advice: NULL = the rule's */
void incomplete_report(struct kernel_checker *checker, const char *what, const char *reason,
                       const char *advice);

/* ---- orders.c ---- */

/* Memory orders, scopes and flags that an operation must not have, found when it is executed. */

void orders_check_access(struct kernel_checker *checker, const struct lane_access *access);
void orders_report_private(struct kernel_checker *checker, const struct lane_access *access);
/* Work-items waited there, until the host changed what they read. */
void orders_check_host(struct kernel_checker *checker, const struct observer_standing *place);
void orders_check_fence(struct kernel_checker *checker, uint32_t site, uint32_t flags,
                        enum observer_scope scope);
/* race->narrow is not NULL. */
void orders_report_narrow(struct kernel_checker *checker, const struct order_race *race);
void orders_check_barrier(struct kernel_checker *checker, const struct observer_barrier *barrier);

/* ---- why.c ---- */

/* `region` is that of the raced bytes. The strings are the launch's arena's. */
struct why why_unordered(struct kernel_checker *checker, const struct order_race *race,
                         enum order_region region);

#endif
