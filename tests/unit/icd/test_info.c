/* Every query: its answer has the size and the value that the specification wants, a buffer that is
 * too small is refused and left alone, one that is larger is filled as far as the answer goes, and
 * no query answers that no row is about.
 *
 * VALUE(query, type, what holds of `value`), TEXT(query, the string, or NULL for any that is not
 * empty), LIST(query, type, what holds of `list` and `count`). */
#include "tests/unit/icd/fixture.h"

#include <float.h>

#include "trace/api/clerk_queries.h"
#include "trace/api/foreign.h"

static struct {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem buffer, part, image, volume, line;
    cl_sampler sampler;
    cl_program program;
    cl_kernel kernel;
    cl_event event;
} objects, *const world = &objects;
static cl_mem asked_mem; /* of these there are several kinds */
static cl_uint asked_argument;
static cl_int code;

static const char *source =
    "global int three[3];\n"
    "kernel __attribute__((reqd_work_group_size(4, 2, 1)))\n"
    "void k(global const int *restrict numbers, read_only image2d_t image,\n"
    "       local float4 *tile, volatile constant int *v)\n"
    "{\n"
    "    three[0] = numbers[0];\n"
    "}\n"
    "kernel void second(void) {}\n";

/* ---- who is asked ---- */

typedef cl_int ask_function(cl_uint query, size_t size, void *value, size_t *size_ret);
#define ASK(name, call)                                                                            \
    static cl_int ask_##name(cl_uint query, size_t size, void *value, size_t *size_ret)            \
    {                                                                                              \
        return call;                                                                               \
    }
ASK(platform, clGetPlatformInfo(world->platform, query, size, value, size_ret))
ASK(device, clGetDeviceInfo(world->device, query, size, value, size_ret))
ASK(context, clGetContextInfo(world->context, query, size, value, size_ret))
ASK(queue, clGetCommandQueueInfo(world->queue, query, size, value, size_ret))
ASK(mem, clGetMemObjectInfo(asked_mem, query, size, value, size_ret))
ASK(image, clGetImageInfo(asked_mem, query, size, value, size_ret))
ASK(sampler, clGetSamplerInfo(world->sampler, query, size, value, size_ret))
ASK(program, clGetProgramInfo(world->program, query, size, value, size_ret))
ASK(build, clGetProgramBuildInfo(world->program, world->device, query, size, value, size_ret))
ASK(kernel, clGetKernelInfo(world->kernel, query, size, value, size_ret))
ASK(group, clGetKernelWorkGroupInfo(world->kernel, world->device, query, size, value, size_ret))
ASK(argument, clGetKernelArgInfo(world->kernel, asked_argument, query, size, value, size_ret))
ASK(event, clGetEventInfo(world->event, query, size, value, size_ret))
ASK(profiling, clGetEventProfilingInfo(world->event, query, size, value, size_ret))

static cl_ulong device_ulong(cl_device_info query)
{
    cl_ulong value = 0;
    CHECK(clGetDeviceInfo(world->device, query, sizeof(value), &value, NULL));
    return value;
}

static const char *device_text(cl_device_info query)
{
    static char text[256];
    CHECK(clGetDeviceInfo(world->device, query, sizeof(text), text, NULL));
    return text;
}

#define ALL_ATOMICS                                                                                \
    (CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |                             \
     CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP |                          \
     CL_DEVICE_ATOMIC_SCOPE_DEVICE | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES)
#define ALL_OF_DOUBLE (CL_FP_FMA | CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN | CL_FP_DENORM)

/* ---- rows ---- */

enum { ANSWER_MAX = 1 << 16, ASKED_MAX = 256 };
static ask_function *ask;
static cl_uint asked[ASKED_MAX];
static size_t asked_count;
static unsigned wrong_rows;
static union {
    char bytes[ANSWER_MAX];
    uint64_t aligned;
} answer;

static void complain(const char *query, const char *what)
{
    print_message("%s: %s\n", query, what);
    wrong_rows++;
}

/* The answer lies in `answer` then, with 0xee after it. Gives its size. */
static size_t take(const char *name, cl_uint query)
{
    size_t size = ANSWER_MAX, again = ANSWER_MAX;
    assert_true(asked_count < ASKED_MAX);
    asked[asked_count++] = query;
    memset(&answer, 0xee, sizeof(answer));
    if (ask(query, 0, NULL, &size) != CL_SUCCESS || size >= ANSWER_MAX) {
        complain(name, "no answer");
        return 0;
    }
    if (size > 0 && ask(query, size - 1, &answer, NULL) != CL_INVALID_VALUE)
        complain(name, "an answer for a buffer that is too small");
    if (answer.bytes[0] != (char)0xee)
        complain(name, "a buffer that is too small is written");
    if (ask(query, size, &answer, &again) != CL_SUCCESS || again != size)
        complain(name, "no answer, or another size, for a buffer that fits");
    if (ask(query, size + 1, &answer, NULL) != CL_SUCCESS)
        complain(name, "no answer for a buffer that is larger");
    if (answer.bytes[size] != (char)0xee)
        complain(name, "more is written than the size says");
    return size;
}

static void take_text(const char *name, cl_uint query, const char *expected)
{
    const size_t size = take(name, query);
    if (size == 0 || memchr(answer.bytes, '\0', size) != answer.bytes + size - 1)
        complain(name, "no string");
    else if (expected ? strcmp(answer.bytes, expected) != 0 : size == 1)
        complain(name, answer.bytes);
}

#define VALUE(query, type, condition)                                                              \
    {                                                                                              \
        type value;                                                                                \
        if (take(#query, query) != sizeof(value))                                                  \
            complain(#query, "another size than that of " #type);                                  \
        memcpy(&value, &answer, sizeof(value));                                                    \
        if (!(condition))                                                                          \
            complain(#query, "not " #condition);                                                   \
    }
#define TEXT(query, expected) take_text(#query, query, expected);
#define LIST(query, type, condition)                                                               \
    {                                                                                              \
        const size_t size = take(#query, query);                                                   \
        const type *list = (const type *)(const void *)&answer;                                    \
        const size_t count = size / sizeof(*list);                                                 \
        (void)list;                                                                                \
        if (size % sizeof(*list) != 0)                                                             \
            complain(#query, "not a list of " #type);                                              \
        else if (!(condition))                                                                     \
            complain(#query, "not " #condition);                                                   \
    }

static void begin(ask_function *function)
{
    ask = function;
    asked_count = 0;
    wrong_rows = 0;
}

static bool was_asked(cl_uint query)
{
    for (size_t i = 0; i < asked_count; i++) {
        if (asked[i] == query)
            return true;
    }
    return false;
}

/* All the others are refused. */
static void end(void)
{
    for (cl_uint query = 0; query < 0x5000; query++) {
        size_t size;
        if (was_asked(query) || ask(query, 0, NULL, &size) == CL_INVALID_VALUE)
            continue;
        print_message("0x%04x: answers, but no row is about it\n", query);
        wrong_rows++;
    }
    assert_int_equal(wrong_rows, 0);
}

/* ---- the tests ---- */

static void of_the_platform(void **state)
{
    (void)state;
    begin(ask_platform);
    TEXT(CL_PLATFORM_PROFILE, "FULL_PROFILE")
    TEXT(CL_PLATFORM_VERSION, NULL)
    VALUE(CL_PLATFORM_NUMERIC_VERSION, cl_version, value == CL_MAKE_VERSION(3, 1, 0))
    TEXT(CL_PLATFORM_NAME, "clerk")
    TEXT(CL_PLATFORM_VENDOR, "clerk")
    TEXT(CL_PLATFORM_EXTENSIONS, NULL)
    LIST(CL_PLATFORM_EXTENSIONS_WITH_VERSION, cl_name_version, count > 20)
    LIST(CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR, cl_external_semaphore_handle_type_khr,
         count == 1 && list[0] == CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR)
    LIST(CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, cl_external_semaphore_handle_type_khr,
         count == 1 && list[0] == CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR)
    LIST(CL_PLATFORM_SEMAPHORE_TYPES_KHR, cl_semaphore_type_khr,
         count == 1 && list[0] == CL_SEMAPHORE_TYPE_BINARY_KHR)
    VALUE(CL_PLATFORM_HOST_TIMER_RESOLUTION, cl_ulong, value >= 1)
    TEXT(CL_PLATFORM_ICD_SUFFIX_KHR, "CLERK")
    end();
}

static void of_the_device(void **state)
{
    (void)state;
    begin(ask_device);
#include "tests/unit/icd/info_device.def"
    end();
}

static void of_a_context(void **state)
{
    (void)state;
    begin(ask_context);
    VALUE(CL_CONTEXT_REFERENCE_COUNT, cl_uint, value == 1)
    VALUE(CL_CONTEXT_NUM_DEVICES, cl_uint, value == 1)
    LIST(CL_CONTEXT_DEVICES, cl_device_id, count == 1 && list[0] == world->device)
    LIST(CL_CONTEXT_PROPERTIES, cl_context_properties,
         count == 3 && list[0] == CL_CONTEXT_PLATFORM && list[2] == 0)
    end();
}

static void of_a_queue(void **state)
{
    (void)state;
    begin(ask_queue);
    VALUE(CL_QUEUE_CONTEXT, cl_context, value == world->context)
    VALUE(CL_QUEUE_DEVICE, cl_device_id, value == world->device)
    VALUE(CL_QUEUE_REFERENCE_COUNT, cl_uint, value == 1)
    VALUE(CL_QUEUE_PROPERTIES, cl_command_queue_properties, value == CL_QUEUE_PROFILING_ENABLE)
    LIST(CL_QUEUE_PROPERTIES_ARRAY, cl_queue_properties,
         count == 3 && list[1] == CL_QUEUE_PROFILING_ENABLE)
    VALUE(CL_QUEUE_DEVICE_DEFAULT, cl_command_queue, value == NULL)
    asked[asked_count++] = CL_QUEUE_SIZE; /* of queues on the device alone */
    cl_uint size;
    assert_int_equal(clGetCommandQueueInfo(world->queue, CL_QUEUE_SIZE, sizeof(size), &size, NULL),
                     CL_INVALID_COMMAND_QUEUE);
    end();
}

static void of_memory_objects(void **state)
{
    (void)state;
    const struct {
        cl_mem mem, parent;
        cl_mem_object_type type;
        size_t size, offset;
        cl_mem_flags flags;
    } cases[] = {
        {world->buffer, NULL, CL_MEM_OBJECT_BUFFER, 1024, 0, CL_MEM_READ_WRITE},
        {world->part, world->buffer, CL_MEM_OBJECT_BUFFER, 64, 128, CL_MEM_READ_ONLY},
        {world->image, NULL, CL_MEM_OBJECT_IMAGE2D, 8 * 4 * 4, 0, CL_MEM_READ_WRITE},
        {world->line, world->buffer, CL_MEM_OBJECT_IMAGE1D_BUFFER, 32, 0, CL_MEM_READ_WRITE},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin(ask_mem);
        asked_mem = cases[i].mem;
        VALUE(CL_MEM_TYPE, cl_mem_object_type, value == cases[i].type)
        VALUE(CL_MEM_FLAGS, cl_mem_flags, value == cases[i].flags)
        VALUE(CL_MEM_SIZE, size_t, value == cases[i].size)
        VALUE(CL_MEM_HOST_PTR, void *, value == NULL)
        VALUE(CL_MEM_MAP_COUNT, cl_uint, value == 0)
        VALUE(CL_MEM_REFERENCE_COUNT, cl_uint, value == 1)
        VALUE(CL_MEM_CONTEXT, cl_context, value == world->context)
        VALUE(CL_MEM_ASSOCIATED_MEMOBJECT, cl_mem, value == cases[i].parent)
        VALUE(CL_MEM_OFFSET, size_t, value == cases[i].offset)
        VALUE(CL_MEM_USES_SVM_POINTER, cl_bool, value == CL_FALSE)
        LIST(CL_MEM_PROPERTIES, cl_mem_properties, count == 0)
        end();
    }
}

static void of_images(void **state)
{
    (void)state;
    const struct {
        cl_mem image, buffer;
        size_t width, height, depth, row_pitch, slice_pitch;
    } cases[] = {
        {world->image, NULL, 8, 4, 0, 32, 0},
        {world->volume, NULL, 8, 4, 2, 32, 128},
        {world->line, world->buffer, 8, 0, 0, 32, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin(ask_image);
        asked_mem = cases[i].image;
        VALUE(CL_IMAGE_FORMAT, cl_image_format, value.image_channel_order == CL_RGBA)
        VALUE(CL_IMAGE_ELEMENT_SIZE, size_t, value == 4)
        VALUE(CL_IMAGE_ROW_PITCH, size_t, value == cases[i].row_pitch)
        VALUE(CL_IMAGE_SLICE_PITCH, size_t, value == cases[i].slice_pitch)
        VALUE(CL_IMAGE_WIDTH, size_t, value == cases[i].width)
        VALUE(CL_IMAGE_HEIGHT, size_t, value == cases[i].height)
        VALUE(CL_IMAGE_DEPTH, size_t, value == cases[i].depth)
        VALUE(CL_IMAGE_ARRAY_SIZE, size_t, value == 0)
        VALUE(CL_IMAGE_BUFFER, cl_mem, value == cases[i].buffer)
        VALUE(CL_IMAGE_NUM_MIP_LEVELS, cl_uint, value == 0)
        VALUE(CL_IMAGE_NUM_SAMPLES, cl_uint, value == 0)
        end();
    }
}

static void of_a_sampler(void **state)
{
    (void)state;
    begin(ask_sampler);
    VALUE(CL_SAMPLER_REFERENCE_COUNT, cl_uint, value == 1)
    VALUE(CL_SAMPLER_CONTEXT, cl_context, value == world->context)
    VALUE(CL_SAMPLER_NORMALIZED_COORDS, cl_bool, value == CL_FALSE)
    VALUE(CL_SAMPLER_ADDRESSING_MODE, cl_addressing_mode, value == CL_ADDRESS_CLAMP)
    VALUE(CL_SAMPLER_FILTER_MODE, cl_filter_mode, value == CL_FILTER_LINEAR)
    VALUE(CL_SAMPLER_MIP_FILTER_MODE_KHR, cl_filter_mode, value == CL_FILTER_NEAREST)
    VALUE(CL_SAMPLER_LOD_MIN_KHR, cl_float, value == 0)
    VALUE(CL_SAMPLER_LOD_MAX_KHR, cl_float, value == FLT_MAX)
    LIST(CL_SAMPLER_PROPERTIES, cl_sampler_properties, count == 5 && list[4] == 0)
    end();
}

static void of_a_program(void **state)
{
    (void)state;
    begin(ask_program);
    VALUE(CL_PROGRAM_REFERENCE_COUNT, cl_uint, value == 1)
    VALUE(CL_PROGRAM_CONTEXT, cl_context, value == world->context)
    VALUE(CL_PROGRAM_NUM_DEVICES, cl_uint, value == 1)
    LIST(CL_PROGRAM_DEVICES, cl_device_id, count == 1 && list[0] == world->device)
    TEXT(CL_PROGRAM_SOURCE, source)
    LIST(CL_PROGRAM_IL, char, count == 0)
    LIST(CL_PROGRAM_BINARY_SIZES, size_t, count == 1 && list[0] > 0)
    VALUE(CL_PROGRAM_NUM_KERNELS, size_t, value == 2)
    TEXT(CL_PROGRAM_KERNEL_NAMES, "k;second")
    VALUE(CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, cl_bool, value == CL_FALSE)
    VALUE(CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, cl_bool, value == CL_FALSE)
    /* The value of this one is not an answer but a list of places for them. */
    asked[asked_count++] = CL_PROGRAM_BINARIES;
    unsigned char *places[2] = {NULL, NULL};
    size_t size;
    CHECK(clGetProgramInfo(world->program, CL_PROGRAM_BINARIES, 0, NULL, &size));
    assert_int_equal(size, sizeof(places[0]));
    CHECK(clGetProgramInfo(world->program, CL_PROGRAM_BINARIES, sizeof(places), places, NULL));
    assert_int_equal(clGetProgramInfo(world->program, CL_PROGRAM_BINARIES, 4, places, NULL),
                     CL_INVALID_VALUE);
    end();
}

static void of_a_build(void **state)
{
    (void)state;
    begin(ask_build);
    VALUE(CL_PROGRAM_BUILD_STATUS, cl_build_status, value == CL_BUILD_SUCCESS)
    TEXT(CL_PROGRAM_BUILD_OPTIONS, "-cl-std=CL3.0")
    TEXT(CL_PROGRAM_BUILD_LOG, "")
    VALUE(CL_PROGRAM_BINARY_TYPE, cl_program_binary_type,
          value == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
    VALUE(CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, size_t, value == 12)
    end();
}

static void of_a_kernel(void **state)
{
    (void)state;
    begin(ask_kernel);
    TEXT(CL_KERNEL_FUNCTION_NAME, "k")
    VALUE(CL_KERNEL_NUM_ARGS, cl_uint, value == 4)
    VALUE(CL_KERNEL_REFERENCE_COUNT, cl_uint, value == 1)
    VALUE(CL_KERNEL_CONTEXT, cl_context, value == world->context)
    VALUE(CL_KERNEL_PROGRAM, cl_program, value == world->program)
    TEXT(CL_KERNEL_ATTRIBUTES, "reqd_work_group_size(4,2,1)")
    end();
    begin(ask_group);
    VALUE(CL_KERNEL_WORK_GROUP_SIZE, size_t, value >= 8)
    LIST(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, size_t,
         count == 3 && list[0] == 4 && list[1] == 2 && list[2] == 1)
    VALUE(CL_KERNEL_LOCAL_MEM_SIZE, cl_ulong, value == 0)
    VALUE(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, size_t, value >= 1)
    VALUE(CL_KERNEL_PRIVATE_MEM_SIZE, cl_ulong, value < 1024)
    VALUE(CL_KERNEL_SPILL_MEM_SIZE_INTEL, cl_ulong, value == 0)
    end();
}

static void of_arguments(void **state)
{
    (void)state;
    static const struct {
        cl_kernel_arg_address_qualifier address;
        cl_kernel_arg_access_qualifier access;
        cl_kernel_arg_type_qualifier qualifiers;
        const char *type, *plain_type, *name;
        cl_ulong size;
        cl_bitfield accesses;
    } cases[] = {
        {CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_NONE,
         CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT, "int*", "uint*", "numbers", 8,
         CL_KERNEL_ARG_READS_CLERK},
        {CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ACCESS_READ_ONLY, CL_KERNEL_ARG_TYPE_NONE,
         "image2d_t", "image2d_t", "image", 8, CL_KERNEL_ARG_READS_CLERK},
        {CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_NONE, "float4*",
         "float4*", "tile", 0, CL_KERNEL_ARG_READS_CLERK | CL_KERNEL_ARG_WRITES_CLERK},
        {CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ACCESS_NONE,
         CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_VOLATILE, "int*", "uint*", "v", 8, 0},
    };
    for (asked_argument = 0; asked_argument < 4; asked_argument++) {
        begin(ask_argument);
        VALUE(CL_KERNEL_ARG_ADDRESS_QUALIFIER, cl_kernel_arg_address_qualifier,
              value == cases[asked_argument].address)
        VALUE(CL_KERNEL_ARG_ACCESS_QUALIFIER, cl_kernel_arg_access_qualifier,
              value == cases[asked_argument].access)
        VALUE(CL_KERNEL_ARG_TYPE_QUALIFIER, cl_kernel_arg_type_qualifier,
              value == cases[asked_argument].qualifiers)
        TEXT(CL_KERNEL_ARG_TYPE_NAME, cases[asked_argument].type)
        TEXT(CL_KERNEL_ARG_PLAIN_TYPE_NAME_CLERK, cases[asked_argument].plain_type)
        TEXT(CL_KERNEL_ARG_NAME, cases[asked_argument].name)
        VALUE(CL_KERNEL_ARG_SIZE_CLERK, cl_ulong, value == cases[asked_argument].size)
        VALUE(CL_KERNEL_ARG_ACCESSES_CLERK, cl_bitfield, value == cases[asked_argument].accesses)
        VALUE(CL_KERNEL_ARG_MUST_READ_CLERK, struct clerk_must, value.size == 0)
        VALUE(CL_KERNEL_ARG_MUST_WRITE_CLERK, struct clerk_must, value.size == 0)
        end();
    }
}

static void of_an_event(void **state)
{
    (void)state;
    begin(ask_event);
    VALUE(CL_EVENT_COMMAND_QUEUE, cl_command_queue, value == world->queue)
    VALUE(CL_EVENT_CONTEXT, cl_context, value == world->context)
    VALUE(CL_EVENT_COMMAND_TYPE, cl_command_type, value == CL_COMMAND_FILL_BUFFER)
    VALUE(CL_EVENT_COMMAND_EXECUTION_STATUS, cl_int, value == CL_COMPLETE)
    VALUE(CL_EVENT_REFERENCE_COUNT, cl_uint, value == 1)
    end();
    begin(ask_profiling);
    VALUE(CL_PROFILING_COMMAND_QUEUED, cl_ulong, value > 0)
    VALUE(CL_PROFILING_COMMAND_SUBMIT, cl_ulong, value > 0)
    VALUE(CL_PROFILING_COMMAND_START, cl_ulong, value > 0)
    VALUE(CL_PROFILING_COMMAND_END, cl_ulong, value > 0)
    VALUE(CL_PROFILING_COMMAND_COMPLETE, cl_ulong, value > 0)
    end();
}

/* ---- what is asked ---- */

static cl_mem make_image(cl_mem_object_type type, size_t height, size_t depth, cl_mem buffer)
{
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = type,
                                .image_width = 8,
                                .image_height = height,
                                .image_depth = depth,
                                .mem_object = buffer};
    cl_mem made = clCreateImage(world->context, 0, &format, &desc, NULL, &code);
    CHECK(code);
    return made;
}

static void make_memory(void)
{
    const cl_buffer_region region = {128, 64};
    const cl_uint zero = 0;
    world->buffer = clCreateBuffer(world->context, 0, 1024, NULL, &code);
    CHECK(code);
    world->part = clCreateSubBuffer(world->buffer, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION,
                                    &region, &code);
    CHECK(code);
    world->image = make_image(CL_MEM_OBJECT_IMAGE2D, 4, 0, NULL);
    world->volume = make_image(CL_MEM_OBJECT_IMAGE3D, 4, 2, NULL);
    world->line = make_image(CL_MEM_OBJECT_IMAGE1D_BUFFER, 0, 0, world->buffer);
    CHECK(clEnqueueFillBuffer(world->queue, world->buffer, &zero, 4, 0, 1024, 0, NULL,
                              &world->event));
    CHECK(clFinish(world->queue));
}

static int setup(void **state)
{
    fixture_setup(state);
    const struct fixture *fixture = *state;
    world->platform = fixture->platform;
    world->device = fixture->device;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (intptr_t)world->platform, 0};
    world->context = clCreateContext(properties, 1, &world->device, NULL, NULL, &code);
    CHECK(code);
    const cl_queue_properties profiled[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    world->queue =
        clCreateCommandQueueWithProperties(world->context, world->device, profiled, &code);
    CHECK(code);
    const cl_sampler_properties modes[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE,
                                           CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
    world->sampler = clCreateSamplerWithProperties(world->context, modes, &code);
    CHECK(code);
    const struct fixture own = {.context = world->context, .device = world->device};
    world->program = fixture_program(&own, source, "-cl-std=CL3.0");
    world->kernel = fixture_kernel(world->program, "k");
    make_memory();
    return 0;
}

static int teardown(void **state)
{
    clReleaseEvent(world->event);
    clReleaseKernel(world->kernel);
    clReleaseProgram(world->program);
    clReleaseSampler(world->sampler);
    clReleaseMemObject(world->line);
    clReleaseMemObject(world->volume);
    clReleaseMemObject(world->image);
    clReleaseMemObject(world->part);
    clReleaseMemObject(world->buffer);
    clReleaseCommandQueue(world->queue);
    clReleaseContext(world->context);
    return fixture_teardown(state);
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_the_platform),   cmocka_unit_test(of_the_device),
        cmocka_unit_test(of_a_context),      cmocka_unit_test(of_a_queue),
        cmocka_unit_test(of_memory_objects), cmocka_unit_test(of_images),
        cmocka_unit_test(of_a_sampler),      cmocka_unit_test(of_a_program),
        cmocka_unit_test(of_a_build),        cmocka_unit_test(of_a_kernel),
        cmocka_unit_test(of_arguments),      cmocka_unit_test(of_an_event),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
