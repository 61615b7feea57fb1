/* Frees what was allocated from where it was used, not from its start. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    char *memory = clSVMAlloc(program.context, CL_MEM_READ_WRITE, 256, 0);
    PROGRAM_CHECK(memory);
    clSVMFree(program.context, memory + 64);
    clSVMFree(program.context, memory);
    return program_end(&program);
}
