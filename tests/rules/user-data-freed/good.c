/* Frees what it has given to a callback in the callback. */
#include "tests/rules/program.h"

static cl_event told; /* that the callback has come */

static void CL_CALLBACK ended(cl_event event, cl_int status, void *user)
{
    (void)event;
    (void)status;
    free(user);
    clSetUserEventStatus(told, CL_COMPLETE);
}

int main(void)
{
    int *counter = malloc(sizeof *counter);
    struct program program = program_begin();
    cl_int error;
    cl_event event = clCreateUserEvent(program.context, &error);
    PROGRAM_CHECK(error == CL_SUCCESS && counter);
    told = clCreateUserEvent(program.context, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    PROGRAM_CHECK(clSetEventCallback(event, CL_COMPLETE, ended, counter) == CL_SUCCESS);
    clSetUserEventStatus(event, CL_COMPLETE);
    clWaitForEvents(1, &told);
    clReleaseEvent(told);
    clReleaseEvent(event);
    return program_end(&program);
}
