#include "fake_driver.h"

#include <signal.h>
#include <string.h>

struct fake_driver fake_driver;
api_function *fake_table[API_SLOT_COUNT];

/* Handles are addresses that nobody reads. */
#define FAKE_HANDLE(type, number) ((type)(uintptr_t)(0x1000 + (number)*16))

/* The transfer that waits for clFinish or clWaitForEvents. */
static struct {
    void *ptr;
    size_t offset, size;
} waiting;

static void run_waiting(void)
{
    if (waiting.ptr)
        memcpy(waiting.ptr, fake_driver.bytes + waiting.offset, waiting.size);
    waiting.ptr = NULL;
}

static void set_event(cl_event *event)
{
    if (event)
        *event = FAKE_HANDLE(cl_event, 8);
}

static void set_status(cl_int *errcode_ret, cl_int status)
{
    if (errcode_ret)
        *errcode_ret = status;
}

static cl_int CL_API_CALL get_platform_ids(cl_uint num_entries, cl_platform_id *platforms,
                                           cl_uint *num_platforms)
{
    if (platforms && num_entries > 0)
        platforms[0] = FAKE_HANDLE(cl_platform_id, 1);
    if (num_platforms)
        *num_platforms = 1;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL get_device_ids(cl_platform_id platform, cl_device_type device_type,
                                         cl_uint num_entries, cl_device_id *devices,
                                         cl_uint *num_devices)
{
    (void)platform, (void)device_type;
    if (devices && num_entries > 0)
        devices[0] = FAKE_HANDLE(cl_device_id, 2);
    if (num_devices)
        *num_devices = 1;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info param_name,
                                          size_t size, void *value, size_t *size_ret)
{
    static const char name[] = "fake";
    (void)device;
    if (param_name != CL_DEVICE_NAME || (value && size < sizeof name))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, name, sizeof name);
    if (size_ret)
        *size_ret = sizeof name;
    return CL_SUCCESS;
}

static cl_context CL_API_CALL create_context(const cl_context_properties *properties,
                                             cl_uint num_devices, const cl_device_id *devices,
                                             api_context_notify *notify, void *user_data,
                                             cl_int *errcode_ret)
{
    (void)properties, (void)num_devices, (void)devices, (void)notify, (void)user_data;
    set_status(errcode_ret, CL_SUCCESS);
    return FAKE_HANDLE(cl_context, 3);
}

static cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                                 cl_command_queue_properties properties,
                                                 cl_int *errcode_ret)
{
    (void)context, (void)device, (void)properties;
    set_status(errcode_ret, CL_SUCCESS);
    return FAKE_HANDLE(cl_command_queue, 4);
}

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t size,
                                        void *host_ptr, cl_int *errcode_ret)
{
    (void)context, (void)flags, (void)host_ptr;
    set_status(errcode_ret, size == 0 ? CL_INVALID_BUFFER_SIZE : CL_SUCCESS);
    return size == 0 ? NULL : FAKE_HANDLE(cl_mem, 5);
}

static cl_program CL_API_CALL create_program(cl_context context, cl_uint count,
                                             const char **strings, const size_t *lengths,
                                             cl_int *errcode_ret)
{
    (void)context, (void)count, (void)strings, (void)lengths;
    set_status(errcode_ret, CL_SUCCESS);
    return FAKE_HANDLE(cl_program, 6);
}

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name,
                                           cl_int *errcode_ret)
{
    (void)program, (void)name;
    set_status(errcode_ret, CL_SUCCESS);
    return FAKE_HANDLE(cl_kernel, 7);
}

static cl_int CL_API_CALL release_mem(cl_mem memobj)
{
    (void)memobj;
    fake_driver.release_mem_count++;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL release_kernel(cl_kernel kernel)
{
    (void)kernel;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL set_kernel_arg(cl_kernel kernel, cl_uint index, size_t size,
                                         const void *value)
{
    (void)kernel, (void)index, (void)size, (void)value;
    fake_driver.set_kernel_arg_count++;
    return CL_INVALID_ARG_VALUE;
}

static cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                       size_t offset, size_t size, const void *ptr, cl_uint count,
                                       const cl_event *list, cl_event *event)
{
    (void)queue, (void)buffer, (void)blocking, (void)count, (void)list;
    memcpy(fake_driver.bytes + offset, ptr, size);
    set_event(event);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                      size_t offset, size_t size, void *ptr, cl_uint count,
                                      const cl_event *list, cl_event *event)
{
    (void)queue, (void)buffer, (void)count, (void)list;
    if (blocking) {
        run_waiting();
        memcpy(ptr, fake_driver.bytes + offset, size);
    } else {
        waiting.ptr = ptr;
        waiting.offset = offset;
        waiting.size = size;
    }
    set_event(event);
    return CL_SUCCESS;
}

static void *CL_API_CALL map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                    cl_map_flags flags, size_t offset, size_t size, cl_uint count,
                                    const cl_event *list, cl_event *event, cl_int *errcode_ret)
{
    (void)queue, (void)buffer, (void)blocking, (void)flags, (void)size, (void)count, (void)list;
    set_event(event);
    set_status(errcode_ret, CL_SUCCESS);
    return fake_driver.bytes + offset;
}

static cl_int CL_API_CALL unmap(cl_command_queue queue, cl_mem memobj, void *ptr, cl_uint count,
                                const cl_event *list, cl_event *event)
{
    (void)queue, (void)memobj, (void)ptr, (void)count, (void)list;
    set_event(event);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL flush(cl_command_queue queue)
{
    (void)queue;
    fake_driver.flush_count++;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL finish(cl_command_queue queue)
{
    if (fake_driver.kill_in_finish)
        raise(SIGKILL);
    if (fake_driver.calls_back)
        fake_driver.calls_back->clFlush(queue);
    run_waiting();
    return CL_SUCCESS;
}

static cl_int CL_API_CALL wait_for_events(cl_uint num_events, const cl_event *event_list)
{
    (void)num_events, (void)event_list;
    run_waiting();
    return CL_SUCCESS;
}

/* No program builds; the callback is told so before the call returns. */
static cl_int CL_API_CALL build_program(cl_program program, cl_uint num_devices,
                                        const cl_device_id *devices, const char *options,
                                        api_program_notify *notify, void *user_data)
{
    (void)num_devices, (void)devices, (void)options;
    if (notify != NULL)
        notify(program, user_data);
    return CL_BUILD_PROGRAM_FAILURE;
}

static cl_int CL_API_CALL set_event_callback(cl_event event, cl_int type, api_event_notify *notify,
                                             void *user_data)
{
    (void)type;
    notify(event, CL_COMPLETE, user_data);
    return CL_SUCCESS;
}

static cl_program CL_API_CALL create_program_with_il(cl_context context, const void *il,
                                                     size_t length, cl_int *errcode_ret)
{
    (void)context, (void)il, (void)length;
    set_status(errcode_ret, CL_SUCCESS);
    return FAKE_HANDLE(cl_program, 9);
}

static cl_program CL_API_CALL create_other_program_with_il(cl_context context, const void *il,
                                                           size_t length, cl_int *errcode_ret)
{
    (void)context, (void)il, (void)length;
    set_status(errcode_ret, CL_SUCCESS);
    return FAKE_HANDLE(cl_program, 10);
}

static cl_int CL_API_CALL unknown_function(void)
{
    return CL_SUCCESS;
}

/* The second platform has another clCreateProgramWithILKHR. */
static cl_mem CL_API_CALL create_with_properties(cl_context context,
                                                 const cl_mem_properties_intel *properties,
                                                 cl_mem_flags flags, size_t size, void *host_ptr,
                                                 cl_int *errcode_ret)
{
    (void)properties;
    return create_buffer(context, flags, size, host_ptr, errcode_ret);
}

static void *CL_API_CALL extension_function(cl_platform_id platform, const char *name)
{
    if (strcmp(name, "clCreateProgramWithILKHR") == 0)
        return platform == FAKE_HANDLE(cl_platform_id, 1) ? (void *)create_program_with_il
                                                          : (void *)create_other_program_with_il;
    if (strcmp(name, "clCreateBufferWithPropertiesINTEL") == 0)
        return (void *)create_with_properties;
    return strcmp(name, "clUnknownFunctionFAKE") == 0 ? (void *)unknown_function : NULL;
}

void fake_driver_init(void)
{
    static const struct {
        uint32_t entry;
        api_function *function;
    } functions[] = {
        {API_ENTRY_clGetPlatformIDs, (api_function *)get_platform_ids},
        {API_ENTRY_clGetDeviceIDs, (api_function *)get_device_ids},
        {API_ENTRY_clGetDeviceInfo, (api_function *)get_device_info},
        {API_ENTRY_clCreateContext, (api_function *)create_context},
        {API_ENTRY_clCreateCommandQueue, (api_function *)create_queue},
        {API_ENTRY_clCreateBuffer, (api_function *)create_buffer},
        {API_ENTRY_clCreateProgramWithSource, (api_function *)create_program},
        {API_ENTRY_clCreateKernel, (api_function *)create_kernel},
        {API_ENTRY_clReleaseMemObject, (api_function *)release_mem},
        {API_ENTRY_clReleaseKernel, (api_function *)release_kernel},
        {API_ENTRY_clSetKernelArg, (api_function *)set_kernel_arg},
        {API_ENTRY_clEnqueueWriteBuffer, (api_function *)write_buffer},
        {API_ENTRY_clEnqueueReadBuffer, (api_function *)read_buffer},
        {API_ENTRY_clEnqueueMapBuffer, (api_function *)map_buffer},
        {API_ENTRY_clEnqueueUnmapMemObject, (api_function *)unmap},
        {API_ENTRY_clFlush, (api_function *)flush},
        {API_ENTRY_clFinish, (api_function *)finish},
        {API_ENTRY_clWaitForEvents, (api_function *)wait_for_events},
        {API_ENTRY_clBuildProgram, (api_function *)build_program},
        {API_ENTRY_clSetEventCallback, (api_function *)set_event_callback},
        {API_ENTRY_clGetExtensionFunctionAddressForPlatform, (api_function *)extension_function},
        {API_ENTRY_clGetKernelSuggestedLocalWorkSize, (api_function *)unknown_function},
        {API_ENTRY_clCreateFromD3D10BufferKHR, (api_function *)unknown_function},
    };
    memset(fake_table, 0, sizeof fake_table);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        fake_table[functions[i].entry - 1] = functions[i].function;
}
