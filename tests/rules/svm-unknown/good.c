/* Frees the pointer that was returned, itself and in the function that a command calls; and NULL.
 */
#include "tests/rules/program.h"

static void CL_CALLBACK free_all(cl_command_queue queue, cl_uint count, void *pointers[],
                                 void *context)
{
    (void)queue;
    for (cl_uint i = 0; i < count; i++)
        clSVMFree(context, pointers[i]);
}

int main(void)
{
    struct program program = program_begin();
    void *memory = clSVMAlloc(program.context, CL_MEM_READ_WRITE, 256, 0);
    void *others[2] = {clSVMAlloc(program.context, CL_MEM_READ_WRITE, 256, 0),
                       clSVMAlloc(program.context, CL_MEM_READ_WRITE, 256, 0)};
    PROGRAM_CHECK(memory && others[0] && others[1]);
    PROGRAM_CHECK(clEnqueueSVMFree(program.queue, 1, others, NULL, NULL, 0, NULL, NULL) ==
                  CL_SUCCESS);
    PROGRAM_CHECK(clEnqueueSVMFree(program.queue, 1, others + 1, free_all, program.context, 0, NULL,
                                   NULL) == CL_SUCCESS);
    PROGRAM_CHECK(clFinish(program.queue) == CL_SUCCESS);
    clSVMFree(program.context, memory);
    clSVMFree(program.context, NULL);
    return program_end(&program);
}
