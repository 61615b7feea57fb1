/* Twins about extensions. Their functions are the driver's. */
#include "tests/rules/functions.h"
#include "tests/rules/twins/twins.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static char host[64];
static const size_t origin[3] = {0, 0, 0}, region[3] = {2, 2, 1}, one = 1;

/* ---- objects of other interfaces ---- */

enum { TEXTURE_2D = 0x0DE1, TEXTURE_2D_MULTISAMPLE = 0x9100 };

static cl_context make_context(const struct program *program, const intptr_t *properties)
{
    cl_int error;
    cl_context context = clCreateContext(properties, 1, &program->device, NULL, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    return context;
}

static cl_context make_gl_context(const struct program *program)
{
    const intptr_t properties[] = {CL_GL_CONTEXT_KHR, 1, CL_EGL_DISPLAY_KHR, 1, 0};
    return make_context(program, properties);
}

static cl_command_queue make_queue(const struct program *program, cl_context context)
{
    cl_int error;
    cl_command_queue queue = clCreateCommandQueue(context, program->device, 0, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    return queue;
}

static void interop_context(const struct program *program, bool bad)
{
    cl_context gl = make_gl_context(program);
    twins_drop(bad, f.clCreateFromGLBuffer(bad ? program->context : gl, 0, 1, NULL));
    clReleaseContext(gl);
}

static void object_not_shared(const struct program *program, bool bad)
{
    cl_uint kind;
    cl_context gl = make_gl_context(program);
    cl_mem buffer = bad ? program_buffer(gl) : f.clCreateFromGLBuffer(gl, 0, 1, NULL);
    twins_check(bad, f.clGetGLObjectInfo(buffer, &kind, NULL));
    twins_drop(bad, buffer);
    clReleaseContext(gl);
}

static void mip_level(const struct program *program, bool bad)
{
    cl_context gl = make_gl_context(program);
    twins_drop(bad, f.clCreateFromGLTexture(gl, 0, TEXTURE_2D, bad ? -1 : 0, 1, NULL));
    clReleaseContext(gl);
}

static void image_multi_sampled(const struct program *program, bool bad)
{
    cl_context gl = make_gl_context(program);
    cl_command_queue queue = make_queue(program, gl);
    cl_mem texture =
        f.clCreateFromGLTexture(gl, 0, bad ? TEXTURE_2D_MULTISAMPLE : TEXTURE_2D, 0, 1, NULL);
    PROGRAM_CHECK(f.clEnqueueAcquireGLObjects(queue, 1, &texture, 0, NULL, NULL) == CL_SUCCESS);
    twins_check(bad, clEnqueueWriteImage(queue, texture, CL_TRUE, origin, region, 0, 0, host, 0,
                                         NULL, NULL));
    PROGRAM_CHECK(f.clEnqueueReleaseGLObjects(queue, 1, &texture, 0, NULL, NULL) == CL_SUCCESS);
    clFinish(queue);
    twins_drop(bad, texture);
    clReleaseCommandQueue(queue);
    clReleaseContext(gl);
}

/* Acquires a resource of Direct3D once, or again. */
static void object_acquired(const struct program *program, bool bad)
{
    const intptr_t properties[] = {CL_CONTEXT_D3D11_DEVICE_KHR, 1, 0};
    cl_context d3d = make_context(program, properties);
    cl_command_queue queue = make_queue(program, d3d);
    cl_mem buffer = f.clCreateFromD3D11BufferKHR(d3d, 0, host, NULL);
    PROGRAM_CHECK(f.clEnqueueAcquireD3D11ObjectsKHR(queue, 1, &buffer, 0, NULL, NULL) ==
                  CL_SUCCESS);
    if (bad)
        f.clEnqueueAcquireD3D11ObjectsKHR(queue, 1, &buffer, 0, NULL, NULL);
    PROGRAM_CHECK(f.clEnqueueReleaseD3D11ObjectsKHR(queue, 1, &buffer, 0, NULL, NULL) ==
                  CL_SUCCESS);
    clFinish(queue);
    twins_drop(bad, buffer);
    clReleaseCommandQueue(queue);
    clReleaseContext(d3d);
}

static void context_terminated(const struct program *program, bool bad)
{
    const intptr_t properties[] = {CL_CONTEXT_TERMINATE_KHR, CL_TRUE, 0};
    cl_context mortal = make_context(program, properties);
    PROGRAM_CHECK(f.clTerminateContextKHR(mortal) == CL_SUCCESS);
    if (bad)
        f.clTerminateContextKHR(mortal);
    clReleaseContext(mortal);
}

static void memory_immutable(const struct program *program, bool bad)
{
    const cl_mem_flags flags = CL_MEM_COPY_HOST_PTR | (bad ? CL_MEM_IMMUTABLE_EXT : 0);
    cl_mem buffer = clCreateBuffer(program->context, flags, sizeof host, host, NULL);
    twins_check(bad, clEnqueueWriteBuffer(program->queue, buffer, CL_TRUE, 0, sizeof host, host, 0,
                                          NULL, NULL));
    twins_drop(bad, buffer);
}

/* ---- kernels ---- */

/* The second value may not have arrived; the program sets it again, or does not. */
static void kernel_argument_lost(const struct program *program, bool bad)
{
    const cl_int value = 0;
    cl_kernel kernel = program_kernel(program, "kernel void other(int a) { (void)a; }", "other");
    PROGRAM_CHECK(clSetKernelArg(kernel, 0, sizeof value, &value) == CL_SUCCESS);
    fail_next(CL_OUT_OF_RESOURCES);
    PROGRAM_CHECK(clSetKernelArg(kernel, 0, sizeof value, &value) == CL_OUT_OF_RESOURCES);
    if (!bad)
        PROGRAM_CHECK(clSetKernelArg(kernel, 0, sizeof value, &value) == CL_SUCCESS);
    twins_check(bad,
                clEnqueueNDRangeKernel(program->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    clReleaseKernel(kernel);
}

/* ---- semaphores ---- */

static void semaphore_order(const struct program *program, bool bad)
{
    const cl_semaphore_properties_khr properties[] = {CL_SEMAPHORE_TYPE_KHR,
                                                      CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    cl_int error;
    cl_semaphore_khr semaphore =
        f.clCreateSemaphoreWithPropertiesKHR(program->context, properties, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    for (unsigned i = 0; i < 2; ++i) {
        f.clEnqueueSignalSemaphoresKHR(program->queue, 1, &semaphore, NULL, 0, NULL, NULL);
        if (!bad)
            f.clEnqueueWaitSemaphoresKHR(program->queue, 1, &semaphore, NULL, 0, NULL, NULL);
    }
    clFinish(program->queue);
    f.clReleaseSemaphoreKHR(semaphore);
}

/* ---- command-buffers ---- */

static cl_command_buffer_khr make_recording(const struct program *program, bool changing)
{
    const cl_command_buffer_properties_khr properties[] = {
        CL_COMMAND_BUFFER_FLAGS_KHR, changing ? CL_COMMAND_BUFFER_MUTABLE_KHR : 0, 0};
    cl_int error;
    cl_command_buffer_khr made = f.clCreateCommandBufferKHR(1, &program->queue, properties, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    return made;
}

static void finalize(cl_command_buffer_khr recording)
{
    PROGRAM_CHECK(f.clFinalizeCommandBufferKHR(recording) == CL_SUCCESS);
}

static void command_buffer_state(const struct program *program, bool bad)
{
    cl_command_buffer_khr recording = make_recording(program, false);
    if (!bad)
        finalize(recording);
    twins_check(bad, f.clEnqueueCommandBufferKHR(0, NULL, recording, 0, NULL, NULL));
    clFinish(program->queue);
    f.clReleaseCommandBufferKHR(recording);
}

static void command_buffer_queue(const struct program *program, bool bad)
{
    cl_command_queue other = make_queue(program, program->context);
    cl_command_buffer_khr recording = make_recording(program, false);
    twins_check(bad, f.clCommandBarrierWithWaitListKHR(recording, bad ? other : NULL, NULL, 0, NULL,
                                                       NULL, NULL));
    f.clReleaseCommandBufferKHR(recording);
    clReleaseCommandQueue(other);
}

static void sync_point_list(const struct program *program, bool bad)
{
    cl_sync_point_khr point;
    cl_command_buffer_khr recording = make_recording(program, false);
    PROGRAM_CHECK(f.clCommandBarrierWithWaitListKHR(recording, NULL, NULL, 0, NULL, &point, NULL) ==
                  CL_SUCCESS);
    if (bad)
        ++point;
    twins_check(bad,
                f.clCommandBarrierWithWaitListKHR(recording, NULL, NULL, 1, &point, NULL, NULL));
    f.clReleaseCommandBufferKHR(recording);
}

static cl_int update(cl_command_buffer_khr recording, cl_mutable_command_khr command)
{
    const cl_command_buffer_update_type_khr type = API_MUTABLE_DISPATCH_CONFIG;
    const struct api_mutable_config config = {.command = command, .global_work_size = &one};
    const void *configs[] = {&config};
    return f.clUpdateMutableCommandsKHR(recording, command ? 1 : 0, command ? &type : NULL,
                                        command ? configs : NULL);
}

/* The command is recorded as one whose global size may change, or whose arguments may. */
static void mutable_command(const struct program *program, bool bad)
{
    const uint64_t fields[] = {
        CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
        bad ? CL_MUTABLE_DISPATCH_ARGUMENTS_KHR : CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, 0};
    cl_mutable_command_khr command;
    cl_kernel kernel = program_kernel(program, "kernel void plain() {}", "plain");
    cl_command_buffer_khr recording = make_recording(program, true);
    PROGRAM_CHECK(f.clCommandNDRangeKernelKHR(recording, NULL, fields, kernel, 1, NULL, &one, NULL,
                                              0, NULL, NULL, &command) == CL_SUCCESS);
    finalize(recording);
    twins_check(bad, update(recording, command));
    f.clReleaseCommandBufferKHR(recording);
    clReleaseKernel(kernel);
}

static pthread_barrier_t start;
static atomic_uint begun, inside, meetings;

/* Until one thread has begun a call while the other was within one, so many calls of the other: in
 * some of them it has lost its processor where the layer sees it, however few there are. */
static void *update_often(void *recording)
{
    enum { MEETINGS = 200, TIMES_MAX = 2000000 };
    unsigned seen = 0;
    pthread_barrier_wait(&start);
    for (unsigned i = 0; meetings < MEETINGS && i < TIMES_MAX; ++i) {
        const unsigned others = atomic_fetch_add(&begun, 1) - i;
        if (atomic_fetch_add(&inside, 1) == 1 && others != seen) {
            seen = others;
            ++meetings;
        }
        update(recording, NULL);
        atomic_fetch_sub(&inside, 1);
    }
    return NULL;
}

static void command_buffer_in_threads(const struct program *program, bool bad)
{
    pthread_t thread;
    cl_command_buffer_khr first = make_recording(program, true);
    cl_command_buffer_khr second = make_recording(program, true);
    finalize(first);
    finalize(second);
    pthread_barrier_init(&start, NULL, 2);
    PROGRAM_CHECK(pthread_create(&thread, NULL, update_often, first) == 0);
    update_often(bad ? first : second);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&start);
    f.clReleaseCommandBufferKHR(first);
    f.clReleaseCommandBufferKHR(second);
}

static const struct twins twins[] = {
    {"interop-context", interop_context},
    {"object-not-shared", object_not_shared},
    {"mip-level", mip_level},
    {"image-multi-sampled", image_multi_sampled},
    {"object-acquired", object_acquired},
    {"context-terminated", context_terminated},
    {"memory-immutable", memory_immutable},
    {"kernel-argument-lost", kernel_argument_lost},
    {"semaphore-order", semaphore_order},
    {"command-buffer-state", command_buffer_state},
    {"command-buffer-queue", command_buffer_queue},
    {"sync-point-list", sync_point_list},
    {"mutable-command", mutable_command},
    {"command-buffer-in-threads", command_buffer_in_threads},
};

int main(int argc, char **argv)
{
    cl_platform_id platform;
    PROGRAM_CHECK(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    find_functions(platform);
    return twins_main(argc, argv, twins, sizeof twins / sizeof *twins);
}
