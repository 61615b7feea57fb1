/* Writes coarse-grained shared virtual memory before it maps it. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    char *memory = clSVMAlloc(program.context, CL_MEM_READ_WRITE, 64, 0);
    PROGRAM_CHECK(memory);
    memory[40] = (char)(memory[40] + 1);
    clEnqueueSVMMap(program.queue, CL_TRUE, CL_MAP_READ, memory, 64, 0, NULL, NULL);
    clEnqueueSVMUnmap(program.queue, memory, 0, NULL, NULL);
    clFinish(program.queue);
    clSVMFree(program.context, memory);
    return program_end(&program);
}
