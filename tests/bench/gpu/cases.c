#include "tests/bench/gpu/cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUP = 256,
    TILE = 16,
    BINS = 256,
    BYTES_AN_ITEM = 16,
    ROW_LENGTH = 16, /* elements of a row of the sparse matrix, on average */
    FILTER_RADIUS = 2,
    FILTER_WIDTH = 2 * FILTER_RADIUS + 1,
    BITONIC_STAGE = 1024,
    BITONIC_DISTANCE = 512,
    SAMPLES = 512, /* results looked at where each takes a loop over all inputs */
};

/* ---- describing launches ---- */

/* Well mixed bits of a number. */
static uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352d;
    x = (x ^ x >> 15) * 0x846ca68b;
    return x ^ x >> 16;
}

/* From 0 to below 1, with all bits of a significand: sums of products are not exact. */
static float fraction(uint32_t x)
{
    return (float)(mix(x) >> 8) * 0x1p-24f;
}

static void launch_1d(struct case_launch *launch, size_t count)
{
    launch->work_dim = 1;
    launch->global[0] = count;
    launch->local[0] = GROUP;
    launch->global[1] = launch->local[1] = 1;
}

static void launch_2d(struct case_launch *launch, size_t width, size_t height)
{
    launch->work_dim = 2;
    launch->global[0] = launch->global[1] = launch->side;
    launch->local[0] = width;
    launch->local[1] = height;
}

/* The next buffer, of zeros. Its bytes belong to the launch. */
static void *add_buffer(struct case_launch *launch, enum case_access access, size_t size)
{
    struct case_buffer *buffer = &launch->buffers[launch->buffer_count++];
    *buffer = (struct case_buffer){
        .access = access, .size = size, .before = calloc(1, size), .after = calloc(1, size)};
    if (!buffer->before || !buffer->after) {
        fprintf(stderr, "gpu bench: out of memory\n");
        exit(2);
    }
    return buffer->before;
}

static float *add_fractions(struct case_launch *launch, enum case_access access, size_t count,
                            uint32_t seed)
{
    float *values = add_buffer(launch, access, count * sizeof *values);
    for (size_t i = 0; i < count; ++i)
        values[i] = fraction((uint32_t)i + seed);
    return values;
}

static void add_uints(struct case_launch *launch, enum case_access access, size_t count)
{
    uint32_t *values = add_buffer(launch, access, count * sizeof *values);
    for (size_t i = 0; i < count; ++i)
        values[i] = mix((uint32_t)i);
}

static void add_value(struct case_launch *launch, uint32_t value)
{
    launch->values[launch->value_count++] = value;
}

static size_t element_count(const struct case_launch *launch)
{
    return (size_t)launch->side * launch->side;
}

/* The distance between the results that are looked at, odd so that it meets all columns. */
static size_t sample_step(size_t count)
{
    return count <= SAMPLES ? 1 : (count / SAMPLES) | 1;
}

static bool close_to(float value, double expected)
{
    return fabs((double)value - expected) <= 1e-4 * fabs(expected) + 1e-6;
}

/* ---- streams ---- */

static void prepare_vector_add(struct case_launch *launch)
{
    const size_t count = element_count(launch);
    launch_1d(launch, count);
    add_fractions(launch, CASE_READ, count, 0);
    add_fractions(launch, CASE_READ, count, 1000003);
    add_buffer(launch, CASE_WRITE, count * sizeof(float));
}

static bool verify_vector_add(const struct case_launch *launch)
{
    const float *a = launch->buffers[0].before;
    const float *b = launch->buffers[1].before;
    const float *c = launch->buffers[2].after;
    for (size_t i = 0; i < element_count(launch); ++i) {
        if (c[i] != a[i] + b[i])
            return false;
    }
    return true;
}

static void prepare_in_place(struct case_launch *launch)
{
    launch_1d(launch, element_count(launch));
    add_fractions(launch, CASE_WRITE, element_count(launch), 0);
}

static bool verify_in_place(const struct case_launch *launch)
{
    const float *before = launch->buffers[0].before;
    const float *after = launch->buffers[0].after;
    for (size_t i = 0; i < element_count(launch); ++i) {
        if (!close_to(after[i], 0.7 * (double)before[i] + 0.3))
            return false;
    }
    return true;
}

/* ---- grids ---- */

static void prepare_stencil(struct case_launch *launch)
{
    const size_t count = element_count(launch);
    launch_2d(launch, 32, 8);
    add_fractions(launch, CASE_READ, count, 0);
    add_buffer(launch, CASE_WRITE, count * sizeof(float));
    add_value(launch, launch->side);
}

static bool verify_stencil(const struct case_launch *launch)
{
    const float *input = launch->buffers[0].before;
    const float *output = launch->buffers[1].after;
    const size_t side = launch->side;
    for (size_t i = 0; i < side * side; ++i) {
        const size_t x = i % side;
        const size_t y = i / side;
        double expected = (double)input[i];
        if (x > 0 && y > 0 && x < side - 1 && y < side - 1)
            expected = 0.5 * expected + 0.125 * ((double)input[i - 1] + (double)input[i + 1] +
                                                 (double)input[i - side] + (double)input[i + side]);
        if (!close_to(output[i], expected))
            return false;
    }
    return true;
}

static void prepare_transpose(struct case_launch *launch)
{
    const size_t count = element_count(launch);
    launch_2d(launch, TILE, TILE);
    add_fractions(launch, CASE_READ, count, 0);
    add_buffer(launch, CASE_WRITE, count * sizeof(float));
    add_value(launch, launch->side);
}

static bool verify_transpose(const struct case_launch *launch)
{
    const float *input = launch->buffers[0].before;
    const float *output = launch->buffers[1].after;
    const size_t side = launch->side;
    for (size_t i = 0; i < side * side; ++i) {
        if (output[i] != input[i % side * side + i / side])
            return false;
    }
    return true;
}

static void prepare_convolution(struct case_launch *launch)
{
    const size_t count = element_count(launch);
    launch_2d(launch, TILE, TILE);
    add_fractions(launch, CASE_READ, count, 0);
    add_fractions(launch, CASE_CONSTANT, FILTER_WIDTH * FILTER_WIDTH, 1000003);
    add_buffer(launch, CASE_WRITE, count * sizeof(float));
    add_value(launch, launch->side);
}

static int clamp(int value, int last)
{
    return value < 0 ? 0 : value > last ? last : value;
}

static bool verify_convolution(const struct case_launch *launch)
{
    const float *input = launch->buffers[0].before;
    const float *filter = launch->buffers[1].before;
    const float *output = launch->buffers[2].after;
    const int side = (int)launch->side;
    for (int i = 0; i < side * side; ++i) {
        double expected = 0;
        for (int k = 0; k < FILTER_WIDTH * FILTER_WIDTH; ++k) {
            const int column = clamp(i % side + k % FILTER_WIDTH - FILTER_RADIUS, side - 1);
            const int row = clamp(i / side + k / FILTER_WIDTH - FILTER_RADIUS, side - 1);
            expected += (double)filter[k] * (double)input[row * side + column];
        }
        if (!close_to(output[i], expected))
            return false;
    }
    return true;
}

/* ---- matrices and bodies ---- */

static void prepare_matrix(struct case_launch *launch)
{
    const size_t count = element_count(launch);
    launch_2d(launch, TILE, TILE);
    add_fractions(launch, CASE_READ, count, 0);
    add_fractions(launch, CASE_READ, count, 1000003);
    add_buffer(launch, CASE_WRITE, count * sizeof(float));
    add_value(launch, launch->side);
}

static bool verify_matrix(const struct case_launch *launch)
{
    const float *a = launch->buffers[0].before;
    const float *b = launch->buffers[1].before;
    const float *c = launch->buffers[2].after;
    const size_t side = launch->side;
    for (size_t i = 0; i < side * side; i += sample_step(side * side)) {
        double expected = 0;
        for (size_t k = 0; k < side; ++k)
            expected += (double)a[i / side * side + k] * (double)b[k * side + i % side];
        if (!close_to(c[i], expected))
            return false;
    }
    return true;
}

static void prepare_n_body(struct case_launch *launch)
{
    const size_t count = 8 * (size_t)launch->side;
    launch_1d(launch, count);
    add_fractions(launch, CASE_READ, 4 * count, 0);
    add_buffer(launch, CASE_WRITE, 4 * count * sizeof(float));
    add_value(launch, (uint32_t)count);
}

static void pull(const float *body, const float *other, double *sum)
{
    double way[3];
    double square = (double)0.01f;
    for (size_t k = 0; k < 3; ++k) {
        way[k] = (double)other[k] - (double)body[k];
        square += way[k] * way[k];
    }
    for (size_t k = 0; k < 3; ++k)
        sum[k] += way[k] * (double)other[3] / (square * sqrt(square));
}

/* The terms of a sum have both signs: what is left of them says nothing of their rounding. */
static bool verify_n_body(const struct case_launch *launch)
{
    const float *bodies = launch->buffers[0].before;
    const float *accelerations = launch->buffers[1].after;
    const size_t count = launch->values[0];
    const double tolerance = 1e-4 * (double)count;
    for (size_t i = 0; i < count; i += sample_step(count)) {
        double sum[3] = {0, 0, 0};
        for (size_t k = 0; k < count; ++k)
            pull(&bodies[4 * i], &bodies[4 * k], sum);
        for (size_t k = 0; k < 3; ++k) {
            if (!(fabs((double)accelerations[4 * i + k] - sum[k]) <= tolerance))
                return false;
        }
        if (accelerations[4 * i + 3] != 0)
            return false;
    }
    return true;
}

static uint32_t row_length(size_t row)
{
    return ROW_LENGTH / 2 + mix((uint32_t)row + 77) % (ROW_LENGTH + 1);
}

static void prepare_sparse_product(struct case_launch *launch)
{
    const size_t rows = element_count(launch) / ROW_LENGTH;
    launch_1d(launch, rows);
    uint32_t *starts = add_buffer(launch, CASE_READ, (rows + 1) * sizeof *starts);
    for (size_t row = 0; row < rows; ++row)
        starts[row + 1] = starts[row] + row_length(row);
    uint32_t *columns = add_buffer(launch, CASE_READ, starts[rows] * sizeof *columns);
    for (size_t k = 0; k < starts[rows]; ++k)
        columns[k] = mix((uint32_t)k + 555) % (uint32_t)rows;
    add_fractions(launch, CASE_READ, starts[rows], 0);
    add_fractions(launch, CASE_READ, rows, 1000003);
    add_buffer(launch, CASE_WRITE, rows * sizeof(float));
}

static bool verify_sparse_product(const struct case_launch *launch)
{
    const uint32_t *starts = launch->buffers[0].before;
    const uint32_t *columns = launch->buffers[1].before;
    const float *values = launch->buffers[2].before;
    const float *vector = launch->buffers[3].before;
    const float *product = launch->buffers[4].after;
    for (size_t row = 0; row < launch->global[0]; ++row) {
        double expected = 0;
        for (size_t k = starts[row]; k < starts[row + 1]; ++k)
            expected += (double)values[k] * (double)vector[columns[k]];
        if (!close_to(product[row], expected))
            return false;
    }
    return true;
}

/* ---- work-groups ---- */

static void prepare_reduction(struct case_launch *launch)
{
    const size_t count = element_count(launch);
    launch_1d(launch, count);
    add_uints(launch, CASE_READ, count);
    add_buffer(launch, CASE_WRITE, count / GROUP * sizeof(uint32_t));
}

static bool verify_reduction(const struct case_launch *launch)
{
    const uint32_t *input = launch->buffers[0].before;
    const uint32_t *sums = launch->buffers[1].after;
    for (size_t group = 0; group < element_count(launch) / GROUP; ++group) {
        uint32_t sum = 0;
        for (size_t i = 0; i < GROUP; ++i)
            sum += input[group * GROUP + i];
        if (sums[group] != sum)
            return false;
    }
    return true;
}

static void prepare_scan(struct case_launch *launch)
{
    const size_t count = element_count(launch);
    launch_1d(launch, count);
    add_uints(launch, CASE_READ, count);
    add_buffer(launch, CASE_WRITE, count * sizeof(uint32_t));
}

static bool verify_scan(const struct case_launch *launch)
{
    const uint32_t *input = launch->buffers[0].before;
    const uint32_t *output = launch->buffers[1].after;
    uint32_t sum = 0;
    for (size_t i = 0; i < element_count(launch); ++i) {
        sum = i % GROUP == 0 ? input[i] : sum + input[i];
        if (output[i] != sum)
            return false;
    }
    return true;
}

static void prepare_bitonic_step(struct case_launch *launch)
{
    launch_1d(launch, element_count(launch) / 2);
    add_uints(launch, CASE_WRITE, element_count(launch));
    add_value(launch, BITONIC_STAGE);
    add_value(launch, BITONIC_DISTANCE);
}

static bool verify_bitonic_step(const struct case_launch *launch)
{
    const uint32_t *before = launch->buffers[0].before;
    const uint32_t *after = launch->buffers[0].after;
    for (size_t i = 0; i < element_count(launch); ++i) {
        const size_t other = i ^ BITONIC_DISTANCE;
        const bool wants_less = ((i & BITONIC_STAGE) == 0) == (i < other);
        const bool is_less = before[i] < before[other];
        if (after[i] != before[wants_less == is_less ? i : other])
            return false;
    }
    return true;
}

/* ---- histograms ---- */

static void prepare_histogram(struct case_launch *launch)
{
    launch_1d(launch, element_count(launch));
    add_uints(launch, CASE_READ, element_count(launch));
    add_buffer(launch, CASE_WRITE, BINS * sizeof(uint32_t));
}

static bool verify_histogram(const struct case_launch *launch)
{
    const uint32_t *values = launch->buffers[0].before;
    uint32_t bins[BINS] = {0};
    for (size_t i = 0; i < element_count(launch); ++i)
        ++bins[values[i] % BINS];
    return memcmp(bins, launch->buffers[1].after, sizeof bins) == 0;
}

/* As pictures: some values are much more frequent than others. */
static void prepare_byte_histogram(struct case_launch *launch)
{
    const size_t count = element_count(launch);
    launch_1d(launch, count / BYTES_AN_ITEM);
    unsigned char *bytes = add_buffer(launch, CASE_READ, count);
    for (size_t i = 0; i < count; ++i)
        bytes[i] = (unsigned char)((mix((uint32_t)i) & 127) + (mix((uint32_t)i + 99) & 127));
    add_buffer(launch, CASE_WRITE, BINS * sizeof(uint32_t));
}

static bool verify_byte_histogram(const struct case_launch *launch)
{
    const unsigned char *bytes = launch->buffers[0].before;
    uint32_t bins[BINS] = {0};
    for (size_t i = 0; i < element_count(launch); ++i)
        ++bins[bytes[i]];
    return memcmp(bins, launch->buffers[1].after, sizeof bins) == 0;
}

/* ---- the table ---- */

/* clang-format off */
static const struct {
    const char *name;
    void (*prepare)(struct case_launch *launch);
    bool (*verify)(const struct case_launch *launch);
} cases[] = {
    {"vector_add",     prepare_vector_add,     verify_vector_add},
    {"stencil",        prepare_stencil,        verify_stencil},
    {"in_place",       prepare_in_place,       verify_in_place},
    {"matrix_naive",   prepare_matrix,         verify_matrix},
    {"matrix_tiled",   prepare_matrix,         verify_matrix},
    {"reduction",      prepare_reduction,      verify_reduction},
    {"histogram",      prepare_histogram,      verify_histogram},
    {"transpose",      prepare_transpose,      verify_transpose},
    {"scan",           prepare_scan,           verify_scan},
    {"n_body",         prepare_n_body,         verify_n_body},
    {"byte_histogram", prepare_byte_histogram, verify_byte_histogram},
    {"sparse_product", prepare_sparse_product, verify_sparse_product},
    {"convolution",    prepare_convolution,    verify_convolution},
    {"bitonic_step",   prepare_bitonic_step,   verify_bitonic_step},
};
/* clang-format on */

size_t case_count(void)
{
    return sizeof cases / sizeof *cases;
}

const char *case_name(size_t index)
{
    return cases[index].name;
}

/* What the kernel must leave as it was. */
static bool inputs_are_kept(const struct case_launch *launch)
{
    for (unsigned i = 0; i < launch->buffer_count; ++i) {
        const struct case_buffer *buffer = &launch->buffers[i];
        if (buffer->access != CASE_WRITE &&
            memcmp(buffer->before, buffer->after, buffer->size) != 0)
            return false;
    }
    return true;
}

void case_prepare(size_t index, uint32_t side, struct case_launch *launch)
{
    *launch = (struct case_launch){.kernel = cases[index].name, .side = side};
    cases[index].prepare(launch);
}

bool case_verify(size_t index, const struct case_launch *launch)
{
    return inputs_are_kept(launch) && cases[index].verify(launch);
}

void case_release(struct case_launch *launch)
{
    for (unsigned i = 0; i < launch->buffer_count; ++i) {
        free(launch->buffers[i].before);
        free(launch->buffers[i].after);
    }
}
