/* Never releases the buffer. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    program_buffer(program.context);
    return program_end(&program);
}
