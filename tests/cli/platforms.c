/* Asks the loader how many platforms there are, and ends well whatever the answer is. */
#include <CL/cl.h>
#include <stdio.h>

int main(void)
{
    cl_uint count = 0;
    clGetPlatformIDs(0, NULL, &count);
    printf("%u\n", count);
    return 0;
}
