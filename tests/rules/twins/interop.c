/* Twins about what is shared with other interfaces of the system. Over the stub driver. */
#include "tests/rules/functions.h"
#include "tests/rules/twins/twins.h"

#include <stdint.h>
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

static const struct twins twins[] = {
    {"descriptor-imported", descriptor_imported},
};

int main(int argc, char **argv)
{
    cl_platform_id platform;
    PROGRAM_CHECK(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS);
    find_functions(platform);
    return twins_main(argc, argv, twins, sizeof twins / sizeof *twins);
}
