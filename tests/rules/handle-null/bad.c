/* Flushes a queue that was never made. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    clFlush(NULL);
    return program_end(&program);
}
