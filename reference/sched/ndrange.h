/* Runs one NDRange: work-groups in order, the lane vectors of a group in turn until all have ended.
 *
 * Deterministic: the same code, arguments, memory and schedule give the same bytes and the same
 * events for the observer in the same order. */
#ifndef REFERENCE_SCHED_NDRANGE_H
#define REFERENCE_SCHED_NDRANGE_H

#include "checkers/kernel/observer.h"
#include "reference/vm/code.h"
#include "reference/vm/exec.h"
#include "reference/vm/memory.h"
#include "trace/base/status.h"

enum sched_order { SCHED_ASCENDING, SCHED_DESCENDING, SCHED_SEEDED };

struct launch;
struct vm_counters;
struct vm_device;

/* Checkers of the workers among which the groups of a launch are divided (crew.h). Of the same
 * rules as the launch's own, they tell nobody anything. */
struct sched_scouts {
    /* What worker number `worker`, counted from 0, tells its events to; NULL = memory is out. On
     * the worker's thread, as has_found. */
    const struct observer *(*observer)(void *user, uint32_t worker);
    /* Has it had something to tell since its launch began? */
    bool (*has_found)(void *user, uint32_t worker);
    void *user;
};

/* Who debugs launches: called on the thread that executes, which stands meanwhile. */
struct sched_debugger {
    struct vm_debugger vm; /* its state is the debugger's own, that the others get */
    void (*begin)(void *state, struct launch *launch); /* before its first group */
    /* The vector of the group that `launch` holds is about to run: not the launch that began, where
     * groups wait for each other. */
    void (*run_vector)(void *state, struct launch *launch, uint32_t vector);
    void (*last)(void *state, struct launch *launch); /* all have ended; nobody was told so yet */
    void (*end)(void *state, struct launch *launch);
};

/* What a launch may cost that is run for what it shows beside others, and all that it enqueues. */
struct sched_budget {
    uint64_t operations; /* instructions after which it is ended, which no observer is told; each
                            launch leaves what it has not taken: none, if that is 0 */
    bool spent;          /* given: one was ended */
};

/* The value of one kernel argument, by the kind of vm_code.parameters. */
struct sched_argument {
    const void *bytes;        /* VALUE, STRUCT, QUEUE: parameter.size bytes */
    const uint8_t *undefined; /* STRUCT: a bit for each of them, 1 = undefined; NULL = none is */
    uint32_t object;          /* GLOBAL, CONSTANT, IMAGE: object number; 0 = a null pointer */
    uint64_t offset;          /* GLOBAL, CONSTANT: as vm_memory_address has it */
    uint64_t sampler;         /* SAMPLER: vm_sampler_make */
    uint64_t local_size;      /* LOCAL: bytes */
};

struct sched_launch {
    const struct vm_code *code;
    struct vm_memory *memory;
    uint32_t dimensions;
    uint64_t global_size[3], local_size[3], global_offset[3]; /* unused: 1, 1, 0 */
    const struct sched_argument *arguments;                   /* parameter_count */
    const uint32_t *globals; /* object numbers of code->globals, in that order */
    /* Shared virtual memory that the kernel may access: ids, ascending; and kinds of which it may
     * access all, bit 1 << enum observer_svm. */
    const uint32_t *svm_listed;
    size_t svm_listed_count;
    uint32_t svm_kinds;
    struct vm_blocks blocks;         /* that it was given */
    enum vm_system system;           /* SPARED: it may access no memory of the system's */
    struct sched_debugger *debugger; /* NULL = none; then nothing is native, nor divided */
    struct vm_counters *counters;    /* NULL = nothing is counted; else nothing is native, and
                                        nobody debugs */
    const struct vm_device *device;  /* queues that the kernel may enqueue to; NULL = none */
    const struct observer *observer; /* NULL = no checks: bounds are kept, nothing is told */
    uint32_t workers; /* among which groups may be divided; 0 and 1 = all run on this thread */
    uint32_t shuffle_workers; /* not 0, for tests: they are divided whatever they cost, and workers
                                 pause at random vectors, which this number chooses */
    const struct sched_scouts *scouts; /* NULL: with an observer, they are not divided */
    enum sched_order order;
    uint64_t seed;
    /* Work-items run one at a time, each to its next barrier or end; of a kernel with sub-group
     * functions, sub-groups do. Then nothing is native, nor divided. Not where there is a debugger,
     * or too many work-items with too much of their own. */
    bool items;
    /* Not 0: groups and the vectors in them take turns of so many atomic operations, as many groups
     * at a time as there is room for. Not where the host may change memory meanwhile, nor where
     * there is a debugger. */
    uint32_t turn;
    /* Not 0: not all do, but whoever of those that can go on has the highest priority, which `seed`
     * gives out; at so many times less one, which it chooses, the one that runs gets the lowest.
     * Those that have priorities are groups, in small launches vectors. */
    uint32_t depth;
    /* Beside `turn`: work-items run one after the other, as `items` has it, but number `held` stops
     * before its atomic operation number `held_before`, from 1, until nobody else goes on; from
     * then on it has a turn whenever nobody does. Work-items are counted group by group, in each by
     * the linear local id, as if all groups were of the full size. */
    bool holds;
    uint64_t held;
    uint32_t held_before;
    uint32_t sub_group_size;         /* 1 to 64, a power of two */
    bool wide_scopes, seq_cst_alone; /* as observer_launch says */
    uint64_t operation_limit;        /* instructions after which the launch is ended; 0 = none */
    struct sched_budget *budget;     /* NULL = none; else there is no operation_limit besides */
    uint64_t *owners; /* numbers in owned pointers that were given so far; NULL = none */
    /* All work-items wait in loops, and memory is what it was when they were tried before: only the
     * host may change it, which is given a while. `anew`: something has changed since the call
     * before this one, so the answer is true. False: nobody will, so they wait for ever. NULL = the
     * host changes no memory that the kernel can use. */
    bool (*wait_for_host)(const char *label, bool anew);
    /* Others may run beside the launch, which `waits`, or else lets the schedule choose; it may go
     * on meanwhile, by sched_go_on. False: nothing was done. NULL = there are no others. */
    bool (*run_others)(const struct sched_launch *request, struct launch *launch, bool waits);
    bool mixes;       /* that is asked behind each group */
    uint64_t call_id; /* for observer_launch */
    uint64_t program; /* which one of the process the kernel is of, for a debugger; 0 = not known */
    const char *label;
    /* Output of printf, in order, the last of it before sched_run returns; NULL = standard output
     */
    void (*print)(void *user, const char *bytes, size_t size);
    void *user;
};

/* How the work-groups were run, which shows nowhere else. */
enum sched_course {
    SCHED_ALONE,   /* one after the other */
    SCHED_DIVIDED, /* most of them by workers */
    SCHED_UNDONE   /* by workers, which met: put back, and run one after the other */
};

struct sched_result {
    uint64_t operation_count; /* the virtual clock: lane-code instructions executed */
    bool exhausted;           /* the operation limit was passed: the rest was not executed */
    bool hangs; /* work-items wait for ever, which ended it: see observer; `exhausted` is set too */
    bool stopped; /* a divergent barrier: the rest of the group cannot run, see observer */
    enum sched_course course;
};

/* ---- launches that run beside each other ---- */

enum sched_state {
    SCHED_ENDED,
    SCHED_GOES_ON, /* it can */
    SCHED_WAITS,   /* every group waits, and when all were tried nothing changed */
    SCHED_LOOKS    /* the same, but for what work-items hold themselves: they count how often */
};

/* The request stays as long as the launch. As sched_run. */
enum status sched_begin(const struct sched_launch *request, struct launch **launch,
                        struct error *error);
/* Runs so many groups at most, or turns of theirs, and stops where all wait. */
enum sched_state sched_go_on(struct launch *launch, uint64_t most);

struct sched_counts {
    uint64_t operations;
    uint64_t changes; /* after which work-items that wait may find something new; of code without
                         loops that wait, none are counted */
};
struct sched_counts sched_counts(const struct launch *launch);
/* Others have run, and changed memory; last, while it waited, a launch of that kernel, which began
 * later. NULL: no such launch did. */
void sched_note_change(struct launch *launch, const char *kernel);
/* It waits, as all others do: asks what wait_for_host of its request asks, false without one. Where
 * the host then stored what it waits for, the observer is told. */
bool sched_wait_for_host(struct launch *launch, bool anew);
/* It waits, for ever: tells so, and ends it. So many kernels, which it has enqueued, begin when it
 * has ended. */
void sched_give_up(struct launch *launch, uint64_t later_kernels);
/* It has ended. */
enum status sched_end(struct launch *launch, struct sched_result *result, struct error *error);

/* ---- one that runs alone ---- */

/* Fails with STATUS_NO_MEMORY, or STATUS_INVALID for sizes that do not fit. */
enum status sched_run(const struct sched_launch *launch, struct sched_result *result,
                      struct error *error);

/* "kernel 'fill' on 64 work-items". The caller frees it; NULL when memory is out. */
char *sched_describe(const struct sched_launch *launch);

#endif
