/* The kernels of kernels/ once more in CUDA, statement by statement, and the cases by its API: so
 * that compute-sanitizer can be measured beside clerk. Here work-groups are blocks, local memory is
 * shared memory. */
extern "C" {
#include "tests/bench/gpu/device.h"
}

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

enum { TILE = 16, GROUP = 256, BYTES_AN_ITEM = 16, RADIUS = 2, FILTER_WIDTH = 2 * RADIUS + 1 };

typedef unsigned int uint;

static __device__ uint global_id(uint dimension)
{
    return dimension == 0 ? blockIdx.x * blockDim.x + threadIdx.x
                          : blockIdx.y * blockDim.y + threadIdx.y;
}

/* ---- the kernels ---- */

static __global__ void vector_add(const float *a, const float *b, float *c)
{
    const uint i = global_id(0);
    c[i] = a[i] + b[i];
}

static __global__ void stencil(const float *input, float *output, uint side)
{
    const uint x = global_id(0);
    const uint y = global_id(1);
    const uint i = y * side + x;
    if (x == 0 || y == 0 || x == side - 1 || y == side - 1)
        output[i] = input[i];
    else
        output[i] = 0.5f * input[i] +
                    0.125f * (input[i - 1] + input[i + 1] + input[i - side] + input[i + side]);
}

static __global__ void in_place(float *values)
{
    const uint i = global_id(0);
    values[i] = values[i] * 0.7f + 0.3f;
}

static __global__ void matrix_naive(const float *a, const float *b, float *c, uint side)
{
    const uint column = global_id(0);
    const uint row = global_id(1);
    float sum = 0;
    for (uint k = 0; k < side; ++k)
        sum += a[row * side + k] * b[k * side + column];
    c[row * side + column] = sum;
}

static __global__ void matrix_tiled(const float *a, const float *b, float *c, uint side)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    const uint x = threadIdx.x;
    const uint y = threadIdx.y;
    const uint column = global_id(0);
    const uint row = global_id(1);
    float sum = 0;
    for (uint first = 0; first < side; first += TILE) {
        tile_a[y][x] = a[row * side + first + x];
        tile_b[y][x] = b[(first + y) * side + column];
        __syncthreads();
        for (uint k = 0; k < TILE; ++k)
            sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    c[row * side + column] = sum;
}

static __global__ void reduction(const uint *input, uint *sums)
{
    __shared__ uint partial[GROUP];
    const uint item = threadIdx.x;
    partial[item] = input[global_id(0)];
    __syncthreads();
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        if (item < half_size)
            partial[item] += partial[item + half_size];
        __syncthreads();
    }
    if (item == 0)
        sums[blockIdx.x] = partial[0];
}

static __global__ void histogram(const uint *values, uint *bins)
{
    atomicAdd(&bins[values[global_id(0)] & 255], 1u);
}

static __global__ void transpose(const float *input, float *output, uint side)
{
    __shared__ float tile[TILE][TILE + 1];
    const uint x = threadIdx.x;
    const uint y = threadIdx.y;
    tile[y][x] = input[global_id(1) * side + global_id(0)];
    __syncthreads();
    output[(blockIdx.x * TILE + y) * side + blockIdx.y * TILE + x] = tile[x][y];
}

static __global__ void scan(const uint *input, uint *output)
{
    __shared__ uint sums[GROUP];
    const uint item = threadIdx.x;
    uint sum = input[global_id(0)];
    sums[item] = sum;
    __syncthreads();
    for (uint distance = 1; distance < GROUP; distance *= 2) {
        const uint other = item >= distance ? sums[item - distance] : 0;
        __syncthreads();
        sum += other;
        sums[item] = sum;
        __syncthreads();
    }
    output[global_id(0)] = sum;
}

static __device__ float3 pull(float4 body, float4 other)
{
    const float3 way = make_float3(other.x - body.x, other.y - body.y, other.z - body.z);
    const float inverse = rsqrtf(way.x * way.x + way.y * way.y + way.z * way.z + 0.01f);
    const float factor = other.w * inverse * inverse * inverse;
    return make_float3(way.x * factor, way.y * factor, way.z * factor);
}

static __global__ void n_body(const float4 *bodies, float4 *accelerations, uint count)
{
    __shared__ float4 tile[GROUP];
    const uint item = threadIdx.x;
    const float4 body = bodies[global_id(0)];
    float3 sum = make_float3(0, 0, 0);
    for (uint first = 0; first < count; first += GROUP) {
        tile[item] = bodies[first + item];
        __syncthreads();
        for (uint k = 0; k < GROUP; ++k) {
            const float3 part = pull(body, tile[k]);
            sum.x += part.x;
            sum.y += part.y;
            sum.z += part.z;
        }
        __syncthreads();
    }
    accelerations[global_id(0)] = make_float4(sum.x, sum.y, sum.z, 0);
}

static __global__ void byte_histogram(const unsigned char *bytes, uint *bins)
{
    __shared__ uint counts[256];
    const uint item = threadIdx.x;
    counts[item] = 0;
    __syncthreads();
    const uint first = blockIdx.x * GROUP * BYTES_AN_ITEM;
    for (uint k = 0; k < BYTES_AN_ITEM; ++k)
        atomicAdd(&counts[bytes[first + k * GROUP + item]], 1u);
    __syncthreads();
    atomicAdd(&bins[item], counts[item]);
}

static __global__ void sparse_product(const uint *row_starts, const uint *columns,
                                      const float *values, const float *vector, float *product)
{
    const uint row = global_id(0);
    float sum = 0;
    for (uint k = row_starts[row]; k < row_starts[row + 1]; ++k)
        sum += values[k] * vector[columns[k]];
    product[row] = sum;
}

static __constant__ float filter[FILTER_WIDTH * FILTER_WIDTH];

static __global__ void convolution(const float *input, float *output, uint side)
{
    const int x = global_id(0);
    const int y = global_id(1);
    const int last = side - 1;
    float sum = 0;
    for (int j = -RADIUS; j <= RADIUS; ++j) {
        for (int i = -RADIUS; i <= RADIUS; ++i) {
            const int column = min(max(x + i, 0), last);
            const int row = min(max(y + j, 0), last);
            sum += filter[(j + RADIUS) * FILTER_WIDTH + i + RADIUS] * input[row * side + column];
        }
    }
    output[y * side + x] = sum;
}

static __global__ void bitonic_step(uint *values, uint stage, uint distance)
{
    const uint item = global_id(0);
    const uint low = 2 * item - (item & (distance - 1));
    const uint high = low + distance;
    const uint a = values[low];
    const uint b = values[high];
    const bool rising = (low & stage) == 0;
    values[low] = rising ? min(a, b) : max(a, b);
    values[high] = rising ? max(a, b) : min(a, b);
}

#define KERNEL(name)                                                                               \
    {                                                                                              \
#name, reinterpret_cast < const void *>(name)                                              \
    }
static const struct {
    const char *name;
    const void *function;
} kernels[] = {
    KERNEL(vector_add),   KERNEL(stencil),      KERNEL(in_place),       KERNEL(matrix_naive),
    KERNEL(matrix_tiled), KERNEL(reduction),    KERNEL(histogram),      KERNEL(transpose),
    KERNEL(scan),         KERNEL(n_body),       KERNEL(byte_histogram), KERNEL(sparse_product),
    KERNEL(convolution),  KERNEL(bitonic_step),
};

/* ---- the device ---- */

struct device {
    char description[512];
};

struct device_kernel {
    const struct case_launch *launch;
    const void *function;
    void *buffers[CASE_BUFFERS_MAX]; /* null for what lies in constant memory */
    void *arguments[CASE_BUFFERS_MAX + CASE_VALUES_MAX];
    uint32_t values[CASE_VALUES_MAX];
};

static void check(cudaError_t status, const char *what)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "gpu bench: %s failed: %s\n", what, cudaGetErrorString(status));
        exit(2);
    }
}

static void *allocate(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory) {
        fprintf(stderr, "gpu bench: out of memory\n");
        exit(2);
    }
    return memory;
}

struct device *device_open(const char *)
{
    struct device *device = static_cast<struct device *>(allocate(sizeof *device));
    cudaDeviceProp properties;
    int version;
    check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    check(cudaDriverGetVersion(&version), "cudaDriverGetVersion");
    check(cudaSetDevice(0), "cudaSetDevice");
    snprintf(device->description, sizeof device->description, "%s, CUDA %d.%d", properties.name,
             version / 1000, version % 1000 / 10);
    return device;
}

const char *device_describe(const struct device *device)
{
    return device->description;
}

void device_close(struct device *device)
{
    check(cudaDeviceReset(), "cudaDeviceReset");
    free(device);
}

void device_finish(struct device *)
{
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

/* ---- kernels with their buffers ---- */

static const void *find_function(const char *name)
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; ++i) {
        if (strcmp(kernels[i].name, name) == 0)
            return kernels[i].function;
    }
    fprintf(stderr, "gpu bench: there is no twin of %s\n", name);
    exit(2);
}

struct device_kernel *device_kernel_create(struct device *, const struct case_launch *launch)
{
    struct device_kernel *kernel = static_cast<struct device_kernel *>(allocate(sizeof *kernel));
    kernel->launch = launch;
    kernel->function = find_function(launch->kernel);
    unsigned index = 0;
    for (unsigned i = 0; i < launch->buffer_count; ++i) {
        if (launch->buffers[i].access == CASE_CONSTANT)
            continue;
        check(cudaMalloc(&kernel->buffers[i], launch->buffers[i].size), "cudaMalloc");
        kernel->arguments[index++] = &kernel->buffers[i];
    }
    for (unsigned i = 0; i < launch->value_count; ++i) {
        kernel->values[i] = launch->values[i];
        kernel->arguments[index++] = &kernel->values[i];
    }
    return kernel;
}

void device_kernel_write(struct device_kernel *kernel)
{
    for (unsigned i = 0; i < kernel->launch->buffer_count; ++i) {
        const struct case_buffer *buffer = &kernel->launch->buffers[i];
        if (buffer->access == CASE_CONSTANT)
            check(cudaMemcpyToSymbol(filter, buffer->before, buffer->size), "cudaMemcpyToSymbol");
        else
            check(cudaMemcpy(kernel->buffers[i], buffer->before, buffer->size,
                             cudaMemcpyHostToDevice),
                  "cudaMemcpy");
    }
}

void device_kernel_enqueue(struct device_kernel *kernel)
{
    const size_t *global = kernel->launch->global;
    const size_t *local = kernel->launch->local;
    const dim3 grid(static_cast<uint>(global[0] / local[0]),
                    static_cast<uint>(global[1] / local[1]));
    const dim3 block(static_cast<uint>(local[0]), static_cast<uint>(local[1]));
    check(cudaLaunchKernel(kernel->function, grid, block, kernel->arguments, 0, nullptr),
          "cudaLaunchKernel");
}

void device_kernel_read(struct device_kernel *kernel)
{
    for (unsigned i = 0; i < kernel->launch->buffer_count; ++i) {
        const struct case_buffer *buffer = &kernel->launch->buffers[i];
        if (buffer->access == CASE_CONSTANT)
            check(cudaMemcpyFromSymbol(buffer->after, filter, buffer->size),
                  "cudaMemcpyFromSymbol");
        else
            check(
                cudaMemcpy(buffer->after, kernel->buffers[i], buffer->size, cudaMemcpyDeviceToHost),
                "cudaMemcpy");
    }
}

void device_kernel_destroy(struct device_kernel *kernel)
{
    for (unsigned i = 0; i < kernel->launch->buffer_count; ++i)
        check(cudaFree(kernel->buffers[i]), "cudaFree");
    free(kernel);
}
