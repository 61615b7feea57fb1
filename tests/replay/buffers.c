/* Every way in which bytes get into buffers and out of them. */
#include "tests/replay/program.h"

#include <string.h>

enum { SIZE = 256 };

static unsigned char source[SIZE];

static void transfer(const struct setup *setup, cl_mem buffer)
{
    unsigned char read[SIZE];
    const unsigned char pattern[4] = {0xde, 0xad, 0xbe, 0xef};
    check(clEnqueueWriteBuffer(setup->queue, buffer, CL_TRUE, 0, SIZE, source, 0, NULL, NULL),
          "clEnqueueWriteBuffer");
    check(clEnqueueFillBuffer(setup->queue, buffer, pattern, 4, 16, 8, 0, NULL, NULL),
          "clEnqueueFillBuffer");
    check(clEnqueueCopyBuffer(setup->queue, buffer, buffer, 16, 128, 8, 0, NULL, NULL),
          "clEnqueueCopyBuffer");
    check(clEnqueueReadBuffer(setup->queue, buffer, CL_TRUE, 8, SIZE - 8, read, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    expect(read[0] == 8 && read[8] == 0xde && read[15] == 0xef && read[120] == 0xde &&
               read[128] == 136,
           "write, fill, copy and read");
}

/* A 4 x 3 rectangle out of rows of 16 into rows of 8, and back elsewhere. */
static void transfer_rectangles(const struct setup *setup, cl_mem buffer)
{
    unsigned char host[64];
    memset(host, 0xee, sizeof host);
    const size_t from[3] = {2, 1, 0};
    const size_t host_origin[3] = {1, 2, 0};
    const size_t to[3] = {8, 8, 0};
    const size_t region[3] = {4, 3, 1};
    check(clEnqueueWriteBuffer(setup->queue, buffer, CL_TRUE, 0, SIZE, source, 0, NULL, NULL),
          "clEnqueueWriteBuffer");
    check(clEnqueueReadBufferRect(setup->queue, buffer, CL_TRUE, from, host_origin, region, 16, 0,
                                  8, 0, host, 0, NULL, NULL),
          "clEnqueueReadBufferRect");
    expect(host[16] == 0xee && host[17] == 18 && host[20] == 21 && host[21] == 0xee &&
               host[33] == 50,
           "a rectangle read");
    check(clEnqueueWriteBufferRect(setup->queue, buffer, CL_TRUE, to, host_origin, region, 16, 0, 8,
                                   0, host, 0, NULL, NULL),
          "clEnqueueWriteBufferRect");
    check(clEnqueueCopyBufferRect(setup->queue, buffer, buffer, to, (const size_t[]){0, 12, 0},
                                  region, 16, 0, 16, 0, 0, NULL, NULL),
          "clEnqueueCopyBufferRect");
    unsigned char read[SIZE];
    check(clEnqueueReadBuffer(setup->queue, buffer, CL_TRUE, 0, SIZE, read, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    expect(read[8 * 16 + 8] == 18 && read[12 * 16] == 18 && read[14 * 16 + 3] == 53,
           "a rectangle written and copied");
}

static void map(const struct setup *setup, cl_mem buffer)
{
    cl_int status;
    unsigned char *mapped = clEnqueueMapBuffer(setup->queue, buffer, CL_TRUE, CL_MAP_WRITE, 32, 64,
                                               0, NULL, NULL, &status);
    check(status, "clEnqueueMapBuffer");
    for (unsigned char i = 0; i < 64; i = (unsigned char)(i + 3))
        mapped[i] = (unsigned char)(200 + i / 3);
    check(clEnqueueUnmapMemObject(setup->queue, buffer, mapped, 0, NULL, NULL),
          "clEnqueueUnmapMemObject");
    cl_event event;
    mapped = clEnqueueMapBuffer(setup->queue, buffer, CL_FALSE, CL_MAP_READ, 32, 64, 0, NULL,
                                &event, &status);
    check(status, "clEnqueueMapBuffer");
    check(clWaitForEvents(1, &event), "clWaitForEvents");
    expect(mapped[0] == 200 && mapped[63] == 221 && mapped[3] == 201,
           "bytes written through a map");
    check(clEnqueueUnmapMemObject(setup->queue, buffer, mapped, 0, NULL, NULL),
          "clEnqueueUnmapMemObject");
    check(clFinish(setup->queue), "clFinish");
    check(clReleaseEvent(event), "clReleaseEvent");
}

static void use_sub_buffer(const struct setup *setup, cl_mem buffer)
{
    cl_int status;
    cl_uint alignment_bits = 0;
    check(clGetDeviceInfo(setup->device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof alignment_bits,
                          &alignment_bits, NULL),
          "clGetDeviceInfo");
    const cl_buffer_region region = {128, 64};
    if (128 % (alignment_bits / 8) != 0)
        return;
    cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    check(status, "clCreateSubBuffer");
    const cl_uint value = 0x01020304;
    cl_uint read = 0;
    check(
        clEnqueueWriteBuffer(setup->queue, part, CL_FALSE, 4, sizeof value, &value, 0, NULL, NULL),
        "clEnqueueWriteBuffer");
    check(
        clEnqueueReadBuffer(setup->queue, buffer, CL_TRUE, 132, sizeof read, &read, 0, NULL, NULL),
        "clEnqueueReadBuffer");
    expect(read == value, "a sub-buffer shares its parent's bytes");
    check(clReleaseMemObject(part), "clReleaseMemObject");
}

static void create_from_host(const struct setup *setup)
{
    cl_int status;
    static unsigned char used[SIZE];
    unsigned char read[SIZE] = {0};
    memcpy(used, source, SIZE);
    cl_mem copied = clCreateBuffer(setup->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, SIZE,
                                   source, &status);
    check(status, "clCreateBuffer");
    cl_mem shared = clCreateBuffer(setup->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, SIZE,
                                   used, &status);
    check(status, "clCreateBuffer");
    check(clEnqueueCopyBuffer(setup->queue, copied, shared, 0, 1, SIZE - 1, 0, NULL, NULL),
          "clEnqueueCopyBuffer");
    check(clEnqueueReadBuffer(setup->queue, shared, CL_TRUE, 0, SIZE, read, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    expect(read[0] == 0 && read[1] == 0 && read[255] == 254, "buffers made from host memory");
    check(clReleaseMemObject(copied), "clReleaseMemObject");
    check(clReleaseMemObject(shared), "clReleaseMemObject");
}

/* Memory that a driver gives out again holds what was there: what is written over it may be the
 * same. */
static void map_new_memory(const struct setup *setup)
{
    enum { NEW_SIZE = 1 << 16 };
    static const unsigned char values[] = {0xff, 0, 0x55, 0x55};
    static unsigned char read[NEW_SIZE];
    for (size_t i = 0; i < sizeof values; ++i) {
        cl_int status;
        cl_mem buffer =
            clCreateBuffer(setup->context, CL_MEM_ALLOC_HOST_PTR, NEW_SIZE, NULL, &status);
        check(status, "clCreateBuffer");
        unsigned char *mapped = clEnqueueMapBuffer(setup->queue, buffer, CL_TRUE, CL_MAP_WRITE, 0,
                                                   NEW_SIZE, 0, NULL, NULL, &status);
        check(status, "clEnqueueMapBuffer");
        memset(mapped, values[i], NEW_SIZE);
        check(clEnqueueUnmapMemObject(setup->queue, buffer, mapped, 0, NULL, NULL),
              "clEnqueueUnmapMemObject");
        check(clEnqueueReadBuffer(setup->queue, buffer, CL_TRUE, 0, NEW_SIZE, read, 0, NULL, NULL),
              "clEnqueueReadBuffer");
        expect(read[0] == values[i] && memcmp(read, read + 1, NEW_SIZE - 1) == 0, "new memory");
        check(clReleaseMemObject(buffer), "clReleaseMemObject");
    }
}

int main(void)
{
    struct setup setup;
    cl_int status;
    for (size_t i = 0; i < SIZE; ++i)
        source[i] = (unsigned char)i;
    setup_open(&setup);
    cl_mem buffer = clCreateBuffer(setup.context, CL_MEM_READ_WRITE, SIZE, NULL, &status);
    check(status, "clCreateBuffer");
    transfer(&setup, buffer);
    transfer_rectangles(&setup, buffer);
    map(&setup, buffer);
    use_sub_buffer(&setup, buffer);
    create_from_host(&setup);
    map_new_memory(&setup);
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
    setup_close(&setup);
    return 0;
}
