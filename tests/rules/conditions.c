/* The conditions that the specification lists as errors, one by one: for each a wrong call that has
 * exactly one finding, which names the error, and the nearest right one that has none. The rows are
 * in conditions.def:
 *     PAIR(rule, function, what is wrong, error, (wrong arguments), (right arguments))
 *     ALONE(the same without right arguments)    where another row has them
 * They run under the layer over the stub driver, which has a device that can everything and one of
 * OpenCL 1.0 that can nothing. What a real device says to wrong calls: tests/unit/icd/errors. */
#include "tests/rules/conditions.h"

#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include <stdint.h>

/* ---- what the rows are about ---- */

static cl_platform_id platform;
static cl_device_id device, bare;
static cl_context context, bare_context, both;
static cl_command_queue queue, bare_queue, both_bare_queue, device_queue, unprofiled_queue;
static cl_mem buffer, spare, part, other_part, read_only, write_only, host_reads, host_writes,
    host_none, both_part, pipe_object;
static cl_mem image, reals, volume, line, image_read_only, image_write_only, image_host_none,
    wide_image;
static cl_sampler sampler;
static cl_program source, built, linked, built_in, from_il, bare_program;
static cl_kernel all, unset, fixed, plain;
static cl_event marker, unprofiled, pending, ended, failed;
static void *mapped, *shared, *image_mapped;
static const void *shared_place;
static size_t shared_size = 64, too_large = 65;
static char host[4096];
static cl_int code;
static size_t pitch, answer;
static cl_uint number;
static const size_t origin[3] = {0, 0, 0}, box[3] = {4, 2, 1}, texels[3] = {4, 4, 1};
static const cl_image_format rgba8 = {CL_RGBA, CL_UNSIGNED_INT8};
static const char *text = "kernel void all() {}";
static const char *no_text[] = {NULL};
static const unsigned char *binary = (const unsigned char *)"binary";
static const unsigned char *no_binary;
static const size_t length = 6, no_length;

static void CL_CALLBACK on_context(const char *what, const void *data, size_t size, void *user)
{
    (void)what;
    (void)data;
    (void)size;
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

#define MADE(expression)                                                                           \
    expression;                                                                                    \
    PROGRAM_CHECK(code == CL_SUCCESS)

static cl_mem make_image(cl_context owner, cl_mem_flags flags, cl_mem_object_type type,
                         cl_channel_type channel, size_t width)
{
    const cl_image_format format = {CL_RGBA, channel};
    const cl_image_desc desc = {
        .image_type = type,
        .image_width = width,
        .image_height = 8,
        .image_depth = type == CL_MEM_OBJECT_IMAGE3D ? 8 : 0,
        .mem_object = type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? buffer : NULL,
    };
    cl_mem made = MADE(clCreateImage(owner, flags, &format, &desc, NULL, &code));
    return made;
}

static cl_mem make_part(cl_mem whole, size_t start, size_t size)
{
    const cl_buffer_region region = {start, size};
    cl_mem made = MADE(clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
    return made;
}

static cl_mem make_buffer(cl_context owner, cl_mem_flags flags, size_t size)
{
    cl_mem made = MADE(clCreateBuffer(owner, flags, size, NULL, &code));
    return made;
}

static void make_devices(void)
{
    const cl_queue_properties of_device[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    PROGRAM_CHECK(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    PROGRAM_CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS);
    PROGRAM_CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CUSTOM, 1, &bare, NULL) == CL_SUCCESS);
    const cl_device_id devices[] = {device, bare};
    context = MADE(clCreateContext(NULL, 1, &device, NULL, NULL, &code));
    bare_context = MADE(clCreateContext(NULL, 1, &bare, NULL, NULL, &code));
    both = MADE(clCreateContext(NULL, 2, devices, NULL, NULL, &code));
    queue = MADE(clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code));
    unprofiled_queue = MADE(clCreateCommandQueue(context, device, 0, &code));
    bare_queue = MADE(clCreateCommandQueue(bare_context, bare, 0, &code));
    both_bare_queue = MADE(clCreateCommandQueue(both, bare, 0, &code));
    device_queue = MADE(clCreateCommandQueueWithProperties(context, device, of_device, &code));
}

static void make_memory(void)
{
    buffer = make_buffer(context, 0, 512);
    spare = make_buffer(context, 0, 512);
    part = make_part(buffer, 0, 256);
    other_part = make_part(buffer, 128, 256);
    read_only = make_buffer(context, CL_MEM_READ_ONLY, 512);
    write_only = make_buffer(context, CL_MEM_WRITE_ONLY, 512);
    host_reads = make_buffer(context, CL_MEM_HOST_READ_ONLY, 512);
    host_writes = make_buffer(context, CL_MEM_HOST_WRITE_ONLY, 512);
    host_none = make_buffer(context, CL_MEM_HOST_NO_ACCESS, 512);
    both_part = make_part(make_buffer(both, 0, 512), 128, 128);
    pipe_object = MADE(clCreatePipe(context, 0, 4, 4, NULL, &code));
    image = make_image(context, 0, CL_MEM_OBJECT_IMAGE2D, CL_UNSIGNED_INT8, 8);
    reals = make_image(context, 0, CL_MEM_OBJECT_IMAGE2D, CL_FLOAT, 8);
    volume = make_image(context, 0, CL_MEM_OBJECT_IMAGE3D, CL_UNSIGNED_INT8, 8);
    line = make_image(context, 0, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_UNSIGNED_INT8, 8);
    image_read_only = make_image(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, CL_FLOAT, 8);
    image_write_only = make_image(context, CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, CL_FLOAT, 8);
    image_host_none =
        make_image(context, CL_MEM_HOST_NO_ACCESS, CL_MEM_OBJECT_IMAGE2D, CL_FLOAT, 8);
    wide_image = make_image(both, 0, CL_MEM_OBJECT_IMAGE2D, CL_FLOAT, 8);
    sampler = MADE(clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code));
    mapped =
        MADE(clEnqueueMapBuffer(queue, spare, CL_TRUE, CL_MAP_WRITE, 0, 128, 0, NULL, NULL, &code));
    image_mapped = MADE(clEnqueueMapImage(queue, reals, CL_TRUE, CL_MAP_WRITE, origin, texels,
                                          &pitch, NULL, 0, NULL, NULL, &code));
    shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
    shared_place = shared;
}

static void make_programs(void)
{
    static const uint32_t il[] = {0x07230203, 0x00010000, 0, 1, 0};
    source = MADE(clCreateProgramWithSource(context, 1, &text, NULL, &code));
    built = MADE(clCreateProgramWithSource(context, 1, &text, NULL, &code));
    PROGRAM_CHECK(clBuildProgram(built, 0, NULL, "", NULL, NULL) == CL_SUCCESS);
    linked = MADE(clLinkProgram(context, 0, NULL, "", 1, &built, NULL, NULL, &code));
    built_in = MADE(clCreateProgramWithBuiltInKernels(context, 1, &device, "copy", &code));
    from_il = MADE(clCreateProgramWithIL(context, il, sizeof il, &code));
    bare_program = MADE(clCreateProgramWithSource(bare_context, 1, &text, NULL, &code));
    all = MADE(clCreateKernel(built, "all", &code));
    unset = MADE(clCreateKernel(built, "all", &code));
    fixed = MADE(clCreateKernel(built, "fixed", &code));
    plain = MADE(clCreateKernel(built, "plain", &code));
}

static void make_events(void)
{
    PROGRAM_CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker) == CL_SUCCESS);
    PROGRAM_CHECK(clEnqueueMarkerWithWaitList(unprofiled_queue, 0, NULL, &unprofiled) ==
                  CL_SUCCESS);
    pending = MADE(clCreateUserEvent(context, &code));
    ended = MADE(clCreateUserEvent(context, &code));
    failed = MADE(clCreateUserEvent(context, &code));
    PROGRAM_CHECK(clSetUserEventStatus(failed, -7) == CL_SUCCESS);
    PROGRAM_CHECK(clSetUserEventStatus(ended, CL_COMPLETE) == CL_SUCCESS);
}

/* Of the stub driver: its next call that does not ask returns the error. */
static cl_int(CL_API_CALL *fail_next)(cl_int error);

#define CALL(function) function

static void rows_of_devices(void)
{
#define PART_DEVICES
#include "tests/rules/conditions.def"
#undef PART_DEVICES
}

static void rows_of_buffers(void)
{
#define PART_BUFFERS
#include "tests/rules/conditions.def"
#undef PART_BUFFERS
}

static void rows_of_images(void)
{
#define PART_IMAGES
#include "tests/rules/conditions.def"
#undef PART_IMAGES
}

static void rows_of_kernels(void)
{
#define PART_KERNELS
#include "tests/rules/conditions.def"
#undef PART_KERNELS
}

int main(void)
{
    setenv("OCL_ICD_VENDORS", CLERK_TEST_VENDORS, 1);
    watch_begin(&watch, CLERK_TEST_LAYER, CLERK_TEST_FINDINGS, CLERK_TEST_FINDINGS ".rows");
    setenv("CLERK_CHECKS", "host,-deprecated,-object-leaked", 1);
    make_devices();
    *(void **)(void *)&fail_next =
        clGetExtensionFunctionAddressForPlatform(platform, "clSetNextErrorSTUB");
    PROGRAM_CHECK(fail_next);
    make_memory();
    make_programs();
    make_events();
    expect_none("main", "what the rows are about");
    rows_of_devices();
    rows_of_buffers();
    rows_of_images();
    rows_of_kernels();
    printf("%u rows are wrong\n", wrong_rows);
    return wrong_rows != 0;
}
