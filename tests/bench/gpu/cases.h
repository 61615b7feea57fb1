/* The launches that the bench for GPUs measures, told without an API: gpu_bench.c makes them by
 * OpenCL, twins.cu by CUDA. A case gives a kernel its inputs, which depend on the size alone, and
 * judges its results by plain C.
 *
 * The arguments of each kernel are its buffers, in order, and then its values. */
#ifndef TESTS_BENCH_GPU_CASES_H
#define TESTS_BENCH_GPU_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CASE_BUFFERS_MAX = 5, CASE_VALUES_MAX = 2, CASE_SIDE_UNIT = 64 };

enum case_access {
    CASE_READ,     /* the kernel reads it */
    CASE_CONSTANT, /* the same, in constant memory */
    CASE_WRITE,    /* the kernel writes it, and may read it */
};

struct case_buffer {
    enum case_access access;
    size_t size;  /* bytes */
    void *before; /* what is in it before the launch */
    void *after;  /* what was read from it after the launch; filled by the caller */
};

struct case_launch {
    const char *kernel; /* also the name of its file, without the ending */
    uint32_t side;      /* the size: most have side * side elements; a multiple of CASE_SIDE_UNIT */
    unsigned work_dim;
    size_t global[2], local[2];
    unsigned buffer_count, value_count;
    struct case_buffer buffers[CASE_BUFFERS_MAX];
    uint32_t values[CASE_VALUES_MAX];
};

size_t case_count(void);
const char *case_name(size_t index);
/* The launch owns the bytes of its buffers until case_release. Ends the process where memory is
 * short. */
void case_prepare(size_t index, uint32_t side, struct case_launch *launch);
/* Whether the results are those of one launch. Of those that take long to compute some are looked
 * at. */
bool case_verify(size_t index, const struct case_launch *launch);
void case_release(struct case_launch *launch);

#endif
