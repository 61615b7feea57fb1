/* A driver whose calls cost next to nothing, so that what the layer costs can be seen: no lock, no
 * look-up, nothing executed. It has the entry points that bench_calls calls and those that the
 * layer asks, and judges nothing. Objects are freed with their last reference, so that their
 * handles come back as those of other drivers do. With NULL_DRIVER_CRASHES in the environment
 * clFinish stores to address 0, for tests/faults. */
#include <CL/cl_icd.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* The loader reads the first member of every object. */
struct object {
    const cl_icd_dispatch *dispatch;
    atomic_uint references;
};

static const cl_icd_dispatch dispatch;
static struct object the_platform = {.dispatch = &dispatch, .references = 1};
static struct object the_device = {.dispatch = &dispatch, .references = 1};

static void *create(cl_int *error)
{
    struct object *object = malloc(sizeof *object);
    if (object)
        *object = (struct object){.dispatch = &dispatch, .references = 1};
    if (error)
        *error = object ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    return object;
}

static cl_int retain(void *handle)
{
    struct object *object = handle;
    atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed);
    return CL_SUCCESS;
}

static cl_int release(void *handle)
{
    struct object *object = handle;
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1)
        free(object);
    return CL_SUCCESS;
}

/* ---- questions ---- */

static const size_t item_sizes[] = {1024, 1024, 64};
static const void *const the_devices[] = {&the_device};

/* No two queries here have the same number. */
static const struct answer {
    cl_uint name;
    size_t size;
    const void *bytes;
} answers[] = {
#define STRING(name, string)                                                                       \
    {                                                                                              \
        name, sizeof string, string                                                                \
    }
#define NUMBER(name, type, number)                                                                 \
    {                                                                                              \
        name, sizeof(type), &(const type)                                                          \
        {                                                                                          \
            number                                                                                 \
        }                                                                                          \
    }
    STRING(CL_PLATFORM_NAME, "clerk's null driver"),
    STRING(CL_PLATFORM_VERSION, "OpenCL 3.0 null"),
    STRING(CL_PLATFORM_EXTENSIONS, "cl_khr_icd"),
    STRING(CL_PLATFORM_ICD_SUFFIX_KHR, "NULL"),
    STRING(CL_DEVICE_NAME, "null"),
    STRING(CL_DEVICE_VERSION, "OpenCL 3.0 null"),
    STRING(CL_DEVICE_EXTENSIONS, ""),
    NUMBER(CL_DEVICE_TYPE, cl_device_type, CL_DEVICE_TYPE_GPU),
    NUMBER(CL_DEVICE_ADDRESS_BITS, cl_uint, 64),
    NUMBER(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, cl_uint, 3),
    {CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof item_sizes, item_sizes},
    NUMBER(CL_DEVICE_MAX_WORK_GROUP_SIZE, size_t, 1024),
    NUMBER(CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong, 1 << 30),
    NUMBER(CL_DEVICE_MEM_BASE_ADDR_ALIGN, cl_uint, 1024),
    NUMBER(CL_DEVICE_EXECUTION_CAPABILITIES, cl_device_exec_capabilities, CL_EXEC_KERNEL),
    {CL_CONTEXT_DEVICES, sizeof the_devices, the_devices},
    {CL_PROGRAM_DEVICES, sizeof the_devices, the_devices},
    NUMBER(CL_PROGRAM_BUILD_STATUS, cl_build_status, CL_BUILD_SUCCESS),
    NUMBER(CL_PROGRAM_BINARY_TYPE, cl_program_binary_type, CL_PROGRAM_BINARY_TYPE_EXECUTABLE),
    STRING(CL_KERNEL_FUNCTION_NAME, "two_buffers"),
    NUMBER(CL_KERNEL_NUM_ARGS, cl_uint, 2),
    NUMBER(CL_KERNEL_WORK_GROUP_SIZE, size_t, 256),
    NUMBER(CL_KERNEL_ARG_ADDRESS_QUALIFIER, cl_uint, CL_KERNEL_ARG_ADDRESS_GLOBAL),
    NUMBER(CL_KERNEL_ARG_ACCESS_QUALIFIER, cl_uint, CL_KERNEL_ARG_ACCESS_NONE),
    STRING(CL_KERNEL_ARG_TYPE_NAME, "float*"),
    NUMBER(CL_KERNEL_ARG_TYPE_QUALIFIER, cl_kernel_arg_type_qualifier, 0),
    STRING(CL_KERNEL_ARG_NAME, "buffer"),
#undef STRING
#undef NUMBER
};

static cl_int answer(cl_uint name, size_t room, void *value, size_t *size)
{
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        if (answers[i].name != name)
            continue;
        if (value && room < answers[i].size)
            return CL_INVALID_VALUE;
        if (value)
            memcpy(value, answers[i].bytes, answers[i].size);
        if (size)
            *size = answers[i].size;
        return CL_SUCCESS;
    }
    return CL_INVALID_VALUE;
}

#define QUERY(function, type, name_type)                                                           \
    static cl_int CL_API_CALL function(type object, name_type name, size_t room, void *value,      \
                                       size_t *size)                                               \
    {                                                                                              \
        (void)object;                                                                              \
        return answer(name, room, value, size);                                                    \
    }
#define QUERY_OF(function, type, of_type, name_type)                                               \
    static cl_int CL_API_CALL function(type object, of_type of, name_type name, size_t room,       \
                                       void *value, size_t *size)                                  \
    {                                                                                              \
        (void)object;                                                                              \
        (void)of;                                                                                  \
        return answer(name, room, value, size);                                                    \
    }
QUERY(get_platform_info, cl_platform_id, cl_platform_info)
QUERY(get_device_info, cl_device_id, cl_device_info)
QUERY(get_context_info, cl_context, cl_context_info)
QUERY(get_program_info, cl_program, cl_program_info)
QUERY(get_kernel_info, cl_kernel, cl_kernel_info)
QUERY_OF(get_build_info, cl_program, cl_device_id, cl_program_build_info)
QUERY_OF(get_work_group_info, cl_kernel, cl_device_id, cl_kernel_work_group_info)
QUERY_OF(get_argument_info, cl_kernel, cl_uint, cl_kernel_arg_info)

/* Every event is complete. */
static cl_int CL_API_CALL get_event_info(cl_event event, cl_event_info name, size_t room,
                                         void *value, size_t *size)
{
    const cl_int complete = CL_COMPLETE;
    (void)event;
    if (name != CL_EVENT_COMMAND_EXECUTION_STATUS || room < sizeof complete || !value)
        return CL_INVALID_VALUE;
    memcpy(value, &complete, sizeof complete);
    if (size)
        *size = sizeof complete;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL get_device_ids(cl_platform_id platform, cl_device_type type, cl_uint room,
                                         cl_device_id *devices, cl_uint *count)
{
    (void)platform;
    (void)type;
    if (devices && room > 0)
        *devices = (cl_device_id)&the_device;
    if (count)
        *count = 1;
    return CL_SUCCESS;
}

/* ---- objects ---- */

#define COUNTED(kind, type)                                                                        \
    static cl_int CL_API_CALL retain_##kind(type object)                                           \
    {                                                                                              \
        return retain(object);                                                                     \
    }                                                                                              \
    static cl_int CL_API_CALL release_##kind(type object)                                          \
    {                                                                                              \
        return release(object);                                                                    \
    }
COUNTED(context, cl_context)
COUNTED(queue, cl_command_queue)
COUNTED(buffer, cl_mem)
COUNTED(program, cl_program)
COUNTED(kernel, cl_kernel)
COUNTED(event, cl_event)

static cl_context CL_API_CALL create_context(const cl_context_properties *properties, cl_uint count,
                                             const cl_device_id *devices,
                                             void(CL_CALLBACK *notify)(const char *, const void *,
                                                                       size_t, void *),
                                             void *user, cl_int *error)
{
    (void)properties, (void)count, (void)devices, (void)notify, (void)user;
    return create(error);
}

static cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                                 cl_command_queue_properties properties,
                                                 cl_int *error)
{
    (void)context, (void)device, (void)properties;
    return create(error);
}

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t size,
                                        void *host_ptr, cl_int *error)
{
    (void)context, (void)flags, (void)size, (void)host_ptr;
    return create(error);
}

static cl_program CL_API_CALL create_program(cl_context context, cl_uint count,
                                             const char **strings, const size_t *lengths,
                                             cl_int *error)
{
    (void)context, (void)count, (void)strings, (void)lengths;
    return create(error);
}

static cl_int CL_API_CALL build_program(cl_program program, cl_uint count,
                                        const cl_device_id *devices, const char *options,
                                        void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
    (void)program, (void)count, (void)devices, (void)options, (void)notify, (void)user;
    return CL_SUCCESS;
}

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name, cl_int *error)
{
    (void)program, (void)name;
    return create(error);
}

/* ---- what is measured ---- */

static cl_int CL_API_CALL set_kernel_arg(cl_kernel kernel, cl_uint index, size_t size,
                                         const void *value)
{
    (void)kernel, (void)index, (void)size, (void)value;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint work_dim,
                                         const size_t *offset, const size_t *global,
                                         const size_t *local, cl_uint count, const cl_event *events,
                                         cl_event *event)
{
    cl_int error = CL_SUCCESS;
    (void)queue, (void)kernel, (void)work_dim, (void)offset, (void)global, (void)local;
    (void)count, (void)events;
    if (event)
        *event = create(&error);
    return error;
}

static cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                       size_t offset, size_t size, const void *bytes, cl_uint count,
                                       const cl_event *events, cl_event *event)
{
    (void)queue, (void)buffer, (void)blocking, (void)offset, (void)size, (void)bytes;
    (void)count, (void)events, (void)event;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL finish(cl_command_queue queue)
{
    volatile int *volatile nowhere = NULL;
    (void)queue;
    if (getenv("NULL_DRIVER_CRASHES"))
        *nowhere = 1;
    return CL_SUCCESS;
}

/* ---- what the loader asks for by name ---- */

EXPORT cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *platforms,
                                                 cl_uint *count)
{
    if (platforms && room > 0)
        *platforms = (cl_platform_id)&the_platform;
    if (count)
        *count = 1;
    return CL_SUCCESS;
}

EXPORT cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info name,
                                            size_t room, void *value, size_t *size)
{
    return get_platform_info(platform, name, room, value, size);
}

EXPORT void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    return strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? (void *)clIcdGetPlatformIDsKHR
           : strcmp(name, "clGetPlatformInfo") == 0    ? (void *)clGetPlatformInfo
                                                       : NULL;
}

static void *CL_API_CALL get_platform_function(cl_platform_id platform, const char *name)
{
    (void)platform, (void)name;
    return NULL;
}

static const cl_icd_dispatch dispatch = {
    .clGetPlatformIDs = clIcdGetPlatformIDsKHR,
    .clGetPlatformInfo = get_platform_info,
    .clGetDeviceIDs = get_device_ids,
    .clGetDeviceInfo = get_device_info,
    .clCreateContext = create_context,
    .clRetainContext = retain_context,
    .clReleaseContext = release_context,
    .clGetContextInfo = get_context_info,
    .clCreateCommandQueue = create_queue,
    .clRetainCommandQueue = retain_queue,
    .clReleaseCommandQueue = release_queue,
    .clCreateBuffer = create_buffer,
    .clRetainMemObject = retain_buffer,
    .clReleaseMemObject = release_buffer,
    .clCreateProgramWithSource = create_program,
    .clRetainProgram = retain_program,
    .clReleaseProgram = release_program,
    .clBuildProgram = build_program,
    .clGetProgramInfo = get_program_info,
    .clGetProgramBuildInfo = get_build_info,
    .clCreateKernel = create_kernel,
    .clRetainKernel = retain_kernel,
    .clReleaseKernel = release_kernel,
    .clSetKernelArg = set_kernel_arg,
    .clGetKernelInfo = get_kernel_info,
    .clGetKernelArgInfo = get_argument_info,
    .clGetKernelWorkGroupInfo = get_work_group_info,
    .clGetEventInfo = get_event_info,
    .clRetainEvent = retain_event,
    .clReleaseEvent = release_event,
    .clEnqueueNDRangeKernel = enqueue_kernel,
    .clEnqueueWriteBuffer = write_buffer,
    .clFinish = finish,
    .clGetExtensionFunctionAddress = clGetExtensionFunctionAddress,
    .clGetExtensionFunctionAddressForPlatform = get_platform_function,
};
