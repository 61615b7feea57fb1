/* Programs whose kernels enqueue others on the device, one a name: `children CASE`. What each is to
 * be found wrong with on the reference device is said in CMakeLists.txt. */
// covers: G1 G20
#include "tests/rules/program.h"

#include <string.h>

enum { COUNT = 16, SIZE = COUNT * sizeof(cl_int) };

static const char source[] =
    "kernel void by_child(global int *a) {\n"
    "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(16),\n"
    "                   ^{ a[get_global_id(0)] = 1; }); }\n"
    "kernel void by_queue(global int *a, queue_t queue) {\n"
    "    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(16),\n"
    "                   ^{ a[get_global_id(0)] = 1; }); }\n"
    "kernel void double_it(global int *a) { a[get_global_id(0)] *= 2; }\n"
    "kernel void write_before(global int *a) {\n"
    "    a[0] = 1;\n"
    "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),\n"
    "                   ^{ a[1] = a[0] + 1; }); }\n";

static struct program program;
static cl_command_queue queue, on_device; /* both out of order */
static cl_program built;
static cl_mem buffer;

static void check(cl_int status)
{
    PROGRAM_CHECK(status == CL_SUCCESS);
}

static cl_command_queue make_queue(cl_command_queue_properties flags)
{
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES,
                                              flags | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_int error;
    cl_command_queue made =
        clCreateCommandQueueWithProperties(program.context, program.device, properties, &error);
    check(error);
    return made;
}

static void begin(void)
{
    static cl_int zeroes[COUNT];
    const char *text = source;
    cl_int error;
    program = program_begin();
    queue = make_queue(0);
    on_device = make_queue(CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT);
    buffer = clCreateBuffer(program.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, SIZE, zeroes,
                            &error);
    check(error);
    built = clCreateProgramWithSource(program.context, 1, &text, NULL, &error);
    check(error);
    check(clBuildProgram(built, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
}

static int end(void)
{
    check(clFinish(queue));
    check(clReleaseProgram(built));
    check(clReleaseMemObject(buffer));
    check(clReleaseCommandQueue(on_device));
    check(clReleaseCommandQueue(queue));
    return program_end(&program);
}

static cl_kernel make_kernel(const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(built, name, &error);
    check(error);
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    return kernel;
}

/* Takes the kernel over. */
static void launch(cl_kernel kernel, size_t size, const cl_event *after, cl_event *event)
{
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, after != NULL, after, event));
    check(clReleaseKernel(kernel));
}

static void check_doubled(void)
{
    cl_int found[COUNT];
    check(clFinish(queue));
    check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, SIZE, found, 0, NULL, NULL));
    for (int i = 0; i < COUNT; i++)
        PROGRAM_CHECK(found[i] == 2);
}

/* The event of a kernel is that of its children too. */
static void after_event(void)
{
    cl_event written;
    launch(make_kernel("by_child"), 1, NULL, &written);
    launch(make_kernel("double_it"), COUNT, &written, NULL);
    check_doubled();
    check(clReleaseEvent(written));
}

/* Nothing orders the child and the other kernel. */
static void beside(void)
{
    launch(make_kernel("by_child"), 1, NULL, NULL);
    launch(make_kernel("double_it"), COUNT, NULL, NULL);
}

static void by_queue_argument(void)
{
    cl_event written;
    cl_kernel kernel = make_kernel("by_queue");
    check(clSetKernelArg(kernel, 1, sizeof on_device, &on_device));
    launch(kernel, 1, NULL, &written);
    launch(make_kernel("double_it"), COUNT, &written, NULL);
    check_doubled();
    check(clReleaseEvent(written));
}

static void written_before(cl_svm_mem_flags flags)
{
    const size_t one = 1;
    cl_int error;
    cl_int *a = clSVMAlloc(program.context, CL_MEM_READ_WRITE | flags, SIZE, 0);
    PROGRAM_CHECK(a);
    cl_kernel kernel = clCreateKernel(built, "write_before", &error);
    check(error);
    check(clSetKernelArgSVMPointer(kernel, 0, a));
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    check(clFinish(queue));
    check(clReleaseKernel(kernel));
    clSVMFree(program.context, a);
}

/* OpenCL API 3.0, 3.3.6: what comes before the enqueue happens before the child "only in the case
 * of fine-grained SVM". */
static void fine_grained(void)
{
    written_before(CL_MEM_SVM_FINE_GRAIN_BUFFER);
}

static void coarse_grained(void)
{
    written_before(0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"after_event", after_event},
        {"beside", beside},
        {"by_queue_argument", by_queue_argument},
        {"fine_grained", fine_grained},
        {"coarse_grained", coarse_grained},
    };
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof cases[0]; i++) {
        if (strcmp(argv[1], cases[i].name) != 0)
            continue;
        begin();
        cases[i].run();
        return end();
    }
    fprintf(stderr, "usage: children CASE\n");
    return 2;
}
