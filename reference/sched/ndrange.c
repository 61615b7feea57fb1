#include "reference/sched/ndrange.h"

#include "reference/sched/crew.h"
#include "reference/sched/group.h"
#include "reference/sched/permute.h"
#include "reference/vm/pipe.h"
#include "reference/vm/shape.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>

/* ---- output of printf ---- */

/* What may stand in memory: a launch that prints more gives it out before its end. */
enum { PRINTED_MAX = 1 << 20 };

/* By the program's own stream, after what the program itself printed. */
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

static uint64_t group_count(const struct launch *launch)
{
    return launch->group_count[0] * launch->group_count[1] * launch->group_count[2];
}

/* So many groups at most, until one waits. */
static enum sched_state run_in_order(struct launch *launch, uint64_t most)
{
    const struct sched_launch *request = launch->request;
    const uint64_t count = group_count(launch);
    bool ended = true;
    struct crew *crew = most < count || request->debugger || request->items || request->counters
                            ? NULL
                            : crew_begin(launch, count);
    for (; launch->position < count && ended && !launch->run->exhausted && most > 0; most--) {
        const uint64_t divided = crew ? crew_run(&crew, launch->position) : 0;
        launch->position += divided;
        if (divided > 0)
            continue;
        ended =
            group_run(launch, permute(request->order, request->seed, 0, launch->position, count));
        launch->position++;
        if (launch->printed.size > PRINTED_MAX)
            flush_printed(launch);
    }
    crew_end(crew);
    if (!ended) {
        launch->kept = waiting_create(launch, count);
        launch->lacks_memory |= !launch->kept;
        return launch->kept ? SCHED_GOES_ON : SCHED_ENDED;
    }
    return launch->position < count && !launch->run->exhausted ? SCHED_GOES_ON : SCHED_ENDED;
}

static enum sched_state run_some(struct launch *launch, uint64_t most)
{
    enum sched_state state = SCHED_GOES_ON;
    if (!launch->turns && !launch->kept)
        state = run_in_order(launch, most);
    for (; state == SCHED_GOES_ON && most > 0 && (launch->turns || launch->kept); most--)
        state = launch->turns ? turns_go_on(launch->turns) : waiting_go_on(launch->kept);
    return state;
}

char *sched_describe(const struct sched_launch *request)
{
    const uint64_t *size = request->global_size;
    const uint64_t count = size[0] * size[1] * size[2];
    return alloc_format("kernel '%s' on %" PRIu64 " work-item%s", request->code->name, count,
                        count == 1 ? "" : "s");
}

/* What the launch may have written is to know by whom. */
static void note_writer(const struct sched_launch *request)
{
    enum { WRITTEN = 1 << VM_PARAMETER_GLOBAL | 1 << VM_PARAMETER_IMAGE | 1 << VM_PARAMETER_PIPE };
    char *writer = sched_describe(request);
    for (uint32_t i = 0; i < request->code->parameter_count && writer; i++) {
        const struct vm_parameter *parameter = &request->code->parameters[i];
        if (!parameter->only_read && !parameter->read_only && launch_argument(request, i, WRITTEN))
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
        const struct vm_object *object = launch_argument(request, i, 1 << VM_PARAMETER_PIPE);
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

static void spend(struct sched_budget *budget, const struct sched_result *result)
{
    const uint64_t count = result->operation_count;
    budget->operations -= count < budget->operations ? count : budget->operations;
    budget->spent |= result->exhausted && !result->hangs;
}

enum status sched_begin(const struct sched_launch *request, struct launch **begun,
                        struct error *error)
{
    struct launch *launch = NULL;
    vm_code_check(request->code);
    const enum status status = launch_create(request, NULL, &launch, error);
    if (status != STATUS_OK)
        return status;
    if (request->turn != 0 && !request->debugger && !request->wait_for_host) {
        launch->turns = turns_create(launch, group_count(launch));
        if (!launch->turns) {
            launch_destroy(launch);
            return error_no_memory(error, 0);
        }
    }
    vm_memory_begin_launch(request->memory);
    launch_tell_begin(launch);
    begin_pipes(launch);
    if (request->debugger)
        request->debugger->begin(request->debugger->vm.state, launch);
    *begun = launch;
    return STATUS_OK;
}

/* The program may have set its threads to another rounding, or to flush subnormals; the device's
 * arithmetic knows neither. */
enum sched_state sched_go_on(struct launch *launch, uint64_t most)
{
    fenv_t environment;
    fegetenv(&environment);
    fesetenv(FE_DFL_ENV);
    const enum sched_state state = run_some(launch, most);
    fesetenv(&environment);
    return state;
}

struct sched_counts sched_counts(const struct launch *launch)
{
    return (struct sched_counts){launch->run->operation_count, launch->run->progress_count};
}

void sched_note_change(struct launch *launch, const char *kernel)
{
    launch->changed_by = kernel;
    launch->is_beside = true;
}

void sched_give_up(struct launch *launch, uint64_t later_kernels)
{
    ASSERT(launch->kept || launch->turns);
    launch->hangs = true;
    launch->run->exhausted = true;
    if (launch->turns)
        turns_tell(launch->turns, later_kernels);
    else
        waiting_tell(launch->kept, later_kernels);
}

enum status sched_end(struct launch *launch, struct sched_result *result, struct error *error)
{
    const struct sched_launch *request = launch->request;
    waiting_destroy(launch->kept);
    turns_destroy(launch->turns);
    if (request->debugger)
        request->debugger->last(request->debugger->vm.state, launch);
    vm_run_end(launch->run);
    vm_pipes_end(launch->run, tell_lost, launch);
    if (request->observer && request->observer->launch_end)
        request->observer->launch_end(request->observer->state);
    if (request->debugger)
        request->debugger->end(request->debugger->vm.state, launch);
    if (request->observer)
        note_writer(request);
    vm_memory_end_launch(request->memory);
    flush_printed(launch);
    const bool print_failed = launch->print_failed;
    const bool lacks_memory = launch->lacks_memory;
    *result = (struct sched_result){.operation_count = launch->run->operation_count,
                                    .exhausted = launch->run->exhausted,
                                    .hangs = launch->hangs,
                                    .stopped = launch->stopped,
                                    .course = launch->course};
    if (request->budget)
        spend(request->budget, result);
    launch_destroy(launch);
    if (lacks_memory)
        return error_no_memory(error, 0);
    return print_failed ? error_no_memory(error, PRINTED_MAX) : STATUS_OK;
}

enum status sched_run(const struct sched_launch *request, struct sched_result *result,
                      struct error *error)
{
    struct launch *launch = NULL;
    const enum status status = sched_begin(request, &launch, error);
    if (status != STATUS_OK)
        return status;
    bool asked = false;
    struct sched_counts then = {0};
    enum sched_state state;
    while ((state = sched_go_on(launch, request->mixes ? 1 : UINT64_MAX)) != SCHED_ENDED) {
        if (request->run_others && request->run_others(request, launch, state != SCHED_GOES_ON)) {
            asked = false;
            continue;
        }
        if (state == SCHED_GOES_ON)
            continue;
        const struct sched_counts now = sched_counts(launch);
        const bool anew = !asked || now.changes != then.changes || state == SCHED_LOOKS;
        const bool goes_on = sched_wait_for_host(launch, anew);
        then = now;
        asked = true;
        if (!goes_on && state == SCHED_WAITS)
            sched_give_up(launch, 0);
    }
    return sched_end(launch, result, error);
}
