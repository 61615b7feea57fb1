/* Reads a buffer and waits before it uses the bytes: for the command, for one behind it, for the
 * queue, or by asking its event. */
#include "tests/rules/program.h"

int main(void)
{
    static char bytes[4][64];
    struct program program = program_begin();
    cl_mem buffer = program_buffer(program.context);
    const cl_int zero = 0;
    cl_int status = CL_QUEUED;
    cl_event event;
    clEnqueueFillBuffer(program.queue, buffer, &zero, sizeof zero, 0, 64, 0, NULL, NULL);
    clEnqueueReadBuffer(program.queue, buffer, CL_FALSE, 0, 64, bytes[0], 0, NULL, &event);
    clWaitForEvents(1, &event);
    clReleaseEvent(event);
    clEnqueueReadBuffer(program.queue, buffer, CL_FALSE, 0, 64, bytes[1], 0, NULL, NULL);
    clEnqueueReadBuffer(program.queue, buffer, CL_TRUE, 0, 64, bytes[2], 0, NULL, NULL);
    clEnqueueReadBuffer(program.queue, buffer, CL_FALSE, 0, 64, bytes[2], 0, NULL, NULL);
    clFinish(program.queue);
    clEnqueueReadBuffer(program.queue, buffer, CL_FALSE, 0, 64, bytes[3], 0, NULL, &event);
    clFlush(program.queue);
    while (status > CL_COMPLETE)
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    clReleaseEvent(event);
    for (int i = 0; i < 4; i++)
        PROGRAM_CHECK(bytes[i][0] == 0);
    clReleaseMemObject(buffer);
    return program_end(&program);
}
