/* What a program shares with other interfaces of the system, beyond the twins of these rules
 * (twins/interop.c): how descriptors come and go, and objects of OpenGL, and what tells other
 * interfaces of the end of commands. Over the stub driver,
 * which closes the descriptor of a fence when it is imported, and keeps others. */
#include "tests/rules/functions.h"
#include "tests/rules/gl_stub.h"

#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

static struct program program;

/* ---- file descriptors ---- */

static int made(int descriptor)
{
    PROGRAM_CHECK(descriptor >= 0);
    return descriptor;
}

static cl_mem memory_of(cl_mem_properties type, int descriptor)
{
    const cl_mem_properties properties[] = {type, (cl_mem_properties)descriptor, 0};
    return clCreateBufferWithProperties(program.context, properties, 0, 64, NULL, NULL);
}

static void import_memory(int descriptor)
{
    cl_mem buffer = memory_of(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, descriptor);
    PROGRAM_CHECK(buffer);
    clReleaseMemObject(buffer);
}

static cl_semaphore_khr fence_of(int descriptor)
{
    const cl_semaphore_properties_khr properties[] = {
        CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR,
        (cl_semaphore_properties_khr)descriptor, 0};
    cl_semaphore_khr semaphore =
        f.clCreateSemaphoreWithPropertiesKHR(program.context, properties, NULL);
    PROGRAM_CHECK(semaphore);
    return semaphore;
}

/* The driver has closed it. */
static void fence_twice(void)
{
    const int descriptor = made(eventfd(0, EFD_CLOEXEC));
    cl_semaphore_khr semaphore = fence_of(descriptor);
    PROGRAM_CHECK(close(descriptor) != 0);
    PROGRAM_CHECK(f.clReImportSemaphoreSyncFdKHR(semaphore, NULL, descriptor) == CL_SUCCESS);
    f.clReleaseSemaphoreKHR(semaphore);
}

/* The system gives each new one the number that the driver has closed. */
static void fence_after_fence(void)
{
    const int descriptor = made(eventfd(0, EFD_CLOEXEC));
    cl_semaphore_khr semaphore = fence_of(descriptor);
    for (unsigned i = 0; i < 3; ++i) {
        const int next = made(eventfd(0, EFD_CLOEXEC));
        PROGRAM_CHECK(next == descriptor);
        PROGRAM_CHECK(f.clReImportSemaphoreSyncFdKHR(semaphore, NULL, next) == CL_SUCCESS);
    }
    f.clReleaseSemaphoreKHR(semaphore);
}

/* To the system all of these are one file, which stays marked. */
static void fence_beside_memory(void)
{
    const int kept = made(eventfd(0, EFD_CLOEXEC));
    const int descriptor = made(eventfd(0, EFD_CLOEXEC));
    cl_semaphore_khr semaphore = fence_of(descriptor);
    import_memory(kept);
    const int next = made(eventfd(0, EFD_CLOEXEC));
    PROGRAM_CHECK(next == descriptor);
    PROGRAM_CHECK(f.clReImportSemaphoreSyncFdKHR(semaphore, NULL, next) == CL_SUCCESS);
    f.clReleaseSemaphoreKHR(semaphore);
}

static void signalled_fences(void)
{
    cl_semaphore_khr semaphore = fence_of(-1);
    PROGRAM_CHECK(f.clReImportSemaphoreSyncFdKHR(semaphore, NULL, -1) == CL_SUCCESS);
    PROGRAM_CHECK(f.clReImportSemaphoreSyncFdKHR(semaphore, NULL, -1) == CL_SUCCESS);
    f.clReleaseSemaphoreKHR(semaphore);
}

/* A driver may close it at any time: the program has made the number anew, for the same memory. */
static void memory_by_a_new_number(void)
{
    const int own = made(memfd_create("shared", MFD_CLOEXEC));
    const int descriptor = made(dup(own));
    import_memory(descriptor);
    close(descriptor); /* as the driver would */
    PROGRAM_CHECK(made(dup(own)) == descriptor);
    import_memory(descriptor);
}

static void memory_by_an_overwritten_number(void)
{
    const int own = made(memfd_create("shared", MFD_CLOEXEC));
    const int descriptor = made(dup(own));
    import_memory(descriptor);
    PROGRAM_CHECK(dup2(own, descriptor) == descriptor); /* closes it */
    import_memory(descriptor);
}

static void memory_after_a_failure(void)
{
    const int descriptor = made(memfd_create("shared", MFD_CLOEXEC));
    fail_next(CL_OUT_OF_HOST_MEMORY);
    PROGRAM_CHECK(!memory_of(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, descriptor));
    import_memory(descriptor);
}

/* As the last one, with a number that was the driver's once. */
static void memory_after_a_later_failure(void)
{
    const int descriptor = made(eventfd(0, EFD_CLOEXEC));
    cl_semaphore_khr semaphore = fence_of(descriptor);
    PROGRAM_CHECK(made(memfd_create("shared", MFD_CLOEXEC)) == descriptor);
    memory_after_a_failure();
    fail_next(CL_OUT_OF_HOST_MEMORY);
    PROGRAM_CHECK(!memory_of(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, descriptor));
    import_memory(descriptor);
    f.clReleaseSemaphoreKHR(semaphore);
}

static void memory_as_a_fence(void)
{
    const int descriptor = made(memfd_create("shared", MFD_CLOEXEC));
    import_memory(descriptor);
    f.clReleaseSemaphoreKHR(fence_of(descriptor));
}

/* ---- objects of OpenGL ---- */

enum { NAME = 1, TEXTURE_2D = 0x0DE1, TEXTURE_CUBE_MAP_POSITIVE_X = 0x8515 };

static struct shared {
    cl_context context;
    cl_command_queue queue;
    cl_mem object;
} shared;

static void share(const intptr_t *properties, cl_device_id device)
{
    cl_int error;
    shared.context = clCreateContext(properties, 1, &device, NULL, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    shared.queue = clCreateCommandQueue(shared.context, device, 0, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
}

static void share_gl_on(cl_device_id device)
{
    const intptr_t properties[] = {CL_GL_CONTEXT_KHR, (intptr_t)gl_stub.context, CL_EGL_DISPLAY_KHR,
                                   1, 0};
    share(properties, device);
    shared.object = f.clCreateFromGLBuffer(shared.context, 0, NAME, NULL);
    PROGRAM_CHECK(shared.object);
}

static void share_gl(void)
{
    share_gl_on(program.device);
}

static void share_texture(cl_GLint level)
{
    share_gl();
    clReleaseMemObject(shared.object);
    shared.object = f.clCreateFromGLTexture(shared.context, 0, TEXTURE_2D, level, NAME, NULL);
    PROGRAM_CHECK(shared.object);
}

static void acquire_gl(void)
{
    PROGRAM_CHECK(f.clEnqueueAcquireGLObjects(shared.queue, 1, &shared.object, 0, NULL, NULL) ==
                  CL_SUCCESS);
}

static void give_back_gl(void)
{
    PROGRAM_CHECK(f.clEnqueueReleaseGLObjects(shared.queue, 1, &shared.object, 0, NULL, NULL) ==
                  CL_SUCCESS);
}

static void end_sharing(void)
{
    clFinish(shared.queue);
    clReleaseMemObject(shared.object);
    clReleaseCommandQueue(shared.queue);
    clReleaseContext(shared.context);
}

static void use_gl(void)
{
    acquire_gl();
    give_back_gl();
    end_sharing();
}

static void gl_buffer_kept(void)
{
    share_gl();
    use_gl();
    PROGRAM_CHECK(gl_stub.errors == 0);
}

static void gl_buffer_enlarged(void)
{
    share_gl();
    gl_stub.buffer_sizes[NAME] *= 2;
    use_gl();
}

static void gl_buffer_deleted_while_acquired(void)
{
    share_gl();
    acquire_gl();
    gl_stub.buffer_sizes[NAME] = 0;
    give_back_gl();
    end_sharing();
}

/* Another one has got its name, and is as large: who knows? */
static void gl_buffer_made_anew(void)
{
    share_gl();
    gl_stub.buffer_sizes[NAME] = 0;
    gl_stub.buffer_sizes[NAME] = 64;
    use_gl();
}

/* Names mean something else in a context that shares nothing with the one of the program. */
static void gl_buffer_of_another_context(void)
{
    share_gl();
    gl_stub.buffer_sizes[NAME] = 0;
    gl_stub.context = &shared;
    use_gl();
}

static void gl_buffer_without_a_context(void)
{
    share_gl();
    gl_stub.buffer_sizes[NAME] = 0;
    gl_stub.context = NULL;
    use_gl();
}

static void gl_buffer_of_a_lost_context(void)
{
    share_gl();
    gl_stub.version = NULL;
    use_gl();
}

/* There is no question about the sizes of objects that are not bound. */
static void gl_buffer_of_an_old_version(void)
{
    gl_stub.version = "4.4.0 (stub)";
    share_gl();
    gl_stub.buffer_sizes[NAME] *= 2;
    use_gl();
    PROGRAM_CHECK(gl_stub.errors == 0);
}

static void gl_buffer_of_es(void)
{
    gl_stub.version = "OpenGL ES 3.2 stub";
    gl_buffer_kept();
}

static void gl_texture_kept(void)
{
    share_texture(1);
    use_gl();
}

static void gl_texture_deleted(void)
{
    share_texture(0);
    gl_stub.texture_widths[NAME] = 0;
    use_gl();
}

static void gl_texture_enlarged(void)
{
    share_texture(1);
    gl_stub.texture_widths[NAME] *= 2;
    use_gl();
}

static void gl_face_of_a_cube(void)
{
    share_gl();
    clReleaseMemObject(shared.object);
    shared.object = f.clCreateFromGLTexture(shared.context, 0, TEXTURE_CUBE_MAP_POSITIVE_X, 0,
                                            GL_STUB_CUBE, NULL);
    use_gl();
    PROGRAM_CHECK(gl_stub.errors == 0);
}

static void gl_renderbuffer_deleted(void)
{
    share_gl();
    clReleaseMemObject(shared.object);
    shared.object = f.clCreateFromGLRenderbuffer(shared.context, 0, NAME, NULL);
    gl_stub.renderbuffer_widths[NAME] = 0;
    use_gl();
}

/* ---- order ---- */

/* Whose device has no cl_khr_gl_event. */
static void share_gl_unordered(void)
{
    cl_device_id bare;
    PROGRAM_CHECK(clGetDeviceIDs(program.platform, CL_DEVICE_TYPE_CUSTOM, 1, &bare, NULL) ==
                  CL_SUCCESS);
    share_gl_on(bare);
}

/* Uses the object, does that in between, and uses it again. */
static void use_around(void (*between)(void))
{
    acquire_gl();
    give_back_gl();
    between();
    use_gl();
}

static void do_nothing(void)
{
}

static void gl_again(void)
{
    share_gl_unordered();
    use_around(do_nothing);
}

/* With cl_khr_gl_event to give it back is enough. */
static void gl_again_with_events(void)
{
    share_gl();
    use_around(do_nothing);
}

static void finish(void)
{
    PROGRAM_CHECK(clFinish(shared.queue) == CL_SUCCESS);
}

static void gl_again_after_finish(void)
{
    share_gl_unordered();
    use_around(finish);
}

static void finish_another(void)
{
    PROGRAM_CHECK(clFinish(program.queue) == CL_SUCCESS);
}

static void gl_again_after_another_finish(void)
{
    share_gl_unordered();
    use_around(finish_another);
}

static void read_something(void)
{
    char byte;
    cl_mem buffer = program_buffer(shared.context);
    PROGRAM_CHECK(clEnqueueReadBuffer(shared.queue, buffer, CL_TRUE, 0, 1, &byte, 0, NULL, NULL) ==
                  CL_SUCCESS);
    clReleaseMemObject(buffer);
}

/* The queue is in order. */
static void gl_again_after_a_blocking_read(void)
{
    share_gl_unordered();
    use_around(read_something);
}

/* OpenGL may wait for it (GL_ARB_cl_event). */
static void ask_for_an_event(void)
{
    cl_event event;
    PROGRAM_CHECK(clEnqueueMarker(shared.queue, &event) == CL_SUCCESS);
    clReleaseEvent(event);
}

static void gl_again_after_an_event(void)
{
    share_gl_unordered();
    use_around(ask_for_an_event);
}

static void gl_again_with_its_event(void)
{
    cl_event event;
    share_gl_unordered();
    acquire_gl();
    PROGRAM_CHECK(f.clEnqueueReleaseGLObjects(shared.queue, 1, &shared.object, 0, NULL, &event) ==
                  CL_SUCCESS);
    clReleaseEvent(event);
    use_gl();
}

/* An event from before says nothing of what came after. */
static void gl_again_with_an_earlier_event(void)
{
    share_gl_unordered();
    ask_for_an_event();
    use_around(do_nothing);
}

static void share_d3d(void)
{
    static char resource;
    const intptr_t properties[] = {CL_CONTEXT_D3D11_DEVICE_KHR, 1, 0};
    share(properties, program.device);
    shared.object = f.clCreateFromD3D11BufferKHR(shared.context, 0, &resource, NULL);
}

/* The context lets Direct3D wait. */
static void d3d_again(void)
{
    share_d3d();
    for (unsigned i = 0; i < 2; ++i) {
        f.clEnqueueAcquireD3D11ObjectsKHR(shared.queue, 1, &shared.object, 0, NULL, NULL);
        f.clEnqueueReleaseD3D11ObjectsKHR(shared.queue, 1, &shared.object, 0, NULL, NULL);
    }
    end_sharing();
}

static void use_memory(void)
{
    f.clEnqueueAcquireExternalMemObjectsKHR(shared.queue, 1, &shared.object, 0, NULL, NULL);
    f.clEnqueueReleaseExternalMemObjectsKHR(shared.queue, 1, &shared.object, 0, NULL, NULL);
}

static void share_memory(void)
{
    shared.context = program.context;
    shared.queue = program.queue;
    shared.object = memory_of(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                              made(memfd_create("shared", MFD_CLOEXEC)));
}

static void memory_again(void)
{
    share_memory();
    use_memory();
    use_memory();
    clReleaseMemObject(shared.object);
}

static void memory_acquired_twice(void)
{
    share_memory();
    f.clEnqueueAcquireExternalMemObjectsKHR(shared.queue, 1, &shared.object, 0, NULL, NULL);
    use_memory();
    clReleaseMemObject(shared.object);
}

static void memory_released_twice(void)
{
    share_memory();
    use_memory();
    f.clEnqueueReleaseExternalMemObjectsKHR(shared.queue, 1, &shared.object, 0, NULL, NULL);
    clReleaseMemObject(shared.object);
}

static void memory_again_after_a_signal(void)
{
    const cl_semaphore_properties_khr properties[] = {CL_SEMAPHORE_TYPE_KHR,
                                                      CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    cl_semaphore_khr semaphore =
        f.clCreateSemaphoreWithPropertiesKHR(program.context, properties, NULL);
    share_memory();
    use_memory();
    PROGRAM_CHECK(f.clEnqueueSignalSemaphoresKHR(shared.queue, 1, &semaphore, NULL, 0, NULL,
                                                 NULL) == CL_SUCCESS);
    use_memory();
    clReleaseMemObject(shared.object);
    f.clReleaseSemaphoreKHR(semaphore);
}

/* ---- which program ---- */

#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    CASE(fence_twice),
    CASE(fence_after_fence),
    CASE(fence_beside_memory),
    CASE(signalled_fences),
    CASE(memory_by_a_new_number),
    CASE(memory_by_an_overwritten_number),
    CASE(memory_after_a_failure),
    CASE(memory_after_a_later_failure),
    CASE(memory_as_a_fence),
    CASE(gl_buffer_kept),
    CASE(gl_buffer_enlarged),
    CASE(gl_buffer_deleted_while_acquired),
    CASE(gl_buffer_made_anew),
    CASE(gl_buffer_of_another_context),
    CASE(gl_buffer_without_a_context),
    CASE(gl_buffer_of_a_lost_context),
    CASE(gl_buffer_of_an_old_version),
    CASE(gl_buffer_of_es),
    CASE(gl_texture_kept),
    CASE(gl_texture_deleted),
    CASE(gl_texture_enlarged),
    CASE(gl_face_of_a_cube),
    CASE(gl_renderbuffer_deleted),
    CASE(gl_again),
    CASE(gl_again_with_events),
    CASE(gl_again_after_finish),
    CASE(gl_again_after_another_finish),
    CASE(gl_again_after_a_blocking_read),
    CASE(gl_again_after_an_event),
    CASE(gl_again_with_its_event),
    CASE(gl_again_with_an_earlier_event),
    CASE(d3d_again),
    CASE(memory_again),
    CASE(memory_again_after_a_signal),
    CASE(memory_acquired_twice),
    CASE(memory_released_twice),
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; ++i) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        program = program_begin();
        find_functions(program.platform);
        cases[i].run();
        return program_end(&program);
    }
    fprintf(stderr, "usage: sharing CASE\n");
    return 2;
}
