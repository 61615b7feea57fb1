/* Prints what a cheap call costs, in nanoseconds of CPU time of the calling thread: the median
 * over the repeats of the mean over a batch, a line "NAME NANOSECONDS" each.
 *
 *     bench_calls KERNELS.cl BATCH REPEATS */
#include "tests/bench/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS_MAX = 101 };

struct subject {
    struct host host;
    cl_kernel kernel;
    cl_mem buffer;
    cl_event event;
};

static cl_int set_argument(const struct subject *subject)
{
    return clSetKernelArg(subject->kernel, 0, sizeof subject->buffer, &subject->buffer);
}

static cl_int retain(const struct subject *subject)
{
    return clRetainKernel(subject->kernel);
}

static cl_int release(const struct subject *subject)
{
    return clReleaseKernel(subject->kernel);
}

static cl_int get_event_info(const struct subject *subject)
{
    cl_int status;
    return clGetEventInfo(subject->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                          NULL);
}

/* Time for a background thread to catch up, so that a batch is not charged for those before it. */
static void pause_between_batches(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 100 * 1000 * 1000}, NULL);
}

static double time_batch(const struct subject *subject, cl_int (*call)(const struct subject *),
                         unsigned long batch)
{
    const uint64_t start = thread_time_ns();
    for (unsigned long i = 0; i < batch; ++i)
        host_check(call(subject), "a call");
    return (double)(thread_time_ns() - start) / (double)batch;
}

static const struct call {
    const char *name;
    cl_int (*call)(const struct subject *);
} calls[] = {
    /* In this order: the releases undo the retains. */
    {"clSetKernelArg", set_argument},
    {"clGetEventInfo", get_event_info},
    {"clRetainKernel", retain},
    {"clReleaseKernel", release},
};
enum { CALL_COUNT = sizeof calls / sizeof *calls };

static void measure(const struct subject *subject, unsigned long batch, unsigned long repeats)
{
    uint64_t picoseconds[CALL_COUNT][REPEATS_MAX];
    for (unsigned long repeat = 0; repeat < repeats; ++repeat) {
        for (size_t i = 0; i < CALL_COUNT; ++i) {
            picoseconds[i][repeat] = (uint64_t)(time_batch(subject, calls[i].call, batch) * 1000);
            pause_between_batches();
        }
    }
    for (size_t i = 0; i < CALL_COUNT; ++i)
        printf("%s %.1f\n", calls[i].name, (double)median(picoseconds[i], repeats) / 1000);
}

int main(int argc, char **argv)
{
    const unsigned long batch = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
    const unsigned long repeats = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
    if (!batch || !repeats || repeats > REPEATS_MAX) {
        fprintf(stderr, "usage: bench_calls KERNELS.cl BATCH REPEATS\n");
        return 2;
    }
    struct subject subject;
    cl_int status;
    host_open(&subject.host, argv[1]);
    subject.kernel = clCreateKernel(subject.host.program, "vector_add", &status);
    host_check(status, "clCreateKernel");
    subject.buffer = host_buffer(&subject.host, 4096, NULL);
    host_check(clEnqueueMarkerWithWaitList(subject.host.queue, 0, NULL, &subject.event),
               "clEnqueueMarkerWithWaitList");
    host_check(clFinish(subject.host.queue), "clFinish");

    measure(&subject, batch, repeats);

    clReleaseEvent(subject.event);
    clReleaseMemObject(subject.buffer);
    clReleaseKernel(subject.kernel);
    host_close(&subject.host);
    return 0;
}
