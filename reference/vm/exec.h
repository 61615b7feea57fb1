/* The lane machine: runs lane code for one vector of up to 64 work-items until each lane has ended
 * or waits at a barrier. reference/sched makes the vectors, puts arguments and work-item ids into
 * their frames, and lets lanes pass barriers.
 *
 * Lanes that go round a loop which may wait (`spin`) with nothing changed are held there until the
 * others can go no further; who runs the vector lets them try again.
 *
 * Per block, a vector keeps the mask of lanes that wait to enter it; the lowest-numbered block that
 * has any runs next, with exactly those lanes. So lanes that took different ways meet again where
 * their ways meet.
 *
 * A sub-group is complete at its barrier when its lanes come to the block together, for in block
 * order they cannot come otherwise; then they go on at once. Where lanes leave that order
 * (code->apart) they wait, and who runs the vector lets them pass.
 *
 * Nothing here allocates, printf and undefined values apart. A vector belongs to the thread that
 * executes the launch. */
#ifndef REFERENCE_VM_EXEC_H
#define REFERENCE_VM_EXEC_H

#include "checkers/kernel/observer.h"
#include "reference/vm/code.h"
#include "reference/vm/memory.h"
#include "reference/vm/native.h"
#include "reference/vm/undefined_origins.h"

/* Rounds in spins, by lanes for which something does change, between two times that all lanes in
 * spins are held: so that who counts how often it looks, or looks at one thing after the other,
 * lets others run too. */
enum { VM_SPIN_ROUNDS = 256 };

/* In code with spins: who changed some bytes of memory that others can read, lately. */
enum { VM_CHANGES = 256 };
struct vm_change {
    uint32_t object; /* identity.id; of local memory, the vector tells whose */
    uint32_t size;
    uint64_t offset; /* in the root object */
    const struct vm_vector *vector;
    uint32_t lane;
    uint64_t time; /* vm_run.progress_count after it; 0 = empty */
};

/* An access that one lane is about to make. */
struct vm_coming_access {
    uint32_t site, size;
    enum observer_access_kind kind;
    bool is_compare_exchange, is_floating, is_volatile;
    enum observer_order order, failure_order;
    enum observer_scope scope;
    const struct vm_object *object;
    uint64_t offset;
    const uint8_t *value; /* that a store stores; NULL for others */
};

/* Who decides what global and local memory hold (reference/explore). One lane runs at a time. */
struct vm_explorer {
    void *state;
    /* An object whose first bytes the access finds and changes, instead of those that it leads to;
     * access->object: those that it leads to. NULL: the lane runs no further. */
    const struct vm_object *(*access)(void *state, const struct vm_coming_access *access);
    /* The lane is at an op that gives what the lanes of its sub-group make together: writes the
     * lane's result, or leaves no lane active, and it runs no further. */
    void (*together)(void *state, uint32_t site);
    bool is_undefined; /* what the atomic operation finds counts as undefined, wholly */
};

/* A work-item's call of a function of the device's queues. */
struct vm_device_request {
    const struct vm_device_call *call;
    uint32_t site;
    uint32_t item;             /* its linear local id */
    const uint64_t *arguments; /* call->row_count */
    /* Of a wait list, what lies in memory; NULL when there is none, or it cannot be read. */
    const uint64_t *events;
    const uint8_t *literal;           /* ENQUEUE: call->literal_size bytes */
    const uint8_t *literal_undefined; /* a bit for each of them: 1 = undefined */
    /* The answer beside the result: the event that ENQUEUE and MARKER made; 0 = none. */
    uint64_t event;
};
/* Who keeps them (reference/icd/kernels/children.c). */
struct vm_device {
    void *state;
    uint64_t (*call)(void *state, struct vm_device_request *request); /* gives the result */
    /* Of a kernel that calls it: the work-group, counted in ascending order, runs from now on, or
     * has ended. NULL = nobody wants to know. */
    void (*group_runs)(void *state, uint64_t group);
    void (*group_ended)(void *state, uint64_t group);
};

/* Bytes that the launch was given as constant memory, and may reach by another way. */
struct vm_constant_range {
    const struct vm_object *root;
    uint64_t first, end;  /* in the root */
    const char *argument; /* its name */
};

struct access; /* access.h */
struct access_span;
typedef void vm_debugger_access(void *state, const struct access *access,
                                const struct access_span *span);

/* Of a kernel that is debugged: about a tenth of a millisecond. */
enum { VM_POLL_OPERATIONS = 32768 };

struct vm_plans; /* plan.h */

/* A stop that is nothing else is asked about first (vm_debugger.passes). */
enum { VM_STOP_ASKED = 2 };

/* Who stops the launch to look at it. Native code runs where vm_debugger_lets_go. */
struct vm_debugger {
    void *state;
    /* By site, not 0 = stop before the instruction; NULL = nowhere. Set by vm_debugger_set_stops,
     * while nothing runs, or it is stopped. */
    const uint8_t *stops;
    /* Of the launch's code, for stops as they mostly are; NULL = it is run instruction by
     * instruction. */
    struct vm_plans *plans;
    /* The active lanes of `vector` are about to execute the instruction at the site. */
    void (*stop)(void *state, struct vm_vector *vector, uint32_t site, uint64_t position);
    /* Is it sure that nothing is to happen at the site, where VM_STOP_ASKED stands alone? Then
     * there is no stop. Home rows are looked for by vm_plan_find: maybe they are not kept. */
    bool (*passes)(void *state, struct vm_vector *vector, uint32_t site);
    /* Lanes of `access` are about to do it, to the object of `span`; NULL = nobody wants to know.
     */
    vm_debugger_access *access;
    bool stops_when_told; /* it may stop while an observer is told of something */
    /* At the beginning of a block, every VM_POLL_OPERATIONS: something may have come from outside.
     */
    void (*poll)(void *state);
    /* What is executed: kept by the machine. The instruction's position is the number of those
     * that the launch has executed before it. */
    struct vm_vector *vector;               /* NULL = no block has been */
    const struct vm_instruction *in, *last; /* of its block; */
    uint64_t last_position;                 /* where that is. In blocks that nobody stops in, and
                                               whose instructions nobody notices, they are not */
    /* Blocks that end before it are run by their plans, without asking: none has the alarm, or is
     * one to poll in. 0 = it is to be found out. */
    uint64_t calm_until;
    uint64_t poll_at; /* at the next block that ends at this position, or later */
    uint64_t blamed;  /* lanes of what an observer is just told; 0 = not known */
    uint64_t alarm;   /* stops there too: vm_debugger_set_alarm */
    const struct vm_instruction *alarm_in; /* that instruction, while its block runs; else NULL */
};
/* Is it content with the moments that it has asked for (alarm, poll)? */
static inline bool vm_debugger_lets_go(const struct vm_debugger *debugger)
{
    return !debugger->stops && !debugger->access && !debugger->stops_when_told;
}
static inline uint64_t vm_debugger_position(const struct vm_debugger *debugger)
{
    return debugger->last_position - (uint64_t)(debugger->last - debugger->in);
}
/* Whoever looks at home rows while an observer is told of something calls it first; in calls of the
 * debugger's own functions that has been done. */
void vm_debugger_settle(struct vm_debugger *debugger);
/* Lets it stop before the instruction at a position that is still to come; UINT64_MAX = at none. */
static inline void vm_debugger_set_alarm(struct vm_debugger *debugger, uint64_t position)
{
    const uint64_t distance = debugger->last_position - position;
    debugger->alarm = position;
    debugger->calm_until = 0;
    debugger->alarm_in = debugger->last && distance <= (uint64_t)(debugger->last - debugger->in)
                             ? debugger->last - distance
                             : NULL;
}

static inline void vm_debugger_set_stops(struct vm_debugger *debugger, const uint8_t *stops)
{
    debugger->stops = stops;
    debugger->calm_until = 0;
}

struct trial_part;  /* trial.h */
struct vm_counters; /* counters.h */

/* What the numbers in owned pointers (memory.h) mean. Those of a launch follow each other: of each
 * group its local objects, if `local_count` is not 0, then of each of its work-items
 * `private_count` private ones. Numbers go round after VM_OWNED_NUMBERS. */
struct vm_owners {
    uint64_t first, end;   /* of the launch; before any launch the first is 0 */
    uint64_t group_stride; /* from group to group; 0: the kernel owns no pointers */
    uint32_t local_count, private_count;
    uint32_t private_object; /* the first private one is objects[private_object] */
};

/* One launch, for all its vectors. */
struct vm_run {
    const struct vm_code *code;
    struct vm_memory *memory;
    const uint32_t *svm_listed; /* as sched_launch has it, with the next four */
    size_t svm_listed_count;
    uint32_t svm_kinds;
    enum vm_system system;
    struct vm_blocks blocks;
    const struct vm_constant_range *constant_ranges;
    uint32_t constant_range_count;
    const struct observer *observer;    /* NULL = nothing is told */
    const struct vm_explorer *explorer; /* NULL = memory is what it is, and accesses are told */
    struct vm_debugger *debugger;       /* NULL = none */
    struct vm_counters *counters;       /* NULL = nothing is counted; else nothing is native */
    struct trial_part *part; /* in which every access to global memory is noted; NULL = none */
    const struct vm_device *device; /* NULL = none: what a kernel asks of it fails */
    /* The order in which lanes of one instruction act on memory (atomics, stores to one place): a
     * permutation of 0 .. 63; NULL = ascending. */
    const uint8_t *lane_order;
    uint32_t sub_group_size;  /* divides VM_LANES */
    struct text *output;      /* of printf; NULL = nobody wants it */
    uint64_t operation_count; /* instructions executed, once for a vector whatever its lanes */
    /* When more were executed the vector stops, with lanes still waiting, and `exhausted` is set:
     * no vector may run again. 0 = no limit. */
    uint64_t operation_limit;
    bool exhausted;
    /* reference/vm/native.h; NULL = the interpreter does all. It was asked when `native_asked`
     * instructions had been executed, and is to be asked again after `native_next`. */
    struct vm_native_source *native_source;
    vm_native_run *native;
    uint64_t native_asked, native_next;
    struct vm_native_memo native_memos[VM_NATIVE_MEMOS];
    /* Vectors take turns: one pauses behind so many atomic operations and accesses of pipes, which
     * `turn_left` counts down, wherever it is; 0 = it runs until all its lanes have ended or wait.
     * Not native. */
    bool takes_turns;
    uint32_t turn, turn_left;
    /* Kept for code with spins. Events after which work-items that wait may find something new:
     * memory changed, or lanes ended or came to a barrier. And lanes that went round a spin with
     * other values than before. Where neither number rises while every lane that waits goes round
     * once, all of them wait for ever. */
    uint64_t progress_count, move_count;
    struct vm_change changes[VM_CHANGES]; /* by vm_change_slot */
    /* Of values that were stored undefined: in global memory; in local and private memory, to be
     * cleared when that is used anew. */
    struct origins births, births_in_group;
    struct vm_owners owners;
    struct narrow narrow;        /* pointers of 32 bits */
    struct vm_pipe_user *pipes;  /* that it uses: pipe.c */
    uint64_t undefined_loads;    /* lanes that loaded undefined values */
    bool ignores_undefined;      /* they were so many that memory counts as defined */
    uint64_t undefined_stores;   /* times that bytes became undefined, of which some were global */
    struct arena undefined_rows; /* of its vectors; whose it is also releases the births */
};

struct vm_parked {
    uint32_t site; /* of the barrier */
    uint64_t mask;
};

/* The lanes of a vector in one of the code's spins. */
struct vm_waiting {
    uint64_t inside; /* have gone round at least once since they entered the loop */
    uint64_t held;   /* wait to go round again, for others to run on */
    /* Those of them that will go round again unless what they read last is changed: in the last
     * round they read nothing else by an atomic operation or volatile load, and changed nothing. */
    uint64_t idle;
    uint32_t site;             /* of the spin, when lanes are held */
    uint64_t prints[VM_LANES]; /* vm_vector.prints, when they went round last */
    uint32_t entries;          /* times that lanes came to the loop from before it */
};

struct vm_undefined_row;

struct vm_vector {
    struct vm_run *run;
    uint8_t *units;      /* code->frame_units * VM_UNIT_SIZE bytes, aligned to VM_UNIT_SIZE */
    uint64_t *undefined; /* code->frame_units masks */
    /* code->frame_units of undefined_rows.h, NULL where nothing was undefined yet; or NULL: which
     * bits are undefined is not to be known */
    struct vm_undefined_row **undefined_rows;
    /* Local and private objects: number VM_LAUNCH_OBJECT + i is objects[i]. */
    struct vm_object *objects;
    uint32_t object_count;
    uint64_t *pending;   /* code->block_count masks: lanes that wait to enter the block */
    uint64_t *ready;     /* a bit for each block whose mask is not zero */
    uint32_t ready_hint; /* no word of ready below this one has bits */
    /* Where it goes on, having paused inside a block, with which lanes, up to the terminator; NULL
     * = it has not paused. */
    const struct vm_instruction *paused, *paused_last;
    uint64_t paused_lanes;
    uint32_t index;     /* of the vector in its group */
    uint32_t run_shift; /* lanes of a run of affine rows: 1 << run_shift; 6 = there are no runs */
    struct vm_native_object native_objects[VM_NATIVE_OBJECTS]; /* that it has accessed */
    struct vm_native_call native_call; /* of vm_native_run; its vector NULL = there was none yet */
    uint64_t owner;                    /* the first number of its group in owned pointers */
    uint64_t lanes;                    /* that are work-items of the group */
    uint64_t active;                   /* lanes of the block that runs */
    uint64_t ended;                    /* lanes that have returned */
    struct vm_parked
        parked[VM_LANES]; /* lanes that wait at barriers, by site; in the order of arrival */
    uint32_t parked_count;
    struct vm_parked returned[VM_LANES]; /* of those that have, by site: before the kernel's end */
    uint32_t returned_count;
    struct vm_waiting *waiting; /* code->spin_count */
    uint32_t rounds;            /* that lanes may go round spins before all wait */
    /* In code with spins, by lane: what the last atomic operation or volatile load read, and
     * vm_run.progress_count then. */
    uint64_t read_addresses[VM_LANES], read_times[VM_LANES];
    uint8_t read_sizes[VM_LANES];
    uint64_t read_once, read_twice; /* lanes that read so since their round began; or more often */
    uint64_t changed;               /* lanes that changed memory of others since */
    uint64_t prints[VM_LANES];      /* of what their stores have left in private memory */
    uint8_t scratch[VM_LANES][128]
        __attribute__((aligned(64))); /* values of several components, interleaved */
};

/* For each lane of the mask, from the lowest on. The mask is looked at once. */
#define FOR_EACH_LANE(lane, mask)                                                                  \
    for (uint64_t lane##_rest = (mask), lane = 0;                                                  \
         lane##_rest && (lane = (uint64_t)__builtin_ctzll(lane##_rest), true);                     \
         lane##_rest &= lane##_rest - 1)

/* The iteration of a loop that the lane's instance of the barrier is in. */
static inline uint32_t vm_barrier_counter(const struct vm_vector *vector,
                                          const struct vm_barrier *barrier, uint32_t index,
                                          uint32_t lane)
{
    const row_u32 *row =
        (const row_u32 *)(const void *)(vector->units +
                                        (size_t)barrier->counters[index] * VM_UNIT_SIZE);
    return row[barrier->counters_uniform ? 0 : lane];
}

/* Lets the lanes of `mask` enter `block` when the vector runs next. */
static inline void vm_vector_release(struct vm_vector *vector, uint64_t mask, uint32_t block)
{
    if (!mask)
        return;
    vector->pending[block] |= mask;
    vector->ready[block / 64] |= UINT64_C(1) << block % 64;
    if (block / 64 < vector->ready_hint)
        vector->ready_hint = block / 64;
}
/* Words that vm_vector.ready needs. */
static inline uint32_t vm_vector_ready_words(const struct vm_code *code)
{
    return code->block_count / 64 + 1;
}
/* Can it run? */
bool vm_vector_runnable(const struct vm_vector *vector);
/* Where the last change of the four bytes at the offset, a multiple of 4, is kept. */
static inline uint32_t vm_change_slot(uint32_t object, uint64_t offset)
{
    return (uint32_t)((offset / 4 + object * UINT64_C(0x9E3779B1)) % VM_CHANGES);
}
/* Lanes that are held at a spin. */
uint64_t vm_vector_held(const struct vm_vector *vector);
/* Lets them go round once more when the vector runs next. */
void vm_vector_resume(struct vm_vector *vector);
/* Runs until no lane is left that can, its turn ends, or the run is exhausted. */
void vm_vector_run(struct vm_vector *vector);
/* After the last vector. */
void vm_run_end(struct vm_run *run);

/* What an op on two uniform rows gives: numbers of `width` bytes, defined. */
uint64_t vm_combine(enum vm_op op, uint32_t width, uint64_t a, uint64_t b);

/* Do the lanes, a sub-group, agree on what the barrier's arguments are; and of MEET, does it have
 * that work-item? */
bool vm_sub_group_agrees(const struct vm_vector *vector, const struct vm_barrier *barrier,
                         uint64_t lanes);
/* Tells it where those arguments are undefined. */
void vm_tell_undefined_arguments(const struct vm_vector *vector, uint32_t site, uint64_t lanes);
/* Tells that the barrier at `site` is passed, of a sub-group: by these lanes. */
void vm_tell_barrier(const struct vm_run *run, uint32_t site, uint32_t vector, uint64_t mask);

/* A stretch of an asynchronous copy, or packets of pipes: `size` bytes for each lane of the mask,
 * by the gate. */
struct vm_copy {
    uint32_t site;
    uint64_t to[VM_LANES], from[VM_LANES]; /* addresses */
    uint64_t mask;
    uint32_t size;                   /* 1 to 128 */
    uint32_t alignment;              /* that the copy promises on both sides */
    uint64_t untold_to, untold_from; /* lanes for which nobody is told of that side */
    bool told; /* the copy has been made, and the observer is to be told of its accesses; else
                  it is made, and the observer told of what is wrong with it */
};
void vm_vector_copy(struct vm_vector *vector, const struct vm_copy *copy);

/* The machine is compiled for several instruction sets, all of which give the same bits; the best
 * one that the processor has is taken. vm_machine_select is for tests: false when the processor
 * lacks it or the name is unknown. Names from vm_machine_name(0) on, NULL after the last. */
const char *vm_machine_name(size_t index);
bool vm_machine_select(const char *name);
/* The name of the one that is taken. */
const char *vm_machine_selected(void);

#endif
