/* The benchmark's kernels whose way through memory depends on the data: sparse matrices, graphs,
 * text. */
#include "tests/bench/kernels.h"

#include <stdlib.h>
#include <string.h>

enum { LEVEL = 3, TEXT_PERIOD = 64 };

/* Row i of a sparse matrix (vertex i of a graph) has 4 to 19 entries (edges) anywhere: adds where
 * they start and where they lead to; returns how many there are. */
static size_t add_graph(struct launch *launch)
{
    const size_t n = launch->size;
    cl_uint *first = launch_input(launch, n + 1, sizeof *first);
    for (size_t i = 0; i < n; ++i)
        first[i + 1] = first[i] + 4 + mix((cl_uint)i) % 16;
    launch_input_done(launch, n + 1, sizeof *first);
    cl_uint *column = launch_input(launch, first[n], sizeof *column);
    for (size_t i = 0; i < first[n]; ++i)
        column[i] = mix((cl_uint)i + 12345) % (cl_uint)n;
    launch_input_done(launch, first[n], sizeof *column);
    return first[n];
}

/* ---- sparse matrix ---- */

static void prepare_sparse_vector(struct launch *launch)
{
    launch_1d(launch, launch->size, GROUP);
    const size_t count = add_graph(launch);
    launch_whole_floats(launch, count, 0);
    launch_whole_floats(launch, launch->size, 3);
    launch_output(launch, launch->size, sizeof(float), 0);
}

static bool check_sparse_vector(const struct launch *launch)
{
    const cl_uint *first = launch->bytes[0];
    const cl_uint *column = launch->bytes[1];
    const float *y = launch->bytes[4];
    for (size_t row = 0; row < launch->size; ++row) {
        float sum = 0;
        for (size_t i = first[row]; i < first[row + 1]; ++i)
            sum += whole_value(i) * whole_value(3 + (size_t)column[i]);
        if (y[row] != sum)
            return false;
    }
    return true;
}

/* ---- graph ---- */

/* A third of the vertices is on the frontier, a third after it, a third not reached. */
static void prepare_breadth_first(struct launch *launch)
{
    launch_1d(launch, launch->size, GROUP);
    add_graph(launch);
    cl_uint *levels = launch_input(launch, launch->size, sizeof *levels);
    for (size_t i = 0; i < launch->size; ++i)
        levels[i] = (const cl_uint[]){LEVEL, LEVEL - 1, CL_UINT_MAX}[mix((cl_uint)i) % 3];
    launch_input_done(launch, launch->size, sizeof *levels);
    launch_output(launch, launch->size, sizeof(cl_uint), 0xff);
    launch_uint(launch, LEVEL);
}

static bool check_breadth_first(const struct launch *launch)
{
    const cl_uint *first = launch->bytes[0];
    const cl_uint *neighbour = launch->bytes[1];
    const cl_uint *levels = launch->bytes[2];
    cl_uint *expected = malloc(launch->output_size);
    if (!expected)
        return false;
    memset(expected, 0xff, launch->output_size);
    for (size_t vertex = 0; vertex < launch->size; ++vertex) {
        for (size_t i = first[vertex]; levels[vertex] == LEVEL && i < first[vertex + 1]; ++i)
            expected[neighbour[i]] = LEVEL + 1;
    }
    const bool right = memcmp(expected, launch->bytes[3], launch->output_size) == 0;
    free(expected);
    return right;
}

/* ---- text ---- */

static const char pattern[] = "abacadabra";
enum { PATTERN_SIZE = sizeof pattern - 1 };

/* Letters a to d, with the pattern now and then. */
static void prepare_string_search(struct launch *launch)
{
    launch_1d(launch, launch->size, GROUP);
    const size_t text_size = launch->size + PATTERN_SIZE;
    char *text = launch_input(launch, text_size, 1);
    for (size_t i = 0; i < text_size; ++i)
        text[i] = (char)('a' + mix((cl_uint)i) % 4);
    for (size_t i = 0; i + PATTERN_SIZE <= text_size; i += TEXT_PERIOD + i % 7)
        memcpy(text + i, pattern, PATTERN_SIZE);
    launch_input_done(launch, text_size, 1);
    memcpy(launch_input(launch, PATTERN_SIZE, 1), pattern, PATTERN_SIZE);
    launch_input_done(launch, PATTERN_SIZE, 1);
    launch_output(launch, launch->size, 1, 0);
    launch_uint(launch, PATTERN_SIZE);
}

static bool check_string_search(const struct launch *launch)
{
    const char *text = launch->bytes[0];
    const cl_uchar *found = launch->bytes[2];
    for (size_t i = 0; i < launch->size; ++i) {
        if (found[i] != (memcmp(text + i, pattern, PATTERN_SIZE) == 0))
            return false;
    }
    return true;
}

const struct benchmark benchmarks_irregular[] = {
    {"sparse_vector", GROUP, 8192, 262144, prepare_sparse_vector, check_sparse_vector,
     "gathers, checked lane by lane, while the few long rows keep the vector waiting"},
    {"breadth_first", GROUP, 16384, 262144, prepare_breadth_first, check_breadth_first,
     "atomics act lane by lane, in order; lanes of other levels idle"},
    {"string_search", GROUP, 32768, 1048576, prepare_string_search, check_string_search,
     "work-items leave the loop early, and a vector costs the same until its last has"},
    {0},
};
