/* Uses it in the callback that makes it; the other one uses what was there. */
#include "tests/rules/program.h"

#include <stdatomic.h>
#include <time.h>

static struct program program;
static cl_mem made, there;
static atomic_int called;

static void fill(cl_mem buffer)
{
    const cl_int zero = 0;
    clEnqueueFillBuffer(program.queue, buffer, &zero, sizeof zero, 0, 64, 0, NULL, NULL);
    clFlush(program.queue);
}

static void CL_CALLBACK begin(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    (void)user;
    made = clCreateBuffer(program.context, CL_MEM_READ_WRITE, 64, NULL, NULL);
    fill(made);
    called++;
}

static void CL_CALLBACK go_on(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    (void)user;
    fill(there);
    called++;
}

int main(void)
{
    cl_int error;
    program = program_begin();
    there = program_buffer(program.context);
    cl_event event = clCreateUserEvent(program.context, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    PROGRAM_CHECK(clSetEventCallback(event, CL_COMPLETE, begin, NULL) == CL_SUCCESS);
    PROGRAM_CHECK(clSetEventCallback(event, CL_COMPLETE, go_on, NULL) == CL_SUCCESS);
    PROGRAM_CHECK(clSetUserEventStatus(event, CL_COMPLETE) == CL_SUCCESS);
    while (called < 2) /* they may come late, on a thread of the driver's */
        nanosleep(&(const struct timespec){.tv_nsec = 1000000}, NULL);
    PROGRAM_CHECK(clReleaseEvent(event) == CL_SUCCESS);
    clFinish(program.queue);
    clReleaseMemObject(made);
    clReleaseMemObject(there);
    return program_end(&program);
}
