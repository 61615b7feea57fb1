/* Looks for a device as programs do, and ends well whatever the answer is:
 *
 *     platforms            asks how many platforms there are
 *     platforms device     takes a device of the default platform
 *     platforms context    makes a context of the default platform
 *     platforms name       asks for the name of the default platform */
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    cl_uint count = 0;
    cl_device_id device;
    cl_int status = CL_SUCCESS;
    char name[64];
    if (strcmp(what, "device") == 0)
        status = clGetDeviceIDs(NULL, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    else if (strcmp(what, "context") == 0)
        clCreateContextFromType(NULL, CL_DEVICE_TYPE_ALL, NULL, NULL, &status);
    else if (strcmp(what, "name") == 0)
        status = clGetPlatformInfo(NULL, CL_PLATFORM_NAME, sizeof name, name, NULL);
    else
        status = clGetPlatformIDs(0, NULL, &count);
    printf("%d %u\n", status, count);
    return 0;
}
