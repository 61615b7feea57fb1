/* Inside the scheduler: one launch with the storage for one work-group, which every group uses in
 * turn. Groups that wait for others keep theirs, and the others get a `struct launch` of their own.
 */
#ifndef REFERENCE_SCHED_GROUP_H
#define REFERENCE_SCHED_GROUP_H

#include "reference/sched/ndrange.h"
#include "reference/vm/bits.h"
#include "reference/vm/exec.h"
#include "trace/base/text.h"

/* The running group. Kernels without barriers run their vectors one after the other in the same
 * frame; `slot` says which storage a vector has.
 *
 * Vectors are `width` consecutive work-items, VM_LANES of them unless items run one at a time. A
 * work-item is the same lane of a vector of the same index (vm_vector.index) whatever the width is:
 * where vectors are narrow, several have one index, and each has a few of its lanes. */
struct group {
    uint64_t id[3];
    uint64_t size[3]; /* work-items; smaller at a non-uniform edge */
    uint32_t item_count;
    uint32_t width; /* a power of two; of the launch */
    uint32_t vector_count;
};

/* The memories that an asynchronous copy accesses, one on each side of it. */
enum copy_side { COPY_LOCAL, COPY_GLOBAL, COPY_SIDES };
enum { COPY_DIMENSIONS = 3 };

/* An asynchronous copy that the group started. */
struct launch_copy {
    uint32_t site;
    uint64_t event;    /* that it is waited for by: its number from 1, or that of an earlier copy */
    uint64_t to, from; /* addresses of the first element */
    /* Elements of a line, lines of a plane, planes; and bytes from one to the next. */
    uint64_t count[COPY_DIMENSIONS], to_step[COPY_DIMENSIONS], from_step[COPY_DIMENSIONS];
    uint32_t element_size, alignment; /* bytes; what it promises of both sides */
    bool to_local, waited;
    bool told[COPY_SIDES]; /* the observer knows what it accessed there */
    /* How many of the group's copies are ordered before it there by fences. */
    uint32_t fenced[COPY_SIDES];
};

/* Local ids of a vector's lanes, in each dimension. */
struct launch_ids {
    uint64_t local[3][VM_LANES];
    uint32_t run_shift; /* as vm_vector has it */
    struct vm_affine terms[3];
};

/* Blocks of memory that a launch is made of, all of them its own. */
enum { LAUNCH_BLOCKS = 14 };

struct launch {
    const struct sched_launch *request;
    struct vm_run *run; /* the leader's own_run */
    struct vm_run own_run;
    uint64_t group_count[3];
    uint64_t enqueued_items;     /* work-items of a group that is not at an edge */
    uint32_t slot_count;         /* vectors that have storage of their own */
    uint64_t storage_size;       /* bytes of the blocks, at least 1 */
    void *blocks[LAUNCH_BLOCKS]; /* what the pointers below lead to */
    struct vm_vector *vectors;
    struct vm_object *objects; /* slot_count * object_count */
    uint32_t object_count, local_count;
    uint8_t *frames;
    uint64_t *frame_masks, *pending, *ready;
    struct vm_undefined_row **frame_undefined;
    struct vm_waiting *waiting; /* slot_count * code->spin_count */
    uint8_t *local_bytes;
    uint64_t *local_bits; /* as local_bytes; NULL without an observer */
    uint64_t local_size;
    uint8_t *private_bytes; /* slot_count * 64 arenas */
    uint64_t *private_bits;
    uint32_t *end_sites; /* slot_count * object_count * 64; NULL where lifetimes do not end */
    uint64_t private_stride;
    uint8_t lane_order[VM_LANES];
    struct vm_constant_range *constant_ranges;
    /* launch_find_apart: bit i is parameter i, or the local object i. */
    uint64_t apart_parameters, apart_locals;
    /* The uniform work-item functions that the kernel reads, but for VM_QUERY_GROUP_OWNER. */
    struct launch_query {
        enum vm_query query;
        uint32_t dimension;
    } queries[3 * VM_QUERY_COUNT];
    uint32_t query_count;
    struct launch_ids *ids;     /* of each vector of a group that is not at an edge */
    struct launch_ids edge_ids; /* of the vector of an edge group that begins */
    struct group group;
    uint32_t told_vector; /* the last one that the observer was told of; UINT32_MAX = none of this
                             group */
    /* Where all have turns, this vector runs until it has done so many more atomic operations;
     * UINT32_MAX = there is none. */
    uint32_t held_vector, held_left;
    bool in_turns; /* vectors may wait for each other; else one runs to its end before the next */
    bool sub_group_barriers;    /* the kernel has some at which lanes wait (vm_code.apart) */
    bool named_barriers;        /* the kernel has some */
    struct launch_copy *copies; /* of the group */
    uint32_t copy_count;
    size_t copy_capacity;
    /* Of the copies before the last fence for the memory: how many there are, and how many of them
     * have been told. */
    uint32_t copies_fenced[COPY_SIDES], copies_told[COPY_SIDES];
    bool blocked;      /* its group waits, and nothing changed in the last round of its vectors */
    bool hangs;        /* sched_result */
    bool lacks_memory; /* it ran out while the launch went on */
    bool stopped;
    struct text printed; /* output of printf that is still here */
    bool print_failed;   /* some was lost because memory ran out */
    enum sched_course course;
    /* Of a leader. */
    uint64_t position;      /* in the schedule, of the group that begins next */
    struct waiting *kept;   /* from when a group waits; NULL = none has */
    struct turns *turns;    /* NULL = they take none */
    const char *changed_by; /* sched_note_change, */
    bool is_beside;         /* called at all */
};

/* A set of work-items that pass a barrier together: the group, or one sub-group. */
struct lane_set {
    uint32_t first_vector, vector_count;
    uint64_t lanes; /* of each vector: ~0 for a group */
};

/* The object that argument `index` is, if it is of one of the kinds, 1 << enum vm_parameter_kind;
 * else NULL, as for a null pointer. */
static inline const struct vm_object *launch_argument(const struct sched_launch *request,
                                                      uint32_t index, uint32_t kinds)
{
    return kinds >> request->code->parameters[index].kind & 1
               ? vm_memory_find(request->memory, request->arguments[index].object)
               : NULL;
}

/* ---- launch.c ---- */
/* `leader`: the launch that this one holds another group of, and whose run it shares; or NULL. */
enum status launch_create(const struct sched_launch *request, struct launch *leader,
                          struct launch **launch, struct error *error);
void launch_destroy(struct launch *launch);
/* Puts the arguments, of which a kernel may have used up the rows, into those of vector 0 again:
 * all but structs and local memory. No group runs. */
void launch_give_arguments(struct launch *launch);
/* Local memory as a group finds it: undefined. */
void launch_begin_group(struct launch *launch);
/* Private memory and the rows of work-item functions for a vector of the group; its lanes wait at
 * the entry. */
void launch_begin_vector(struct launch *launch, uint32_t vector);
static inline struct vm_vector *launch_vector(struct launch *launch, uint32_t vector)
{
    return &launch->vectors[launch->slot_count == 1 ? 0 : vector];
}
/* Lanes of the vector that are work-items of the group. */
static inline uint64_t group_lanes(const struct group *group, uint32_t vector)
{
    const uint32_t first = vector * group->width;
    const uint32_t rest = group->item_count - first;
    return bits_low(rest < group->width ? rest : group->width) << first % VM_LANES;
}
/* The vm_vector.index of the vector, and a work-item by a lane of it. */
static inline uint32_t group_index(const struct group *group, uint32_t vector)
{
    return vector * group->width / VM_LANES;
}
static inline uint32_t group_item(const struct group *group, uint32_t vector, uint32_t lane)
{
    return group_index(group, vector) * VM_LANES + lane;
}
/* The vector of a work-item: without a division, which each group would wait for. */
static inline uint32_t group_vector_of(const struct group *group, uint64_t item)
{
    return (uint32_t)(item >> __builtin_ctz(group->width));
}
/* How many vectors there are of so many work-items. */
static inline uint32_t group_vectors(const struct group *group, uint64_t items)
{
    return group_vector_of(group, items + group->width - 1);
}
/* The barrier at a site. */
static inline const struct vm_barrier *launch_barrier(const struct launch *launch, uint32_t site)
{
    const struct vm_code *code = launch->request->code;
    return &code->barriers[code->instructions[site].aux];
}

/* ---- ids.c ---- */
/* Fills launch->ids and launch->queries. */
void ids_count(struct launch *launch);
/* The rows of work-item functions of the vector, whose index is set, in the group. */
void ids_fill(struct launch *launch, struct vm_vector *vector);
/* The 64-bit row of a query, or NULL when the kernel does not ask. */
static inline uint64_t *ids_row(const struct launch *launch, const struct vm_vector *vector,
                                enum vm_query query, uint32_t d)
{
    const vm_row row = launch->request->code->query_rows[query][d];
    return row ? (uint64_t *)(void *)(vector->units + (size_t)row * VM_UNIT_SIZE) : NULL;
}

/* ---- barrier.c ---- */
/* Lets sub-groups of the vector pass barriers of their own. Returns whether any did. */
bool barrier_pass_sub_groups(struct launch *launch, uint32_t vector);
/* Lets sub-groups pass a named barrier if enough have come. Returns whether any did. */
bool barrier_pass_named(struct launch *launch);
/* All lanes of the group have ended or wait. Lets them pass a barrier if they may, else tells why
 * not and returns false. */
bool barrier_pass_group(struct launch *launch);

/* ---- collective.c ---- */
/* All work-items of the set wait at `site`, a barrier: does what they do there together, and writes
 * the results into their rows. False: they cannot; *divergence says why. */
bool collective_perform(struct launch *launch, const struct lane_set *set, uint32_t site,
                        struct observer_divergence *divergence);
/* ---- copy.c ---- */
/* Makes the copy that `barrier` at `site` asks for, and gives its event. False when memory is out.
 */
bool copy_start(struct launch *launch, uint32_t site, const struct vm_barrier *barrier,
                uint64_t *event);
/* Orders the copies before it before those after it. */
void copy_fence(struct launch *launch, const struct vm_barrier *barrier);
/* Waits for the copies whose events are the arguments of `barrier`. */
void copy_wait(struct launch *launch, const struct vm_barrier *barrier);
/* The group has ended: tells which copies it never waited for. */
void copy_end_group(struct launch *launch);

/* ---- telling.c ---- */
/* The global object is an argument, and an argument through which it could be written is none of
 * it. */
bool launch_only_reads(const struct launch *launch, uint32_t object_id);

/* ---- apart.c ---- */
void launch_find_apart(struct launch *launch);
/* Can no two work-items of the launch race for the object? */
bool launch_is_apart(const struct launch *launch, const struct observer_object *object);

/* Tells the observer, if there is one, that the launch begins. */
void launch_tell_begin(const struct launch *launch);

/* ---- group.c ---- */
/* What the group of that number, counted in ascending order, is. */
void launch_set_group(struct launch *launch, uint64_t index);
/* The group of that number begins. */
void group_begin(struct launch *launch, uint64_t index);
/* Lets the group that launch keeps, and the observer may have lost sight of, run each of its
 * vectors once, or that one. */
enum group_state { GROUP_ENDED, GROUP_GOES_ON, GROUP_WAITS };
enum { GROUP_ALL_VECTORS = UINT32_MAX };
enum group_state group_take_turn(struct launch *launch, uint32_t vector);
/* Can the vector run, or try again what it waits for? */
bool group_vector_goes_on(struct launch *launch, uint32_t vector);
/* Runs the group until it has ended; false: it waits for another one. */
bool group_run(struct launch *launch, uint64_t index);
/* Tries again the group that launch keeps. */
bool group_run_on(struct launch *launch);

/* ---- crew.c ---- */
/* For tests: the thread may pause. */
void crew_pause(struct launch *launch);

/* ---- progress.c ---- */
/* The lanes of a vector that waited in vain, before it runs: for whom, by what was changed since.
 */
struct progress {
    uint64_t lanes;
    uint32_t others[VM_LANES]; /* by lane: the work-item of the group that changed it */
    uint32_t spins[VM_LANES];
    struct observer_standing places[VM_LANES];
};
void progress_begin(struct launch *launch, uint32_t vector, struct progress *progress);
/* After the run: tells of those that have gone on. */
void progress_end(struct launch *launch, uint32_t vector, const struct progress *progress);
/* Is it known that a work-item has changed what is read there since? Else the host may have. */
bool progress_was_made(struct launch *launch, const struct observer_standing *place);

/* ---- waiting.c ---- */
/* The group that launch keeps waits for another one, of `count`; those at the positions before
 * launch->position have been started. NULL when memory is out. */
struct waiting *waiting_create(struct launch *launch, uint64_t count);
void waiting_destroy(struct waiting *waiting); /* NULL does nothing */
/* Starts one more group, or tries again those that wait. */
enum sched_state waiting_go_on(struct waiting *waiting);
/* None goes on ever: tells so. */
void waiting_tell(struct waiting *waiting, uint64_t later_kernels);

/* ---- turns.c ---- */
/* For the `count` groups of the launch, which take turns. NULL when memory is out. */
struct turns *turns_create(struct launch *launch, uint64_t count);
void turns_destroy(struct turns *turns); /* NULL does nothing */
/* One turn, or one of each. */
enum sched_state turns_go_on(struct turns *turns);
void turns_tell(struct turns *turns, uint64_t later_kernels);

/* ---- unfinished.c ---- */
/* What the first work-item of the place, one of the vector's, read last by an atomic operation or
 * volatile load: the object, if it is known. */
void unfinished_add_read(const struct vm_vector *vector, struct observer_standing *place);
/* The site that a line of the program stands for in the loop of a spin at which lanes are held. */
uint32_t unfinished_spin_site(const struct vm_code *code, const struct vm_waiting *waiting);
/* Where the first work-item of the launch's group that goes round a spin is; false: there is none.
 */
bool unfinished_find_waiting(struct launch *launch, struct observer_standing *place);
/* Work-items wait in loops for what none of them does. Groups that wait, and that were not started;
 * kernels that begin when the launch has ended. */
struct unfinished_hang {
    uint64_t waiting_groups, unstarted_groups, later_kernels;
};
/* Tells where those of the launch's group are. */
void unfinished_tell_hang(struct launch *launch, const struct unfinished_hang *hang);
/* Sub-groups of the launch's group wait at named barriers, to which not enough can come. */
void unfinished_tell_barrier(struct launch *launch);
/* The operation limit was passed while `vector` of the group ran: tells where its work-items are.
 */
void unfinished_tell(struct launch *launch, uint32_t vector);

#endif
