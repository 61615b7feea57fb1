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

/* Addresses of both sides of an element. */
struct element {
    uint64_t to, from;
};

static struct element element_at(const struct launch_copy *copy,
                                 const uint64_t index[COPY_DIMENSIONS])
{
    struct element element = {copy->to, copy->from};
    for (int d = 0; d < COPY_DIMENSIONS; d++) {
        element.to += index[d] * copy->to_step[d];
        element.from += index[d] * copy->from_step[d];
    }
    return element;
}

static void next_index(const struct launch_copy *copy, uint64_t index[COPY_DIMENSIONS])
{
    for (int d = 0; d < COPY_DIMENSIONS && ++index[d] == copy->count[d]; d++)
        index[d] = 0;
}

static uint64_t element_count(const struct launch_copy *copy)
{
    uint64_t count = 1;
    for (int d = 0; d < COPY_DIMENSIONS; d++) {
        if (copy->count[d] == 0)
            return 0;
        count = count > ELEMENT_MAX / copy->count[d] ? ELEMENT_MAX : count * copy->count[d];
    }
    return count;
}

/* What go_through is for. */
enum pass { PASS_MAKE, PASS_TELL_LOCAL, PASS_TELL_GLOBAL };

/* The copy with its elements, 64 at a time. */
static void go_through(struct launch *launch, const struct launch_copy *copy, enum pass pass)
{
    const struct observer *observer = launch->request->observer;
    const struct observer faults = {.state = launch,
                                    .fault = observer && observer->fault ? tell_fault : NULL};
    const struct observer accesses = {.state = observer ? observer->state : NULL,
                                      .access = observer ? observer->access : NULL};
    const uint64_t count = element_count(copy);
    const bool tells_to = (pass == PASS_TELL_LOCAL) == copy->to_local;
    uint64_t index[COPY_DIMENSIONS] = {0};
    struct vm_copy stretch = {.site = copy->site,
                              .size = copy->element_size,
                              .alignment = copy->alignment,
                              .untold_to = pass == PASS_MAKE || tells_to ? 0 : ~UINT64_C(0),
                              .untold_from = pass == PASS_MAKE || !tells_to ? 0 : ~UINT64_C(0),
                              .told = pass != PASS_MAKE};
    launch->run->observer = !observer ? NULL : pass == PASS_MAKE ? &faults : &accesses;
    for (uint64_t first = 0; first < count; first += VM_LANES) {
        stretch.mask = 0;
        for (uint32_t lane = 0; lane < VM_LANES && first + lane < count; lane++) {
            const struct element element = element_at(copy, index);
            stretch.to[lane] = element.to;
            stretch.from[lane] = element.from;
            stretch.mask |= UINT64_C(1) << lane;
            next_index(copy, index);
        }
        vm_vector_copy(launch_vector(launch, 0), &stretch);
    }
    launch->run->observer = observer;
}

static struct launch_copy *add_copy(struct launch *launch)
{
    struct launch_copy *grown =
        alloc_grow(launch->copies, launch->copy_count, &launch->copy_capacity, sizeof *grown);
    if (!grown)
        return NULL;
    launch->copies = grown;
    return &launch->copies[launch->copy_count++];
}

static void check_overlap(struct launch *launch, const struct observer_overlap *overlap)
{
    const struct observer *observer = launch->request->observer;
    if (overlap->count > 1 && overlap->step < overlap->least && observer && observer->copy_overlap)
        observer->copy_overlap(observer->state, overlap);
}

/* async_work_group_copy and async_work_group_strided_copy. */
static void read_copy(struct launch *launch, const struct vm_barrier *barrier,
                      struct launch_copy *copy, uint64_t *event)
{
    const uint64_t size = barrier->element_size;
    const uint64_t stride = argument(launch, barrier, 3);
    const uint64_t step = stride * size;
    *event = argument(launch, barrier, 4);
    copy->to = argument(launch, barrier, 0);
    copy->from = argument(launch, barrier, 1);
    copy->count[0] = argument(launch, barrier, 2);
    copy->count[1] = copy->count[2] = 1;
    copy->to_step[0] = barrier->to_local ? size : step;
    copy->from_step[0] = barrier->to_local ? step : size;
    copy->element_size = barrier->element_size;
    /* Elements are scalars and vectors, aligned to their size: OpenCL C 3.0, 6.3.5. */
    copy->alignment = barrier->element_size;
    check_overlap(launch, &(struct observer_overlap){.site = copy->site,
                                                     .count = copy->count[0],
                                                     .step = stride,
                                                     .least = 1,
                                                     .written = !barrier->to_local});
}

static uint64_t limited_product(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* async_work_group_copy_2D2D and async_work_group_copy_3D3D. Their elements have any size, and
 * promise no alignment: they go in the largest pieces that a copy can have. */
static void read_lines(struct launch *launch, const struct vm_barrier *barrier,
                       struct launch_copy *copy, uint64_t *event)
{
    enum { PIECE_MAX = 16 };
    const bool has_planes = barrier->argument_count == VM_COPY_ARGUMENTS_3D;
    const uint64_t bytes = argument(launch, barrier, VM_COPY_BYTES);
    const uint64_t elements = argument(launch, barrier, VM_COPY_ELEMENTS);
    const uint64_t lines = argument(launch, barrier, VM_COPY_LINES);
    uint32_t next = VM_COPY_LINES + 1;
    const uint64_t planes = has_planes ? argument(launch, barrier, next++) : 1;
    const uint64_t from_line = argument(launch, barrier, next++);
    const uint64_t from_plane = has_planes ? argument(launch, barrier, next++) : 0;
    const uint64_t to_line = argument(launch, barrier, next++);
    const uint64_t to_plane = has_planes ? argument(launch, barrier, next++) : 0;
    const uint64_t lowest = bytes & (~bytes + 1);
    const uint32_t piece = lowest == 0 || lowest > PIECE_MAX ? PIECE_MAX : (uint32_t)lowest;
    *event = argument(launch, barrier, next);
    copy->to = argument(launch, barrier, VM_COPY_TO) +
               argument(launch, barrier, VM_COPY_TO_OFFSET) * bytes;
    copy->from = argument(launch, barrier, VM_COPY_FROM) +
                 argument(launch, barrier, VM_COPY_FROM_OFFSET) * bytes;
    copy->count[0] = limited_product(elements, bytes) / piece;
    copy->count[1] = lines;
    copy->count[2] = planes;
    copy->to_step[0] = copy->from_step[0] = piece;
    copy->to_step[1] = to_line * bytes;
    copy->from_step[1] = from_line * bytes;
    copy->to_step[2] = to_plane * bytes;
    copy->from_step[2] = from_plane * bytes;
    copy->element_size = piece;
    copy->alignment = 1;
    for (int written = 0; written < 2; written++) {
        const uint64_t line = written ? to_line : from_line;
        struct observer_overlap overlap = {.site = copy->site,
                                           .dimension = 1,
                                           .count = lines,
                                           .step = line,
                                           .least = elements,
                                           .written = written};
        check_overlap(launch, &overlap);
        overlap.dimension = 2;
        overlap.count = planes;
        overlap.step = written ? to_plane : from_plane;
        overlap.least = limited_product(lines, line);
        check_overlap(launch, &overlap);
    }
}

bool copy_start(struct launch *launch, uint32_t site, const struct vm_barrier *barrier,
                uint64_t *event)
{
    const struct observer *observer = launch->request->observer;
    struct launch_copy *copy = add_copy(launch);
    if (!copy)
        return false;
    *copy = (struct launch_copy){.site = site, .to_local = barrier->to_local};
    memcpy(copy->fenced, launch->copies_fenced, sizeof copy->fenced);
    if (barrier->collective == VM_COLLECTIVE_COPY_LINES)
        read_lines(launch, barrier, copy, event);
    else
        read_copy(launch, barrier, copy, event);
    if (*event == 0)
        *event = launch->copy_count;
    copy->event = *event;
    if (observer && observer->vector_run)
        observer->vector_run(observer->state, 0); /* faults name a work-item of it */
    go_through(launch, copy, PASS_MAKE);
    if (observer && observer->copy_start)
        observer->copy_start(observer->state, launch->copy_count - 1);
    return true;
}

void copy_fence(struct launch *launch, const struct vm_barrier *barrier)
{
    const struct observer *observer = launch->request->observer;
    const uint32_t flags = (uint32_t)argument(launch, barrier, 0);
    if (flags & OBSERVER_FENCE_LOCAL)
        launch->copies_fenced[COPY_LOCAL] = launch->copy_count;
    if (flags & OBSERVER_FENCE_GLOBAL)
        launch->copies_fenced[COPY_GLOBAL] = launch->copy_count;
    if (observer && observer->copy_fence)
        observer->copy_fence(observer->state, flags);
}

static void tell_side(struct launch *launch, uint32_t index, enum copy_side side)
{
    const struct observer *observer = launch->request->observer;
    struct launch_copy *copy = &launch->copies[index];
    if (copy->told[side])
        return;
    copy->told[side] = true;
    if (!observer || !observer->copy_begin || !observer->copy_end)
        return;
    observer->copy_begin(observer->state, index);
    go_through(launch, copy, side == COPY_LOCAL ? PASS_TELL_LOCAL : PASS_TELL_GLOBAL);
    observer->copy_end(observer->state);
}

/* Copies that fences order before this one have accessed the memory, too, once it has been waited
 * for. */
static void end_copy(struct launch *launch, uint32_t index)
{
    const struct observer *observer = launch->request->observer;
    struct launch_copy *copy = &launch->copies[index];
    copy->waited = true;
    for (int side = 0; side < COPY_SIDES; side++) {
        while (launch->copies_told[side] < copy->fenced[side])
            tell_side(launch, launch->copies_told[side]++, (enum copy_side)side);
        tell_side(launch, index, (enum copy_side)side);
    }
    if (observer && observer->copy_wait)
        observer->copy_wait(observer->state, index);
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
