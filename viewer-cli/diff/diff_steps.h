/* The calls of two runs, and which of them belong together.
 *
 * A call is known by two numbers: what kind of call it is, and what it says besides. Handles, of
 * which each run has others, stand for how their objects were made: a launch is of a kernel of this
 * name, whose arguments were set to a buffer of this size and to these values.
 *
 * Calls of one thread about one object, which is their first argument, form a lane, and all others
 * one more. Lanes belong together where the calls that made their objects do. Each is aligned by
 * what its calls say, and what is left between by their kinds. So the order in which a program
 * serves several queues does not matter for what belongs together, and is told by itself. */
#ifndef VIEWER_CLI_DIFF_DIFF_STEPS_H
#define VIEWER_CLI_DIFF_DIFF_STEPS_H

#include "trace/reader.h"
#include "viewer-cli/diff/diff_align.h"

/* 40 bytes a call. */
struct diff_step {
    uint64_t id;
    uint64_t kind, words;
    uint32_t thread; /* index */
    uint32_t entry;
    uint32_t partner; /* index of the other run's step, or DIFF_ALONE */
    bool is_moved;    /* the partner stands in another order, or thread */
};

struct diff_lane_key {
    uint32_t thread;
    uint32_t maker; /* the step that made the object; DIFF_ALONE of none */
    uint64_t place; /* of the object among those that the step made */
};

struct diff_lane;

struct diff_thread {
    uint32_t number;
    uint32_t partner;   /* index of the other run's thread, or DIFF_ALONE */
    uint64_t beginning; /* digest of its first calls */
    uint32_t *steps;    /* indices, ascending */
    size_t count, capacity;
};

struct diff_run {
    struct trace *trace; /* borrowed */
    struct diff_step *steps;
    size_t count, capacity;
    struct diff_lane *lanes; /* a table, in the order of their first calls */
    struct diff_thread *threads;
    size_t thread_count, thread_capacity;
};

/* Two `runs`, zero-initialised but for the traces; release them also after a failure. */
enum status diff_runs_load(struct diff_run *runs, struct error *error);
void diff_runs_release(struct diff_run *runs);

#endif
