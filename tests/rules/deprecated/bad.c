/* Creates a command-queue by the entry point that OpenCL 2.0 replaces. */
#include "tests/rules/deprecated/queue.h"

int main(void)
{
    const cl_context context = queue_context();
    cl_int error;
    return queue_end(context, clCreateCommandQueue(context, queue_device(), 0, &error));
}
