/* Flushes the queue. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    clFlush(program.queue);
    return program_end(&program);
}
