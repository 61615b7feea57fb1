/* Twins about what is shared with other interfaces of the system. Over the stub driver. */
#include "tests/rules/functions.h"
#include "tests/rules/gl_stub.h"
#include "tests/rules/twins/twins.h"

#include <sys/mman.h>
#include <unistd.h>

/* ---- file descriptors ---- */

static cl_mem import_from(const struct program *program, int descriptor)
{
    const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                                            (cl_mem_properties)descriptor, 0};
    cl_int error;
    cl_mem buffer = clCreateBufferWithProperties(program->context, properties, 0, 64, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    return buffer;
}

/* Imports memory twice: by the descriptor that the driver has since the first time, or by another
 * one. */
static void descriptor_imported(const struct program *program, bool bad)
{
    const int descriptor = memfd_create("shared", MFD_CLOEXEC);
    const int other = bad ? descriptor : dup(descriptor);
    PROGRAM_CHECK(descriptor >= 0 && other >= 0);
    cl_mem first = import_from(program, descriptor);
    cl_mem second = import_from(program, other);
    clReleaseMemObject(first);
    clReleaseMemObject(second);
}

/* ---- shared objects ---- */

static cl_context make_context(const struct program *program, const intptr_t *properties)
{
    cl_int error;
    cl_context context = clCreateContext(properties, 1, &program->device, NULL, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    return context;
}

static cl_command_queue make_queue(const struct program *program, cl_context context)
{
    cl_int error;
    cl_command_queue queue = clCreateCommandQueue(context, program->device, 0, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    return queue;
}

/* Deletes the buffer of OpenGL before the last use of the one made of it, or after. */
static void gl_object_changed(const struct program *program, bool bad)
{
    enum { NAME = 1 };
    const intptr_t properties[] = {CL_GL_CONTEXT_KHR, (intptr_t)gl_stub.context, CL_EGL_DISPLAY_KHR,
                                   1, 0};
    cl_context gl = make_context(program, properties);
    cl_command_queue queue = make_queue(program, gl);
    cl_mem buffer = f.clCreateFromGLBuffer(gl, 0, NAME, NULL);
    if (bad)
        gl_stub.buffer_sizes[NAME] = 0;
    PROGRAM_CHECK(f.clEnqueueAcquireGLObjects(queue, 1, &buffer, 0, NULL, NULL) == CL_SUCCESS);
    PROGRAM_CHECK(f.clEnqueueReleaseGLObjects(queue, 1, &buffer, 0, NULL, NULL) == CL_SUCCESS);
    clFinish(queue);
    twins_drop(bad, buffer);
    gl_stub.buffer_sizes[NAME] = 0;
    clReleaseCommandQueue(queue);
    clReleaseContext(gl);
}
/* Gives a resource of Direct3D back and takes it again, having waited between or after. The
 * context leaves the order of both interfaces to the program. */
static void interop_unordered(const struct program *program, bool bad)
{
    static char resource;
    const intptr_t properties[] = {CL_CONTEXT_D3D11_DEVICE_KHR, 1, CL_CONTEXT_INTEROP_USER_SYNC,
                                   CL_TRUE, 0};
    cl_context d3d = make_context(program, properties);
    cl_command_queue queue = make_queue(program, d3d);
    cl_mem buffer = f.clCreateFromD3D11BufferKHR(d3d, 0, &resource, NULL);
    for (unsigned i = 0; i < 2; ++i) {
        PROGRAM_CHECK(f.clEnqueueAcquireD3D11ObjectsKHR(queue, 1, &buffer, 0, NULL, NULL) ==
                      CL_SUCCESS);
        PROGRAM_CHECK(f.clEnqueueReleaseD3D11ObjectsKHR(queue, 1, &buffer, 0, NULL, NULL) ==
                      CL_SUCCESS);
        if (bad)
            clFlush(queue);
        else
            clFinish(queue);
    }
    clFinish(queue);
    twins_drop(bad, buffer);
    clReleaseCommandQueue(queue);
    clReleaseContext(d3d);
}

/* Uses imported memory twice, acquired for each use or once more than released. */
static void acquired_twice(const struct program *program, bool bad)
{
    const int descriptor = memfd_create("shared", MFD_CLOEXEC);
    PROGRAM_CHECK(descriptor >= 0);
    cl_mem buffer = import_from(program, descriptor);
    for (int i = 0; i < 2; i++) {
        PROGRAM_CHECK(f.clEnqueueAcquireExternalMemObjectsKHR(program->queue, 1, &buffer, 0, NULL,
                                                              NULL) == CL_SUCCESS);
        if (bad && i == 0)
            continue;
        PROGRAM_CHECK(f.clEnqueueReleaseExternalMemObjectsKHR(program->queue, 1, &buffer, 0, NULL,
                                                              NULL) == CL_SUCCESS);
        clFinish(program->queue);
    }
    clReleaseMemObject(buffer);
}

static const struct twins twins[] = {
    {"descriptor-imported", descriptor_imported},
    {"gl-object-changed", gl_object_changed},
    {"interop-unordered", interop_unordered},
    {"acquired-twice", acquired_twice},
};

int main(int argc, char **argv)
{
    cl_platform_id platform;
    PROGRAM_CHECK(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    find_functions(platform);
    return twins_main(argc, argv, twins, sizeof twins / sizeof *twins);
}
