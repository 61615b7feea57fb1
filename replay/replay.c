/* The loop over the recording: what is performed, what is not, and what a result means. */
#include "replay/replay.h"

#include "replay/memory.h"
#include "replay/state.h"
#include "replay/types.h"
#include "trace/api/image.h"
#include "trace/base/alloc.h"
#include "trace/spool.h"

#include <stdio.h>
#include <string.h>

/* ---- calls that are not performed as they stand ---- */

enum disposition {
    DISPOSITION_PERFORM,
    DISPOSITION_QUERY,    /* only asks, or creates what replay has already: platforms, devices */
    DISPOSITION_CALLBACK, /* registers a callback */
};

static enum disposition call_disposition(const struct api_call *call,
                                         const struct api_entry_info *info)
{
    switch (call->entry) {
    case API_ENTRY_clCreateSubDevices: /* every device stands for the target's one */
    case API_ENTRY_clCreateSubDevicesEXT:
    case API_ENTRY_clRetainDevice:
    case API_ENTRY_clReleaseDevice:
    case API_ENTRY_clRetainDeviceEXT:
    case API_ENTRY_clReleaseDeviceEXT:
    case API_ENTRY_clUnloadCompiler:
    case API_ENTRY_clUnloadPlatformCompiler:
        return DISPOSITION_QUERY;
    default:
        break;
    }
    if (info->flags & API_ENTRY_ASKS)
        return DISPOSITION_QUERY;
    const uint32_t callback = api_entry_find_role(info, API_ROLE_CALLBACK);
    if (callback != API_PARAMETER_NONE &&
        (info->parameters[callback].flags & API_PARAMETER_REQUIRED))
        return DISPOSITION_CALLBACK;
    return DISPOSITION_PERFORM;
}

/* Of extensions those are repeated whose calls are complete by themselves: others share memory with
 * someone who is not there. */
static bool is_repeatable(const struct api_entry_info *info)
{
    static const char *const extensions[] = {
        "cl_ext_device_fission",
        "cl_ext_migrate_memobject",
        "cl_intel_create_buffer_with_properties",
        "cl_intel_unified_shared_memory",
        "cl_khr_command_buffer",
        "cl_khr_command_buffer_multi_device",
        "cl_khr_command_buffer_mutable_dispatch",
        "cl_khr_create_command_queue",
        "cl_khr_il_program",
        "cl_khr_semaphore",
        "cl_khr_subgroups",
        "cl_khr_suggested_local_work_size",
        "cl_khr_terminate_context",
    };
    if (strncmp(info->since, "cl_", 3) != 0)
        return true;
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; ++i)
        if (strcmp(extensions[i], info->since) == 0)
            return true;
    return false;
}

/* A query that saw a command complete: what the application did next may rely on it. */
static enum status observe_query(struct replay *replay, const struct api_call *call,
                                 struct error *error)
{
    uint32_t event_index;
    if (call->entry == API_ENTRY_clGetEventInfo) {
        const struct api_value *value = &call->arguments[API_clGetEventInfo_param_value];
        cl_int execution_status = CL_QUEUED;
        if (call->arguments[API_clGetEventInfo_param_name].bits !=
                CL_EVENT_COMMAND_EXECUTION_STATUS ||
            value->size < sizeof execution_status || !value->data)
            return STATUS_OK;
        memcpy(&execution_status, value->data, sizeof execution_status);
        if (execution_status != CL_COMPLETE)
            return STATUS_OK;
        event_index = API_clGetEventInfo_event;
    } else if (call->entry == API_ENTRY_clGetEventProfilingInfo &&
               (int32_t)call->result.bits == CL_SUCCESS) {
        event_index = API_clGetEventProfilingInfo_event;
    } else {
        return STATUS_OK;
    }
    const struct replay_object *event =
        replay_objects_find(replay->objects, call->arguments[event_index].bits);
    if (event && event->kind == API_OBJECT_EVENT && !event->user_event_open) {
        cl_event new_event = (cl_event)(uintptr_t)event->new_handle;
        if (event->held_by) {
            CL(replay->target, clRetainEvent)(new_event);
            return replay_wait_add(replay,
                                   &(struct replay_wait){.end_ns = call->end_ns,
                                                         .call_id = call->id,
                                                         .event = new_event,
                                                         .held_by = event->held_by},
                                   error);
        }
        replay_await(replay, new_event);
    }
    return replay_host_sees(replay, call->id, error);
}

/* Of the memory that the recorded program had by its own means nothing is here: at its addresses
 * there may be replay's own, which kernels must leave alone. */
static void spare_system(const struct replay *replay, uint64_t kernel)
{
    const cl_bool uses = CL_FALSE;
    if (kernel && (replay->target->svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM))
        CL(replay->target, clSetKernelExecInfo)
    ((cl_kernel)(uintptr_t)kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof uses, &uses);
}

/* The name of a kernel of clCreateKernelsInProgram: the layer asks for it, as a call of its own,
 * when the kernel appears. */
static enum status name_kernel(struct replay *replay, const struct api_call *call,
                               struct error *error)
{
    const struct api_value *value = &call->arguments[API_clGetKernelInfo_param_value];
    if (call->entry != API_ENTRY_clGetKernelInfo || !value->data || !value->size ||
        call->arguments[API_clGetKernelInfo_param_name].bits != CL_KERNEL_FUNCTION_NAME)
        return STATUS_OK;
    struct replay_object *kernel =
        replay_objects_find(replay->objects, call->arguments[API_clGetKernelInfo_kernel].bits);
    if (!kernel || kernel->kind != API_OBJECT_KERNEL || kernel->new_handle)
        return STATUS_OK;
    char *name = alloc_format("%.*s", (int)value->size, (const char *)value->data);
    if (!name)
        return error_no_memory(error, value->size);
    cl_int status = CL_SUCCESS;
    kernel->new_handle = (uintptr_t)CL(replay->target, clCreateKernel)(
        (cl_program)(uintptr_t)kernel->program, name, &status);
    alloc_free(name);
    char number[16];
    if (status != CL_SUCCESS)
        return replay_fail(call, STATUS_UNSUPPORTED, error,
                           "the target cannot create the kernel: %s",
                           replay_status_name(status, number));
    spare_system(replay, kernel->new_handle);
    return STATUS_OK;
}

static enum status create_kernels(struct replay *replay, const struct api_call *call,
                                  struct error *error)
{
    const struct api_value *kernels = &call->arguments[API_clCreateKernelsInProgram_kernels];
    const struct replay_object *program = replay_objects_find(
        replay->objects, call->arguments[API_clCreateKernelsInProgram_program].bits);
    if (!program)
        return replay_fail(call, STATUS_NOT_FOUND, error, "the program was not created");
    const uint64_t new_program = program->new_handle;
    for (uint32_t i = 0; kernels->data && i < kernels->count; ++i) {
        struct replay_object *kernel =
            replay_objects_put(replay->objects, replay_element(kernels, i), 0, API_OBJECT_KERNEL);
        if (!kernel)
            return error_no_memory(error, sizeof *kernel);
        kernel->program = new_program;
    }
    return STATUS_OK;
}

/* ---- before and after one call ---- */

/* clCreateContextFromType: the type named the recording's device, replay has its own. */
static void use_target_device(const struct replay *replay, struct replay_prepared *prepared)
{
    uint64_t words[API_ARGUMENT_MAX] = {0};
    words[API_clCreateContext_properties] = prepared->words[API_clCreateContextFromType_properties];
    words[API_clCreateContext_num_devices] = 1;
    words[API_clCreateContext_devices] = (uintptr_t)&replay->target->device;
    words[API_clCreateContext_errcode_ret] =
        prepared->words[API_clCreateContextFromType_errcode_ret];
    memcpy(prepared->words, words, sizeof words);
    prepared->entry = API_ENTRY_clCreateContext;
}

static void describe_memory_object(const struct api_call *call, struct replay_object *object)
{
    struct image_create create;
    if (!image_create_parse(call, &create))
        return;
    object->image = image_shape_of(create.format, &create.desc);
    snprintf(object->type, sizeof object->type, "%s",
             replay_channel_type(create.format->image_channel_data_type));
}

/* OpenCL API 3.0, 5.9: a clone has the arguments of its source. */
static bool copy_reached(const struct replay *replay, const struct api_call *call,
                         struct replay_object *clone)
{
    const struct replay_object *source =
        replay_objects_find(replay->objects, call->arguments[API_clCloneKernel_source_kernel].bits);
    for (size_t i = 0; source && i < source->reached_count; ++i)
        if (!replay_object_reach(clone, i, source->reached[i]))
            return false;
    return true;
}

enum { RELEASE, RETAIN };

/* Replay itself retains contexts, queues and programs alone. */
static const uint32_t holding_entries[API_OBJECT_KIND_COUNT][2] = {
    [API_OBJECT_CONTEXT] = {API_ENTRY_clReleaseContext, API_ENTRY_clRetainContext},
    [API_OBJECT_QUEUE] = {API_ENTRY_clReleaseCommandQueue, API_ENTRY_clRetainCommandQueue},
    [API_OBJECT_MEM] = {API_ENTRY_clReleaseMemObject},
    [API_OBJECT_PROGRAM] = {API_ENTRY_clReleaseProgram, API_ENTRY_clRetainProgram},
    [API_OBJECT_KERNEL] = {API_ENTRY_clReleaseKernel},
    [API_OBJECT_EVENT] = {API_ENTRY_clReleaseEvent},
    [API_OBJECT_SAMPLER] = {API_ENTRY_clReleaseSampler},
    [API_OBJECT_COMMAND_BUFFER] = {API_ENTRY_clReleaseCommandBufferKHR},
    [API_OBJECT_SEMAPHORE] = {API_ENTRY_clReleaseSemaphoreKHR},
};

static void hold(const struct replay *replay, enum api_object_kind kind, uint64_t handle, int how)
{
    const uint32_t entry = holding_entries[kind][how];
    if (replay->target->functions[entry])
        api_perform(entry, replay->target->functions[entry], &handle);
}

static enum status keep(struct replay *replay, enum api_object_kind kind, uint64_t handle,
                        struct error *error)
{
    if (kind != API_OBJECT_CONTEXT && kind != API_OBJECT_QUEUE && kind != API_OBJECT_PROGRAM)
        return STATUS_OK;
    void *grown =
        alloc_grow(replay->kept, replay->kept_count, &replay->kept_capacity, sizeof *replay->kept);
    if (!grown)
        return error_no_memory(error, sizeof *replay->kept);
    replay->kept = grown;
    replay->kept[replay->kept_count++] = (struct replay_kept){.kind = kind, .handle = handle};
    hold(replay, kind, handle, RETAIN);
    return STATUS_OK;
}

static void release(const struct replay *replay, struct replay_object *object)
{
    for (; object->new_handle && object->references > 0; --object->references)
        hold(replay, object->kind, object->new_handle, RELEASE);
}

static void fail_user_event(const struct replay *replay, const struct replay_object *object)
{
    if (object->user_event_open)
        CL(replay->target, clSetUserEventStatus)((cl_event)(uintptr_t)object->new_handle, -1);
}

/* What had the handle was released, though a damaged trace may lack that call. */
static struct replay_object *put(struct replay *replay, uint64_t old_handle, uint64_t new_handle,
                                 enum api_object_kind kind)
{
    struct replay_object *before = replay_objects_find(replay->objects, old_handle);
    if (before) {
        fail_user_event(replay, before);
        replay->open_user_events -= before->user_event_open;
        release(replay, before);
    }
    return replay_objects_put(replay->objects, old_handle, new_handle, kind);
}

/* What a call created that failed in the recording, or never returned: nothing there names it. */
static void release_created(const struct replay *replay, const struct replay_prepared *prepared,
                            uint64_t result)
{
    struct replay_object object = {
        .new_handle = result, .kind = prepared->info->return_kind, .references = 1};
    if (prepared->info->return_role == API_ROLE_HANDLE)
        release(replay, &object);
}

/* What the call created stands for what it created in the recording. */
static enum status register_objects(struct replay *replay, struct replay_prepared *prepared,
                                    uint64_t result, uint64_t held_by, struct error *error)
{
    const struct api_call *call = prepared->call;
    const struct api_entry_info *info = prepared->info;
    const uint64_t old_event = replay_output(call, api_entry_find_role(info, API_ROLE_OUT_EVENT));
    if (info->return_role == API_ROLE_HANDLE && call->result.bits) {
        struct replay_object *object = put(replay, call->result.bits, result, info->return_kind);
        if (!object)
            return error_no_memory(error, sizeof *object);
        const enum status status = keep(replay, info->return_kind, result, error);
        if (status != STATUS_OK)
            return status;
        if (info->return_kind == API_OBJECT_MEM)
            describe_memory_object(call, object);
        if (info->return_kind == API_OBJECT_KERNEL)
            spare_system(replay, result);
        if (call->entry == API_ENTRY_clCloneKernel && !copy_reached(replay, call, object))
            return error_no_memory(error, sizeof(uint64_t));
        if (call->entry == API_ENTRY_clCreateUserEvent) {
            object->user_event_open = true;
            ++replay->open_user_events;
        }
    }
    if (call->entry == API_ENTRY_clSetKernelExecInfo)
        spare_system(replay, prepared->words[API_clSetKernelExecInfo_kernel]);
    if (prepared->event && !prepared->event_is_ours) {
        if (old_event && !put(replay, old_event, (uintptr_t)*prepared->event, API_OBJECT_EVENT))
            return error_no_memory(error, sizeof(struct replay_object));
    }
    replay_held_note(replay, prepared, held_by, old_event);
    return replay_recording_note(replay, prepared, error);
}

/* Retains and releases are counted, so that at the end it is known which queues can still be
 * finished. */
static void count_references(struct replay *replay, const struct replay_prepared *prepared)
{
    const struct api_parameter *first = prepared->info->parameters;
    if (!prepared->info->parameter_count ||
        !(first->flags & (API_PARAMETER_RETAINED | API_PARAMETER_RELEASED)))
        return;
    struct replay_object *object =
        replay_objects_find(replay->objects, prepared->call->arguments[0].bits);
    if (object)
        object->references += first->flags & API_PARAMETER_RETAINED ? 1 : -1;
}

static void close_user_event(struct replay *replay, const struct api_call *call)
{
    struct replay_object *event =
        replay_objects_find(replay->objects, call->arguments[API_clSetUserEventStatus_event].bits);
    if (event && event->user_event_open) {
        event->user_event_open = false;
        --replay->open_user_events;
        replay_held_end(replay, event->old_handle);
        replay_threads_held_end(replay, event->old_handle);
    }
}

/* Frees of shared virtual memory. Memory that a callback of the program's frees is alive until that
 * callback's call. */
static void note_freed(const struct replay *replay, const struct api_call *call)
{
    const struct api_value *arguments = call->arguments;
    if (call->entry == API_ENTRY_clSVMFree || call->entry == API_ENTRY_clMemFreeINTEL ||
        call->entry == API_ENTRY_clMemBlockingFreeINTEL)
        replay_shared_freed(replay, arguments[API_clSVMFree_svm_pointer].bits);
    const struct api_value *list = &arguments[API_clEnqueueSVMFree_svm_pointers];
    if (call->entry != API_ENTRY_clEnqueueSVMFree || !list->data ||
        arguments[API_clEnqueueSVMFree_pfn_free_func].present)
        return;
    for (uint32_t i = 0; i < list->count; ++i)
        replay_shared_freed(replay, replay_element(list, i));
}

static void note_more_reached(const struct replay *replay, const struct api_call *call)
{
    struct replay_object *kernel =
        replay_objects_find(replay->objects, call->arguments[API_clSetKernelExecInfo_kernel].bits);
    if (kernel)
        kernel->reaches_more = true;
}

/* What a successful call leaves behind: objects, maps, transfers under way. */
static enum status record_success(struct replay *replay, struct replay_prepared *prepared,
                                  uint64_t result, uint64_t wait_end_ns, struct error *error)
{
    const struct api_call *call = prepared->call;
    const uint64_t held_by = replay_held_by(replay, prepared);
    enum status status = STATUS_OK;
    if (replay_is_completed(call) && replay_recorded_status(call, prepared->info) == CL_SUCCESS)
        status = register_objects(replay, prepared, result, held_by, error);
    else
        release_created(replay, prepared, result);
    if (status == STATUS_OK && wait_end_ns && prepared->event && replay_is_completed(call)) {
        CL(replay->target, clRetainEvent)(*prepared->event);
        status = replay_wait_add(replay,
                                 &(struct replay_wait){.end_ns = wait_end_ns,
                                                       .call_id = call->id,
                                                       .event = *prepared->event,
                                                       .held_by = held_by},
                                 error);
    }
    if (call->entry == API_ENTRY_clSetUserEventStatus)
        close_user_event(replay, call);
    if (call->entry == API_ENTRY_clSetKernelExecInfo)
        note_more_reached(replay, call);
    note_freed(replay, call);
    count_references(replay, prepared);
    if (status != STATUS_OK)
        return status;
    if (call->entry == API_ENTRY_clEnqueueSVMFree &&
        call->arguments[API_clEnqueueSVMFree_pfn_free_func].present)
        status = replay_callback_await(replay, call, *prepared->event, held_by, error);
    if (status != STATUS_OK)
        return status;
    if (replay_allocates(call->entry) && replay_is_completed(call))
        return replay_shared_add(replay, prepared, result, error);
    if (call->entry == API_ENTRY_clEnqueueSVMMap)
        return replay_map_add(replay, prepared,
                              (void *)(uintptr_t)prepared->words[API_clEnqueueSVMMap_svm_ptr],
                              error);
    const bool is_map = prepared->info->return_role == API_ROLE_POINTER && result;
    if (is_map)
        return replay_map_add(replay, prepared, (void *)(uintptr_t)result, error);
    if (prepared->memory || prepared->shared)
        return replay_transfer_add(replay, prepared, NULL, error);
    if (prepared->event && prepared->event_is_ours && *prepared->event)
        CL(replay->target, clReleaseEvent)(*prepared->event);
    return STATUS_OK;
}

/* Lets a kernel run, so that what it reports is known to be its own: a flush of the reference
 * device returns when nothing is left that can run. To wait would order commands that nothing
 * orders in the program. */
static enum status settle_launch(struct replay *replay, const struct replay_prepared *prepared,
                                 struct error *error)
{
    if (!replay->options->settle_launches || replay->threads)
        return STATUS_OK;
    if (replay->open_user_events == 0)
        CL(replay->target, clFlush)(replay_queue_of(replay, prepared));
    else
        replay->launches_are_mixed = true;
    if (replay->launches_are_mixed && replay->options->launch)
        replay->options->launch(replay->options->user, NULL);
    return replay->options->launch_settled
               ? replay->options->launch_settled(replay->options->user, prepared->call, error)
               : STATUS_OK;
}

static void tell_launch(const struct replay *replay, const struct api_call *call)
{
    const struct replay_options *options = replay->options;
    if (options->launch)
        options->launch(options->user, replay->launches_are_mixed ? NULL : call);
    if (options->launch_beside_host && replay_is_beside_host(replay, call))
        options->launch_beside_host(options->user, call);
}

/* A launch that runs alone: nothing that it waited for is performed. */
static const struct api_call *without_waits(const struct api_call *call, struct api_call *copy)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    *copy = *call;
    for (uint32_t i = 0; i < info->parameter_count; ++i) {
        if (info->parameters[i].role == API_ROLE_WAIT_LIST) {
            copy->arguments[i] = (struct api_value){.kind = API_VALUE_POINTER};
            copy->arguments[info->parameters[i].count_index].bits = 0;
        } else if (info->parameters[i].role == API_ROLE_OUT_EVENT) {
            copy->arguments[i] = (struct api_value){.kind = API_VALUE_POINTER};
        }
    }
    return copy;
}

/* `overlapped`: other calls began before this one returned. */
static enum status perform(struct replay *replay, struct replay_prepared *prepared, bool overlapped,
                           struct error *error)
{
    const struct api_call *call = prepared->call;
    const uint64_t end_ns = replay_is_completed(call) ? call->end_ns : UINT64_MAX;
    uint64_t wait_end_ns = 0;
    enum status status = STATUS_OK;
    if (call->entry == API_ENTRY_clCreateContextFromType)
        use_target_device(replay, prepared);
    if (call->entry == API_ENTRY_clEnqueueUnmapMemObject ||
        call->entry == API_ENTRY_clEnqueueSVMUnmap)
        status = replay_map_write(replay, prepared, error);
    if (status == STATUS_OK && prepared->info->flags & API_ENTRY_ENQUEUES)
        status = replay_host_wrote(replay, call, error);
    if (status != STATUS_OK)
        return status;
    const uint32_t blocking = prepared->info->blocking;
    const bool waits =
        replay_is_waiting(call) || (blocking != API_PARAMETER_NONE && prepared->words[blocking]);
    const uint64_t held_by = waits ? replay_held_by(replay, prepared) : 0;
    /* Threads that run freely wait for each other as they did. */
    overlapped |= held_by && !replay->threads;
    if (overlapped && replay_is_waiting(call)) {
        ++replay->result->performed;
        return replay_wait_defer(replay, prepared, end_ns, error);
    }
    if (overlapped && blocking != API_PARAMETER_NONE && prepared->words[blocking]) {
        prepared->words[blocking] = CL_FALSE;
        wait_end_ns = end_ns;
    }
    api_function *function = replay->target->functions[prepared->entry];
    if (!function)
        return replay_fail(call, STATUS_UNSUPPORTED, error, "the target does not have it");
    if (replay_runs_kernels(call)) {
        status = replay_launch_prepare(replay, prepared, error);
        if (status != STATUS_OK)
            return status;
        replay->result->launches += replay_is_launch(call);
        replay->result->command_buffers += !replay_is_launch(call);
        tell_launch(replay, call);
    }
    if (prepared->info->flags & API_ENTRY_ENQUEUES)
        replay_host_shares(replay, call);
    status = replay_begins(replay, call, held_by, error);
    if (status != STATUS_OK)
        return status;
    if (replay->options->command &&
        (prepared->info->flags & (API_ENTRY_ENQUEUES | API_ENTRY_RECORDS)) != 0)
        replay->options->command(replay->options->user, call);
    replay_leave(replay);
    const uint64_t result = api_perform(prepared->entry, function, prepared->words);
    replay_enter(replay);
    ++replay->result->performed;

    bool succeeded;
    status = replay_judge_status(replay, prepared, result, &succeeded, error);
    if (status != STATUS_OK || !succeeded)
        return status;
    status = record_success(replay, prepared, result, wait_end_ns, error);
    if (status == STATUS_OK && replay_runs_kernels(call)) {
        status = settle_launch(replay, prepared, error);
        if (status == STATUS_OK)
            status = replay_launch_compare(replay, prepared, error);
    }
    const bool has_waited =
        replay_is_waiting(call) || (blocking != API_PARAMETER_NONE && prepared->words[blocking]);
    if (status == STATUS_OK && has_waited)
        status = replay_transfers_settle(replay, error);
    return status == STATUS_OK && has_waited ? replay_host_sees(replay, call->id, error) : status;
}

/* ---- the loop ---- */

static enum status perform_native(struct replay *replay, const struct api_call *call,
                                  bool overlapped, struct arena *arena, struct error *error)
{
    const struct api_call begin = replay_native_begin(call);
    const struct api_call end = replay_native_end(call);
    if (!replay_is_completed(call) ||
        replay_recorded_status(call, api_entry_get(call->entry)) != CL_SUCCESS) {
        ++replay->result->not_repeated;
        return STATUS_OK;
    }
    enum status status = replay_call(replay, &begin, overlapped, arena, error);
    if (!status)
        status = replay_native_write(replay, call, error);
    return status ? status : replay_call(replay, &end, overlapped, arena, error);
}

enum status replay_call(struct replay *replay, const struct api_call *call, bool overlapped,
                        struct arena *arena, struct error *error)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    if ((call->flags & API_CALL_SYNTHETIC) && !api_call_is_of_found(call)) {
        replay_types_hear(replay, call);
        return name_kernel(replay, call, error);
    }
    if (call->flags & API_CALL_BLOCKED) {
        ++replay->result->blocked;
        return STATUS_OK;
    }
    if (call->entry == API_ENTRY_UNKNOWN || call->entry >= API_ENTRY_COUNT ||
        !is_repeatable(info)) {
        ++replay->result->extension_calls;
        return STATUS_OK;
    }
    struct api_call copy;
    if (replay->options->launches) {
        if (!replay_runs_alone(replay, call) &&
            (replay_is_launch(call) || !replay_prepares_launches(call))) {
            ++replay->result->left_out;
            return STATUS_OK;
        }
        overlapped = false;
        call = without_waits(call, &copy);
    }
    if (call->entry == API_ENTRY_clEnqueueNativeKernel)
        return perform_native(replay, call, overlapped, arena, error);
    switch (call_disposition(call, info)) {
    case DISPOSITION_QUERY:
        ++replay->result->queries;
        return replay_is_completed(call) ? observe_query(replay, call, error) : STATUS_OK;
    case DISPOSITION_CALLBACK:
        return replay_callback_note(replay, call, error);
    case DISPOSITION_PERFORM:
        break;
    }
    if (call->entry == API_ENTRY_clCreateContextFromType && replay_is_completed(call) &&
        replay_recorded_status(call, info) != CL_SUCCESS) {
        ++replay->result
              ->queries; /* it asked for a kind of device that the recording's platform lacked */
        return STATUS_OK;
    }
    if (call->entry == API_ENTRY_clCreateKernelsInProgram) {
        ++replay->result->performed;
        return create_kernels(replay, call, error);
    }
    if (!replay_is_completed(call) && replay_is_waiting(call)) {
        ++replay->result->unfinished; /* it never returned: it would not return here either */
        return STATUS_OK;
    }
    struct replay_prepared prepared;
    enum status status = replay_prepare(replay, call, arena, &prepared, error);
    if (status != STATUS_OK) {
        /* A call that failed in the recording may name anything; one on a released object was wrong
         * then and would be now. */
        if (!replay_is_completed(call))
            ++replay->result->unfinished;
        else if (status == STATUS_INVALID ||
                 (replay_recorded_status(call, info) != CL_SUCCESS && status != STATUS_NO_MEMORY))
            ++replay->result->not_repeated;
        else
            return status;
        return STATUS_OK;
    }
    status = perform(replay, &prepared, overlapped || !replay_is_completed(call), error);
    alloc_free(prepared.memory);
    return status;
}

void replay_fail_user_events(struct replay *replay)
{
    struct replay_object *object = NULL;
    while ((object = replay_objects_next(replay->objects, object)))
        fail_user_event(replay, object);
}

/* What was enqueued runs to its end: user events that the recording never set are failed first, as
 * waiting for them has no end. `error` is NULL after a failure. */
static enum status finish_all(struct replay *replay, struct error *error)
{
    enum status status = replay_waits_end_all(replay, error);
    const bool leaves_memory = replay->options->left && error && status == STATUS_OK;
    if (leaves_memory && !replay->open_user_events)
        replay_finish_queues(replay);
    if (leaves_memory)
        status = replay_leave_memory(replay, error);
    replay_fail_user_events(replay);
    replay_finish_queues(replay);
    for (size_t i = 0; i < replay->transfer_count; ++i) {
        if (replay->transfers[i].event)
            CL(replay->target, clWaitForEvents)(1, &replay->transfers[i].event);
    }
    return status == STATUS_OK ? replay_transfers_settle(replay, error) : status;
}

/* What the recording never released, or was not replayed far enough to release. */
static void release_rest(const struct replay *replay)
{
    struct replay_object *object = NULL;
    while ((object = replay_objects_next(replay->objects, object)))
        release(replay, object);
}

static bool is_of_stage(const struct replay *replay, const struct api_call *call)
{
    const bool maps = call->entry == API_ENTRY_clEnqueueMapBuffer ||
                      call->entry == API_ENTRY_clEnqueueMapImage ||
                      call->entry == API_ENTRY_clEnqueueSVMMap;
    return replay->stage == REPLAY_ALL || maps == (replay->stage == REPLAY_MAPS);
}

/* The calls in order, with one call of foresight: whether the next began before this one returned.
 */
static enum status replay_calls(struct replay *replay, struct trace_cursor *cursor,
                                struct error *error)
{
    struct arena arenas[2] = {0};
    struct api_call calls[2];
    bool found = false;
    unsigned current = 0;
    enum status status = trace_cursor_next(cursor, &arenas[0], &calls[0], &found, error);
    while (status == STATUS_OK && found) {
        const unsigned next = 1 - current;
        arena_release(&arenas[next]);
        status = trace_cursor_next(cursor, &arenas[next], &calls[next], &found, error);
        if (status != STATUS_OK)
            break;
        const struct api_call *call = &calls[current];
        const bool overlapped =
            found && replay_is_completed(call) && calls[next].begin_ns < call->end_ns;
        status = replay_waits_end(replay, call->begin_ns, error);
        if (status == STATUS_OK && is_of_stage(replay, call))
            status = replay_call(replay, call, overlapped, &arenas[current], error);
        current = next;
    }
    arena_release(&arenas[0]);
    arena_release(&arenas[1]);
    return status;
}

/* The calls from one on. */
static enum status run_from(struct replay *replay, uint64_t first, uint64_t last, bool free_threads,
                            struct error *error)
{
    const struct trace_filter filter = {.first_id = first, .last_id = last, .with_synthetic = true};
    struct trace_cursor *cursor = NULL;
    enum status status = trace_calls(replay->trace, &filter, &cursor, error);
    if (status == STATUS_OK)
        status = free_threads ? replay_threads_run(replay, cursor, error)
                              : replay_calls(replay, cursor, error);
    trace_cursor_destroy(cursor);
    return status;
}

/* What made what is alive where the recording begins was made in that order, whoever did it. */
static enum status run_to_beginning(struct replay *replay, uint64_t begins_after,
                                    struct error *error)
{
    replay->stage = REPLAY_WITHOUT_MAPS;
    enum status status = run_from(replay, 0, begins_after, false, error);
    if (status == STATUS_OK)
        status = replay_begin(replay, begins_after, error);
    replay->stage = REPLAY_MAPS;
    if (status == STATUS_OK)
        status = run_from(replay, 0, begins_after, false, error);
    replay->stage = REPLAY_ALL;
    return status;
}

static enum status run_all(struct replay *replay, struct error *error)
{
    const struct replay_options *options = replay->options;
    const uint64_t begins_after = trace_begins_after(replay->trace);
    const uint64_t last =
        options->launch_count ? options->launches[options->launch_count - 1] : options->last;
    enum status status = STATUS_OK;
    if (begins_after == SPOOL_NOT_BEGUN)
        return error_set(error, STATUS_UNSUPPORTED,
                         "the recording had not begun when the program ended: there is nothing to "
                         "perform");
    /* Launches that run alone find what they found. */
    if (!begins_after || options->launches)
        return run_from(replay, 0, last, options->free_threads, error);
    status = run_to_beginning(replay, begins_after, error);
    if (status == STATUS_OK && (!last || last > begins_after))
        status = run_from(replay, begins_after + 1, last, options->free_threads, error);
    return status;
}

enum status replay_run(struct trace *trace, const struct replay_target *target,
                       const struct replay_options *options, struct replay_result *result,
                       struct error *error)
{
    *result = (struct replay_result){0};
    struct replay_compiler *compiler = NULL;
    struct replay replay = {.trace = trace,
                            .target = target,
                            .options = options,
                            .result = result,
                            .compiler = &compiler};
    enum status status = STATUS_OK;
    replay.objects = replay_objects_create();
    if (!replay.objects)
        status = error_no_memory(error, sizeof(void *));
    if (status == STATUS_OK)
        status = run_all(&replay, error);
    if (replay.objects) {
        /* Also after a failure: until a command is over the device may write to our memory. */
        const enum status finished = finish_all(&replay, status == STATUS_OK ? error : NULL);
        if (status == STATUS_OK)
            status = finished;
        release_rest(&replay);
    }
    alloc_free(replay.waits);
    replay_shared_release(&replay);
    for (size_t i = replay.kept_count; i-- > 0;)
        hold(&replay, replay.kept[i].kind, replay.kept[i].handle, RELEASE);
    alloc_free(replay.kept);
    replay_transfers_release(&replay);
    arena_release(&replay.found_memory);
    arena_release(&replay.host_memory);
    scratch_release(&replay.headers);
    replay_objects_destroy(replay.objects);
    replay_compiler_destroy(compiler);
    return status;
}
