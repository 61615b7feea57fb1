/* A driver for tests: an ICD that answers every call from the entry-point table.
 *
 * Every entry point of trace/api/cl_api.def is expanded to a function that packs its arguments into
 * words and asks one function, stub_answer, which goes by the roles: it judges the handles that are
 * required, counts references, makes the object or event that the call is to return, and otherwise
 * reports success. Commands are complete at once, which callbacks of events tell (those of user
 * events when these are set), and those of builds and clEnqueueSVMFree before the call returns;
 * they move no bytes; native kernels are called; programs build and kernels exist without a
 * compiler.
 *
 * Objects are never freed, so that a wrong program cannot crash it, and a handle is looked up
 * before it is read: what the stub does not know it refuses with the error of its kind. */
#include "trace/api/entry.h"
#include "trace/api/property.h"

#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* The loader reads the first member of every object. */
struct stub_object {
    const cl_icd_dispatch *dispatch;
    enum api_object_kind kind;
    uint32_t references;
    uint64_t size; /* of a buffer; of a kernel: which it is, enum stub_kernel */
    void *memory;  /* of a buffer, once mapped; of a kernel its program */
    bool unset;    /* a user event without a status: its callbacks wait */
    struct stub_callback *callbacks;
    struct stub_object *next;
};
struct stub_callback {
    api_event_notify *notify;
    void *user_data;
    struct stub_callback *next;
};

static cl_icd_dispatch dispatch;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct stub_object *objects;
static cl_sync_point_khr last_point;
static cl_int next_error; /* clSetNextErrorSTUB */
static struct stub_object the_platform = {
    .dispatch = &dispatch, .kind = API_OBJECT_PLATFORM, .references = 1};
static struct stub_object the_device = {
    .dispatch = &dispatch, .kind = API_OBJECT_DEVICE, .references = 1, .next = &the_platform};
/* A device of OpenCL 1.2 that has nothing that it may lack: what CL_DEVICE_TYPE_CUSTOM gives. */
static struct stub_object bare_device = {
    .dispatch = &dispatch, .kind = API_OBJECT_DEVICE, .references = 1, .next = &the_device};

/* Kernels by their names: some have arguments, one requires a work-group size, one is not there. Of
 * the others the stub does not say how many arguments they have. */
enum stub_kernel {
    KERNEL_OTHER,
    KERNEL_PLAIN,
    KERNEL_ALL,
    KERNEL_FIXED,
    KERNEL_NONE,
    KERNEL_BUFFER,
    KERNEL_IMAGES,
    KERNEL_LINE
};

/* ---- objects ---- */

static struct stub_object *find(uint64_t handle)
{
    for (struct stub_object *object = objects; object; object = object->next)
        if ((uint64_t)(uintptr_t)object == handle)
            return object;
    return NULL;
}

static struct stub_object *create(enum api_object_kind kind)
{
    struct stub_object *object = calloc(1, sizeof *object);
    if (!object)
        abort();
    *object =
        (struct stub_object){.dispatch = &dispatch, .kind = kind, .references = 1, .next = objects};
    objects = object;
    return object;
}

enum { MEMORY_MAX = 1 << 26 };

/* Memory that is mapped or shared: pages, as drivers have them, and kept, as objects are; what
 * follows cannot be read. NULL for more than the stub has. */
static uint64_t make_memory(uint64_t size)
{
    struct stub_object *object = create(API_OBJECT_NONE);
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t used = size <= MEMORY_MAX ? (size / page + 1) * page : 0;
    void *pages = used > 0 ? mmap(NULL, used + page, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                           : MAP_FAILED;
    if (pages != MAP_FAILED && mprotect((char *)pages + used, page, PROT_NONE) == 0)
        object->memory = pages;
    return (uint64_t)(uintptr_t)object->memory;
}

static cl_int kind_error(uint8_t kind)
{
    static const cl_int errors[API_OBJECT_KIND_COUNT] = {
        [API_OBJECT_PLATFORM] = CL_INVALID_PLATFORM,
        [API_OBJECT_DEVICE] = CL_INVALID_DEVICE,
        [API_OBJECT_CONTEXT] = CL_INVALID_CONTEXT,
        [API_OBJECT_QUEUE] = CL_INVALID_COMMAND_QUEUE,
        [API_OBJECT_MEM] = CL_INVALID_MEM_OBJECT,
        [API_OBJECT_PROGRAM] = CL_INVALID_PROGRAM,
        [API_OBJECT_KERNEL] = CL_INVALID_KERNEL,
        [API_OBJECT_EVENT] = CL_INVALID_EVENT,
        [API_OBJECT_SAMPLER] = CL_INVALID_SAMPLER,
        [API_OBJECT_SEMAPHORE] = CL_INVALID_SEMAPHORE_KHR,
        [API_OBJECT_COMMAND_BUFFER] = CL_INVALID_COMMAND_BUFFER_KHR,
        [API_OBJECT_MUTABLE_COMMAND] = CL_INVALID_MUTABLE_COMMAND_KHR,
    };
    return errors[kind];
}

static cl_int judge_handle(const struct api_parameter *parameter, uint64_t handle)
{
    if (handle == 0)
        return parameter->flags & API_PARAMETER_REQUIRED ? kind_error(parameter->kind) : CL_SUCCESS;
    const struct stub_object *object = find(handle);
    if (!object || object->kind != parameter->kind)
        return kind_error(parameter->kind);
    /* A context ends with the last object in it: here never. */
    return object->references > 0 || object->kind == API_OBJECT_CONTEXT
               ? CL_SUCCESS
               : kind_error(parameter->kind);
}

/* ---- answers ---- */

static char stub_binary[] = "a program";
static const size_t item_sizes[] = {1024, 1024, 64}, no_group[3], group_of_8[] = {8, 1, 1};
static const cl_device_partition_property schemes[] = {CL_DEVICE_PARTITION_BY_COUNTS,
                                                       CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN};

struct answer {
    enum api_family family;
    uint64_t name;
    const char *string; /* NULL: a number */
    uint64_t number;
    size_t size;
    const void *bytes; /* NULL: neither */
};

/* Extensions that both devices have, by their functions. */
#define EXTENSIONS                                                                                 \
    "cl_arm_import_memory cl_ext_device_fission cl_ext_image_requirements_info "                   \
    "cl_ext_migrate_memobject cl_img_cancel_command cl_img_generate_mipmap "                       \
    "cl_intel_create_buffer_with_properties cl_intel_program_scope_host_pipe "                     \
    "cl_intel_sharing_format_query cl_intel_unified_shared_memory "                                \
    "cl_intel_va_api_media_sharing cl_khr_command_buffer cl_khr_create_command_queue "             \
    "cl_khr_d3d10_sharing cl_khr_d3d11_sharing cl_khr_dx9_media_sharing cl_khr_egl_event "         \
    "cl_khr_egl_image cl_khr_external_memory cl_khr_external_semaphore "                           \
    "cl_khr_external_semaphore_sync_fd cl_khr_gl_sharing cl_khr_il_program "                       \
    "cl_khr_semaphore cl_khr_subgroups cl_khr_terminate_context cl_pocl_content_size "
#define NUMBER4(name, number)                                                                      \
    {                                                                                              \
        API_FAMILY_DEVICE_INFO, name, NULL, number, 4, NULL                                        \
    }
#define NUMBER8(name, number)                                                                      \
    {                                                                                              \
        API_FAMILY_DEVICE_INFO, name, NULL, number, 8, NULL                                        \
    }
static const struct answer bare_answers[] = {
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_NAME, "bare", 0, 0, NULL},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_VENDOR, "clerk", 0, 0, NULL},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_VERSION, "OpenCL 1.0 stub", 0, 0, NULL},
    {API_FAMILY_DEVICE_INFO, CL_DRIVER_VERSION, "1", 0, 0, NULL},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_EXTENSIONS, EXTENSIONS, 0, 0, NULL},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_PLATFORM, NULL, (uint64_t)(uintptr_t)&the_platform, 8, NULL},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_IL_VERSION, "", 0, 0, NULL},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_MAX_WORK_ITEM_SIZES, NULL, 0, sizeof item_sizes, item_sizes},
    NUMBER4(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3),
    NUMBER8(CL_DEVICE_MAX_WORK_GROUP_SIZE, 1024),
    NUMBER8(CL_DEVICE_MAX_MEM_ALLOC_SIZE, 1 << 20),
    NUMBER4(CL_DEVICE_MEM_BASE_ADDR_ALIGN, 4096 * 8),
    NUMBER4(CL_DEVICE_ADDRESS_BITS, 32),
    NUMBER8(CL_DEVICE_EXECUTION_CAPABILITIES, CL_EXEC_KERNEL),
    NUMBER8(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, 0),
    NUMBER8(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, 0),
    NUMBER8(CL_DEVICE_SVM_CAPABILITIES, 0),
    NUMBER8(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, 0),
    NUMBER8(CL_DEVICE_PARTITION_PROPERTIES, 0),
    NUMBER8(CL_DEVICE_TERMINATE_CAPABILITY_KHR, 0),
    NUMBER8(CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, 0),
    NUMBER8(CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL, 0),
    NUMBER8(CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, 0),
    NUMBER8(CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, 0),
    NUMBER8(CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, 0),
    NUMBER8(CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR, CL_QUEUE_PROFILING_ENABLE),
    NUMBER8(CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR, 0),
};

/* A part of the device: what it has that the whole lacks. */
static const struct answer part_answers[] = {
    NUMBER8(CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR,
            CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR),
    NUMBER8(CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR,
            CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE),
};

/* Versions from which on command-buffers have the parameters that the table says, and newer. */
static const cl_name_version extension_versions[] = {
    {CL_MAKE_VERSION(0, 9, 8), "cl_khr_command_buffer"},
    {CL_MAKE_VERSION(0, 9, 5), "cl_khr_command_buffer_mutable_dispatch"},
};
static const cl_uint memory_handles[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                                         CL_EXTERNAL_MEMORY_HANDLE_ANDROID_HARDWARE_BUFFER_KHR};
static const cl_uint semaphore_handles[] = {CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR,
                                            CL_SEMAPHORE_HANDLE_SYNC_FD_KHR};

static const struct answer answers[] = {
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_EXTENSIONS_WITH_VERSION, NULL, 0, sizeof extension_versions,
     extension_versions},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, NULL, 0,
     sizeof memory_handles, memory_handles},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR, NULL, 0,
     sizeof semaphore_handles, semaphore_handles},
    NUMBER8(CL_DEVICE_TERMINATE_CAPABILITY_KHR, CL_DEVICE_TERMINATE_CAPABILITY_CONTEXT_KHR),
    NUMBER8(CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, 1),
    NUMBER8(CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL, 1),
    NUMBER8(CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, 1),
    NUMBER8(CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, 0),
    NUMBER8(CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, 0),
    NUMBER8(CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR, 0),
    NUMBER8(CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR, CL_QUEUE_PROFILING_ENABLE),
    NUMBER8(CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR,
            CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR),
    {API_FAMILY_PLATFORM_INFO, CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR, NULL,
     CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR, 8, NULL},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_IL_VERSION, "SPIR-V_1.2", 0, 0, NULL},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_MAX_WORK_ITEM_SIZES, NULL, 0, sizeof item_sizes, item_sizes},
    NUMBER4(CL_DEVICE_MAX_COMPUTE_UNITS, 4),
    NUMBER4(CL_DEVICE_ADDRESS_BITS, 64),
    NUMBER4(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3),
    NUMBER8(CL_DEVICE_MAX_WORK_GROUP_SIZE, 1024),
    NUMBER8(CL_DEVICE_MAX_MEM_ALLOC_SIZE, 1 << 20),
    NUMBER8(CL_DEVICE_MAX_PARAMETER_SIZE, 1024),
    NUMBER8(CL_DEVICE_LOCAL_MEM_SIZE, 32768),
    {API_FAMILY_KERNEL_WORK_GROUP_INFO, CL_KERNEL_LOCAL_MEM_SIZE, NULL, 0, 8, NULL},
    NUMBER4(CL_DEVICE_MEM_BASE_ADDR_ALIGN, 128 * 8),
    NUMBER4(CL_DEVICE_IMAGE_SUPPORT, CL_TRUE),
    NUMBER8(CL_DEVICE_IMAGE2D_MAX_WIDTH, 64),
    NUMBER8(CL_DEVICE_IMAGE2D_MAX_HEIGHT, 64),
    NUMBER8(CL_DEVICE_IMAGE3D_MAX_WIDTH, 32),
    NUMBER8(CL_DEVICE_IMAGE3D_MAX_HEIGHT, 32),
    NUMBER8(CL_DEVICE_IMAGE3D_MAX_DEPTH, 32),
    NUMBER8(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 1024),
    NUMBER8(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 16),
    NUMBER4(CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 4),
    NUMBER4(CL_DEVICE_COMPILER_AVAILABLE, CL_TRUE),
    NUMBER4(CL_DEVICE_LINKER_AVAILABLE, CL_TRUE),
    NUMBER8(CL_DEVICE_EXECUTION_CAPABILITIES, CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL),
    NUMBER8(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES,
            CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE),
    NUMBER8(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES,
            CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE),
    NUMBER4(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, 4096),
    NUMBER8(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT),
    NUMBER8(CL_DEVICE_SVM_CAPABILITIES, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER),
    NUMBER4(CL_DEVICE_PIPE_SUPPORT, CL_TRUE),
    NUMBER4(CL_DEVICE_PIPE_MAX_PACKET_SIZE, 64),
    NUMBER4(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, CL_FALSE),
    NUMBER4(CL_DEVICE_MAX_NUM_SUB_GROUPS, 4),
    NUMBER4(CL_DEVICE_PARTITION_MAX_SUB_DEVICES, 4),
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_PARTITION_PROPERTIES, NULL, 0, sizeof schemes, schemes},
    NUMBER8(CL_DEVICE_PARTITION_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA),
    /* Of contexts and programs for parts of the device, too, as PoCL does. */
    {API_FAMILY_CONTEXT_INFO, CL_CONTEXT_DEVICES, NULL, (uint64_t)(uintptr_t)&the_device, 8, NULL},
    {API_FAMILY_PROGRAM_INFO, CL_PROGRAM_DEVICES, NULL, (uint64_t)(uintptr_t)&the_device, 8, NULL},
    {API_FAMILY_PROGRAM_INFO, CL_PROGRAM_BINARY_SIZES, NULL, sizeof stub_binary, 8, NULL},
    {API_FAMILY_PROGRAM_INFO, CL_PROGRAM_BINARIES, NULL, 0, 8, NULL},
    {API_FAMILY_PROGRAM_BUILD_INFO, CL_PROGRAM_BINARY_TYPE, NULL, CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
     4, NULL},
    {API_FAMILY_KERNEL_WORK_GROUP_INFO, CL_KERNEL_WORK_GROUP_SIZE, NULL, 256, 8, NULL},
    {API_FAMILY_PLATFORM_INFO, CL_PLATFORM_NAME, "clerk stub", 0, 0, NULL},
    {API_FAMILY_PLATFORM_INFO, CL_PLATFORM_VENDOR, "clerk", 0, 0, NULL},
    {API_FAMILY_PLATFORM_INFO, CL_PLATFORM_VERSION, "OpenCL 3.0 stub", 0, 0, NULL},
    {API_FAMILY_PLATFORM_INFO, CL_PLATFORM_PROFILE, "FULL_PROFILE", 0, 0, NULL},
    {API_FAMILY_PLATFORM_INFO, CL_PLATFORM_EXTENSIONS, "cl_khr_icd", 0, 0, NULL},
    {API_FAMILY_PLATFORM_INFO, CL_PLATFORM_ICD_SUFFIX_KHR, "STUB", 0, 0, NULL},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_NAME, "stub", 0, 0, NULL},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_VENDOR, "clerk", 0, 0, NULL},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_VERSION, "OpenCL 3.0 stub", 0, 0, NULL},
    {API_FAMILY_DEVICE_INFO, CL_DRIVER_VERSION, "1", 0, 0, NULL},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_EXTENSIONS,
     EXTENSIONS "cl_khr_command_buffer_multi_device cl_khr_command_buffer_mutable_dispatch "
                "cl_khr_gl_event cl_khr_suggested_local_work_size cl_ext_buffer_device_address "
                "cl_img_use_gralloc_ptr "
                "cl_qcom_perf_hint cl_ext_image_from_buffer cl_ext_immutable_memory_objects",
     0, 0, NULL},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_PLATFORM, NULL, (uint64_t)(uintptr_t)&the_platform, 8, NULL},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_TYPE, NULL, CL_DEVICE_TYPE_CPU, 8, NULL},
    {API_FAMILY_DEVICE_INFO, CL_DEVICE_AVAILABLE, NULL, CL_TRUE, 4, NULL},
    {API_FAMILY_EVENT_INFO, CL_EVENT_COMMAND_EXECUTION_STATUS, NULL, CL_COMPLETE, 4, NULL},
    {API_FAMILY_QUEUE_INFO, CL_QUEUE_REFERENCE_COUNT, NULL, 1, 4, NULL},
    {API_FAMILY_PROGRAM_BUILD_INFO, CL_PROGRAM_BUILD_STATUS, NULL, CL_BUILD_SUCCESS, 4, NULL},
    {API_FAMILY_PROGRAM_BUILD_INFO, CL_PROGRAM_BUILD_LOG, "", 0, 0, NULL},
};

/* The arguments of kernels: those of "all", which "one_buffer" and "two_images" have a part of,
 * and of "line". */
static const struct kernel_argument {
    const char *type;
    cl_kernel_arg_address_qualifier address;
    cl_kernel_arg_access_qualifier access;
    cl_kernel_arg_type_qualifier qualifier;
} kernel_arguments[] = {
    {"int*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_NONE, 0},
    {"int*", CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ACCESS_NONE, 0},
    {"int", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ACCESS_NONE, 0},
    {"image2d_t", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_READ_ONLY, 0},
    {"image2d_t", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_WRITE_ONLY, 0},
    {"sampler_t", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ACCESS_NONE, 0},
    {"queue_t", CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ACCESS_NONE, 0},
    {"int", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_KERNEL_ARG_TYPE_PIPE},
    {"image1d_buffer_t", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_WRITE_ONLY, 0},
    {"int*", CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_CONST},
};
static const struct {
    uint32_t first, count;
} kernel_parts[] = {
    [KERNEL_ALL] = {0, 8},
    [KERNEL_LINE] = {8, 2},
    [KERNEL_BUFFER] = {0, 1},
    [KERNEL_IMAGES] = {3, 2},
};

/* What a kernel says of itself; false = nothing special. */
static bool answer_kernel(const struct api_entry_info *info, const uint64_t *words,
                          enum api_family family, uint64_t name, struct answer *answer)
{
    const struct stub_object *kernel = find(words[0]);
    if (info->parameters[0].kind != API_OBJECT_KERNEL || !kernel)
        return false;
    if (family == API_FAMILY_KERNEL_INFO && name == CL_KERNEL_NUM_ARGS) {
        *answer = (struct answer){.number = kernel_parts[kernel->size].count, .size = 4};
        return true;
    }
    if (family == API_FAMILY_KERNEL_INFO && name == CL_KERNEL_PROGRAM && kernel->memory) {
        *answer = (struct answer){.number = (uint64_t)(uintptr_t)kernel->memory, .size = 8};
        return true;
    }
    if (family == API_FAMILY_KERNEL_WORK_GROUP_INFO && name == CL_KERNEL_COMPILE_WORK_GROUP_SIZE) {
        *answer = (struct answer){.bytes = kernel->size == KERNEL_FIXED ? group_of_8 : no_group,
                                  .size = sizeof no_group};
        return true;
    }
    if (family != API_FAMILY_KERNEL_ARG_INFO || words[1] >= kernel_parts[kernel->size].count)
        return false;
    const struct kernel_argument *argument =
        &kernel_arguments[kernel_parts[kernel->size].first + words[1]];
    *answer = name == CL_KERNEL_ARG_TYPE_NAME ? (struct answer){.string = argument->type}
              : name == CL_KERNEL_ARG_ADDRESS_QUALIFIER
                  ? (struct answer){.number = argument->address, .size = 4}
              : name == CL_KERNEL_ARG_ACCESS_QUALIFIER
                  ? (struct answer){.number = argument->access, .size = 4}
              : name == CL_KERNEL_ARG_TYPE_QUALIFIER
                  ? (struct answer){.number = argument->qualifier, .size = 8}
                  : (struct answer){.string = "name"};
    return true;
}

static void find_row(const struct answer *rows, size_t count, enum api_family family, uint64_t name,
                     struct answer *answer)
{
    for (size_t i = 0; i < count; ++i)
        if (rows[i].family == family && rows[i].name == name)
            *answer = rows[i];
}

/* The row for a query; one that is not in the table is a zero of 4 bytes. */
static struct answer find_answer(const struct api_entry_info *info, const uint64_t *words,
                                 uint64_t name, enum api_family family)
{
    struct answer answer = {.size = 4};
    if (answer_kernel(info, words, family, name, &answer))
        return answer;
    if (words[0] == (uint64_t)(uintptr_t)&bare_device) {
        find_row(bare_answers, sizeof bare_answers / sizeof *bare_answers, family, name, &answer);
        return answer;
    }
    find_row(answers, sizeof answers / sizeof *answers, family, name, &answer);
    if (family == API_FAMILY_DEVICE_INFO && words[0] != (uint64_t)(uintptr_t)&the_device)
        find_row(part_answers, sizeof part_answers / sizeof *part_answers, family, name, &answer);
    return answer;
}

/* Where param_value points to; a wrong program may have anything there. */
static bool write_binary(const void *param_value)
{
    struct iovec from = {.iov_base = stub_binary, .iov_len = sizeof stub_binary};
    struct iovec place = {.iov_len = sizeof stub_binary};
    memcpy(&place.iov_base, param_value, sizeof place.iov_base);
    return process_vm_writev(getpid(), &from, 1, &place, 1, 0) == (ssize_t)sizeof stub_binary;
}

static cl_int answer_query(const struct api_entry_info *info, const uint64_t *words,
                           uint32_t value_index)
{
    const uint32_t name_index = api_entry_find_parameter(info, "param_name");
    const struct api_parameter *value = &info->parameters[value_index];
    const struct answer answer = find_answer(info, words, words[name_index],
                                             (enum api_family)info->parameters[name_index].family);
    const struct stub_object *kernel = find(words[0]);
    if (info->parameters[name_index].family == API_FAMILY_KERNEL_INFO &&
        words[name_index] == CL_KERNEL_NUM_ARGS && kernel && kernel->size == KERNEL_OTHER)
        return CL_INVALID_VALUE;
    const size_t size = answer.string ? strlen(answer.string) + 1 : answer.size;
    const void *bytes = answer.string  ? (const void *)answer.string
                        : answer.bytes ? answer.bytes
                                       : &answer.number;
    void *to = (void *)(uintptr_t)words[value_index];
    size_t *size_ret = (size_t *)(uintptr_t)words[value->actual_index];
    if (to && words[value->count_index] < size)
        return CL_INVALID_VALUE;
    if (to && answer.family == API_FAMILY_PROGRAM_INFO && answer.name == CL_PROGRAM_BINARIES) {
        if (!write_binary(to))
            return CL_INVALID_VALUE;
    } else if (to) {
        memcpy(to, bytes, size);
    }
    if (size_ret)
        *size_ret = size;
    return CL_SUCCESS;
}

/* One object of the kind: a platform, a device, the kernel of a program. */
static cl_int answer_list(const struct api_entry_info *info, const struct api_parameter *list,
                          const uint64_t *words, uint64_t to_word)
{
    const bool bare = list->kind == API_OBJECT_DEVICE &&
                      strcmp(info->name, "clGetDeviceIDs") == 0 &&
                      words[API_clGetDeviceIDs_device_type] == CL_DEVICE_TYPE_CUSTOM;
    const bool parts = strncmp(info->name, "clCreateSubDevices", 18) == 0;
    void **to = (void **)(uintptr_t)to_word;
    cl_uint *count = list->actual_index == API_PARAMETER_NONE
                         ? NULL
                         : (cl_uint *)(uintptr_t)words[list->actual_index];
    if (list->actual_index == API_PARAMETER_NONE && !to)
        return CL_SUCCESS; /* the handle of a command, which is not asked for */
    if ((to && api_parameter_count(list, words) == 0) || (!to && !count))
        return CL_INVALID_VALUE;
    if (to)
        *to = list->kind == API_OBJECT_PLATFORM ? &the_platform
              : bare                            ? &bare_device
              : parts                           ? create(API_OBJECT_DEVICE)
              : list->kind == API_OBJECT_DEVICE ? &the_device
                                                : create((enum api_object_kind)list->kind);
    if (count)
        *count = 1;
    return CL_SUCCESS;
}

static cl_int judge_wait_list(const struct api_parameter *parameter, const uint64_t *words,
                              uint64_t list)
{
    const uint64_t count = words[parameter->count_index];
    const uint64_t *events = (const uint64_t *)(uintptr_t)list;
    if ((count == 0) != (events == NULL))
        return CL_INVALID_EVENT_WAIT_LIST;
    for (uint64_t i = 0; i < count; ++i)
        if (events[i] == 0 || judge_handle(parameter, events[i]) != CL_SUCCESS)
            return CL_INVALID_EVENT_WAIT_LIST;
    return CL_SUCCESS;
}

static cl_int judge_parameter(const struct api_entry_info *info, uint32_t index,
                              const uint64_t *words)
{
    const struct api_parameter *parameter = &info->parameters[index];
    switch (parameter->role) {
    case API_ROLE_HANDLE:
        return judge_handle(parameter, words[index]);
    case API_ROLE_WAIT_LIST:
        return judge_wait_list(parameter, words, words[index]);
    case API_ROLE_INFO_VALUE:
        return answer_query(info, words, index);
    case API_ROLE_OUT_HANDLES:
        return answer_list(info, parameter, words, words[index]);
    case API_ROLE_OUT_MEMORY:
    case API_ROLE_IN_MEMORY:
        return words[index] ? CL_SUCCESS : CL_INVALID_VALUE;
    default:
        return CL_SUCCESS;
    }
}

static void count_reference(const struct api_parameter *parameter, uint64_t handle)
{
    struct stub_object *object = find(handle);
    if (!object || object == &the_platform || object->kind == API_OBJECT_DEVICE)
        return;
    if (parameter->flags & API_PARAMETER_RETAINED)
        ++object->references;
    if (parameter->flags & API_PARAMETER_RELEASED)
        --object->references;
}

static enum stub_kernel kernel_of(uint64_t name)
{
    const char *string = (const char *)(uintptr_t)name;
    static const char *const names[] = {"",        "plain",      "all",        "fixed",
                                        "unknown", "one_buffer", "two_images", "line"};
    for (size_t i = 1; string && i < sizeof names / sizeof *names; ++i)
        if (strcmp(string, names[i]) == 0)
            return (enum stub_kernel)i;
    return KERNEL_OTHER;
}

static void *stub_function(const char *name);

/* The word at that address, of a list that may lead nowhere; 0 ends it. */
static uint64_t word_at(const uint64_t *place)
{
    uint64_t word = 0;
    const struct iovec to = {&word, sizeof word}, from = {(void *)(uintptr_t)place, sizeof word};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)sizeof word ? word : 0;
}

/* The fence that properties of a semaphore import; -1 = none. */
static int imported_fence(const uint64_t *property)
{
    for (uint64_t name; property && (name = word_at(property)) != 0; property += 2) {
        if (name == CL_SEMAPHORE_HANDLE_SYNC_FD_KHR)
            return (int)word_at(property + 1);
        if (api_property_is_list(API_FAMILY_SEMAPHORE_PROPERTIES, name))
            while (word_at(property + 1) != 0)
                ++property;
    }
    return -1;
}

/* A fence is copied when it is imported, and its descriptor closed; others stay open. */
static void take_descriptor(uint32_t entry, const uint64_t *words)
{
    int fence = -1;
    if (entry == API_ENTRY_clReImportSemaphoreSyncFdKHR)
        fence = (int)words[API_clReImportSemaphoreSyncFdKHR_fd];
    if (entry == API_ENTRY_clCreateSemaphoreWithPropertiesKHR)
        fence = imported_fence(
            (const uint64_t *)(uintptr_t)words[API_clCreateSemaphoreWithPropertiesKHR_sema_props]);
    if (fence >= 0)
        close(fence);
}

/* Of a program that tests/rules/build-failed builds. */
static bool is_broken(const char *options)
{
    return options && strcmp(options, "-D NOT_YET_WRITTEN") == 0;
}

/* What a call that is right does: counts, events, and the object or pointer that it returns. */
static uint64_t perform(uint32_t entry, const struct api_entry_info *info, const uint64_t *words)
{
    take_descriptor(entry, words);
    for (uint32_t i = 0; i < info->parameter_count; ++i) {
        const struct api_parameter *parameter = &info->parameters[i];
        if (parameter->role == API_ROLE_HANDLE)
            count_reference(parameter, words[i]);
        if (parameter->role == API_ROLE_OUT_EVENT && words[i])
            *(void **)(uintptr_t)words[i] = create(API_OBJECT_EVENT);
    }
    if (info->return_role == API_ROLE_HANDLE) {
        struct stub_object *object = create(info->return_kind);
        object->unset = entry == API_ENTRY_clCreateUserEvent;
        if (entry == API_ENTRY_clCreateBuffer)
            object->size = words[API_clCreateBuffer_size];
        if (entry == API_ENTRY_clCreateKernel) {
            object->size = kernel_of(words[API_clCreateKernel_kernel_name]);
            object->memory = (void *)(uintptr_t)words[API_clCreateKernel_program];
        }
        return (uint64_t)(uintptr_t)object;
    }
    const uint32_t point = api_entry_find_parameter(info, "sync_point");
    if (point != API_PARAMETER_NONE && words[point])
        *(cl_sync_point_khr *)(uintptr_t)words[point] = ++last_point;
    if (info->return_role == API_ROLE_POINTER && strstr(info->name, "MemAllocINTEL"))
        return make_memory(words[api_entry_find_parameter(info, "size")]);
    if (entry == API_ENTRY_clGetExtensionFunctionAddressForPlatform)
        return (uint64_t)(uintptr_t)stub_function((const char *)(uintptr_t)words[1]);
    if (entry == API_ENTRY_clEnqueueMapImage)
        return make_memory(64);
    if (entry == API_ENTRY_clSVMAlloc)
        return make_memory(words[API_clSVMAlloc_size]);
    if (entry == API_ENTRY_clEnqueueMapBuffer) {
        struct stub_object *buffer = find(words[API_clEnqueueMapBuffer_buffer]);
        if (!buffer->memory)
            buffer->memory = (void *)(uintptr_t)make_memory(buffer->size);
        return buffer->memory && words[API_clEnqueueMapBuffer_offset] <= buffer->size
                   ? (uint64_t)(uintptr_t)buffer->memory + words[API_clEnqueueMapBuffer_offset]
                   : 0;
    }
    return 0;
}

static void add_callback(struct stub_object *event, const uint64_t *words)
{
    struct stub_callback **end = &event->callbacks;
    struct stub_callback *callback = calloc(1, sizeof *callback);
    if (!callback)
        abort();
    callback->notify = (api_event_notify *)(uintptr_t)words[API_clSetEventCallback_pfn_notify];
    callback->user_data = (void *)(uintptr_t)words[API_clSetEventCallback_user_data];
    while (*end)
        end = &(*end)->next;
    *end = callback;
}

/* Callbacks of single calls come before the call returns, which the specification allows. */
static void call_back_at_once(uint32_t entry, const uint64_t *words, uint64_t result)
{
    union { /* of parameters whose positions differ */
        api_program_notify *program;
        api_svm_free_notify *svm_free;
        uint64_t word;
    } notify = {.word = 0};
    const uint32_t index = api_entry_find_role(api_entry_get(entry), API_ROLE_CALLBACK);
    if (index != API_PARAMETER_NONE)
        notify.word = words[index];
    if (notify.word == 0)
        return;
    void *user_data = (void *)(uintptr_t)words[index + 1];
    if (entry == API_ENTRY_clEnqueueSVMFree)
        notify.svm_free((cl_command_queue)(uintptr_t)words[0],
                        (cl_uint)words[API_clEnqueueSVMFree_num_svm_pointers],
                        (void **)(uintptr_t)words[API_clEnqueueSVMFree_svm_pointers], user_data);
    else if (entry == API_ENTRY_clBuildProgram || entry == API_ENTRY_clCompileProgram)
        notify.program((cl_program)(uintptr_t)words[0], user_data);
    else if (entry == API_ENTRY_clLinkProgram)
        notify.program((cl_program)(uintptr_t)result, user_data);
}

/* Without the lock, in the order of their registration. */
static void call_back(uint32_t entry, const uint64_t *words)
{
    if (entry != API_ENTRY_clSetEventCallback && entry != API_ENTRY_clSetUserEventStatus)
        return;
    pthread_mutex_lock(&lock);
    struct stub_object *event = find(words[API_clSetEventCallback_event]);
    if (entry == API_ENTRY_clSetUserEventStatus)
        event->unset = false;
    else
        add_callback(event, words);
    struct stub_callback *callback = event->unset ? NULL : event->callbacks;
    if (callback)
        event->callbacks = NULL;
    pthread_mutex_unlock(&lock);
    while (callback) {
        struct stub_callback *next = callback->next;
        if (callback->notify)
            callback->notify((cl_event)(uintptr_t)event, CL_COMPLETE, callback->user_data);
        free(callback);
        callback = next;
    }
}

static uint64_t stub_answer(uint32_t entry, const uint64_t *words)
{
    const struct api_entry_info *info = api_entry_get(entry);
    const uint32_t error_index = api_entry_find_role(info, API_ROLE_OUT_STATUS);
    cl_int error = CL_SUCCESS;
    uint64_t result = 0;
    pthread_mutex_lock(&lock);
    if (next_error != CL_SUCCESS && strncmp(info->name, "clGet", 5) != 0) {
        error = next_error;
        next_error = CL_SUCCESS;
    }
    for (uint32_t i = 0; i < info->parameter_count && error == CL_SUCCESS; ++i)
        error = judge_parameter(info, i, words);
    if (entry == API_ENTRY_clCreateBuffer && error == CL_SUCCESS &&
        words[API_clCreateBuffer_size] == 0)
        error = CL_INVALID_BUFFER_SIZE;
    if (entry == API_ENTRY_clCreateKernel && error == CL_SUCCESS &&
        kernel_of(words[API_clCreateKernel_kernel_name]) == KERNEL_NONE)
        error = CL_INVALID_KERNEL_NAME;
    if (entry == API_ENTRY_clBuildProgram && error == CL_SUCCESS &&
        is_broken((const char *)(uintptr_t)words[API_clBuildProgram_options]))
        error = CL_BUILD_PROGRAM_FAILURE;
    if (entry == API_ENTRY_clSetProgramReleaseCallback && error == CL_SUCCESS)
        error = CL_INVALID_OPERATION; /* no program has destructors */
    if (error == CL_SUCCESS)
        result = perform(entry, info, words);
    pthread_mutex_unlock(&lock);
    if (error == CL_SUCCESS) {
        call_back(entry, words);
        call_back_at_once(entry, words, result);
    }
    if (entry == API_ENTRY_clUpdateMutableCommandsKHR) /* two threads that make such calls are in */
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL); /* them at once, however few CPUs */
    if (entry == API_ENTRY_clEnqueueNativeKernel && error == CL_SUCCESS &&
        words[API_clEnqueueNativeKernel_user_func])
        ((api_native_kernel *)(uintptr_t)words[API_clEnqueueNativeKernel_user_func])(
            (void *)(uintptr_t)words[API_clEnqueueNativeKernel_args]);
    if (error_index != API_PARAMETER_NONE && words[error_index])
        *(cl_int *)(uintptr_t)words[error_index] = error;
    return info->return_role == API_ROLE_STATUS ? (uint64_t)error : result;
}

/* ---- the functions ---- */

#define RETURN_STATUS(type)  return (type)
#define RETURN_POINTER(type) return (type)(uintptr_t)
#define RETURN_NOTHING(type) (void)
#define RETURN_OBJECT(kind)  RETURN_POINTER

/* clang-format off */
#define API(name, since, type, role, ...)                                                          \
    static type CL_API_CALL stub_##name(API_EACH(API_VIEW_DECLARE, name, __VA_ARGS__))             \
    {                                                                                              \
        const uint64_t words[] = {API_EACH(API_VIEW_WORD, name, __VA_ARGS__)};                     \
        RETURN_##role(type) stub_answer(API_ENTRY_##name, words);                                  \
    }
#define API_VOID(name, since, type, role)                                                          \
    static type CL_API_CALL stub_##name(void)                                                      \
    {                                                                                              \
        RETURN_##role(type) stub_answer(API_ENTRY_##name, NULL);                                   \
    }
#include "trace/api/cl_api.def"
/* clang-format on */

static const struct slot {
    uint32_t entry;
    api_function *function;
} slots[] = {
#define API(name, ...) {API_ENTRY_##name, (api_function *)stub_##name},
#include "trace/api/cl_api.def"
};

/* Before any call: the slots of the table that these headers have. */
__attribute__((constructor)) static void fill_dispatch(void)
{
    objects = &bare_device;
    for (size_t i = 0; i < sizeof slots / sizeof *slots; ++i) {
        const size_t offset = (slots[i].entry - 1) * sizeof slots[i].function;
        if (slots[i].entry > API_SLOT_COUNT)
            continue;
        if (offset + sizeof slots[i].function <= sizeof dispatch)
            memcpy((char *)&dispatch + offset, &slots[i].function, sizeof slots[i].function);
    }
}

/* ---- what the loader asks for by name ---- */

EXPORT cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms,
                                                 cl_uint *num_platforms)
{
    return stub_clGetPlatformIDs(num_entries, platforms, num_platforms);
}

EXPORT cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name,
                                            size_t param_value_size, void *param_value,
                                            size_t *param_value_size_ret)
{
    return stub_clGetPlatformInfo(platform, param_name, param_value_size, param_value,
                                  param_value_size_ret);
}

/* A driver may refuse what seems right: the next call that does not ask returns this error. The
 * name is none that makes objects, so that the layer goes on knowing them. */
static cl_int CL_API_CALL set_next_error(cl_int error)
{
    next_error = error;
    return CL_SUCCESS;
}

static void *stub_function(const char *name)
{
    if (strcmp(name, "clSetNextErrorSTUB") == 0)
        return (void *)set_next_error;
    const uint32_t entry = api_entry_find(name);
    for (size_t i = 0; i < sizeof slots / sizeof *slots; ++i)
        if (slots[i].entry == entry && strncmp(api_entry_get(entry)->since, "cl_", 3) == 0)
            return (void *)slots[i].function;
    return NULL;
}

EXPORT void *CL_API_CALL clGetExtensionFunctionAddress(const char *func_name)
{
    if (strcmp(func_name, "clIcdGetPlatformIDsKHR") == 0)
        return (void *)clIcdGetPlatformIDsKHR;
    if (strcmp(func_name, "clGetPlatformInfo") == 0)
        return (void *)clGetPlatformInfo;
    return stub_function(func_name);
}
