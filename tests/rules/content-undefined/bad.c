/* Migrates a buffer without what is in it, and reads it. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    char bytes[64] = {0};
    cl_mem buffer = program_buffer(program.context);
    clEnqueueWriteBuffer(program.queue, buffer, CL_TRUE, 0, 64, bytes, 0, NULL, NULL);
    clEnqueueMigrateMemObjects(program.queue, 1, &buffer, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED,
                               0, NULL, NULL);
    clEnqueueReadBuffer(program.queue, buffer, CL_TRUE, 0, 64, bytes, 0, NULL, NULL);
    clReleaseMemObject(buffer);
    return program_end(&program);
}
