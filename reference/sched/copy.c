/* Asynchronous copies.
 *
 * OpenCL C 3.0, 6.15.11. A copy runs beside the work-items from its start to the wait for its
 * event. Its bytes move at the start, the earliest time there is; a checker hears at the start that
 * there is a copy, and at the wait of what it accessed, so that whatever the work-items did in
 * between and since their last barrier before it counts as unordered with it. */
#include "reference/sched/group.h"
#include "reference/vm/lane.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>

/* No local memory has more elements: what lies beyond has been told to be out of bounds by then. */
enum { ELEMENT_MAX = 1 << 20 };

/* Argument `index`, which is the same for all work-items. */
static uint64_t argument(struct launch *launch, const struct vm_barrier *barrier, uint32_t index)
{
    const struct vm_vector *vector = launch_vector(launch, 0);
    return lane_get(vector->units + (size_t)barrier->arguments[index] * VM_UNIT_SIZE, 8);
}

/* A fault of a copy is the group's: told of its first work-item. */
static void tell_fault(void *state, const struct observer_fault *fault)
{
    const struct launch *launch = state;
    const struct observer *observer = launch->request->observer;
    struct observer_fault told = *fault;
    told.mask = 1;
    observer->fault(observer->state, &told);
}

/* The copy with its elements, 64 at a time. */
static void go_through(struct launch *launch, const struct launch_copy *copy, bool told)
{
    const struct observer *observer = launch->request->observer;
    const struct observer faults = {.state = launch,
                                    .fault = observer && observer->fault ? tell_fault : NULL};
    const struct observer accesses = {.state = observer ? observer->state : NULL,
                                      .access = observer ? observer->access : NULL};
    const uint64_t count = copy->count < ELEMENT_MAX ? copy->count : ELEMENT_MAX;
    struct vm_copy stretch = {.site = copy->site,
                              .size = copy->element_size,
                              /* Elements are scalars and vectors, aligned to their size: OpenCL C
                               * 3.0, 6.3.5. */
                              .alignment = copy->element_size,
                              .told = told};
    launch->run->observer = !observer ? NULL : told ? &accesses : &faults;
    for (uint64_t first = 0; first < count; first += VM_LANES) {
        stretch.mask = 0;
        for (uint32_t lane = 0; lane < VM_LANES && first + lane < count; lane++) {
            stretch.to[lane] = copy->to + (first + lane) * copy->to_step;
            stretch.from[lane] = copy->from + (first + lane) * copy->from_step;
            stretch.mask |= UINT64_C(1) << lane;
        }
        vm_vector_copy(launch_vector(launch, 0), &stretch);
    }
    launch->run->observer = observer;
}

static struct launch_copy *add_copy(struct launch *launch)
{
    if (launch->copy_count == launch->copy_capacity) {
        const uint32_t capacity = launch->copy_capacity * 2 + 8;
        struct launch_copy *grown = alloc_zero(capacity, sizeof *grown);
        if (!grown)
            return NULL;
        if (launch->copy_count)
            memcpy(grown, launch->copies, launch->copy_count * sizeof *grown);
        alloc_free(launch->copies);
        launch->copies = grown;
        launch->copy_capacity = capacity;
    }
    return &launch->copies[launch->copy_count++];
}

bool copy_start(struct launch *launch, uint32_t site, const struct vm_barrier *barrier,
                uint64_t *event)
{
    const struct observer *observer = launch->request->observer;
    struct launch_copy *copy = add_copy(launch);
    if (!copy)
        return false;
    const uint64_t given = argument(launch, barrier, 4);
    const uint64_t size = barrier->element_size;
    const uint64_t step = argument(launch, barrier, 3) * size;
    *copy = (struct launch_copy){
        .site = site,
        .event = given != 0 ? given : launch->copy_count,
        .to = argument(launch, barrier, 0),
        .from = argument(launch, barrier, 1),
        .count = argument(launch, barrier, 2),
        .to_step = barrier->to_local ? size : step,
        .from_step = barrier->to_local ? step : size,
        .element_size = barrier->element_size,
    };
    *event = copy->event;
    if (observer && observer->vector_run)
        observer->vector_run(observer->state, 0); /* faults name a work-item of it */
    go_through(launch, copy, false);
    if (observer && observer->copy_start)
        observer->copy_start(observer->state, launch->copy_count - 1);
    return true;
}

static void end_copy(struct launch *launch, uint32_t index)
{
    const struct observer *observer = launch->request->observer;
    struct launch_copy *copy = &launch->copies[index];
    copy->waited = true;
    if (!observer || !observer->copy_begin || !observer->copy_end)
        return;
    observer->copy_begin(observer->state, index);
    go_through(launch, copy, true);
    observer->copy_end(observer->state);
}

void copy_wait(struct launch *launch, const struct vm_barrier *barrier)
{
    for (uint32_t i = 0; i < launch->copy_count; i++) {
        bool waits = barrier->waits_for_all;
        for (uint32_t k = 0; k < barrier->argument_count; k++)
            waits |= argument(launch, barrier, k) == launch->copies[i].event;
        if (waits && !launch->copies[i].waited)
            end_copy(launch, i);
    }
}

void copy_end_group(struct launch *launch)
{
    const struct observer *observer = launch->request->observer;
    for (uint32_t i = 0; i < launch->copy_count; i++) {
        if (!launch->copies[i].waited && observer && observer->copy_lost)
            observer->copy_lost(observer->state, launch->copies[i].site);
    }
}
