/* A program that is ended while a call is under way, or while none is: stuck CASE. */
#include <CL/cl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static cl_event event;

static int wait_for_it(void)
{
    return clWaitForEvents(1, &event);
}

static void *wait_in_thread(void *user)
{
    wait_for_it();
    return user;
}

static int is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* A kernel that waits for what never comes. */
static int wait_for_kernel(cl_context context, cl_device_id device)
{
    const char *source = "kernel void waits(global volatile int *flag)"
                         "{ while (flag[0] == 0); }";
    const cl_int zero = 0;
    const size_t one = 1;
    cl_int status;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "waits", &status);
    cl_mem flag = clCreateBuffer(context, CL_MEM_READ_WRITE, 2 * sizeof zero, NULL, &status);
    clEnqueueFillBuffer(queue, flag, &zero, sizeof zero, 0, 2 * sizeof zero, 0, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof flag, &flag);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    alarm(2);
    return clFinish(queue);
}

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    const char *name = argc == 2 ? argv[1] : "";
    pthread_t thread;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return 3;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    if (is(name, "kernel"))
        return wait_for_kernel(context, device);
    event = clCreateUserEvent(context, &status);
    if (is(name, "waits")) {
        alarm(1);
        return wait_for_it();
    }
    if (is(name, "returned")) {
        clSetUserEventStatus(event, CL_COMPLETE);
        wait_for_it();
        return raise(SIGALRM);
    }
    if (is(name, "child")) { /* with a context of its own */
        const pid_t child = fork();
        if (child == 0) {
            context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
            event = clCreateUserEvent(context, &status);
            alarm(1);
            return wait_for_it();
        }
        return waitpid(child, &status, 0) != child;
    }
    if (pthread_create(&thread, NULL, wait_in_thread, NULL) != 0)
        return 3;
    sleep(1);
    return is(name, "thread") ? raise(SIGALRM) : 0; /* "ends" while the other thread waits */
}
