/* Uses shared virtual memory, where the device has it: what replay refuses. */
#include "tests/replay/program.h"

int main(void)
{
    struct setup setup;
    setup_open(&setup);
    void *memory = clSVMAlloc(setup.context, CL_MEM_READ_WRITE, 64, 0);
    if (memory)
        clSVMFree(setup.context, memory);
    setup_close(&setup);
    return memory ? 0 : 77;
}
