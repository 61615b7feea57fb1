/* Promises an event and passes no list. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    clEnqueueMarkerWithWaitList(program.queue, 1, NULL, NULL);
    return program_end(&program);
}
