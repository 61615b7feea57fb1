/* What measure.c needs of a GPU's API: by OpenCL in gpu_bench.c, by CUDA in twins.cu. Whatever
 * fails, the functions say so and end the process with status 2. */
#ifndef TESTS_BENCH_GPU_DEVICE_H
#define TESTS_BENCH_GPU_DEVICE_H

#include "tests/bench/gpu/cases.h"

struct device;        /* the first GPU, or the first device where there is none, and its queue */
struct device_kernel; /* a kernel with its buffers and arguments */

/* The folder has the sources of the kernels, if they are built when they are needed. */
struct device *device_open(const char *kernels_folder);
/* Its name and the driver's version: a line without its end, which the device owns. */
const char *device_describe(const struct device *device);
void device_close(struct device *device);

/* The launch must outlive the kernel. The buffers have no contents yet. */
struct device_kernel *device_kernel_create(struct device *device, const struct case_launch *launch);
/* Writes what the launch has before it into all buffers, and waits for it. */
void device_kernel_write(struct device_kernel *kernel);
/* Does not wait. */
void device_kernel_enqueue(struct device_kernel *kernel);
/* Waits for all that was enqueued. */
void device_finish(struct device *device);
/* Reads all buffers into what the launch has after it. */
void device_kernel_read(struct device_kernel *kernel);
void device_kernel_destroy(struct device_kernel *kernel);

#endif
