/* CLBlast's sgemm, three times into one matrix, which begins as twos: each time five times the
 * number of the column is added. */
#include <clblast_c.h>
#include <stdio.h>

enum { SIZE = 24, COUNT = SIZE * SIZE };

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    float numbers[COUNT];
    float fives[COUNT];
    float sums[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        numbers[i] = (float)(i % SIZE);
        fives[i] = i / SIZE == i % SIZE ? 5 : 0;
        sums[i] = 2;
    }
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return 1;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers, NULL);
    cl_mem b = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof fives, fives, NULL);
    cl_mem c = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof sums, sums, NULL);
    for (int i = 0; i < 3; ++i) {
        if (CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, SIZE, SIZE,
                         SIZE, 1, a, 0, SIZE, b, 0, SIZE, 1, c, 0, SIZE, &queue,
                         NULL) != CLBlastSuccess)
            return 1;
    }
    if (clEnqueueReadBuffer(queue, c, CL_TRUE, 0, sizeof sums, sums, 0, NULL, NULL) != CL_SUCCESS)
        return 1;
    printf("2 plus 3 times 5 is %g\n", (double)sums[SIZE + 1]);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(c);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
