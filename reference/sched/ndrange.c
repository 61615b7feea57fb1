#include "reference/sched/ndrange.h"

#include "reference/sched/group.h"
#include "reference/sched/permute.h"
#include "reference/vm/pipe.h"
#include "reference/vm/shape.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/base/size.h"

#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- telling ---- */

/* Events carry identities of root objects, which are their objects' first members. Private objects
 * are one object for each lane and cannot be looked into. */
static bool peek(const struct observer_object *object, uint64_t offset, uint32_t size, void *bytes)
{
    const struct vm_object *root = (const struct vm_object *)(const void *)object;
    if (root->freed || root->private_stride || !range_within(offset, size, root->size))
        return false;
    memcpy(bytes, root->bytes + offset, size);
    return true;
}

/* The first argument that the buffer was given as, or a part of it. */
static const char *argument_name(const void *told, uint32_t object_id)
{
    const struct launch *launch = told;
    const struct sched_launch *request = launch->request;
    for (uint32_t i = 0; i < request->code->parameter_count; i++) {
        const struct vm_parameter *parameter = &request->code->parameters[i];
        if (parameter->kind != VM_PARAMETER_GLOBAL && parameter->kind != VM_PARAMETER_CONSTANT &&
            parameter->kind != VM_PARAMETER_IMAGE && parameter->kind != VM_PARAMETER_PIPE)
            continue;
        const struct vm_object *object =
            vm_memory_find(request->memory, request->arguments[i].object);
        if (object && object->root->identity.id == object_id)
            return parameter->name;
    }
    return NULL;
}

bool launch_only_reads(const struct launch *launch, uint32_t object_id)
{
    const struct sched_launch *request = launch->request;
    bool found = false;
    for (uint32_t i = 0; i < request->code->parameter_count; i++) {
        const struct vm_parameter *parameter = &request->code->parameters[i];
        if (parameter->kind != VM_PARAMETER_GLOBAL && parameter->kind != VM_PARAMETER_CONSTANT &&
            parameter->kind != VM_PARAMETER_IMAGE)
            continue;
        const struct vm_object *object =
            vm_memory_find(request->memory, request->arguments[i].object);
        if (!object || object->root->identity.id != object_id)
            continue;
        /* Pointers to shared memory may come from anywhere. */
        if ((!parameter->only_read && !parameter->read_only) ||
            object->root->identity.svm != OBSERVER_SVM_NONE)
            return false;
        found = true;
    }
    return found;
}

static bool only_read(const void *launch, uint32_t object_id)
{
    return launch_only_reads(launch, object_id);
}

static void tell_launch_begin(const struct launch *launch)
{
    const struct sched_launch *request = launch->request;
    const struct observer *observer = request->observer;
    if (!observer || !observer->launch_begin)
        return;
    struct observer_launch told = {.kernel = request->code->name,
                                   .dimensions = request->dimensions,
                                   .sub_group_size = request->sub_group_size,
                                   .site_count = request->code->instruction_count,
                                   .opencl_c_version = request->code->opencl_c_version,
                                   .uses_acquire = request->code->uses_acquire,
                                   .big_endian = request->code->big_endian,
                                   .wide_scopes = request->wide_scopes,
                                   .seq_cst_alone = request->seq_cst_alone,
                                   .call_id = request->call_id,
                                   .label = request->label,
                                   .describe = vm_code_describe,
                                   .code = request->code,
                                   .peek = peek,
                                   .argument_name = argument_name,
                                   .only_read = only_read,
                                   .launch = launch};
    memcpy(told.global_size, request->global_size, sizeof told.global_size);
    memcpy(told.local_size, request->local_size, sizeof told.local_size);
    memcpy(told.global_offset, request->global_offset, sizeof told.global_offset);
    memcpy(told.group_count, launch->group_count, sizeof told.group_count);
    observer->launch_begin(observer->state, &told);
}

static void tell_vector(struct launch *launch, uint32_t vector)
{
    const struct observer *observer = launch->request->observer;
    if (!observer || !observer->vector_run || launch->told_vector == vector)
        return;
    launch->told_vector = vector;
    observer->vector_run(observer->state, vector);
}

/* ---- output of printf ---- */

/* Rounds in which work-items of a group only look, and find nothing, but go on counting: after that
 * other groups run too. */
enum { IDLE_ROUNDS = 64 };

/* What may stand in memory: a launch that prints more gives it out before its end. */
enum { PRINTED_MAX = 1 << 20 };

/* By the program's own stream, behind what the program itself printed. */
static void print_to_standard_output(const char *bytes, size_t size)
{
    fwrite(bytes, 1, size, stdout);
    fflush(stdout);
}

static void flush_printed(struct launch *launch)
{
    struct text *printed = &launch->printed;
    launch->print_failed |= printed->failed;
    if (printed->size > 0 && launch->request->print)
        launch->request->print(launch->request->user, printed->bytes, printed->size);
    else if (printed->size > 0)
        print_to_standard_output(printed->bytes, printed->size);
    text_clear(printed);
}

/* ---- running ---- */

void launch_set_group(struct launch *launch, uint64_t index)
{
    const struct sched_launch *request = launch->request;
    struct group *group = &launch->group;
    group->item_count = 1;
    for (uint32_t d = 0; d < 3; d++) {
        group->id[d] = index % launch->group_count[d];
        index /= launch->group_count[d];
        const uint64_t start = group->id[d] * request->local_size[d];
        const uint64_t rest = request->global_size[d] - start;
        group->size[d] = rest < request->local_size[d] ? rest : request->local_size[d];
        group->item_count *= (uint32_t)group->size[d];
    }
    group->vector_count = (group->item_count + VM_LANES - 1) / VM_LANES;
}

/* Until each lane of the vector has ended or waits for others than its sub-group. */
static void run_vector(struct launch *launch, uint32_t index)
{
    struct vm_vector *vector = launch_vector(launch, index);
    uint64_t progress_count;
    tell_vector(launch, index);
    do {
        struct progress progress;
        progress_count = launch->run->progress_count;
        progress_begin(launch, index, &progress);
        vm_vector_resume(vector);
        do
            vm_vector_run(vector);
        while (!launch->run->exhausted && launch->sub_group_barriers &&
               barrier_pass_sub_groups(launch, index));
        progress_end(launch, index, &progress);
    } while (!launch->run->exhausted && launch->run->progress_count != progress_count &&
             vm_vector_held(vector));
    if (launch->run->exhausted)
        unfinished_tell(launch, index);
}

static uint32_t vector_at(const struct launch *launch, uint32_t position)
{
    const struct sched_launch *request = launch->request;
    return (uint32_t)permute(request->order, request->seed, 2, position,
                             launch->group.vector_count);
}

static bool group_ended(struct launch *launch)
{
    for (uint32_t v = 0; v < launch->group.vector_count; v++) {
        if (launch_vector(launch, v)->ended != group_lanes(&launch->group, v))
            return false;
    }
    return true;
}

/* Vectors that never wait for each other, in one frame. */
static void run_simple_group(struct launch *launch)
{
    const uint32_t count = launch->group.vector_count;
    for (uint32_t position = 0; position < count && !launch->run->exhausted; position++) {
        const uint32_t vector = vector_at(launch, position);
        launch_begin_vector(launch, vector);
        run_vector(launch, vector);
    }
}

/* Some work-items of the group are held at spins. */
static bool group_waits(struct launch *launch)
{
    for (uint32_t v = 0; v < launch->group.vector_count; v++) {
        if (vm_vector_held(launch_vector(launch, v)))
            return true;
    }
    return false;
}

/* Vectors in turns, each until it waits for others. False when all that have not ended wait for
 * another group; then they can go on later. */
static bool run_turns(struct launch *launch)
{
    struct vm_run *run = launch->run;
    launch->blocked = true;
    for (uint32_t idle = 0; idle < IDLE_ROUNDS; idle++) {
        const uint64_t progress_count = run->progress_count;
        const uint64_t move_count = run->move_count;
        for (uint32_t position = 0; position < launch->group.vector_count; position++) {
            const uint32_t index = vector_at(launch, position);
            const struct vm_vector *vector = launch_vector(launch, index);
            if (!run->exhausted && (vm_vector_runnable(vector) || vm_vector_held(vector)))
                run_vector(launch, index);
        }
        if (run->exhausted)
            return true;
        if (group_ended(launch)) {
            copy_end_group(launch);
            return true;
        }
        if (launch->named_barriers && barrier_pass_named(launch)) {
            idle = 0;
            continue;
        }
        const bool waits = group_waits(launch);
        if (!waits && !barrier_pass_group(launch)) {
            launch->stopped = true;
            return true;
        }
        if (!waits || run->progress_count != progress_count)
            idle = 0;
        else if (run->move_count == move_count)
            return false;
    }
    launch->blocked = false;
    return false;
}

static void end_group(struct launch *launch)
{
    const struct observer *observer = launch->request->observer;
    if (observer && observer->group_end)
        observer->group_end(observer->state);
}

bool group_run(struct launch *launch, uint64_t index)
{
    const struct observer *observer = launch->request->observer;
    bool ended = true;
    launch_set_group(launch, index);
    launch_begin_group(launch);
    if (observer && observer->group_begin)
        observer->group_begin(observer->state, launch->group.id, launch->group.item_count);
    if (launch->in_turns) {
        for (uint32_t v = 0; v < launch->group.vector_count; v++)
            launch_begin_vector(launch, v);
        ended = run_turns(launch);
    } else {
        run_simple_group(launch);
    }
    if (ended)
        end_group(launch);
    return ended;
}

bool group_run_on(struct launch *launch)
{
    const struct observer *observer = launch->request->observer;
    launch->told_vector = UINT32_MAX;
    if (observer && observer->group_resume)
        observer->group_resume(observer->state, launch->group.id);
    const bool ended = run_turns(launch);
    if (ended)
        end_group(launch);
    return ended;
}

/* The program may have set its threads to another rounding, or to flush subnormals; the device's
 * arithmetic knows neither. */
static void run_groups(struct launch *launch)
{
    const struct sched_launch *request = launch->request;
    fenv_t environment;
    fegetenv(&environment);
    fesetenv(FE_DFL_ENV);
    const uint64_t count = launch->group_count[0] * launch->group_count[1] * launch->group_count[2];
    bool ended = true;
    uint64_t position = 0;
    for (; position < count && ended && !launch->run->exhausted; position++) {
        ended = group_run(launch, permute(request->order, request->seed, 0, position, count));
        if (launch->printed.size > PRINTED_MAX)
            flush_printed(launch);
    }
    if (!ended)
        waiting_run(launch, position, count);
    fesetenv(&environment);
}

/* What the launch may have written is to know by whom. */
static void note_writer(const struct sched_launch *request)
{
    const uint64_t *size = request->global_size;
    const uint64_t count = size[0] * size[1] * size[2];
    char *writer = alloc_format("kernel '%s' on %" PRIu64 " work-item%s", request->code->name,
                                count, count == 1 ? "" : "s");
    for (uint32_t i = 0; i < request->code->parameter_count && writer; i++) {
        const struct vm_parameter *parameter = &request->code->parameters[i];
        const bool writes = !parameter->only_read && !parameter->read_only;
        if ((parameter->kind == VM_PARAMETER_GLOBAL || parameter->kind == VM_PARAMETER_IMAGE ||
             parameter->kind == VM_PARAMETER_PIPE) &&
            writes && vm_memory_find(request->memory, request->arguments[i].object))
            vm_memory_set_writer(request->memory, request->arguments[i].object, writer);
    }
    alloc_free(writer);
}

/* ---- pipes ---- */

/* Blocks bring others, which join when they are used. */
static void begin_pipes(struct launch *launch)
{
    const struct sched_launch *request = launch->request;
    for (uint32_t i = 0; i < request->code->parameter_count; i++) {
        const struct vm_object *object =
            request->code->parameters[i].kind == VM_PARAMETER_PIPE
                ? vm_memory_find(request->memory, request->arguments[i].object)
                : NULL;
        if (object && object->pipe)
            vm_pipe_join(object->pipe, launch->run);
    }
}

/* A launch that was ended before its end could not commit. */
static void tell_lost(void *user, uint32_t object, enum vm_pipe_end end,
                      const struct vm_reservation *reservation)
{
    const struct launch *launch = user;
    const struct observer *observer = launch->request->observer;
    if (observer && observer->reservation_lost && !launch->run->exhausted && !launch->stopped)
        observer->reservation_lost(observer->state, reservation->site,
                                   &vm_memory_find(launch->request->memory, object)->identity,
                                   reservation->count, end == VM_PIPE_WRITE);
}

enum status sched_run(const struct sched_launch *request, struct sched_result *result,
                      struct error *error)
{
    struct launch *launch = NULL;
    vm_code_check(request->code);
    const enum status status = launch_create(request, NULL, &launch, error);
    if (status != STATUS_OK)
        return status;
    vm_memory_begin_launch(request->memory);
    tell_launch_begin(launch);
    begin_pipes(launch);
    run_groups(launch);
    vm_pipes_end(launch->run, tell_lost, launch);
    if (request->observer && request->observer->launch_end)
        request->observer->launch_end(request->observer->state);
    if (request->observer)
        note_writer(request);
    vm_memory_end_launch(request->memory);
    flush_printed(launch);
    const bool print_failed = launch->print_failed;
    const bool copy_failed = launch->copy_failed;
    *result = (struct sched_result){.operation_count = launch->run->operation_count,
                                    .exhausted = launch->run->exhausted,
                                    .hangs = launch->hangs,
                                    .stopped = launch->stopped};
    launch_destroy(launch);
    if (copy_failed)
        return error_no_memory(error, sizeof(struct launch_copy));
    return print_failed ? error_no_memory(error, PRINTED_MAX) : STATUS_OK;
}
