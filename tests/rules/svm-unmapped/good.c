/* Writes coarse-grained shared virtual memory while it is mapped. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    char *memory = clSVMAlloc(program.context, CL_MEM_READ_WRITE, 64, 0);
    PROGRAM_CHECK(memory);
    for (int round = 0; round < 2; round++) {
        clEnqueueSVMMap(program.queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, memory, 64, 0, NULL,
                        NULL);
        memory[40] = (char)round;
        clEnqueueSVMUnmap(program.queue, memory, 0, NULL, NULL);
    }
    clFinish(program.queue);
    clSVMFree(program.context, memory);
    return program_end(&program);
}
