/* Twins about buffers, their flags, regions and maps, and about shared virtual memory. */
#include "tests/rules/twins/twins.h"

enum { SIZE = 64 };
static char host[4 * SIZE];

static cl_mem filled_buffer(const struct program *program, cl_mem_flags flags)
{
    cl_int error;
    cl_mem buffer =
        clCreateBuffer(program->context, flags | CL_MEM_COPY_HOST_PTR, SIZE, host, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    return buffer;
}

static void create(const struct program *program, bool bad, cl_mem_flags flags, size_t size,
                   void *host_ptr)
{
    twins_drop(bad, clCreateBuffer(program->context, flags, size, host_ptr, NULL));
}

/* The right size is small: a buffer of the largest may be more than the machine has left. */
static void size_limit(const struct program *program, bool bad)
{
    cl_ulong limit;
    PROGRAM_CHECK(clGetDeviceInfo(program->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof limit,
                                  &limit, NULL) == CL_SUCCESS);
    create(program, bad, 0, bad ? (size_t)limit + 1 : SIZE, NULL);
}

static void flags_invalid(const struct program *program, bool bad)
{
    create(program, bad, bad ? CL_MEM_KERNEL_READ_AND_WRITE : CL_MEM_READ_WRITE, SIZE, NULL);
}

static void flags_conflict(const struct program *program, bool bad)
{
    create(program, bad, CL_MEM_READ_ONLY | (bad ? CL_MEM_WRITE_ONLY : CL_MEM_HOST_WRITE_ONLY),
           SIZE, NULL);
}

static void host_pointer(const struct program *program, bool bad)
{
    create(program, bad, CL_MEM_USE_HOST_PTR, SIZE, bad ? NULL : host);
}

static void buffer_misaligned(const struct program *program, bool bad)
{
    cl_uint bits;
    cl_int error;
    PROGRAM_CHECK(clGetDeviceInfo(program->device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits,
                                  &bits, NULL) == CL_SUCCESS);
    const cl_buffer_region region = {bad ? bits / 16 : bits / 8, 4};
    cl_mem whole = clCreateBuffer(program->context, 0, bits / 4, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    twins_drop(bad, clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL));
    clReleaseMemObject(whole);
}

static void region_bounds(const struct program *program, bool bad)
{
    cl_mem buffer = program_buffer(program->context);
    twins_check(bad, clEnqueueWriteBuffer(program->queue, buffer, CL_TRUE, 4, bad ? SIZE : SIZE - 4,
                                          host, 0, NULL, NULL));
    clReleaseMemObject(buffer);
}

static void pitch_invalid(const struct program *program, bool bad)
{
    const size_t origin[3] = {0, 0, 0}, region[3] = {8, 4, 1};
    cl_mem buffer = program_buffer(program->context);
    twins_check(bad, clEnqueueWriteBufferRect(program->queue, buffer, CL_TRUE, origin, origin,
                                              region, bad ? 7 : 8, 0, 0, 0, host, 0, NULL, NULL));
    clReleaseMemObject(buffer);
}

static void copy_overlap(const struct program *program, bool bad)
{
    cl_mem buffer = filled_buffer(program, 0);
    twins_check(bad, clEnqueueCopyBuffer(program->queue, buffer, buffer, 0, bad ? 31 : 32, 32, 0,
                                         NULL, NULL));
    clFinish(program->queue);
    clReleaseMemObject(buffer);
}

static void pattern_size(const struct program *program, bool bad)
{
    cl_mem buffer = program_buffer(program->context);
    twins_check(
        bad, clEnqueueFillBuffer(program->queue, buffer, host, bad ? 12 : 8, 0, 24, 0, NULL, NULL));
    clFinish(program->queue);
    clReleaseMemObject(buffer);
}

static void host_access(const struct program *program, bool bad)
{
    cl_mem buffer = filled_buffer(program, bad ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY);
    twins_check(bad,
                clEnqueueReadBuffer(program->queue, buffer, CL_TRUE, 0, SIZE, host, 0, NULL, NULL));
    clReleaseMemObject(buffer);
}

static void *map(const struct program *program, cl_mem buffer, size_t offset)
{
    return clEnqueueMapBuffer(program->queue, buffer, CL_TRUE, CL_MAP_WRITE, offset, 32, 0, NULL,
                              NULL, NULL);
}

static cl_int unmap(const struct program *program, cl_mem buffer, void *mapped)
{
    return clEnqueueUnmapMemObject(program->queue, buffer, mapped, 0, NULL, NULL);
}

static void map_overlap(const struct program *program, bool bad)
{
    cl_mem buffer = filled_buffer(program, 0);
    void *first = map(program, buffer, 0);
    void *second = map(program, buffer, bad ? 31 : 32);
    PROGRAM_CHECK(first && (bad || second));
    PROGRAM_CHECK(unmap(program, buffer, first) == CL_SUCCESS);
    if (second)
        PROGRAM_CHECK(unmap(program, buffer, second) == CL_SUCCESS);
    clFinish(program->queue);
    clReleaseMemObject(buffer);
}

/* Unmaps twice what is mapped once, or twice. */
static void map_unknown(const struct program *program, bool bad)
{
    cl_mem buffer = filled_buffer(program, 0);
    void *first = map(program, buffer, 0);
    void *second = bad ? first : map(program, buffer, 32);
    PROGRAM_CHECK(first && second);
    PROGRAM_CHECK(unmap(program, buffer, first) == CL_SUCCESS);
    twins_check(bad, unmap(program, buffer, second));
    clFinish(program->queue);
    clReleaseMemObject(buffer);
}

static void svm_allocation(const struct program *program, bool bad)
{
    void *memory = clSVMAlloc(program->context, CL_MEM_READ_WRITE, SIZE, bad ? 3 : 4);
    PROGRAM_CHECK(bad || memory);
    clSVMFree(program->context, memory);
}

static void query_name(const struct program *program, bool bad)
{
    size_t answer;
    cl_mem buffer = program_buffer(program->context);
    twins_check(bad, clGetMemObjectInfo(buffer, bad ? CL_IMAGE_WIDTH : CL_MEM_SIZE, sizeof answer,
                                        &answer, NULL));
    clReleaseMemObject(buffer);
}

/* CL_MEM_SIZE is a size_t. */
static void query_size(const struct program *program, bool bad)
{
    size_t answer;
    cl_mem buffer = program_buffer(program->context);
    twins_check(bad, clGetMemObjectInfo(buffer, CL_MEM_SIZE, bad ? sizeof(cl_uint) : sizeof answer,
                                        &answer, NULL));
    clReleaseMemObject(buffer);
}

static const struct twins twins[] = {
    {"size-limit", size_limit},
    {"flags-invalid", flags_invalid},
    {"flags-conflict", flags_conflict},
    {"host-pointer", host_pointer},
    {"buffer-misaligned", buffer_misaligned},
    {"region-bounds", region_bounds},
    {"pitch-invalid", pitch_invalid},
    {"copy-overlap", copy_overlap},
    {"pattern-size", pattern_size},
    {"host-access", host_access},
    {"map-overlap", map_overlap},
    {"map-unknown", map_unknown},
    {"svm-allocation", svm_allocation},
    {"query-name", query_name},
    {"query-size", query_size},
};

int main(int argc, char **argv)
{
    return twins_main(argc, argv, twins, sizeof twins / sizeof *twins);
}
