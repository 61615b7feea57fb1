/* The benchmark's kernels that look at their neighbours on a grid. */
#include "tests/bench/kernels.h"

enum { RADIUS = 2, FILTER = 2 * RADIUS + 1 };

static void prepare_stencil(struct launch *launch)
{
    const size_t n = launch->size;
    launch_2d(launch, n, TILE);
    launch_whole_floats(launch, n * n, 0);
    launch_output(launch, n * n, sizeof(float), 0);
    launch_uint(launch, (cl_uint)n);
}

static bool check_stencil(const struct launch *launch)
{
    const size_t n = launch->size;
    const float *from = launch->bytes[0];
    const float *to = launch->bytes[1];
    for (size_t i = 0; i < n * n; ++i) {
        const size_t x = i % n;
        const size_t y = i / n;
        const bool edge = x == 0 || y == 0 || x == n - 1 || y == n - 1;
        const float flow =
            edge ? 0 : from[i - 1] + from[i + 1] + from[i - n] + from[i + n] - 4 * from[i];
        if (to[i] != from[i] + 0.25f * flow)
            return false;
    }
    return true;
}

static void prepare_convolution(struct launch *launch)
{
    const size_t n = launch->size;
    launch_2d(launch, n, TILE);
    launch_whole_floats(launch, n * n, 0);
    launch_whole_floats(launch, (size_t)FILTER * FILTER, 4);
    launch_output(launch, n * n, sizeof(float), 0);
    launch_uint(launch, (cl_uint)n);
}

static void prepare_convolution_image(struct launch *launch)
{
    const size_t n = launch->size;
    launch_2d(launch, n, TILE);
    launch_whole_image(launch, n, 0);
    launch_whole_floats(launch, (size_t)FILTER * FILTER, 4);
    launch_output(launch, n * n, sizeof(float), 0);
    launch_uint(launch, (cl_uint)n);
}

static int clamp(int value, int limit)
{
    return value < 0 ? 0 : value > limit ? limit : value;
}

static bool check_convolution(const struct launch *launch)
{
    const int n = (int)launch->size;
    const float *result = launch->bytes[2];
    for (int i = 0; i < n * n; i += 17) {
        float sum = 0;
        for (int k = 0; k < FILTER * FILTER; ++k) {
            const int column = clamp(i % n + k % FILTER - RADIUS, n - 1);
            const int row = clamp(i / n + k / FILTER - RADIUS, n - 1);
            sum += whole_value((size_t)(row * n + column)) * whole_value(4 + (size_t)k);
        }
        if (result[i] != sum)
            return false;
    }
    return true;
}

const struct benchmark benchmarks_grid[] = {
    {"stencil", TILE, 256, 1024, prepare_stencil, check_stencil,
     "a compiler keeps it in vector registers; here each of the twenty operations is a pass over "
     "rows"},
    {"convolution", TILE, 64, 512, prepare_convolution, check_convolution, ""},
    {"convolution_image", TILE, 64, 512, prepare_convolution_image, check_convolution, ""},
    {0},
};
