/* Programs whose kernels share a pipe, one a name: `pipes CASE`. What each is to be found wrong
 * with on the reference device is said in CMakeLists.txt. */
// covers: B6 F12
#include "tests/rules/program.h"

#include <string.h>

enum { COUNT = 16, SIZE = COUNT * sizeof(cl_int) };

static const char source[] =
    "kernel void send(write_only pipe int out, global int *data) {\n"
    "    int i = (int)get_global_id(0);\n"
    "    data[i] = i * i;\n"
    "    write_pipe(out, &i); }\n"
    "kernel void take(read_only pipe int in, global int *results) {\n"
    "    int i = 0;\n"
    "    if (read_pipe(in, &i) == 0) results[get_global_id(0)] = i; }\n"
    "kernel void take_data(read_only pipe int in, global int *results, global const int *data) {\n"
    "    int i = 0;\n"
    "    if (read_pipe(in, &i) == 0) results[get_global_id(0)] = data[i]; }\n"
    "kernel void skip(write_only pipe int out, global int *data) {\n"
    "    reserve_id_t id = reserve_write_pipe(out, 2);\n"
    "    write_pipe(out, id, 1, data);\n"
    "    commit_write_pipe(out, id); }\n"
    "kernel void look(read_only pipe int in, global int *results) {\n"
    "    int i = 0;\n"
    "    read_pipe(in, &i);\n"
    "    if (i == 1) results[0] = 1;\n"
    "    read_pipe(in, &i);\n"
    "    if (i == 1) results[0] = 2; }\n"
    "kernel void both(read_only pipe int in, write_only pipe int out) {\n"
    "    int i = 0;\n"
    "    read_pipe(in, &i);\n"
    "    write_pipe(out, &i); }\n"
    "kernel void reserve(write_only pipe int out, global reserve_id_t *id) {\n"
    "    *id = reserve_write_pipe(out, 1);\n"
    "    commit_write_pipe(out, *id); }\n"
    "kernel void use(write_only pipe int out, global reserve_id_t *id) {\n"
    "    int i = 0;\n"
    "    write_pipe(out, *id, 0, &i); }\n";

static struct program program;
static cl_command_queue queue; /* out of order */
static cl_program built;
static cl_mem pipe, data, results;

static void check(cl_int status)
{
    PROGRAM_CHECK(status == CL_SUCCESS);
}

static cl_mem make_buffer(void)
{
    static cl_int zeroes[COUNT];
    cl_int error;
    cl_mem buffer = clCreateBuffer(program.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, SIZE,
                                   zeroes, &error);
    check(error);
    return buffer;
}

static void begin(void)
{
    const char *text = source;
    cl_int error;
    program = program_begin();
    queue = clCreateCommandQueue(program.context, program.device,
                                 CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    check(error);
    pipe = clCreatePipe(program.context, 0, sizeof(cl_int), 2 * COUNT, NULL, &error);
    check(error);
    data = make_buffer();
    results = make_buffer();
    built = clCreateProgramWithSource(program.context, 1, &text, NULL, &error);
    check(error);
    check(clBuildProgram(built, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
}

static int end(void)
{
    check(clFinish(queue));
    check(clReleaseProgram(built));
    check(clReleaseMemObject(pipe));
    check(clReleaseMemObject(data));
    check(clReleaseMemObject(results));
    check(clReleaseCommandQueue(queue));
    return program_end(&program);
}

/* The kernel on `size` work-items; the later arguments may be NULL. */
static void launch(const char *name, size_t size, cl_mem second, cl_mem third,
                   const cl_event *after, cl_event *event)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(built, name, &error);
    check(error);
    check(clSetKernelArg(kernel, 0, sizeof pipe, &pipe));
    check(clSetKernelArg(kernel, 1, sizeof second, &second));
    if (third)
        check(clSetKernelArg(kernel, 2, sizeof third, &third));
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, after != NULL, after, event));
    check(clReleaseKernel(kernel));
}

static void check_results(const char *what, cl_int factor)
{
    cl_int found[COUNT];
    check(clFinish(queue));
    check(clEnqueueReadBuffer(queue, results, CL_TRUE, 0, SIZE, found, 0, NULL, NULL));
    for (cl_int i = 0; i < COUNT; i++) {
        if (found[i] != (factor ? i * i : i))
            fprintf(stderr, "%s: element %d is %d\n", what, i, found[i]);
        PROGRAM_CHECK(found[i] == (factor ? i * i : i));
    }
}

/* A packet is all that the reader gets. */
static void packets_after_event(void)
{
    cl_event sent;
    launch("send", COUNT, data, NULL, NULL, &sent);
    launch("take", COUNT, results, NULL, &sent, NULL);
    check_results("take", 0);
    check(clReleaseEvent(sent));
}

/* One kernel writes while another one reads: what a pipe is for. */
static void packets_at_once(void)
{
    launch("send", COUNT, data, NULL, NULL, NULL);
    launch("take", COUNT, results, NULL, NULL, NULL);
}

static void data_after_event(void)
{
    cl_event sent;
    launch("send", COUNT, data, NULL, NULL, &sent);
    launch("take_data", COUNT, results, data, &sent, NULL);
    check_results("take_data", 1);
    check(clReleaseEvent(sent));
}

/* A packet publishes nothing but itself. */
static void data_by_packet(void)
{
    launch("send", COUNT, data, NULL, NULL, NULL);
    launch("take_data", COUNT, results, data, NULL, NULL);
}

static void two_writers(void)
{
    launch("send", COUNT, data, NULL, NULL, NULL);
    launch("send", COUNT, results, NULL, NULL, NULL);
}

static void two_readers(void)
{
    cl_event sent;
    launch("send", COUNT, data, NULL, NULL, &sent);
    launch("take", COUNT / 2, results, NULL, &sent, NULL);
    launch("take", COUNT / 2, data, NULL, &sent, NULL);
    check(clReleaseEvent(sent));
}

static void both_ends(void)
{
    launch("both", 1, pipe, NULL, NULL, NULL);
}

static void earlier_kernel(void)
{
    cl_event reserved;
    launch("reserve", 1, results, NULL, NULL, &reserved);
    launch("use", 1, results, NULL, &reserved, NULL);
    check(clReleaseEvent(reserved));
}

/* The first of the two was never written. */
static void unwritten_packet(void)
{
    cl_event sent;
    launch("skip", 1, data, NULL, NULL, &sent);
    launch("look", 1, results, NULL, &sent, NULL);
    check(clReleaseEvent(sent));
}

int main(int argc, char **argv)
{
#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        CASE(packets_after_event), CASE(packets_at_once), CASE(data_after_event),
        CASE(data_by_packet),      CASE(two_writers),     CASE(two_readers),
        CASE(both_ends),           CASE(earlier_kernel),  CASE(unwritten_packet),
    };
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        begin();
        cases[i].run();
        return end();
    }
    fprintf(stderr, "pipes: unknown case\n");
    return 3;
}
