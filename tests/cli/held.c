/* Memory that is held in each way: by a sub-buffer after its buffer is released, as an image, an
 * image of a buffer, a pipe, and shared virtual memory, which is freed by a call and by a command.
 */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "held: %s gave %d\n", what, (int)status);
    exit(2);
}

static cl_mem create_image(cl_context context, size_t width, size_t height, cl_mem buffer)
{
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc description = {.image_type = buffer ? CL_MEM_OBJECT_IMAGE1D_BUFFER
                                                            : CL_MEM_OBJECT_IMAGE2D,
                                       .image_width = width,
                                       .image_height = height,
                                       .mem_object = buffer};
    cl_int status;
    const cl_mem image =
        clCreateImage(context, CL_MEM_READ_WRITE, &format, &description, NULL, &status);
    check(status, "clCreateImage");
    return image;
}

int main(void)
{
    const cl_buffer_region region = {0, 128};
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    check(status, "clCreateCommandQueueWithProperties");
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 1024, NULL, &status);
    check(status, "clCreateBuffer");
    cl_mem part = clCreateSubBuffer(buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                    &region, &status);
    check(status, "clCreateSubBuffer");
    cl_mem texels = create_image(context, 8, 0, part);
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
    check(clReleaseMemObject(part), "clReleaseMemObject");
    cl_mem image = create_image(context, 10, 10, NULL);
    cl_mem pipe = clCreatePipe(context, CL_MEM_READ_WRITE, 16, 5, NULL, &status);
    check(status, "clCreatePipe");
    void *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 2048, 0);
    void *other = clSVMAlloc(context, CL_MEM_READ_WRITE, 512, 0);
    check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, shared, 2048, 0, NULL, NULL),
          "clEnqueueSVMMap");
    check(clEnqueueSVMUnmap(queue, shared, 0, NULL, NULL), "clEnqueueSVMUnmap");
    check(clReleaseMemObject(texels), "clReleaseMemObject");
    check(clEnqueueSVMFree(queue, 1, &shared, NULL, NULL, 0, NULL, NULL), "clEnqueueSVMFree");
    check(clFinish(queue), "clFinish");
    check(clReleaseMemObject(pipe), "clReleaseMemObject");
    check(clReleaseMemObject(image), "clReleaseMemObject");
    clSVMFree(context, other);
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    check(clReleaseContext(context), "clReleaseContext");
    return 0;
}
