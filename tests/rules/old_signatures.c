/* A driver with an older revision of cl_khr_command_buffer: its functions that record have no
 * `properties` (they came with 0.9.5), as those of PoCL before 6. The layer must leave them alone:
 * what it would take for arguments are others. The program copies a buffer by a command-buffer; it
 * has no finding, and gets its bytes. */
#include "tests/rules/program.h"

#include <CL/cl_ext.h>
#include <string.h>

/* cl_khr_command_buffer 0.9.0 */
typedef cl_int(CL_API_CALL copy_function)(cl_command_buffer_khr, cl_command_queue, cl_mem, cl_mem,
                                          size_t, size_t, size_t, cl_uint,
                                          const cl_sync_point_khr *, cl_sync_point_khr *,
                                          cl_mutable_command_khr *);

int main(void)
{
    const struct program program = program_begin();
    clCreateCommandBufferKHR_fn create;
    clFinalizeCommandBufferKHR_fn finalize;
    clEnqueueCommandBufferKHR_fn enqueue;
    clReleaseCommandBufferKHR_fn release;
    copy_function *copy;
    *(void **)(void *)&create =
        clGetExtensionFunctionAddressForPlatform(program.platform, "clCreateCommandBufferKHR");
    *(void **)(void *)&finalize =
        clGetExtensionFunctionAddressForPlatform(program.platform, "clFinalizeCommandBufferKHR");
    *(void **)(void *)&enqueue =
        clGetExtensionFunctionAddressForPlatform(program.platform, "clEnqueueCommandBufferKHR");
    *(void **)(void *)&release =
        clGetExtensionFunctionAddressForPlatform(program.platform, "clReleaseCommandBufferKHR");
    *(void **)(void *)&copy =
        clGetExtensionFunctionAddressForPlatform(program.platform, "clCommandCopyBufferKHR");
    PROGRAM_CHECK(create && finalize && enqueue && release && copy);

    cl_mem source = program_buffer(program.context);
    cl_mem target = program_buffer(program.context);
    const char wanted[64] = "recorded";
    char got[64] = "";
    cl_int error;
    cl_sync_point_khr point;
    PROGRAM_CHECK(clEnqueueWriteBuffer(program.queue, source, CL_TRUE, 0, sizeof wanted, wanted, 0,
                                       NULL, NULL) == CL_SUCCESS);
    cl_command_buffer_khr recording = create(1, &program.queue, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    PROGRAM_CHECK(copy(recording, NULL, source, target, 0, 0, 32, 0, NULL, &point, NULL) ==
                  CL_SUCCESS);
    PROGRAM_CHECK(copy(recording, NULL, source, target, 32, 32, 32, 1, &point, NULL, NULL) ==
                  CL_SUCCESS);
    PROGRAM_CHECK(finalize(recording) == CL_SUCCESS);
    PROGRAM_CHECK(enqueue(0, NULL, recording, 0, NULL, NULL) == CL_SUCCESS);
    PROGRAM_CHECK(clEnqueueReadBuffer(program.queue, target, CL_TRUE, 0, sizeof got, got, 0, NULL,
                                      NULL) == CL_SUCCESS);
    PROGRAM_CHECK(memcmp(got, wanted, sizeof got) == 0);
    PROGRAM_CHECK(release(recording) == CL_SUCCESS);
    PROGRAM_CHECK(clReleaseMemObject(source) == CL_SUCCESS);
    PROGRAM_CHECK(clReleaseMemObject(target) == CL_SUCCESS);
    return program_end(&program);
}
