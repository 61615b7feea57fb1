#include "reference/sched/ndrange.h"

#include "reference/sched/crew.h"
#include "reference/sched/group.h"
#include "reference/sched/permute.h"
#include "reference/vm/pipe.h"
#include "reference/vm/shape.h"
#include "trace/base/alloc.h"

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
    if (request->turn != 0 && !request->debugger && !request->wait_for_host) {
        turns_run(launch, count);
        position = count;
    }
    struct crew *crew = request->debugger || request->items || request->turn || request->counters
                            ? NULL
                            : crew_begin(launch, count);
    while (position < count && ended && !launch->run->exhausted) {
        const uint64_t divided = crew ? crew_run(&crew, position) : 0;
        position += divided;
        if (divided > 0)
            continue;
        ended = group_run(launch, permute(request->order, request->seed, 0, position, count));
        position++;
        if (launch->printed.size > PRINTED_MAX)
            flush_printed(launch);
    }
    crew_end(crew);
    if (!ended)
        waiting_run(launch, position, count);
    fesetenv(&environment);
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

enum status sched_run(const struct sched_launch *request, struct sched_result *result,
                      struct error *error)
{
    struct launch *launch = NULL;
    vm_code_check(request->code);
    const enum status status = launch_create(request, NULL, &launch, error);
    if (status != STATUS_OK)
        return status;
    vm_memory_begin_launch(request->memory);
    launch_tell_begin(launch);
    begin_pipes(launch);
    if (request->debugger)
        request->debugger->begin(request->debugger->vm.state, launch);
    run_groups(launch);
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
    const bool copy_failed = launch->copy_failed;
    *result = (struct sched_result){.operation_count = launch->run->operation_count,
                                    .exhausted = launch->run->exhausted,
                                    .hangs = launch->hangs,
                                    .stopped = launch->stopped,
                                    .course = launch->course};
    if (request->budget)
        spend(request->budget, result);
    launch_destroy(launch);
    if (copy_failed)
        return error_no_memory(error, sizeof(struct launch_copy));
    return print_failed ? error_no_memory(error, PRINTED_MAX) : STATUS_OK;
}
