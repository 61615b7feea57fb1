/* The benchmark's kernels that touch memory in order: streams, dense matrices, and pictures and
 * bodies computed from nothing or everything. */
#include "tests/bench/kernels.h"

#include <math.h>

enum { MANDELBROT_LIMIT = 200 };

/* ---- streams ---- */

static void prepare_vector_add(struct launch *launch)
{
    launch_1d(launch, launch->size, GROUP);
    launch_whole_floats(launch, launch->size, 0);
    launch_whole_floats(launch, launch->size, 3);
    launch_output(launch, launch->size, sizeof(float), 0);
}

static bool check_vector_add(const struct launch *launch)
{
    const float *c = launch->bytes[2];
    for (size_t i = 0; i < launch->size; ++i) {
        if (c[i] != whole_value(i) + whole_value(i + 3))
            return false;
    }
    return true;
}

static void add_prices(struct launch *launch, cl_uint seed)
{
    float *prices = launch_input(launch, launch->size, sizeof *prices);
    for (size_t i = 0; i < launch->size; ++i)
        prices[i] = 10 + (float)(mix((cl_uint)i + seed) % 9000) / 100;
    launch_input_done(launch, launch->size, sizeof *prices);
}

static void prepare_black_scholes(struct launch *launch)
{
    launch_1d(launch, launch->size, GROUP);
    add_prices(launch, 0);
    add_prices(launch, 77);
    launch_output(launch, launch->size, sizeof(float), 0);
}

static double normal_distribution(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752);
}

static bool check_black_scholes(const struct launch *launch)
{
    const float *spot = launch->bytes[0];
    const float *strike = launch->bytes[1];
    const float *call = launch->bytes[2];
    for (size_t i = 0; i < launch->size; i += 17) {
        const double spread = 0.3 * sqrt(2.0);
        const double d1 = (log((double)spot[i] / (double)strike[i]) + 0.13) / spread;
        const double price = (double)spot[i] * normal_distribution(d1) -
                             (double)strike[i] * exp(-0.04) * normal_distribution(d1 - spread);
        if (!close_to((double)call[i], price, 1e-3))
            return false;
    }
    return true;
}

/* ---- matrices ---- */

static void prepare_matrix(struct launch *launch)
{
    const size_t n = launch->size;
    launch_2d(launch, n, TILE);
    launch_whole_floats(launch, n * n, 0);
    launch_whole_floats(launch, n * n, 5);
    launch_output(launch, n * n, sizeof(float), 0);
    launch_uint(launch, (cl_uint)n);
}

/* Every 17th element: all of them would take longer than the kernel. */
static bool check_matrix(const struct launch *launch)
{
    const size_t n = launch->size;
    const float *c = launch->bytes[2];
    for (size_t i = 0; i < n * n; i += 17) {
        float sum = 0;
        for (size_t k = 0; k < n; ++k)
            sum += whole_value(i / n * n + k) * whole_value(5 + k * n + i % n);
        if (c[i] != sum)
            return false;
    }
    return true;
}

static void prepare_transpose(struct launch *launch)
{
    const size_t n = launch->size;
    launch_2d(launch, n, TILE);
    launch_whole_floats(launch, n * n, 0);
    launch_output(launch, n * n, sizeof(float), 0);
    launch_uint(launch, (cl_uint)n);
}

static bool check_transpose(const struct launch *launch)
{
    const size_t n = launch->size;
    const float *b = launch->bytes[1];
    for (size_t i = 0; i < n * n; ++i) {
        if (b[i] != whole_value(i % n * n + i / n))
            return false;
    }
    return true;
}

/* ---- pictures and bodies ---- */

static void prepare_mandelbrot(struct launch *launch)
{
    launch_2d(launch, launch->size, TILE);
    launch_output(launch, launch->size * launch->size, sizeof(cl_uint), 0);
    launch_uint(launch, (cl_uint)launch->size);
    launch_uint(launch, MANDELBROT_LIMIT);
}

/* Points near the edge of the set depend on whether the compiler contracts a * b + c, so neighbours
 * of the edge are left out: points that certainly stay and points that leave at once. */
static bool check_mandelbrot(const struct launch *launch)
{
    const cl_uint *iterations = launch->bytes[0];
    size_t inside = 0;
    for (size_t i = 0; i < launch->size * launch->size; ++i) {
        const float x = (float)(i % launch->size) * 3.0f / (float)launch->size - 2.0f;
        const float y = (float)(i / launch->size) * 3.0f / (float)launch->size - 1.5f;
        if (x * x + y * y < 0.05f && iterations[i] != MANDELBROT_LIMIT)
            return false;
        if (x * x + y * y > 4.1f && iterations[i] != 1)
            return false;
        inside += iterations[i] == MANDELBROT_LIMIT;
    }
    return inside > 0;
}

static void prepare_n_body(struct launch *launch)
{
    launch_1d(launch, launch->size, GROUP);
    cl_float *bodies = launch_input(launch, launch->size, sizeof(cl_float4));
    for (size_t i = 0; i < 4 * launch->size; ++i)
        bodies[i] = (float)(mix((cl_uint)i) % 1000) / 1000;
    launch_input_done(launch, launch->size, sizeof(cl_float4));
    launch_output(launch, launch->size, sizeof(cl_float4), 0);
    launch_uint(launch, (cl_uint)launch->size);
}

static bool check_n_body(const struct launch *launch)
{
    const cl_float4 *bodies = launch->bytes[0];
    const cl_float4 *accelerations = launch->bytes[1];
    for (size_t i = 0; i < launch->size; i += 37) {
        double sum[3] = {0};
        for (size_t j = 0; j < launch->size; ++j) {
            double way[3];
            double square = 0.01;
            for (int k = 0; k < 3; ++k) {
                way[k] = (double)bodies[j].s[k] - (double)bodies[i].s[k];
                square += way[k] * way[k];
            }
            for (int k = 0; k < 3; ++k)
                sum[k] += way[k] * (double)bodies[j].s[3] / (square * sqrt(square));
        }
        for (int k = 0; k < 3; ++k) {
            if (!close_to((double)accelerations[i].s[k], sum[k], 1e-4 * (double)launch->size))
                return false;
        }
    }
    return true;
}

const struct benchmark benchmarks_dense[] = {
    {"vector_add", GROUP, 65536, 4194304, prepare_vector_add, check_vector_add,
     "three buffers streamed through rows: the cost is memory, and a row is written and read once "
     "more"},
    {"black_scholes", GROUP, 16384, 262144, prepare_black_scholes, check_black_scholes,
     "double-precision library calls, each result proved to be rounded correctly"},
    {"matrix_naive", TILE, 96, 256, prepare_matrix, check_matrix, ""},
    {"matrix_tiled", TILE, 80, 256, prepare_matrix, check_matrix,
     "every element passes local memory, checked and judged"},
    {"transpose", TILE, 256, 1024, prepare_transpose, check_transpose,
     "each value passes local memory with a stride; hardly any arithmetic between the accesses"},
    {"mandelbrot", TILE, 128, 512, prepare_mandelbrot, check_mandelbrot, ""},
    {"n_body", GROUP, 256, 2048, prepare_n_body, check_n_body, ""},
    {0},
};
