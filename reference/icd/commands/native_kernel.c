/* OpenCL API 3.0, chapter 5.10: native kernels, functions of the host that run as commands, on the
 * thread for them. */
#include "reference/icd/commands/executor.h"
#include "reference/icd/commands/native_memory.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/memory/mem.h"
#include "reference/limits/limits.h"
#include "trace/base/alloc.h"
#include "trace/base/size.h"

#include <string.h>

typedef void(CL_CALLBACK *native_function)(void *arguments);

struct native {
    native_function function;
    void *arguments; /* the copy, with the memory objects replaced by where their bytes lie */
    struct native_memory *memory; /* while it runs */
    cl_uint mem_count;
    cl_mem mems[]; /* held */
};

static void native_release(void *data)
{
    struct native *native = data;
    for (cl_uint i = 0; i < native->mem_count; i++) {
        if (native->mems[i])
            object_drop(native->mems[i]);
    }
    alloc_free(native->arguments);
    alloc_free(native);
}

static cl_int native_run(void *data, uint64_t *cost)
{
    struct native *native = data;
    icd_lock();
    native->memory = native_memory_begin(native->mems, native->mem_count);
    icd_unlock();
    native->function(native->arguments);
    /* What it wrote nobody knows: all of it may be. */
    for (cl_uint i = 0; i < native->mem_count; i++) {
        if (native->mems[i])
            vm_memory_define(icd_memory(), native->mems[i]->number, 0, native->mems[i]->size);
    }
    *cost += 1;
    return CL_SUCCESS;
}

static void native_tell(const void *data)
{
    native_memory_end(((const struct native *)data)->memory);
}

static cl_int check(native_function function, const void *args, size_t cb_args,
                    cl_uint num_mem_objects, const cl_mem *mem_list, const void **args_mem_loc)
{
    if (!function || (!args && (cb_args > 0 || num_mem_objects > 0)) || (args && cb_args == 0) ||
        (num_mem_objects > 0 && (!mem_list || !args_mem_loc)) ||
        (num_mem_objects == 0 && (mem_list || args_mem_loc)))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < num_mem_objects; i++) {
        if (mem_list[i] && !mem_is_buffer(mem_list[i]))
            return CL_INVALID_MEM_OBJECT;
        const uintptr_t place = (uintptr_t)args_mem_loc[i];
        const uintptr_t start = (uintptr_t)args;
        if (place < start || !range_within(place - start, sizeof(void *), cb_args))
            return CL_INVALID_VALUE;
    }
    return CL_SUCCESS;
}

static struct native *native_create(native_function function, const void *args, size_t cb_args,
                                    cl_uint num_mem_objects, const cl_mem *mem_list,
                                    const void **args_mem_loc)
{
    struct native *native = alloc_zero(1, sizeof(*native) + num_mem_objects * sizeof(cl_mem));
    void *arguments = alloc(cb_args);
    if (!native || !arguments) {
        alloc_free(native);
        alloc_free(arguments);
        return NULL;
    }
    native->function = function;
    native->arguments = arguments;
    native->mem_count = num_mem_objects;
    if (cb_args > 0)
        memcpy(arguments, args, cb_args);
    icd_lock();
    for (cl_uint i = 0; i < num_mem_objects; i++) {
        native->mems[i] = mem_list[i];
        const void *bytes =
            mem_list[i] ? vm_memory_find(icd_memory(), mem_list[i]->number)->bytes : NULL;
        if (mem_list[i]) {
            object_hold(mem_list[i]);
            mem_show(mem_list[i]);
        }
        memcpy((char *)arguments + ((uintptr_t)args_mem_loc[i] - (uintptr_t)args), &bytes,
               sizeof(bytes));
    }
    icd_unlock();
    return native;
}

cl_int icd_clEnqueueNativeKernel(cl_command_queue queue, native_function user_func, void *args,
                                 size_t cb_args, cl_uint num_mem_objects, const cl_mem *mem_list,
                                 const void **args_mem_loc, cl_uint num_events_in_wait_list,
                                 const cl_event *event_wait_list, cl_event *event)
{
    struct command_request request = command_request_of(
        queue, CL_COMMAND_NATIVE_KERNEL, num_events_in_wait_list, event_wait_list, event);
    cl_int result = command_check(&request);
    if (result == CL_SUCCESS && !limits_keep(KEPT_OPTIONAL))
        return CL_INVALID_OPERATION;
    if (result == CL_SUCCESS)
        result = check(user_func, args, cb_args, num_mem_objects, mem_list, args_mem_loc);
    if (result != CL_SUCCESS)
        return result;
    request.work.calls_program = true;
    request.work.run = native_run;
    request.work.tell = native_tell;
    request.work.release = native_release;
    request.work.data =
        native_create(user_func, args, cb_args, num_mem_objects, mem_list, args_mem_loc);
    return request.work.data ? command_enqueue(&request) : CL_OUT_OF_HOST_MEMORY;
}
