/* What the benchmark programs share: the first device, its queue, one built program, and time. On
 * any failure they say what failed and end with status 2. */
#ifndef TESTS_BENCH_HOST_H
#define TESTS_BENCH_HOST_H

#include <CL/cl.h>
#include <stdint.h>

struct host {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_program program;
};

void host_check(cl_int status, const char *what);
/* The program is empty when there is no path to its source. */
void host_open(struct host *host, const char *source_path);
void host_close(struct host *host);
/* A buffer with these bytes in it, or without when `bytes` is NULL. */
cl_mem host_buffer(const struct host *host, size_t size, const void *bytes);

/* A square 2D image of one float a texel, with these texels in it. */
cl_mem host_image(const struct host *host, size_t side, const float *texels);

/* CPU time of this process, all of its threads, in nanoseconds. */
uint64_t cpu_time_ns(void);
/* Time by the clock, in nanoseconds. */
uint64_t wall_time_ns(void);
/* Sorts in place. */
uint64_t median(uint64_t *values, size_t count);

#endif
