#include "layer/launch_memory.h"

#include "layer/capture.h"
#include "layer/hash.h"
#include "layer/targets.h"
#include "trace/api/memory_object.h"
#include "trace/api/settings.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define NEXT(name) ((cl_api_##name)layer_targets[API_ENTRY_##name])

enum { ARGUMENT_LIMIT = 1024, NAME_SIZE = 256 };

/* One that is alive, by its handle, or an allocation of shared virtual memory, by its address
 * (kind NONE). */
struct object {
    uint64_t handle;
    enum api_object_kind kind;
    int64_t references;
    uint64_t size; /* of shared virtual memory, in bytes */
    /* Of a kernel, what it can reach: by the index of the argument, 0 = nothing; and what
     * clSetKernelExecInfo named. */
    uint64_t *arguments;
    size_t argument_count;
    uint64_t *indirect;
    size_t indirect_count;
    UT_hash_handle hh;
};

struct launch_memory {
    struct spool *spool;
    bool digests_only;
    uint64_t first, last;  /* the calls to keep */
    const char *kernels;   /* names with commas between; "" = all */
    pthread_mutex_t mutex; /* guards all that follows */
    struct object *objects;
    uint64_t open_user_events;
    uint64_t missed_count; /* launches that were to be kept and could not */
};

struct launch_capture {
    cl_command_queue queue;
    size_t count;
    struct memory_object objects[];
};

struct launch_memory *launch_memory_create(struct spool *spool)
{
    struct launch_memory *memory = alloc_zero(1, sizeof *memory);
    if (!memory)
        return NULL;
    memory->spool = spool;
    memory->digests_only = strcmp(setting_value(SETTING_CONTENTS), "hashes") == 0;
    setting_range(SETTING_CAPTURE_LAUNCHES, &memory->first, &memory->last);
    memory->kernels = setting_value(SETTING_CAPTURE_KERNEL);
    pthread_mutex_init(&memory->mutex, NULL);
    return memory;
}

static void object_remove(struct launch_memory *memory, struct object *object)
{
    HASH_DEL(memory->objects, object);
    alloc_free(object->arguments);
    alloc_free(object->indirect);
    alloc_free(object);
}

void launch_memory_destroy(struct launch_memory *memory)
{
    if (!memory)
        return;
    while (memory->objects)
        object_remove(memory, memory->objects);
    pthread_mutex_destroy(&memory->mutex);
    alloc_free(memory);
}

/* ---- what is alive, and what kernels can reach (with the mutex) ---- */

static struct object *object_find(const struct launch_memory *memory, uint64_t handle)
{
    struct object *object;
    HASH_FIND(hh, memory->objects, &handle, sizeof handle, object);
    return object;
}

/* Replaces what had the handle before; NULL when memory is out. */
static struct object *object_add(struct launch_memory *memory, uint64_t handle,
                                 enum api_object_kind kind)
{
    struct object *object = object_find(memory, handle);
    bool added = true;
    if (object)
        object_remove(memory, object);
    object = alloc_zero(1, sizeof *object);
    if (!object)
        return NULL;
    *object = (struct object){.handle = handle, .kind = kind, .references = 1};
    HASH_ADD(hh, memory->objects, handle, sizeof object->handle, object);
    if (!added) {
        alloc_free(object);
        return NULL;
    }
    return object;
}

static bool is_memory(const struct launch_memory *memory, uint64_t handle)
{
    const struct object *object = object_find(memory, handle);
    return object && object->kind == API_OBJECT_MEM;
}

/* The allocation of shared virtual memory that the address lies in. Walks them all: programs have
 * few objects. */
static const struct object *svm_find(const struct launch_memory *memory, uint64_t address)
{
    for (const struct object *object = memory->objects; object; object = object->hh.next)
        if (object->kind == API_OBJECT_NONE && address - object->handle < object->size)
            return object;
    return NULL;
}

static void set_argument(struct launch_memory *memory, uint64_t handle, uint64_t index,
                         uint64_t reached)
{
    struct object *kernel = object_find(memory, handle);
    if (!kernel || kernel->kind != API_OBJECT_KERNEL || index >= ARGUMENT_LIMIT)
        return;
    if (index >= kernel->argument_count) {
        uint64_t *grown = alloc_resize(kernel->arguments, (index + 1) * sizeof *grown);
        if (!grown)
            return;
        memset(grown + kernel->argument_count, 0,
               (index + 1 - kernel->argument_count) * sizeof *grown);
        kernel->arguments = grown;
        kernel->argument_count = index + 1;
    }
    kernel->arguments[index] = reached;
}

/* OpenCL API 3.0, 5.9.1: a value of a memory object type is "a pointer to the memory object". Eight
 * bytes that merely look like one keep an object more than is needed. */
static void set_value(struct launch_memory *memory, const struct api_call *call)
{
    const struct api_value *a = call->arguments;
    const struct api_value *value = &a[API_clSetKernelArg_arg_value];
    uint64_t handle = 0;
    if (value->kind == API_VALUE_BYTES && value->size == sizeof handle)
        memcpy(&handle, value->data, sizeof handle);
    set_argument(memory, a[API_clSetKernelArg_kernel].bits, a[API_clSetKernelArg_arg_index].bits,
                 is_memory(memory, handle) ? handle : 0);
}

static void set_indirect(struct launch_memory *memory, const struct api_call *call)
{
    const struct api_value *a = call->arguments;
    const struct api_value *value = &a[API_clSetKernelExecInfo_param_value];
    struct object *kernel = object_find(memory, a[API_clSetKernelExecInfo_kernel].bits);
    if (!kernel || a[API_clSetKernelExecInfo_param_name].bits != CL_KERNEL_EXEC_INFO_SVM_PTRS ||
        value->kind != API_VALUE_BYTES)
        return;
    uint64_t *copy = alloc(value->size);
    if (!copy)
        return;
    memcpy(copy, value->data, value->size);
    alloc_free(kernel->indirect);
    kernel->indirect = copy;
    kernel->indirect_count = value->size / sizeof *copy;
}

static void clone_kernel(struct launch_memory *memory, const struct api_call *call)
{
    const struct object *source =
        object_find(memory, call->arguments[API_clCloneKernel_source_kernel].bits);
    for (size_t i = 0; source && i < source->argument_count; i++)
        set_argument(memory, call->result.bits, i, source->arguments[i]);
}

static void add_kernels(struct launch_memory *memory, const struct api_call *call)
{
    const struct api_value *kernels = &call->arguments[API_clCreateKernelsInProgram_kernels];
    const uint64_t *handles = kernels->kind == API_VALUE_HANDLES ? kernels->data : NULL;
    for (uint32_t i = 0; handles && i < kernels->count; i++)
        object_add(memory, handles[i], API_OBJECT_KERNEL);
}

static void free_svm(struct launch_memory *memory, uint64_t address)
{
    struct object *object = object_find(memory, address);
    if (object && object->kind == API_OBJECT_NONE)
        object_remove(memory, object);
}

/* The first argument, if it is one that is known, of a parameter with this flag. */
static struct object *first_object(const struct launch_memory *memory, const struct api_call *call,
                                   unsigned flag)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    if (!info->parameter_count || !(info->parameters[0].flags & flag))
        return NULL;
    struct object *object = object_find(memory, call->arguments[0].bits);
    return object && object->kind == info->parameters[0].kind ? object : NULL;
}

/* Before the driver has it: afterwards the handle may be another object's, and meanwhile no other
 * thread may take it for alive. */
static void unlearn(struct launch_memory *memory, const struct api_call *call)
{
    struct object *object = first_object(memory, call, API_PARAMETER_RELEASED);
    if (object && --object->references <= 0)
        object_remove(memory, object);
}

static void learn(struct launch_memory *memory, const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    const struct api_value *a = call->arguments;
    if (info->return_role == API_ROLE_HANDLE &&
        (info->return_kind == API_OBJECT_MEM || info->return_kind == API_OBJECT_QUEUE ||
         info->return_kind == API_OBJECT_KERNEL))
        object_add(memory, call->result.bits, info->return_kind);
    struct object *retained = first_object(memory, call, API_PARAMETER_RETAINED);
    if (retained)
        ++retained->references;
    switch (call->entry) {
    case API_ENTRY_clCreateKernelsInProgram:
        add_kernels(memory, call);
        break;
    case API_ENTRY_clCloneKernel:
        clone_kernel(memory, call);
        break;
    case API_ENTRY_clSetKernelArg:
        set_value(memory, call);
        break;
    case API_ENTRY_clSetKernelArgSVMPointer:
        set_argument(memory, a[API_clSetKernelArgSVMPointer_kernel].bits,
                     a[API_clSetKernelArgSVMPointer_arg_index].bits,
                     a[API_clSetKernelArgSVMPointer_arg_value].bits);
        break;
    case API_ENTRY_clSetKernelExecInfo:
        set_indirect(memory, call);
        break;
    case API_ENTRY_clSVMAlloc: {
        struct object *object = object_add(memory, call->result.bits, API_OBJECT_NONE);
        if (object)
            object->size = a[API_clSVMAlloc_size].bits;
        break;
    }
    case API_ENTRY_clSVMFree:
        free_svm(memory, a[API_clSVMFree_svm_pointer].bits);
        break;
    case API_ENTRY_clEnqueueSVMFree: {
        const struct api_value *list = &a[API_clEnqueueSVMFree_svm_pointers];
        const uint64_t *addresses = list->kind == API_VALUE_SIZES ? list->data : NULL;
        for (uint32_t i = 0; addresses && i < list->count; i++)
            free_svm(memory, addresses[i]);
        break;
    }
    case API_ENTRY_clCreateUserEvent:
        memory->open_user_events++;
        break;
    case API_ENTRY_clSetUserEventStatus:
        memory->open_user_events--;
        break;
    default:
        break;
    }
}

/* ---- a launch ---- */

static bool name_is_wanted(const struct launch_memory *memory, cl_kernel kernel)
{
    char name[NAME_SIZE] = "";
    if (!memory->kernels[0])
        return true;
    if (NEXT(clGetKernelInfo)(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL) !=
        CL_SUCCESS)
        return false;
    for (const char *word = memory->kernels; *word;) {
        const size_t length = strcspn(word, ",");
        if (length == strlen(name) && strncmp(word, name, length) == 0)
            return true;
        word += length;
        word += *word == ',';
    }
    return false;
}

/* With the mutex: what a pointer of the program's or a handle leads to, once. */
static void add_reached(const struct launch_memory *memory, uint64_t reached,
                        struct launch_capture *capture)
{
    const struct object *svm = is_memory(memory, reached) ? NULL : svm_find(memory, reached);
    struct memory_object object = {.mem = (cl_mem)reached};
    if (!reached || (!svm && !is_memory(memory, reached)))
        return;
    if (svm)
        object = memory_object_of_svm((void *)svm->handle, svm->size);
    for (size_t i = 0; i < capture->count; i++)
        if (capture->objects[i].mem == object.mem && capture->objects[i].svm == object.svm)
            return;
    capture->objects[capture->count++] = object;
}

/* What the kernel reaches, and the queues, which the caller finishes without the mutex: callbacks
 * may run meanwhile. */
static struct launch_capture *look_up(struct launch_memory *memory, const struct api_call *call,
                                      struct arena *arena, uint64_t **queues, size_t *queue_count)
{
    const struct object *kernel =
        object_find(memory, call->arguments[API_clEnqueueNDRangeKernel_kernel].bits);
    if (!kernel)
        return NULL;
    struct launch_capture *capture =
        arena_alloc(arena, 1,
                    sizeof *capture + (kernel->argument_count + kernel->indirect_count) *
                                          sizeof *capture->objects);
    *queues = arena_alloc(arena, HASH_COUNT(memory->objects), sizeof **queues);
    if (!capture || !*queues)
        return NULL;
    *capture = (struct launch_capture){.queue = (cl_command_queue)call->arguments[0].bits};
    for (size_t i = 0; i < kernel->argument_count; i++)
        add_reached(memory, kernel->arguments[i], capture);
    for (size_t i = 0; i < kernel->indirect_count; i++)
        add_reached(memory, kernel->indirect[i], capture);
    for (const struct object *object = memory->objects; object; object = object->hh.next)
        if (object->kind == API_OBJECT_QUEUE)
            (*queues)[(*queue_count)++] = object->handle;
    return capture;
}

/* What is looked at without the mutex stays alive: other threads may release it. With the mutex. */
static void hold(const struct launch_capture *capture, const uint64_t *queues, size_t queue_count)
{
    for (size_t i = 0; i < queue_count; i++)
        NEXT(clRetainCommandQueue)((cl_command_queue)queues[i]);
    for (size_t i = 0; i < capture->count; i++)
        if (capture->objects[i].mem)
            NEXT(clRetainMemObject)(capture->objects[i].mem);
}

static void finish_queues(const uint64_t *queues, size_t queue_count)
{
    for (size_t i = 0; i < queue_count; i++) {
        NEXT(clFinish)((cl_command_queue)queues[i]);
        NEXT(clReleaseCommandQueue)((cl_command_queue)queues[i]);
    }
}

/* Asks what the objects are; those without bytes are let go. */
static void describe(struct launch_capture *capture)
{
    size_t kept = 0;
    for (size_t i = 0; i < capture->count; i++) {
        cl_mem mem = capture->objects[i].mem;
        if (!mem || memory_object_describe(layer_targets, mem, &capture->objects[i]))
            capture->objects[kept++] = capture->objects[i];
        else
            NEXT(clReleaseMemObject)(mem);
    }
    capture->count = kept;
}

static void save(const struct launch_memory *memory, const struct launch_capture *capture,
                 uint64_t call_id, bool after)
{
    for (size_t i = 0; i < capture->count; i++) {
        const struct memory_object *object = &capture->objects[i];
        void *bytes = object->size ? alloc(object->size) : NULL;
        if (bytes &&
            memory_object_read(layer_targets, capture->queue, object, bytes) == CL_SUCCESS) {
            const struct api_content content = {.after = after,
                                                .object = object->mem ? (uint64_t)object->mem
                                                                      : (uint64_t)object->svm,
                                                .size = object->size,
                                                .bytes = bytes};
            if (memory->digests_only)
                spool_digest(memory->spool, call_id, &content);
            else
                spool_content(memory->spool, call_id, &content);
        }
        alloc_free(bytes);
    }
}

static void miss(struct launch_memory *memory)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, ++memory->missed_count);
    spool_fact(memory->spool, "launches_without_contents", number);
}

static bool is_launch(const struct api_call *call)
{
    return call->entry == API_ENTRY_clEnqueueNDRangeKernel ||
           call->entry == API_ENTRY_clEnqueueTask;
}
_Static_assert((int)API_clEnqueueNDRangeKernel_kernel == (int)API_clEnqueueTask_kernel,
               "the kernel of a launch is in one place");

/* With the mutex. */
static struct launch_capture *begin(struct launch_memory *memory, const struct api_call *call,
                                    struct arena *arena, uint64_t **queues, size_t *queue_count)
{
    const uint64_t kernel = call->arguments[API_clEnqueueNDRangeKernel_kernel].bits;
    struct launch_capture *capture = NULL;
    if (!object_find(memory, kernel) || !name_is_wanted(memory, (cl_kernel)kernel))
        return NULL;
    if (memory->open_user_events == 0 && !(call->flags & API_CALL_IN_CALLBACK))
        capture = look_up(memory, call, arena, queues, queue_count);
    if (capture)
        hold(capture, *queues, *queue_count);
    else
        miss(memory);
    return capture;
}

struct launch_capture *launch_memory_before(struct launch_memory *memory,
                                            const struct api_call *call, struct arena *arena)
{
    uint64_t *queues = NULL;
    size_t queue_count = 0;
    struct launch_capture *capture = NULL;
    pthread_mutex_lock(&memory->mutex);
    unlearn(memory, call);
    if (is_launch(call) && call->id >= memory->first && call->id <= memory->last)
        capture = begin(memory, call, arena, &queues, &queue_count);
    pthread_mutex_unlock(&memory->mutex);
    if (!capture)
        return NULL;
    finish_queues(queues, queue_count);
    describe(capture);
    save(memory, capture, call->id, false);
    return capture;
}

static void end(const struct launch_memory *memory, const struct api_call *call,
                const struct launch_capture *capture)
{
    if (capture_succeeded(call) && NEXT(clFinish)(capture->queue) == CL_SUCCESS)
        save(memory, capture, call->id, true);
    for (size_t i = 0; i < capture->count; i++)
        if (capture->objects[i].mem)
            NEXT(clReleaseMemObject)(capture->objects[i].mem);
}

void launch_memory_after(struct launch_memory *memory, const struct api_call *call,
                         const struct launch_capture *capture)
{
    if (capture)
        end(memory, call, capture);
    if (!capture_succeeded(call))
        return;
    pthread_mutex_lock(&memory->mutex);
    learn(memory, call);
    pthread_mutex_unlock(&memory->mutex);
}
