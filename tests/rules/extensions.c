/* The conditions of extensions, as conditions.c those of OpenCL's core: rows of extensions.def.
 * Functions of extensions come from the stub driver by name. */
#include "tests/rules/functions.h"

#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

/* Its words for arguments are those of the table, which has undefined its own by now. */
#include "tests/rules/conditions.h"

#define CALL(function) f.function

/* ---- what the rows are about ---- */

static cl_platform_id platform;
static cl_device_id device, bare;
static cl_context context, bare_context, both, gl, d3d10, d3d11, dx9, mortal, ended;
static cl_command_queue queue, other_queue, bare_queue, both_queue, both_bare_queue, gl_queue,
    d3d10_queue, d3d11_queue, dx9_queue, device_queue, out_of_order, quiet_bare_queue;
static cl_mem buffer, other, bare_buffer, gl_own, gl_part, gl_object, gl_texture, gl_samples,
    egl_image, d3d10_object, d3d11_object, dx9_object, imported, imported_for_bare, constant,
    constant_image, addressed;
static cl_mem image, levels, target_levels, layers, target_layers, small_image, other_format,
    volume;
static cl_program source, built;
static cl_mem d3d10_buffer, d3d11_buffer, dx9_buffer, d3d10_image, d3d11_image, dx9_image;
static cl_kernel all, unset, plain, fixed, bare_kernel, gl_kernel;
static cl_event marker, failed;
static cl_semaphore_khr semaphore, from_fd, exported, both_semaphore;
static cl_command_buffer_khr open, closed, changing, closed_changing, other_changing, bare_open,
    asserting, promising, bare_closed;
static cl_mutable_command_khr command, still, foreign, promised;
static cl_sync_point_khr point;
static void *memory;
static void *handles[2];
static cl_int code;
static cl_uint number;
static size_t answer;
static char host[256];
static size_t sizes[4];
static const size_t origin[3] = {0, 0, 0}, box[3] = {2, 2, 1}, one = 1;

/* One that may be imported: the driver has it then. */
static int descriptor(void)
{
    const int made = dup(STDERR_FILENO);
    PROGRAM_CHECK(made >= 0);
    return made;
}

#define MADE(expression)                                                                           \
    expression;                                                                                    \
    PROGRAM_CHECK(code == CL_SUCCESS)

static cl_context make_context(const intptr_t *properties)
{
    cl_context made = MADE(clCreateContext(properties, 1, &device, NULL, NULL, &code));
    return made;
}

static cl_command_queue make_queue(cl_context owner, cl_device_id on, cl_bitfield flags)
{
    cl_command_queue made = MADE(clCreateCommandQueue(owner, on, flags, &code));
    return made;
}

static cl_mem make_image(cl_context owner, cl_mem_object_type type, size_t width,
                         cl_uint mip_levels, cl_channel_type channel, cl_mem_flags flags)
{
    const cl_image_format format = {CL_RGBA, channel};
    const cl_image_desc desc = {.image_type = type,
                                .image_width = width,
                                .image_height = 8,
                                .image_depth = type == CL_MEM_OBJECT_IMAGE3D ? 4 : 0,
                                .image_array_size = 4,
                                .num_mip_levels = mip_levels};
    cl_mem made = MADE(clCreateImage(owner, flags, &format, &desc,
                                     flags & CL_MEM_COPY_HOST_PTR ? host : NULL, &code));
    return made;
}

static void make_contexts(void)
{
    const cl_queue_properties of_device[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    const cl_device_id devices[] = {device, bare};
    context = make_context(NULL);
    bare_context = MADE(clCreateContext(NULL, 1, &bare, NULL, NULL, &code));
    both = MADE(clCreateContext(NULL, 2, devices, NULL, NULL, &code));
    gl = make_context(PROPERTIES(CL_GL_CONTEXT_KHR, 1, CL_EGL_DISPLAY_KHR, 1, 0));
    d3d10 = make_context(PROPERTIES(CL_CONTEXT_D3D10_DEVICE_KHR, 1, 0));
    d3d11 = make_context(PROPERTIES(CL_CONTEXT_D3D11_DEVICE_KHR, 1, 0));
    dx9 = make_context(PROPERTIES(CL_CONTEXT_ADAPTER_D3D9_KHR, 1, 0));
    mortal = make_context(PROPERTIES(CL_CONTEXT_TERMINATE_KHR, CL_TRUE, 0));
    ended = make_context(PROPERTIES(CL_CONTEXT_TERMINATE_KHR, CL_TRUE, 0));
    PROGRAM_CHECK(f.clTerminateContextKHR(ended) == CL_SUCCESS);
    queue = make_queue(context, device, 0);
    other_queue = make_queue(context, device, 0);
    out_of_order = make_queue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    bare_queue = make_queue(bare_context, bare, 0);
    quiet_bare_queue = make_queue(bare_context, bare, 0);
    both_queue = make_queue(both, device, 0);
    both_bare_queue = make_queue(both, bare, 0);
    gl_queue = make_queue(gl, device, 0);
    d3d10_queue = make_queue(d3d10, device, 0);
    d3d11_queue = make_queue(d3d11, device, 0);
    dx9_queue = make_queue(dx9, device, 0);
    device_queue = MADE(clCreateCommandQueueWithProperties(context, device, of_device, &code));
}

static void make_memory(void)
{
    const uint64_t for_bare[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                                 3,
                                 CL_MEM_DEVICE_HANDLE_LIST_KHR,
                                 (uint64_t)(uintptr_t)device,
                                 0,
                                 0};
    buffer = MADE(clCreateBuffer(context, 0, 64, NULL, &code));
    other = MADE(clCreateBuffer(context, 0, 64, NULL, &code));
    bare_buffer = MADE(clCreateBuffer(bare_context, 0, 64, NULL, &code));
    constant =
        MADE(clCreateBuffer(context, CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR, 64, host, &code));
    gl_object = MADE(f.clCreateFromGLBuffer(gl, CL_MEM_READ_ONLY, 1, &code));
    gl_own = MADE(clCreateBuffer(gl, 0, 64, NULL, &code));
    gl_part = MADE(clCreateSubBuffer(gl_object, 0, CL_BUFFER_CREATE_TYPE_REGION,
                                     &(cl_buffer_region){0, 16}, &code));
    gl_texture = MADE(f.clCreateFromGLTexture(gl, CL_MEM_READ_ONLY, 0x0DE1, 0, 1, &code));
    gl_samples = MADE(f.clCreateFromGLTexture(gl, CL_MEM_READ_ONLY, 0x9100, 0, 1, &code));
    egl_image = MADE(f.clCreateFromEGLImageKHR(context, NULL, NULL, CL_MEM_READ_ONLY, NULL, &code));
    d3d10_object = MADE(f.clCreateFromD3D10BufferKHR(d3d10, CL_MEM_READ_ONLY, host, &code));
    d3d11_object = MADE(f.clCreateFromD3D11BufferKHR(d3d11, CL_MEM_READ_ONLY, host, &code));
    dx9_object = MADE(f.clCreateFromDX9MediaSurfaceKHR(dx9, CL_MEM_READ_ONLY, CL_ADAPTER_D3D9_KHR,
                                                       host, 0, &code));
    d3d10_buffer = MADE(clCreateBuffer(d3d10, 0, 64, NULL, &code));
    d3d11_buffer = MADE(clCreateBuffer(d3d11, 0, 64, NULL, &code));
    dx9_buffer = MADE(clCreateBuffer(dx9, 0, 64, NULL, &code));
    d3d10_image = make_image(d3d10, CL_MEM_OBJECT_IMAGE2D, 8, 0, CL_FLOAT, 0);
    d3d11_image = make_image(d3d11, CL_MEM_OBJECT_IMAGE2D, 8, 0, CL_FLOAT, 0);
    dx9_image = make_image(dx9, CL_MEM_OBJECT_IMAGE2D, 8, 0, CL_FLOAT, 0);
    imported = MADE(clCreateBufferWithProperties(
        context, MEM_PROPERTIES(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, 3, 0), 0, 64, NULL,
        &code));
    imported_for_bare = MADE(clCreateBufferWithProperties(both, for_bare, 0, 64, NULL, &code));
    addressed = MADE(clCreateBufferWithProperties(
        context, MEM_PROPERTIES(CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0), 0, 64, NULL,
        &code));
    image = make_image(context, CL_MEM_OBJECT_IMAGE2D, 8, 0, CL_FLOAT, 0);
    small_image = make_image(context, CL_MEM_OBJECT_IMAGE2D, 4, 0, CL_FLOAT, 0);
    other_format = make_image(context, CL_MEM_OBJECT_IMAGE2D, 8, 0, CL_UNSIGNED_INT8, 0);
    volume = make_image(context, CL_MEM_OBJECT_IMAGE3D, 8, 0, CL_FLOAT, 0);
    levels = make_image(context, CL_MEM_OBJECT_IMAGE2D, 8, 3, CL_FLOAT, 0);
    target_levels = make_image(context, CL_MEM_OBJECT_IMAGE2D, 8, 3, CL_FLOAT, 0);
    layers = make_image(context, CL_MEM_OBJECT_IMAGE2D_ARRAY, 8, 3, CL_FLOAT, 0);
    target_layers = make_image(context, CL_MEM_OBJECT_IMAGE2D_ARRAY, 8, 3, CL_FLOAT, 0);
    constant_image = make_image(context, CL_MEM_OBJECT_IMAGE2D, 4, 0, CL_UNSIGNED_INT8,
                                CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR);
    memory = MADE(f.clHostMemAllocINTEL(context, NULL, 64, 0, &code));
}

static void make_kernels(void)
{
    const char *text = "kernel void all() {}";
    source = MADE(clCreateProgramWithSource(context, 1, &text, NULL, &code));
    built = MADE(clCreateProgramWithSource(context, 1, &text, NULL, &code));
    PROGRAM_CHECK(clBuildProgram(built, 0, NULL, "", NULL, NULL) == CL_SUCCESS);
    cl_program bare_program =
        MADE(clCreateProgramWithBuiltInKernels(bare_context, 1, &bare, "other", &code));
    cl_program gl_program = MADE(clCreateProgramWithSource(gl, 1, &text, NULL, &code));
    PROGRAM_CHECK(clBuildProgram(gl_program, 0, NULL, "", NULL, NULL) == CL_SUCCESS);
    gl_kernel = MADE(clCreateKernel(gl_program, "one_buffer", &code));
    all = MADE(clCreateKernel(built, "all", &code));
    unset = MADE(clCreateKernel(built, "all", &code));
    plain = MADE(clCreateKernel(built, "plain", &code));
    fixed = MADE(clCreateKernel(built, "fixed", &code));
    bare_kernel = MADE(clCreateKernel(bare_program, "other", &code));
    failed = MADE(clCreateUserEvent(context, &code));
    PROGRAM_CHECK(clSetUserEventStatus(failed, -7) == CL_SUCCESS);
    PROGRAM_CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker) == CL_SUCCESS);
}

/* A launch whose pointer is the address of a buffer on the device, another whose is unified shared
 * memory: both arguments have values. */
static void launch_with_addresses(void)
{
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_kernel kernel = MADE(clCreateKernel(built, "all", &code));
    cl_mem picture = MADE(clCreateImage(context, 0, &format, &desc, NULL, &code));
    cl_mem pipe = MADE(clCreatePipe(context, 0, 4, 4, NULL, &code));
    cl_sampler sampler =
        MADE(clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code));
    PROGRAM_CHECK(clSetKernelArg(kernel, 1, 4, NULL) == CL_SUCCESS);
    PROGRAM_CHECK(clSetKernelArg(kernel, 2, sizeof number, &number) == CL_SUCCESS);
    PROGRAM_CHECK(clSetKernelArg(kernel, 3, sizeof picture, &picture) == CL_SUCCESS);
    PROGRAM_CHECK(clSetKernelArg(kernel, 4, sizeof image, &image) == CL_SUCCESS);
    PROGRAM_CHECK(clSetKernelArg(kernel, 5, sizeof sampler, &sampler) == CL_SUCCESS);
    PROGRAM_CHECK(clSetKernelArg(kernel, 6, sizeof device_queue, &device_queue) == CL_SUCCESS);
    PROGRAM_CHECK(clSetKernelArg(kernel, 7, sizeof pipe, &pipe) == CL_SUCCESS);
    PROGRAM_CHECK(f.clSetKernelArgDevicePointerEXT(kernel, 0, 4096) == CL_SUCCESS);
    PROGRAM_CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL) ==
                  CL_SUCCESS);
    PROGRAM_CHECK(f.clSetKernelArgMemPointerINTEL(kernel, 0, memory) == CL_SUCCESS);
    PROGRAM_CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL) ==
                  CL_SUCCESS);
    expect_none("clEnqueueNDRangeKernel", "addresses as arguments");
}

/* A kernel of the context of OpenGL with that argument. */
static cl_kernel kernel_of(cl_mem mem)
{
    PROGRAM_CHECK(clSetKernelArg(gl_kernel, 0, sizeof mem, &mem) == CL_SUCCESS);
    return gl_kernel;
}

/* What is shared with OpenGL is used between its acquiring and releasing; the textures stay. */
static void use_acquired(void)
{
    const cl_mem objects[] = {gl_texture, gl_samples, gl_object};
    PROGRAM_CHECK(f.clEnqueueAcquireGLObjects(gl_queue, 3, objects, 0, NULL, NULL) == CL_SUCCESS);
    PROGRAM_CHECK(clEnqueueReadBuffer(gl_queue, gl_object, CL_TRUE, 0, 4, host, 0, NULL, NULL) ==
                  CL_SUCCESS);
    PROGRAM_CHECK(clEnqueueFillBuffer(gl_queue, gl_part, host, 4, 0, 4, 0, NULL, NULL) ==
                  CL_SUCCESS);
    PROGRAM_CHECK(clEnqueueNDRangeKernel(gl_queue, kernel_of(gl_object), 1, NULL, &one, NULL, 0,
                                         NULL, NULL) == CL_SUCCESS);
    PROGRAM_CHECK(f.clEnqueueReleaseGLObjects(gl_queue, 1, &gl_object, 0, NULL, NULL) ==
                  CL_SUCCESS);
    expect_none("clEnqueueNDRangeKernel", "what is acquired");
}

static void make_semaphores(void)
{
    const uint64_t for_device[] = {CL_SEMAPHORE_TYPE_KHR,
                                   CL_SEMAPHORE_TYPE_BINARY_KHR,
                                   CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
                                   (uint64_t)(uintptr_t)device,
                                   0,
                                   0};
    semaphore = MADE(f.clCreateSemaphoreWithPropertiesKHR(
        context, MEM_PROPERTIES(CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0), &code));
    both_semaphore = MADE(f.clCreateSemaphoreWithPropertiesKHR(both, for_device, &code));
    from_fd = MADE(f.clCreateSemaphoreWithPropertiesKHR(
        context,
        MEM_PROPERTIES(CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
                       CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, (uint64_t)descriptor(), 0),
        &code));
    exported = MADE(f.clCreateSemaphoreWithPropertiesKHR(
        context,
        MEM_PROPERTIES(CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
                       CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 0,
                       0),
        &code));
}

static cl_command_buffer_khr make_recording(cl_command_queue for_queue, const uint64_t *properties)
{
    cl_command_buffer_khr made = MADE(f.clCreateCommandBufferKHR(1, &for_queue, properties, &code));
    return made;
}

/* What a semaphore orders is not a race. */
static void order_by_semaphore(void)
{
    PROGRAM_CHECK(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 8, host, 0, NULL, NULL) ==
                  CL_SUCCESS);
    PROGRAM_CHECK(f.clEnqueueSignalSemaphoresKHR(queue, 1, &semaphore, NULL, 0, NULL, NULL) ==
                  CL_SUCCESS);
    PROGRAM_CHECK(f.clEnqueueWaitSemaphoresKHR(other_queue, 1, &semaphore, NULL, 0, NULL, NULL) ==
                  CL_SUCCESS);
    PROGRAM_CHECK(clEnqueueCopyBuffer(other_queue, buffer, other, 0, 0, 8, 0, NULL, NULL) ==
                  CL_SUCCESS);
    expect_none("clEnqueueWaitSemaphoresKHR", "commands in order");
}

static void make_command_buffers(void)
{
    const uint64_t *can_change =
        MEM_PROPERTIES(CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0);
    const uint64_t *no_fields = MEM_PROPERTIES(CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 0, 0);
    open = make_recording(queue, NULL);
    closed = make_recording(queue, NULL);
    bare_open = make_recording(bare_queue, NULL);
    bare_closed = make_recording(bare_queue, NULL);
    changing = make_recording(queue, can_change);
    closed_changing = make_recording(queue, can_change);
    other_changing = make_recording(queue, can_change);
    asserting = make_recording(
        queue, MEM_PROPERTIES(CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR,
                              CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR, 0));
    promising = make_recording(queue, can_change);
    PROGRAM_CHECK(f.clCommandNDRangeKernelKHR(
                      promising, NULL,
                      MEM_PROPERTIES(CL_MUTABLE_DISPATCH_ASSERTS_KHR,
                                     CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR, 0),
                      plain, 1, NULL, box, &one, 0, NULL, NULL, &promised) == CL_SUCCESS);
    PROGRAM_CHECK(f.clFinalizeCommandBufferKHR(promising) == CL_SUCCESS);
    PROGRAM_CHECK(f.clCommandBarrierWithWaitListKHR(open, NULL, NULL, 0, NULL, &point, NULL) ==
                  CL_SUCCESS);
    /* What the device can change of it may change. */
    PROGRAM_CHECK(f.clCommandNDRangeKernelKHR(closed_changing, NULL, NULL, plain, 1, NULL, &one,
                                              NULL, 0, NULL, NULL, &command) == CL_SUCCESS);
    PROGRAM_CHECK(f.clCommandNDRangeKernelKHR(closed_changing, NULL, no_fields, plain, 1, NULL,
                                              &one, NULL, 0, NULL, NULL, &still) == CL_SUCCESS);
    PROGRAM_CHECK(f.clCommandNDRangeKernelKHR(changing, NULL, NULL, plain, 1, NULL, &one, NULL, 0,
                                              NULL, NULL, &foreign) == CL_SUCCESS);
    PROGRAM_CHECK(f.clFinalizeCommandBufferKHR(closed) == CL_SUCCESS);
    PROGRAM_CHECK(f.clFinalizeCommandBufferKHR(closed_changing) == CL_SUCCESS);
    PROGRAM_CHECK(f.clFinalizeCommandBufferKHR(other_changing) == CL_SUCCESS);
    PROGRAM_CHECK(f.clFinalizeCommandBufferKHR(bare_closed) == CL_SUCCESS);
}

/* ---- rows ---- */

#define UPDATE(...)                                                                                \
    1, &(const cl_uint){0}, (const void *[])                                                       \
    {                                                                                              \
        &(struct api_mutable_config)                                                               \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/* What every call has wrong in the same way that records a command. */
#define RECORDED(function, ...)                                                                    \
    ALONE("command-buffer-queue", function, "a queue that it was not made for",                    \
          CL_INVALID_COMMAND_QUEUE, (open, other_queue, NULL, __VA_ARGS__, 0, NULL, NULL, NULL))   \
    ALONE("command-buffer-state", function, "a finalized command-buffer", CL_INVALID_OPERATION,    \
          (closed, NULL, NULL, __VA_ARGS__, 0, NULL, NULL, NULL))                                  \
    ALONE("sync-point-list", function, "a list that is NULL", CL_INVALID_SYNC_POINT_WAIT_LIST_KHR, \
          (open, NULL, NULL, __VA_ARGS__, 1, NULL, NULL, NULL))                                    \
    ALONE("sync-point-list", function, "an unknown point", CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,    \
          (open, NULL, NULL, __VA_ARGS__, 1, &(const cl_uint){4711}, NULL, NULL))                  \
    ALONE("context-mismatch", function, "a queue of another context", CL_INVALID_CONTEXT,          \
          (open, gl_queue, NULL, __VA_ARGS__, 0, NULL, NULL, NULL))                                \
    ALONE("handle-null", function, "no command-buffer", CL_INVALID_COMMAND_BUFFER_KHR,             \
          (NULL, NULL, NULL, __VA_ARGS__, 0, NULL, NULL, NULL))                                    \
    PAIR("property-invalid", function, "a property twice", CL_INVALID_VALUE,                       \
         (open, NULL,                                                                              \
          MEM_PROPERTIES(CL_MUTABLE_DISPATCH_ASSERTS_KHR, 0, CL_MUTABLE_DISPATCH_ASSERTS_KHR, 0,   \
                         0),                                                                       \
          __VA_ARGS__, 0, NULL, NULL, NULL),                                                       \
         (open, queue, NULL, __VA_ARGS__, 1, &point, NULL, NULL))
#define UNCHANGED(function, ...)                                                                   \
    RECORDED(function, __VA_ARGS__)                                                                \
    ALONE("mutable-command", function, "a handle", CL_INVALID_VALUE,                               \
          (open, NULL, NULL, __VA_ARGS__, 0, NULL, NULL, &(cl_mutable_command_khr){NULL}))

static void rows_of_sharing(void)
{
#define PART_SHARING
#include "tests/rules/extensions.def"
#undef PART_SHARING
}

static void rows_of_memory(void)
{
#define PART_MEMORY
#include "tests/rules/extensions.def"
#undef PART_MEMORY
}

static void rows_of_semaphores(void)
{
#define PART_SEMAPHORES
#include "tests/rules/extensions.def"
#undef PART_SEMAPHORES
}

/* A kernel whose argument has been set, or could not be. */
static cl_kernel set_number(cl_int error)
{
    static cl_kernel kernel;
    if (!kernel)
        kernel = clCreateKernel(built, "other", &code);
    PROGRAM_CHECK(clSetKernelArg(kernel, 0, sizeof number, &number) == CL_SUCCESS);
    fail_next(error);
    if (error != CL_SUCCESS)
        PROGRAM_CHECK(clSetKernelArg(kernel, 0, sizeof number, &number) == error);
    return kernel;
}

static pthread_barrier_t start;

static void *update(void *user)
{
    enum { TIMES = 500 }; /* the stub sleeps in each */
    pthread_barrier_wait(&start);
    for (unsigned i = 0; i < TIMES; ++i)
        f.clUpdateMutableCommandsKHR(user, 0, NULL, NULL);
    return NULL;
}

static void update_in_threads(cl_command_buffer_khr first, cl_command_buffer_khr second)
{
    pthread_t thread;
    pthread_barrier_init(&start, NULL, 2);
    PROGRAM_CHECK(pthread_create(&thread, NULL, update, first) == 0);
    update(second);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&start);
}

static void rows_of_undefined(void)
{
#define PART_UNDEFINED
#include "tests/rules/extensions.def"
#undef PART_UNDEFINED
}

static void rows_of_command_buffers(void)
{
#define PART_COMMAND_BUFFERS
#include "tests/rules/extensions.def"
#undef PART_COMMAND_BUFFERS
}

int main(void)
{
    setenv("OCL_ICD_VENDORS", CLERK_TEST_VENDORS, 1);
    watch_begin(&watch, CLERK_TEST_LAYER, CLERK_TEST_FINDINGS, CLERK_TEST_FINDINGS ".rows");
    setenv(
        "CLERK_CHECKS",
        "host,-deprecated,-object-leaked,-semaphore-order,-descriptor-imported,-interop-unordered,"
        "-acquired-twice",
        1);
    PROGRAM_CHECK(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    PROGRAM_CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS);
    PROGRAM_CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CUSTOM, 1, &bare, NULL) == CL_SUCCESS);
    find_functions(platform);
    PROGRAM_CHECK(fail_next);
    make_contexts();
    make_memory();
    make_kernels();
    make_semaphores();
    make_command_buffers();
    expect_none("main", "what the rows are about");
    launch_with_addresses();
    order_by_semaphore();
    rows_of_sharing();
    rows_of_memory();
    rows_of_semaphores();
    rows_of_command_buffers();
    rows_of_undefined();
    printf("%u rows are wrong\n", wrong_rows);
    return wrong_rows != 0;
}
