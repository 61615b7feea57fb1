/* OpenCL API 3.0, chapter 5.10: executing kernels. A launch takes a copy of the arguments with it,
 * and the options of the device as they are at the enqueue. */
#include "reference/icd/kernels/launch.h"

#include "checkers/kernel/touched.h"
#include "reference/explore/explore.h"
#include "reference/icd/commands/executor.h"
#include "reference/icd/debugging.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/exports.h"
#include "reference/icd/findings.h"
#include "reference/icd/kernels/build.h"
#include "reference/icd/kernels/byte_order.h"
#include "reference/icd/kernels/children.h"
#include "reference/icd/kernels/host_changes.h"
#include "reference/icd/kernels/left_out.h"
#include "reference/icd/kernels/loans.h"
#include "reference/icd/kernels/perform.h"
#include "reference/icd/kernels/races.h"
#include "reference/icd/kernels/range.h"
#include "reference/icd/kernels/repeats.h"
#include "reference/icd/kernels/resources.h"
#include "reference/icd/memory/svm.h"
#include "reference/icd/options.h"
#include "reference/sched/ndrange.h"
#include "reference/vm/counters.h"
#include "reference/vm/svm.h"
#include "trace/base/alloc.h"
#include "trace/base/size.h"

#include <stdlib.h>
#include <string.h>

/* ---- the command ---- */

struct launch {
    cl_kernel kernel;    /* held, and the builds with it */
    cl_device_id device; /* held, with the build of the kernel on it */
    struct build *build;
    struct launch_options options;
    struct checks wanted; /* of the options: those of a launch that is left out are none */
    struct sched_launch
        sched; /* what is executed: all but the observer. It points to the next ones */
    struct sched_argument *arguments;
    uint32_t *svm_listed;
    struct heap_block *blocks; /* as sched.blocks has it */
    uint32_t *globals;
    char *label;
    cl_mem *mems; /* held, NULL where there is none */
    /* What it may use: the arguments' objects, 0 where there is none, and then those listed. */
    uint32_t *objects;
    size_t object_count;
    bool is_beside_host;          /* the host may change memory that it can reach */
    bool waits;                   /* it may wait for what the host stores */
    bool watched;                 /* other commands may be unordered with it */
    bool collects;                /* `touched` */
    struct host_changes *changes; /* NULL = it is not looked for any */
    uint32_t place;               /* findings_take_place, while it runs */
    struct touched touched;
};

static void launch_release(void *data)
{
    struct launch *launch = data;
    const struct vm_code *code = launch->sched.code;
    host_changes_drop(launch->changes);
    for (uint32_t i = 0; i < code->parameter_count; i++) {
        if (launch->mems && launch->mems[i])
            object_drop(launch->mems[i]);
        if (launch->arguments)
            alloc_free((void *)(uintptr_t)launch->arguments[i].bytes);
    }
    alloc_free(launch->arguments);
    alloc_free(launch->mems);
    alloc_free(launch->objects);
    alloc_free(launch->svm_listed);
    alloc_free(launch->blocks);
    alloc_free(launch->globals);
    alloc_free(launch->label);
    touched_release(&launch->touched);
    object_drop(launch->kernel);
    object_drop(launch->device);
    alloc_free(launch);
}

static void take_explored(void *user, const struct explored *explored)
{
    const struct sink_exploring *exploring = user;
    const struct sink_explored told = {.test = explored->test,
                                       .result = explored->result,
                                       .repair = explored->repair,
                                       .graph = explored->graph};
    exploring->explored(exploring->user, &told);
}

static cl_int launch_explore(const struct sched_launch *request,
                             const struct sink_exploring *exploring)
{
    struct error error;
    if (request->code->big_endian)
        error_set(&error, STATUS_UNSUPPORTED, "kernels of a big-endian device are not explored");
    else if (explore_run(request, exploring->options, exploring->choices, take_explored,
                         (void *)(uintptr_t)exploring, &error) == STATUS_OK)
        return CL_SUCCESS;
    exploring->explored(exploring->user, &(struct sink_explored){.refused = error.text});
    return CL_OUT_OF_RESOURCES;
}

static void launch_tell(const void *data)
{
    const struct launch *launch = data;
    if (launch->watched)
        races_use_touched(&launch->touched, launch->objects, launch->object_count);
}

static uint64_t count_work_items(const struct launch *launch)
{
    const size_t *size = launch->sched.global_size;
    uint64_t count;
    return size_mul(size[0], size[1], &count) && size_mul(count, size[2], &count) ? count
                                                                                  : UINT64_MAX;
}

/* It has run. */
static void tell_changes(struct launch *launch)
{
    icd_lock();
    if (launch->changes)
        races_host_changes(launch->changes, launch->collects ? &launch->touched : NULL);
    launch->changes = NULL;
    icd_unlock();
}

/* A launch that may enqueue others, and these. */
static cl_int launch_family(struct launch *launch, struct sched_launch *request, uint64_t *cost)
{
    uint64_t children_cost = 0;
    const bool watches = launch->collects || child_races_wanted(&launch->options.checks);
    launch->touched = (struct touched){.apart = true, .group = TOUCHED_ALL_GROUPS};
    request->observer = findings_observer_beside(&launch->options,
                                                 watches ? &launch->touched : NULL, launch->place);
    struct family *family =
        family_create(&(struct family_request){.context = launch->kernel->program->context,
                                               .device = launch->device,
                                               .build = launch->build,
                                               .options = &launch->options,
                                               .launch = request,
                                               .touched = watches ? &launch->touched : NULL,
                                               .watched = launch->watched,
                                               .objects = launch->objects,
                                               .object_count = launch->object_count});
    if (!family)
        return CL_OUT_OF_HOST_MEMORY;
    const cl_int status = family_run(family, cost, &children_cost);
    family_destroy(family);
    icd_lock();
    executor_add_children_cost(children_cost);
    icd_unlock();
    return status;
}

/* Of all launches: pointers that one leaves in memory are not another one's. */
static uint64_t owners;

/* What runs with other options has fresh memory: launches from now on find no pointers that earlier
 * ones left. */
int32_t clerk_set_device_option(const char *name, const char *value)
{
    __atomic_store_n(&owners, 0, __ATOMIC_RELAXED);
    return options_set(name, value);
}

/* What is to be counted; NULL = nothing, also where memory is out. */
static struct vm_counters *begin_counting(const struct launch *launch,
                                          const struct sched_launch *request)
{
    return launch->options.profiling && !request->debugger && request->code->device_call_count == 0
               ? vm_counters_create(request->code)
               : NULL;
}

static void end_counting(const struct launch *launch, const struct sched_launch *request,
                         struct vm_counters *counters)
{
    const struct sink_profiling *profiling = launch->options.profiling;
    size_t count = 0;
    struct vm_line_counts *lines =
        counters ? vm_counters_lines(counters, request->code, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        const struct vm_line_counts *one = &lines[i];
        const struct api_line told = {.call_id = request->call_id,
                                      .line = one->line,
                                      .operations = one->operations,
                                      .active = one->active,
                                      .present = one->present,
                                      .global_lines = one->accesses.global_lines,
                                      .global_least = one->accesses.global_least,
                                      .local_turns = one->accesses.local_turns,
                                      .local_least = one->accesses.local_least};
        profiling->line(profiling->user, &told, one->file ? one->file : "");
    }
    alloc_free(lines);
    vm_counters_destroy(counters);
}

static cl_int launch_run(void *data, uint64_t *cost)
{
    struct launch *launch = data;
    const bool left_out = !launch->options.exploring && left_out_is(launch->sched.code->name);
    launch->options.checks = left_out ? (struct checks){0} : launch->wanted;
    icd_lock();
    launch->watched = races_watches(launch->objects, launch->object_count);
    launch->place = findings_take_place();
    const bool is_beside = executor_is_beside();
    const bool has_others = executor_has_others();
    struct host_access *host =
        launch->options.exploring || is_beside
            ? NULL
            : host_access_begin(&launch->options, launch->objects, launch->object_count);
    if (left_out) {
        host_changes_drop(launch->changes);
        launch->changes = NULL;
    }
    if (launch->is_beside_host && !launch->changes)
        host_changes_forget(); /* the kernel may tell the host that earlier ones have ended */
    launch->collects = launch->watched ||
                       host_changes_ask_for_touched(launch->changes, count_work_items(launch)) ||
                       host_access_wants_touched(host);
    icd_unlock();
    struct sched_launch request = launch->sched;
    request.observer = findings_observer_beside(
        &launch->options, launch->collects ? &launch->touched : NULL, launch->place);
    if (!launch->collects)
        request.scouts = findings_scouts(&launch->options);
    if (launch->options.exploring) {
        findings_leave_place(launch->place);
        return launch_explore(&request, launch->options.exploring);
    }
    debugging_enter(&request);
    struct loans *loans = loans_begin(&request);
    if (!request.debugger)
        request.run_others = executor_run_others;
    request.mixes = request.run_others && has_others && request.order == SCHED_SEEDED;
    struct sink_meter *meter = launch->options.meter;
    struct sched_budget budget = {.operations = meter ? meter->budget : 0};
    request.budget = budget.operations ? &budget : NULL;
    const uint64_t cost_before = *cost;
    struct repeats *repeats = is_beside ? NULL
                                        : repeats_begin(&(struct repeats_request){
                                              .options = &launch->options,
                                              .launch = &request,
                                              .objects = launch->objects,
                                              .object_count = launch->object_count,
                                              .variables = launch->build->variables,
                                              .variable_count = launch->build->variable_count,
                                              .is_beside_host = launch->is_beside_host});
    request.counters = begin_counting(launch, &request);
    const cl_int status = request.code->device_call_count > 0
                              ? launch_family(launch, &request, cost)
                              : launch_perform(&request, cost);
    end_counting(launch, &request, request.counters);
    request.counters = NULL; /* the launch may run again, which does not count */
    repeats_end(repeats, status, *cost - cost_before);
    loans_end(loans);
    if (meter) {
        meter->operations = *cost - cost_before;
        meter->spent = budget.spent;
        meter->hides = request.code->has_inert_reads;
        meter->communicates = request.code->communicates;
    }
    host_access_end(host, request.code->name, request.call_id, &launch->touched);
    findings_leave_place(launch->place);
    if (status == CL_SUCCESS)
        tell_changes(launch);
    return status;
}

/* An argument by value, and the memory object if it still is the one that was set. A buffer
 * released since is passed by its number, by which the device knows that it is gone. Locked. */
static bool copy_argument(const struct vm_parameter *parameter,
                          const struct kernel_argument *argument, struct sched_argument *copy,
                          cl_mem *mem)
{
    copy->object = argument->object;
    copy->offset = argument->offset;
    copy->local_size = argument->local_size;
    copy->sampler = argument->sampler;
    if (argument->bytes) {
        void *bytes = alloc(parameter->size);
        if (!bytes)
            return false;
        memcpy(bytes, argument->bytes, parameter->size);
        byte_order_turn_value(parameter, bytes);
        copy->bytes = bytes;
    }
    if (argument->mem && object_is(argument->mem, OBJECT_MEM) &&
        argument->mem->number == argument->object) {
        *mem = argument->mem;
        object_hold(*mem);
    }
    return true;
}

static int compare_ids(const void *a, const void *b)
{
    const uint32_t first = *(const uint32_t *)a;
    const uint32_t second = *(const uint32_t *)b;
    return (first > second) - (first < second);
}

/* Reports know memory objects by what kernels call them. Locked. */
static void give_first_uses(const struct launch *launch)
{
    const struct vm_code *code = launch->sched.code;
    for (uint32_t i = 0; i < code->parameter_count; i++) {
        const struct vm_object *object = vm_memory_find(icd_memory(), launch->objects[i]);
        if (object && object->identity.svm != OBSERVER_SVM_SYSTEM && !object->first_use &&
            code->parameters[i].name[0] != '\0')
            vm_memory_give_first_use(icd_memory(), launch->objects[i], code->parameters[i].name,
                                     code->name);
    }
}

/* Of an argument that is an address of the system's memory: the object that it is in, as far as
 * that is known before the launch; 0 = none. */
static uint32_t system_object(const struct kernel_argument *argument)
{
    struct vm_shared_range range;
    const void *address = (const void *)(uintptr_t)argument->offset;
    return !argument->object && argument->offset != 0 && svm_is_system(address) &&
                   vm_memory_find_system(icd_memory(), NULL, argument->offset, 1, &range)
               ? vm_pointer_object(argument->offset + range.difference)
               : 0;
}

/* False when memory is out. Locked. */
static bool list_objects(struct launch *launch, cl_kernel kernel)
{
    const uint32_t parameter_count = launch->sched.code->parameter_count;
    size_t listed = 0;
    launch->object_count = parameter_count + kernel->svm_list_count;
    launch->objects = alloc_zero(launch->object_count, sizeof(*launch->objects));
    launch->svm_listed = alloc_zero(launch->object_count, sizeof(*launch->svm_listed));
    launch->blocks = alloc_zero(parameter_count, sizeof(*launch->blocks));
    if (!launch->objects || !launch->svm_listed || !launch->blocks)
        return false;
    for (size_t i = 0; i < launch->object_count; i++) {
        const uint32_t own = i < parameter_count ? kernel->arguments[i].object
                                                 : kernel->svm_list[i - parameter_count];
        const uint32_t number =
            own || i >= parameter_count ? own : system_object(&kernel->arguments[i]);
        const struct vm_object *object = vm_memory_find(icd_memory(), number);
        launch->objects[i] = number;
        if (object && object->identity.svm != OBSERVER_SVM_NONE)
            launch->svm_listed[listed++] = object->identity.id;
    }
    for (uint32_t i = 0; i < parameter_count; i++) {
        if (kernel->arguments[i].block.size > 0)
            launch->blocks[launch->sched.blocks.count++] = kernel->arguments[i].block;
    }
    launch->sched.blocks.items = launch->blocks;
    qsort(launch->svm_listed, listed, sizeof(*launch->svm_listed), compare_ids);
    launch->sched.svm_listed = launch->svm_listed;
    launch->sched.svm_listed_count = listed;
    launch->sched.svm_kinds = kernel->svm_kinds;
    launch->sched.system = kernel->system == VM_SYSTEM_UNSAID && svm_system_was_asked_for()
                               ? VM_SYSTEM_ASKED
                               : kernel->system;
    return true;
}

/* May the host change memory that it can reach, while it runs? */
static bool is_beside_host(const struct launch *launch)
{
    bool reaches = launch->sched.system == VM_SYSTEM_USED;
    for (int kind = OBSERVER_SVM_NONE; kind <= OBSERVER_SVM_SHARED; kind++)
        reaches |=
            (launch->sched.svm_kinds >> kind & 1) && svm_is_beside_host((enum observer_svm)kind);
    for (size_t i = 0; i < launch->object_count && !reaches; i++) {
        const struct vm_object *object = vm_memory_find(icd_memory(), launch->objects[i]);
        reaches = object && svm_is_beside_host(object->root->identity.svm);
    }
    return reaches;
}

/* Has it loops that may wait, perhaps in what it enqueues, for the host? */
static bool may_wait(const struct launch *launch)
{
    const struct vm_code *code = launch->sched.code;
    return launch->is_beside_host && (code->spin_count > 0 || code->device_call_count > 0);
}

/* What is executed, now that all that it points to is there. */
static void set_sched(struct launch *launch, const struct range *range)
{
    struct sched_launch *sched = &launch->sched;
    sched->memory = icd_memory();
    sched->dimensions = range->dimensions;
    memcpy(sched->global_size, range->global, sizeof(sched->global_size));
    memcpy(sched->local_size, range->local, sizeof(sched->local_size));
    memcpy(sched->global_offset, range->offset, sizeof(sched->global_offset));
    sched->arguments = launch->arguments;
    sched->globals = launch->globals;
    sched->sub_group_size = sub_group_size(sched->code);
    sched->owners = &owners;
    sched->wait_for_host = launch->waits ? executor_wait_for_host : NULL;
    sched->label = launch->label;
}

/* Locked. NULL when memory is out. */
static struct launch *launch_create(cl_kernel kernel, cl_device_id device,
                                    const struct kernel_device *on, const struct range *range,
                                    const char *function)
{
    const struct vm_code *code = on->code;
    struct launch *launch = alloc_zero(1, sizeof(*launch));
    if (!launch)
        return NULL;
    launch->kernel = kernel;
    launch->options = options_launch();
    launch->wanted = launch->options.checks;
    launch->sched = launch->options.sched;
    launch->sched.code = code;
    launch->sched.program = kernel->program->number;
    launch->build = on->build;
    launch->device = device;
    object_hold(kernel);
    object_hold(device);
    launch->arguments = alloc_zero(code->parameter_count, sizeof(*launch->arguments));
    launch->mems = alloc_zero(code->parameter_count, sizeof(cl_mem));
    launch->globals = alloc_zero(code->global_count, sizeof(*launch->globals));
    launch->label = alloc_format("%s of '%s'", function, code->name);
    bool complete = launch->arguments && launch->mems && launch->globals && launch->label &&
                    list_objects(launch, kernel);
    for (uint32_t i = 0; complete && i < code->parameter_count; i++)
        complete = copy_argument(&code->parameters[i], &kernel->arguments[i], &launch->arguments[i],
                                 &launch->mems[i]);
    for (uint32_t i = 0; complete && i < code->global_count; i++)
        launch->globals[i] = on->build->variables[code->globals[i].index];
    if (!complete) {
        launch_release(launch);
        return NULL;
    }
    launch->is_beside_host = is_beside_host(launch);
    launch->waits = may_wait(launch);
    give_first_uses(launch);
    set_sched(launch, range);
    return launch;
}

/* ---- the calls ---- */

bool launch_has_arguments(cl_kernel kernel)
{
    for (uint32_t i = 0; i < kernel->code->parameter_count; i++) {
        if (!kernel->arguments[i].set)
            return false;
    }
    return true;
}

cl_int launch_check(cl_command_queue queue, cl_kernel kernel, bool with_arguments,
                    const struct kernel_device **on)
{
    if (!object_is(queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    if (kernel->program->context != queue->context)
        return CL_INVALID_CONTEXT;
    if (with_arguments && !launch_has_arguments(kernel))
        return CL_INVALID_KERNEL_ARGS;
    *on = kernel_on(kernel, queue->device);
    return *on ? CL_SUCCESS : CL_INVALID_PROGRAM_EXECUTABLE;
}

cl_int launch_prepare(struct command_work *work, cl_kernel kernel, cl_device_id device,
                      const struct range *range, const char *function)
{
    const struct kernel_device *on = kernel_on(kernel, device);
    const cl_int result = resources_check(kernel, on->code);
    if (result != CL_SUCCESS || range->empty)
        return result;
    struct launch *launch = launch_create(kernel, device, on, range, function);
    if (!launch)
        return CL_OUT_OF_HOST_MEMORY;
    launch->sched.call_id = work->call_id;
    work->waits_for_host = launch->waits;
    work->kernel = on->code->name;
    work->data = launch;
    work->run = launch_run;
    work->tell = launch_tell;
    work->release = launch_release;
    return CL_SUCCESS;
}

/* Could only the calls of the host order its own changes with what the launch does? */
static bool is_ordered_by_calls(const struct launch *launch, const struct command_request *request)
{
    return launch->sched.svm_listed_count > 0 && !launch->waits && launch->sched.svm_kinds == 0 &&
           launch->sched.system != VM_SYSTEM_USED && launch->sched.code->device_call_count == 0 &&
           !races_has_running() && !races_waits_for_user_event(request);
}

static cl_int enqueue(struct command_request *request, cl_kernel kernel, cl_uint work_dim,
                      const size_t *offset, const size_t *global, const size_t *local,
                      const char *function)
{
    struct range range;
    const struct kernel_device *on;
    request->work.call_id = races_take_call_id();
    cl_int result = launch_check(request->queue, kernel, true, &on);
    if (result == CL_SUCCESS)
        result = range_make(on, work_dim, offset, global, local, &range);
    if (result == CL_SUCCESS)
        result = command_check(request);
    icd_lock();
    if (result == CL_SUCCESS)
        result = launch_prepare(&request->work, kernel, request->queue->device, &range, function);
    struct launch *launch = result == CL_SUCCESS ? request->work.data : NULL;
    if (launch && is_ordered_by_calls(launch, request))
        launch->changes =
            host_changes_begin(&(struct host_changes_launch){.objects = launch->objects,
                                                             .count = launch->object_count,
                                                             .code = launch->sched.code,
                                                             .call_id = launch->sched.call_id,
                                                             .is_mapped = svm_is_mapped});
    icd_unlock();
    return result == CL_SUCCESS ? command_enqueue(request) : result;
}

cl_int icd_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim,
                                  const size_t *global_work_offset, const size_t *global_work_size,
                                  const size_t *local_work_size, cl_uint num_events_in_wait_list,
                                  const cl_event *event_wait_list, cl_event *event)
{
    struct command_request request = command_request_of(
        queue, CL_COMMAND_NDRANGE_KERNEL, num_events_in_wait_list, event_wait_list, event);
    return enqueue(&request, kernel, work_dim, global_work_offset, global_work_size,
                   local_work_size, "clEnqueueNDRangeKernel");
}

cl_int icd_clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint num_events_in_wait_list,
                         const cl_event *event_wait_list, cl_event *event)
{
    const size_t one = 1;
    struct command_request request =
        command_request_of(queue, CL_COMMAND_TASK, num_events_in_wait_list, event_wait_list, event);
    return enqueue(&request, kernel, 1, NULL, &one, &one, "clEnqueueTask");
}

cl_int icd_clGetKernelSuggestedLocalWorkSize(cl_command_queue queue, cl_kernel kernel,
                                             cl_uint work_dim, const size_t *global_work_offset,
                                             const size_t *global_work_size,
                                             size_t *suggested_local_work_size)
{
    struct range range;
    const struct kernel_device *on;
    cl_int result = launch_check(queue, kernel, true, &on);
    if (result == CL_SUCCESS)
        result = range_make(on, work_dim, global_work_offset, global_work_size, NULL, &range);
    if (result != CL_SUCCESS)
        return result;
    if (range.empty)
        return CL_INVALID_GLOBAL_WORK_SIZE;
    if (!suggested_local_work_size)
        return CL_INVALID_VALUE;
    for (cl_uint d = 0; d < work_dim; d++)
        suggested_local_work_size[d] = range.local[d];
    return CL_SUCCESS;
}
