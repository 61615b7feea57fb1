/* Every error that a call can be provoked to return without running out of memory: OpenCL API 3.0,
 * the lists after "Otherwise, it returns one of the following errors".
 *
 * The rows are in errors/, a file for each chapter:
 *     ROW(function, what is wrong, the code, (arguments))
 *     MAKE(the same)              of a function that makes something: it gives NULL, and `code`
 *     HANDLE(function, type, the code, an object of another kind, a released one)
 *     ENQUEUE(function, arguments between the queue and the wait list,)   queue and wait list
 *     FOREIGN, FAILED             the same: a queue of another context; an event that failed
 * They call through the dispatch table of the platform, as a loader does, since a loader itself
 * refuses some handles. The arguments of a row are right but for what it names. */
#include "tests/unit/icd/fixture.h"
#include "trace/api/foreign.h"

#include <CL/cl_icd.h>

/* The same rows a second time, under the layer: what the device refuses for a reason that lies in
 * the call must have a finding that names this error, and no other. There the calls go through the
 * loader; what it would refuse itself the layer has seen before. */
#ifdef CLERK_TEST_LAYER
#include "tests/rules/watch.h"
#include "trace/api/enumerant.h"
#define CALL(function) function
static struct watch watch;
#else
#define CALL(function) dispatch->function
#endif

/* ---- what rows are about: objects that are right, and some for each way of being wrong ---- */

static const cl_icd_dispatch *dispatch;
static cl_int (*suggest)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,
                         size_t *);
static cl_platform_id platform, platforms;
static cl_device_id device, devices[4], parts[2]; /* parts: sub-devices of a context of their own */
static cl_context context;
static cl_command_queue queue, parts_queue;
static cl_mem buffer, spare, low, high, read_only, write_only, host_reads, host_writes, host_none;
static cl_mem pipe_object, immutable, immutable_image;
static cl_mem image, volume, layers, lines, line, reals, image_read_only, image_write_only;
static cl_mem image_host_reads, image_host_writes, image_host_none;
static cl_sampler sampler;
static cl_program source, wrong, built, compiled, linked, built_in, from_il, from_binary, uneven;
static cl_kernel all, piped, ready, unset, fixed, huge, large, nameless, limited, everywhere,
    partly;
static cl_event event, marker, unprofiled, pending, failed;
static struct {
    cl_context context;
    cl_command_queue queue;
    cl_mem mem, image;
    cl_sampler sampler;
    cl_program program;
    cl_kernel kernel;
    cl_event event;
} foreign, gone; /* of another context; released */
static struct {
    cl_mem buffer, image;
    void *address, *texels;
} mapped; /* for writing: the first 128 bytes, the first 4 x 4 texels */

enum {
    ARG_GLOBAL,
    ARG_CONSTANT,
    ARG_LOCAL,
    ARG_VALUE,
    ARG_STRUCT,
    ARG_READ_IMAGE,
    ARG_WRITE_IMAGE,
    ARG_SAMPLER,
    ARG_COUNT
};

static const char *text =
    "int helper(int x) { return x; }\n"
    "struct three { int a, b, c; };\n"
    "kernel void all(global int *a, constant int *b, local int *c, int d, struct three e,\n"
    "                read_only image2d_t f, write_only image2d_t g, sampler_t h) {}\n"
    "kernel void ready(global int *a) { a[0] = helper(1); }\n"
    "kernel void unset(global int *a) { a[0] = 1; }\n"
    "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void fixed(void) {}\n"
    "kernel void huge(global int *a) { int big[8 << 20]; big[a[0]] = 1; a[1] = big[a[2]]; }\n"
    "kernel void large(global int *a)\n"
    "{\n"
    "    int big[1 << 18];\n"
    "    big[a[0]] = 1;\n"
    "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    a[1] = big[a[2]];\n"
    "}\n";
static const char *uneven_text = "kernel void even(int a) {}\n"
                                 "#ifdef LONG\n"
                                 "kernel void uneven(long a) {}\n"
                                 "#else\n"
                                 "kernel void uneven(int a) {}\n"
                                 "#endif\n";

/* A kernel "k" with one parameter that has no name, and a specialisation constant 7. */
static const uint32_t spirv[] = {
    0x07230203,
    0x00010000,
    0,
    8,
    0, /* SPIR-V 1.0, ids below 8 */
    2 << 16 | 17,
    4,
    2 << 16 | 17,
    6, /* capabilities Addresses, Kernel */
    3 << 16 | 14,
    2,
    2, /* Physical64 OpenCL */
    4 << 16 | 15,
    6,
    4,
    'k', /* entry point */
    4 << 16 | 71,
    3,
    1,
    7, /* %3 has SpecId 7 */
    4 << 16 | 21,
    1,
    32,
    0, /* %1 = uint */
    2 << 16 | 19,
    2, /* %2 = void */
    4 << 16 | 50,
    1,
    3,
    5, /* %3 = 5 */
    4 << 16 | 33,
    5,
    2,
    1, /* %5 = void(uint) */
    5 << 16 | 54,
    2,
    4,
    0,
    5, /* %4: the function */
    3 << 16 | 55,
    1,
    6,
    2 << 16 | 248,
    7, /* its parameter, its block */
    1 << 16 | 253,
    1 << 16 | 56, /* return */
};
/* A kernel "m" of a global pointer with MaxByteOffset 256 and a local one with 64. */
/* clang-format off */
static const uint32_t limited_spirv[] = {
    0x07230203, 0x00010100, 0, 10, 0,
    2 << 16 | 17, 4, 2 << 16 | 17, 6,  /* capabilities Addresses, Kernel */
    3 << 16 | 14, 2, 2,                /* Physical64 OpenCL */
    4 << 16 | 15, 6, 4, 'm',           /* entry point */
    4 << 16 | 71, 6, 45, 256,          /* %6 has MaxByteOffset 256 */
    4 << 16 | 71, 7, 45, 64,           /* %7 has MaxByteOffset 64 */
    4 << 16 | 21, 1, 32, 0,            /* %1 = uint */
    2 << 16 | 19, 2,                   /* %2 = void */
    4 << 16 | 32, 3, 5, 1,             /* %3 = global uint * */
    4 << 16 | 32, 8, 4, 1,             /* %8 = local uint * */
    5 << 16 | 33, 5, 2, 3, 8,          /* %5 = void(%3, %8) */
    5 << 16 | 54, 2, 4, 0, 5,          /* %4: the function */
    3 << 16 | 55, 3, 6, 3 << 16 | 55, 8, 7, 2 << 16 | 248, 9, /* its parameters, its block */
    1 << 16 | 253, 1 << 16 | 56,       /* return */
};
/* clang-format on */
static unsigned char *binary_bytes;
static const unsigned char *binary;
static size_t binary_size;
static char built_in_name[64];

/* Memory of the program's own, and places for answers. */
static char host[4096];
static void *shared; /* 64 bytes of shared virtual memory */
static const void *shared_place;
static const void *place = host;
static const size_t origin[3] = {0, 0, 0}, box[3] = {4, 2, 1}, texels[3] = {4, 4, 1};
static const cl_image_format rgba8 = {CL_RGBA, CL_UNSIGNED_INT8};
static cl_image_format formats[1];
static cl_int code;
static cl_uint number;
static cl_ulong time;
static size_t pitch;

static void CL_CALLBACK on_context(cl_context handle, void *user)
{
    (void)handle;
    (void)user;
}
static void CL_CALLBACK on_mem(cl_mem handle, void *user)
{
    (void)handle;
    (void)user;
}
static void CL_CALLBACK on_program(cl_program handle, void *user)
{
    (void)handle;
    (void)user;
}
static void CL_CALLBACK on_event(cl_event handle, cl_int status, void *user)
{
    (void)handle;
    (void)status;
    (void)user;
}
static void CL_CALLBACK on_native(void *arguments)
{
    (void)arguments;
}

/* ---- making them ---- */

static cl_mem make_buffer(cl_context owner, cl_mem_flags flags)
{
    cl_mem made = clCreateBuffer(owner, flags, 512, NULL, &code);
    CHECK(code);
    return made;
}

static cl_mem make_part(size_t start)
{
    const cl_buffer_region region = {start, 256};
    cl_mem made = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    CHECK(code);
    return made;
}

static cl_mem make_image(cl_context owner, cl_mem_flags flags, cl_mem_object_type type,
                         cl_channel_type channel)
{
    const cl_image_format format = {CL_RGBA, channel};
    const cl_image_desc desc = {
        .image_type = type,
        .image_width = 8,
        .image_height = 8,
        .image_depth = type == CL_MEM_OBJECT_IMAGE3D ? 8 : 0,
        .image_array_size = 8,
        .mem_object = type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? buffer : NULL,
    };
    cl_mem made = clCreateImage(owner, flags, &format, &desc, NULL, &code);
    CHECK(code);
    return made;
}

static void make_memory(void)
{
    buffer = make_buffer(context, CL_MEM_READ_WRITE);
    spare = make_buffer(context, CL_MEM_READ_WRITE);
    low = make_part(0);
    high = make_part(128);
    read_only = make_buffer(context, CL_MEM_READ_ONLY);
    write_only = make_buffer(context, CL_MEM_WRITE_ONLY);
    host_reads = make_buffer(context, CL_MEM_HOST_READ_ONLY);
    host_writes = make_buffer(context, CL_MEM_HOST_WRITE_ONLY);
    host_none = make_buffer(context, CL_MEM_HOST_NO_ACCESS);
    immutable =
        clCreateBuffer(context, CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR, 512, host, &code);
    CHECK(code);
    pipe_object = clCreatePipe(context, 0, sizeof(cl_int), 4, NULL, &code);
    CHECK(code);
    mapped.buffer = make_buffer(context, CL_MEM_READ_WRITE);
    mapped.address = clEnqueueMapBuffer(queue, mapped.buffer, CL_TRUE, CL_MAP_WRITE, 0, 128, 0,
                                        NULL, NULL, &code);
    CHECK(code);
    shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
    shared_place = shared;
    assert_non_null(shared);
}

static void make_images(void)
{
    image = make_image(context, 0, CL_MEM_OBJECT_IMAGE2D, CL_UNSIGNED_INT8);
    volume = make_image(context, 0, CL_MEM_OBJECT_IMAGE3D, CL_UNSIGNED_INT8);
    layers = make_image(context, 0, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_UNSIGNED_INT8);
    lines = make_image(context, 0, CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_UNSIGNED_INT8);
    line = make_image(context, 0, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_UNSIGNED_INT8);
    reals = make_image(context, 0, CL_MEM_OBJECT_IMAGE2D, CL_FLOAT);
    image_read_only = make_image(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, CL_FLOAT);
    image_write_only = make_image(context, CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, CL_FLOAT);
    image_host_reads = make_image(context, CL_MEM_HOST_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, CL_FLOAT);
    image_host_writes =
        make_image(context, CL_MEM_HOST_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, CL_FLOAT);
    image_host_none = make_image(context, CL_MEM_HOST_NO_ACCESS, CL_MEM_OBJECT_IMAGE2D, CL_FLOAT);
    const cl_image_desc flat = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    immutable_image =
        clCreateImage(context, CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR,
                      &(cl_image_format){CL_RGBA, CL_UNSIGNED_INT8}, &flat, host, &code);
    CHECK(code);
    sampler = clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code);
    CHECK(code);
    mapped.image = make_image(context, 0, CL_MEM_OBJECT_IMAGE2D, CL_UNSIGNED_INT8);
    mapped.texels = clEnqueueMapImage(queue, mapped.image, CL_TRUE, CL_MAP_WRITE, origin, texels,
                                      &pitch, NULL, 0, NULL, NULL, &code);
    CHECK(code);
}

static cl_program make_program(cl_context owner, const char *program_text)
{
    cl_program made = clCreateProgramWithSource(owner, 1, &program_text, NULL, &code);
    CHECK(code);
    return made;
}

/* For one device, or for all. */
static void build(cl_program program, const cl_device_id *only, const char *options)
{
    CHECK(clBuildProgram(program, only ? 1 : 0, only, options, NULL, NULL));
}

static void make_binary(void)
{
    CHECK(
        clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof(binary_size), &binary_size, NULL));
    binary_bytes = malloc(binary_size);
    binary = binary_bytes;
    CHECK(clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof(binary_bytes), &binary_bytes, NULL));
    from_binary =
        clCreateProgramWithBinary(context, 1, &device, &binary_size, &binary, NULL, &code);
    CHECK(code);
}

static void make_programs(void)
{
    source = make_program(context, text);
    wrong = make_program(context, "kernel void k( {}");
    built = make_program(context, text);
    build(built, NULL, "-cl-kernel-arg-info");
    compiled = make_program(context, text);
    CHECK(clCompileProgram(compiled, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    linked = clLinkProgram(context, 0, NULL, "", 1, &compiled, NULL, NULL, &code);
    CHECK(code);
    CHECK(clGetDeviceInfo(device, CL_DEVICE_BUILT_IN_KERNELS, sizeof(built_in_name), built_in_name,
                          NULL));
    built_in = clCreateProgramWithBuiltInKernels(context, 1, &device, built_in_name, &code);
    CHECK(code);
    from_il = clCreateProgramWithIL(context, spirv, sizeof(spirv), &code);
    CHECK(code);
    build(from_il, NULL, "");
    make_binary();
}

static void make_kernels(void)
{
    all = fixture_kernel(built, "all");
    ready = fixture_kernel(built, "ready");
    unset = fixture_kernel(built, "unset");
    fixed = fixture_kernel(built, "fixed");
    huge = fixture_kernel(built, "huge");
    large = fixture_kernel(built, "large");
    nameless = fixture_kernel(from_il, "k");
    cl_program with_pipe = make_program(context, "kernel void piped(read_only pipe int a) {}");
    build(with_pipe, NULL, "-cl-std=CL3.0");
    piped = fixture_kernel(with_pipe, "piped");
    cl_program with_limits =
        clCreateProgramWithIL(context, limited_spirv, sizeof(limited_spirv), &code);
    CHECK(code);
    build(with_limits, NULL, "");
    limited = fixture_kernel(with_limits, "m");
    CHECK(clSetKernelArg(limited, 0, sizeof(cl_mem), &low));
    CHECK(clSetKernelArg(limited, 1, 64, NULL));
    CHECK(clSetKernelArg(ready, 0, sizeof(cl_mem), &buffer));
    CHECK(clSetKernelArg(huge, 0, sizeof(cl_mem), &buffer));
    CHECK(clSetKernelArg(large, 0, sizeof(cl_mem), &buffer));
}

/* Two sub-devices: a program with two definitions of a kernel, and one for the first alone. */
static void make_parts(void)
{
    const cl_device_partition_property halves[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
    CHECK(clCreateSubDevices(device, halves, 2, parts, NULL));
    cl_context both = clCreateContext(NULL, 2, parts, NULL, NULL, &code);
    CHECK(code);
    parts_queue = clCreateCommandQueueWithProperties(both, parts[1], NULL, &code);
    CHECK(code);
    uneven = make_program(both, uneven_text);
    build(uneven, &parts[0], "");
    build(uneven, &parts[1], "-D LONG");
    everywhere = fixture_kernel(uneven, "even");
    cl_program first = make_program(both, "kernel void k(void) {}");
    build(first, &parts[0], "");
    partly = fixture_kernel(first, "k");
}

static cl_event make_user_event(cl_context owner)
{
    cl_event made = clCreateUserEvent(owner, &code);
    CHECK(code);
    return made;
}

static void make_events(void)
{
    cl_command_queue plain = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    CHECK(code);
    CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
    CHECK(clEnqueueMarkerWithWaitList(plain, 0, NULL, &unprofiled));
    CHECK(clFinish(plain));
    pending = make_user_event(context);
    failed = make_user_event(context);
    CHECK(clSetUserEventStatus(failed, -7));
}

static void make_foreign(void)
{
    foreign.context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CHECK(code);
    foreign.queue = clCreateCommandQueueWithProperties(foreign.context, device, NULL, &code);
    CHECK(code);
    foreign.mem = make_buffer(foreign.context, 0);
    foreign.image = make_image(foreign.context, 0, CL_MEM_OBJECT_IMAGE2D, CL_UNSIGNED_INT8);
    foreign.sampler =
        clCreateSampler(foreign.context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code);
    CHECK(code);
    foreign.program = make_program(foreign.context, text);
    foreign.event = make_user_event(foreign.context);
    CHECK(clSetUserEventStatus(foreign.event, CL_COMPLETE));
}

static void make_gone(void)
{
    gone.context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CHECK(code);
    gone.queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    CHECK(code);
    gone.mem = make_buffer(context, 0);
    gone.sampler = clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code);
    CHECK(code);
    gone.program = make_program(context, text);
    gone.kernel = fixture_kernel(built, "all");
    gone.event = make_user_event(context);
    CHECK(clReleaseContext(gone.context));
    CHECK(clReleaseCommandQueue(gone.queue));
    CHECK(clReleaseMemObject(gone.mem));
    CHECK(clReleaseSampler(gone.sampler));
    CHECK(clReleaseProgram(gone.program));
    CHECK(clReleaseKernel(gone.kernel));
    CHECK(clReleaseEvent(gone.event));
}

static int setup(void **state)
{
    fixture_setup(state);
    const struct fixture *fixture = *state;
    platform = fixture->platform;
    device = fixture->device;
    context = fixture->context;
    queue = fixture->queue;
    /* cl_khr_icd: a handle points to a structure whose first member is the dispatch table. */
    memcpy(&dispatch, platform, sizeof(dispatch));
    *(void **)&suggest =
        clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    make_memory();
    make_images();
    make_programs();
    make_kernels();
    make_parts();
    make_events();
    make_foreign();
    make_gone();
    return 0;
}

/* ---- rows ---- */

static unsigned wrong_rows;

#ifdef CLERK_TEST_LAYER
/* Only the driver knows these: the layer says that there is an error, and knows no rule. */
static const struct driver_row {
    const char *function, *what;
} driver_rows[] = {
    {"clCreateContextFromType", "an unknown property"},
    {"clSetCommandQueueProperty", "what a queue is stays so"},
    {"clSetProgramReleaseCallback", "a program without destructors"},
    {"clCreateKernelsInProgram", "room for too few"},
};

static bool only_driver_knows(const char *function, const char *what)
{
    for (size_t i = 0; i < sizeof(driver_rows) / sizeof(*driver_rows); i++)
        if (strcmp(driver_rows[i].function, function) == 0 &&
            strcmp(driver_rows[i].what, what) == 0)
            return true;
    return false;
}

static void check(const char *function, const char *what, cl_int expected, cl_int got)
{
    const char *error = expected == CL_SUCCESS ? ""
                        : expected == CL_TRUE  ? "NULL" /* of an entry point that has no code */
                                               : api_error_name(expected);
    const bool is_build = expected == CL_BUILD_PROGRAM_FAILURE ||
                          expected == CL_COMPILE_PROGRAM_FAILURE ||
                          expected == CL_LINK_PROGRAM_FAILURE;
    /* These are answers, not mistakes. */
    bool right = expected == CL_SUCCESS || expected == CL_OUT_OF_RESOURCES ||
                 expected == CL_DEVICE_PARTITION_FAILED || expected == CL_DEVICE_NOT_FOUND ||
                 expected == CL_KERNEL_ARG_INFO_NOT_AVAILABLE ||
                 (strncmp(function, "clGet", 5) == 0 && strcmp(what, "an unknown name") == 0);
    const bool is_driver_row = only_driver_knows(function, what);
    watch_read(&watch);
    for (size_t i = 0; i < watch.count; ++i) {
        const struct watched *finding = &watch.findings[i];
        const bool is_note = strcmp(finding->rule, "driver-error") == 0;
        const bool is_right = is_note    ? is_driver_row
                              : is_build ? strcmp(finding->rule, "build-failed") == 0
                                         : strcmp(finding->error, error) == 0;
        right = right || is_right;
        if (is_right && !is_build)
            watch_shown(&watch, function, finding);
        if (!is_right) {
            print_message("%s: %s: finding of %s: %s\n", function, what, error, finding->line);
            wrong_rows++;
        }
    }
    if (!right) {
        print_message("%s: %s: no finding of %s\n", function, what, error);
        wrong_rows++;
    }
    (void)got; /* what the loader makes of it */
}
#else
static void check(const char *function, const char *what, cl_int expected, cl_int got)
{
    if (got == expected)
        return;
    print_message("%s: %s: %d instead of %d\n", function, what, got, expected);
    wrong_rows++;
}
#endif

static void check_made(const char *function, const char *what, cl_int expected, const void *made)
{
    check(function, what, expected, made ? CL_SUCCESS : code);
    code = CL_SUCCESS;
}

#define SIZES(...)              ((const size_t[]){__VA_ARGS__})
#define PROPERTIES(...)         ((const intptr_t[]){__VA_ARGS__})
#define QUEUE_PROPERTIES(...)   ((const cl_queue_properties[]){__VA_ARGS__})
#define PIPE_PROPERTIES(...)    ((const cl_pipe_properties[]){__VA_ARGS__})
#define MEM_PROPERTIES(...)     ((const cl_mem_properties[]){__VA_ARGS__})
#define SAMPLER_PROPERTIES(...) ((const cl_sampler_properties[]){__VA_ARGS__})
#define REGION(origin_, size_)  (&(const cl_buffer_region){origin_, size_})
#define FORMAT(order, type)     (&(const cl_image_format){order, type})
#define DESC(type, width, height, ...)                                                             \
    (&(const cl_image_desc){                                                                       \
        .image_type = type, .image_width = width, .image_height = height, __VA_ARGS__})
#define PLAIN(type, width, height)  DESC(type, width, height, .num_mip_levels = 0)
#define FLAT(width, height)         PLAIN(CL_MEM_OBJECT_IMAGE2D, width, height)
#define VIEW(parent, width, height) DESC(CL_MEM_OBJECT_IMAGE2D, width, height, .mem_object = parent)
#define OVER(parent)                DESC(CL_MEM_OBJECT_IMAGE1D_BUFFER, 8, 0, .mem_object = parent)

#define ROW(function, what, expected, arguments)                                                   \
    check(#function, what, expected, CALL(function) arguments);
#define MAKE(function, what, expected, arguments)                                                  \
    check_made(#function, what, expected, CALL(function) arguments);
#define NONE(function, what, arguments)                                                            \
    check(#function, what, CL_TRUE, CALL(function) arguments == NULL);
#define HANDLE(function, type, expected, other, released)                                          \
    ROW(function, "NULL", expected, (NULL))                                                        \
    ROW(function, "an object of another kind", expected, ((type)other))                            \
    ROW(function, "a released object", expected, (released))
#define QUEUE(function, ...)                                                                       \
    ROW(function, "no queue", CL_INVALID_COMMAND_QUEUE, (NULL, __VA_ARGS__))                       \
    ROW(function, "a context as queue", CL_INVALID_COMMAND_QUEUE,                                  \
        ((cl_command_queue)context, __VA_ARGS__))                                                  \
    ROW(function, "a released queue", CL_INVALID_COMMAND_QUEUE, (gone.queue, __VA_ARGS__))
/* A second argument that is not a memory object, or not of the sort that `other` is. */
#define MEM_OBJECT(function, other, ...)                                                           \
    ROW(function, "no object", CL_INVALID_MEM_OBJECT, (queue, NULL, __VA_ARGS__))                  \
    ROW(function, "another object", CL_INVALID_MEM_OBJECT, (queue, other, __VA_ARGS__))            \
    ROW(function, "a released object", CL_INVALID_MEM_OBJECT, (queue, gone.mem, __VA_ARGS__))
#define ENQUEUE(function, ...)                                                                     \
    QUEUE(function, __VA_ARGS__ 0, NULL, NULL)                                                     \
    ROW(function, "no wait list", CL_INVALID_EVENT_WAIT_LIST, (queue, __VA_ARGS__ 1, NULL, NULL))  \
    ROW(function, "a wait list of none", CL_INVALID_EVENT_WAIT_LIST,                               \
        (queue, __VA_ARGS__ 0, &marker, NULL))                                                     \
    ROW(function, "an event that is NULL", CL_INVALID_EVENT_WAIT_LIST,                             \
        (queue, __VA_ARGS__ 2, ((cl_event[]){marker, NULL}), NULL))                                \
    ROW(function, "a queue as event", CL_INVALID_EVENT_WAIT_LIST,                                  \
        (queue, __VA_ARGS__ 1, (cl_event *)&queue, NULL))                                          \
    ROW(function, "a released event", CL_INVALID_EVENT_WAIT_LIST,                                  \
        (queue, __VA_ARGS__ 1, &gone.event, NULL))                                                 \
    ROW(function, "an event of another context", CL_INVALID_CONTEXT,                               \
        (queue, __VA_ARGS__ 1, &foreign.event, NULL))
#define FOREIGN(function, ...)                                                                     \
    ROW(function, "a queue of another context", CL_INVALID_CONTEXT,                                \
        (foreign.queue, __VA_ARGS__ 0, NULL, NULL))
#define FAILED(function, ...)                                                                      \
    ROW(function, "a failed event", CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,                  \
        (queue, __VA_ARGS__ 1, &failed, NULL))
/* ENQUEUE for what returns a pointer. */
#define ENQUEUE_MAP(function, ...)                                                                 \
    MAKE(function, "no queue", CL_INVALID_COMMAND_QUEUE, (NULL, __VA_ARGS__ 0, NULL, NULL, &code)) \
    MAKE(function, "a released queue", CL_INVALID_COMMAND_QUEUE,                                   \
         (gone.queue, __VA_ARGS__ 0, NULL, NULL, &code))                                           \
    MAKE(function, "no wait list", CL_INVALID_EVENT_WAIT_LIST,                                     \
         (queue, __VA_ARGS__ 1, NULL, NULL, &code))                                                \
    MAKE(function, "a wait list of none", CL_INVALID_EVENT_WAIT_LIST,                              \
         (queue, __VA_ARGS__ 0, &marker, NULL, &code))                                             \
    MAKE(function, "a released event", CL_INVALID_EVENT_WAIT_LIST,                                 \
         (queue, __VA_ARGS__ 1, &gone.event, NULL, &code))                                         \
    MAKE(function, "an event of another context", CL_INVALID_CONTEXT,                              \
         (queue, __VA_ARGS__ 1, &foreign.event, NULL, &code))

static void done(void)
{
    assert_int_equal(wrong_rows, 0);
    CHECK(clFinish(queue));
}

static void of_platform_and_queues(void **state)
{
    (void)state;
#include "tests/unit/icd/errors/platform.def"
    done();
}

static void of_buffers(void **state)
{
    (void)state;
#include "tests/unit/icd/errors/buffer.def"
    done();
}

static void of_images(void **state)
{
    (void)state;
#include "tests/unit/icd/errors/image.def"
    done();
}

static void of_programs(void **state)
{
    (void)state;
#include "tests/unit/icd/errors/program.def"
    done();
}

static void of_kernels(void **state)
{
    (void)state;
#include "tests/unit/icd/errors/kernel.def"
    done();
}

static void of_events(void **state)
{
    (void)state;
#include "tests/unit/icd/errors/event.def"
    done();
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
#ifdef CLERK_TEST_LAYER
    watch_begin(&watch, CLERK_TEST_LAYER, CLERK_TEST_FINDINGS, CLERK_TEST_FINDINGS ".rows");
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_platform_and_queues),
        cmocka_unit_test(of_buffers),
        cmocka_unit_test(of_images),
        cmocka_unit_test(of_programs),
        cmocka_unit_test(of_kernels),
        cmocka_unit_test(of_events),
    };
    return cmocka_run_group_tests(tests, setup, fixture_teardown);
}
