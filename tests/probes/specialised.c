/* A kernel from IL that writes the element which a specialisation constant names, to a buffer of
 * 16:
 *
 *   specialised [NUMBER]    the constant's value; without it, it stays 17
 *
 * The exit status is 0, 3 if a call failed, 77 if the device takes no such IL. */
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_FAILED = 3, STATUS_LACKING = 77, BYTES = 64, CONSTANT = 7 };

/*              OpCapability Addresses
 *              OpCapability Kernel
 *              OpMemoryModel Physical64 OpenCL
 *              OpEntryPoint Kernel %k "k"
 *              OpDecorate %which SpecId 7
 *      %void = OpTypeVoid
 *      %uint = OpTypeInt 32 0
 *   %pointer = OpTypePointer CrossWorkgroup %uint
 *  %function = OpTypeFunction %void %pointer
 *     %which = OpSpecConstant %uint 17
 *         %k = OpFunction %void None %function
 *         %a = OpFunctionParameter %pointer
 *     %entry = OpLabel
 *        %at = OpInBoundsPtrAccessChain %pointer %a %which
 *              OpStore %at %which Aligned 4
 *              OpReturn
 *              OpFunctionEnd */
static const cl_uint il[] = {
    0x07230203, 0x00010000, 0x00070000, 0x0000000a, 0x00000000, 0x00020011, 0x00000004, 0x00020011,
    0x00000006, 0x0003000e, 0x00000002, 0x00000002, 0x0004000f, 0x00000006, 0x00000001, 0x0000006b,
    0x00040047, 0x00000002, 0x00000001, 0x00000007, 0x00020013, 0x00000003, 0x00040015, 0x00000004,
    0x00000020, 0x00000000, 0x00040020, 0x00000005, 0x00000005, 0x00000004, 0x00040021, 0x00000006,
    0x00000003, 0x00000005, 0x00040032, 0x00000004, 0x00000002, 0x00000011, 0x00050036, 0x00000003,
    0x00000001, 0x00000000, 0x00000006, 0x00030037, 0x00000005, 0x00000007, 0x000200f8, 0x00000008,
    0x00050046, 0x00000005, 0x00000009, 0x00000007, 0x00000002, 0x0005003e, 0x00000009, 0x00000002,
    0x00000002, 0x00000004, 0x000100fd, 0x00010038,
};

static void check(cl_int status, const char *call)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", call, status);
    exit(STATUS_FAILED);
}

static cl_device_id device_find(void)
{
    cl_platform_id platform;
    cl_device_id device;
    char version[4096] = "";
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    if (clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof version, version, NULL) !=
            CL_SUCCESS ||
        strstr(version, "SPIR-V") == NULL) {
        fprintf(stderr, "the device takes no IL\n");
        exit(STATUS_LACKING);
    }
    return device;
}

static cl_program program_make(cl_context context, const char *number)
{
    cl_int status;
    cl_program program = clCreateProgramWithIL(context, il, sizeof il, &status);
    check(status, "clCreateProgramWithIL");
    if (number != NULL) {
        const cl_uint value = (cl_uint)strtoul(number, NULL, 10);
        check(clSetProgramSpecializationConstant(program, CONSTANT, sizeof value, &value),
              "clSetProgramSpecializationConstant");
    }
    check(clBuildProgram(program, 0, NULL, "", NULL, NULL), "clBuildProgram");
    return program;
}

int main(int argc, char **argv)
{
    cl_int status;
    const size_t one = 1;
    cl_device_id device = device_find();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    check(status, "clCreateCommandQueueWithProperties");
    cl_program program = program_make(context, argc > 1 ? argv[1] : NULL);
    cl_kernel kernel = clCreateKernel(program, "k", &status);
    check(status, "clCreateKernel");
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof memory, &memory), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clFinish(queue), "clFinish");
    check(clReleaseMemObject(memory), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    check(clReleaseContext(context), "clReleaseContext");
    return 0;
}
