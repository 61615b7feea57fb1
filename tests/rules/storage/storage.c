/* Programs whose commands share storage, right and wrong, one a name: `storage CASE`. What each is
 * to be found wrong with is said in CMakeLists.txt. */
#include "tests/rules/program.h"

#include <string.h>

enum { SIZE = 256 };

static struct program program;
static cl_command_queue other; /* in order, beside program.queue */
static char bytes[SIZE], values[SIZE];
static cl_mem owner;  /* its storage is `bytes` */
static cl_mem buffer; /* has storage of its own */

static void check(cl_int status)
{
    PROGRAM_CHECK(status == CL_SUCCESS);
}

static void begin(void)
{
    cl_int error;
    program = program_begin();
    other = clCreateCommandQueue(program.context, program.device, 0, &error);
    check(error);
    owner = clCreateBuffer(program.context, CL_MEM_USE_HOST_PTR, SIZE, bytes, &error);
    check(error);
    buffer = clCreateBuffer(program.context, CL_MEM_COPY_HOST_PTR, SIZE, values, &error);
    check(error);
}

static int end(void)
{
    check(clFinish(program.queue));
    check(clFinish(other));
    check(clReleaseMemObject(owner));
    check(clReleaseMemObject(buffer));
    check(clReleaseCommandQueue(other));
    return program_end(&program);
}

/* ---- an object's own memory ---- */

static void copy_half(cl_mem from, size_t first, const cl_event *after)
{
    check(clEnqueueCopyBuffer(other, from, buffer, first, 0, SIZE / 2, after != NULL, after, NULL));
}

/* The first half is read; of the rest nobody seems to want anything. */
static void read_into_own_memory(void)
{
    check(clEnqueueReadBuffer(program.queue, owner, CL_FALSE, 0, SIZE / 2, bytes, 0, NULL, NULL));
    copy_half(owner, SIZE / 2, NULL);
}

static void read_into_other_memory(void)
{
    check(clEnqueueReadBuffer(program.queue, owner, CL_FALSE, 0, SIZE / 2, values, 0, NULL, NULL));
    copy_half(owner, SIZE / 2, NULL);
}

static void read_into_own_memory_first(void)
{
    cl_event done;
    check(clEnqueueReadBuffer(program.queue, owner, CL_FALSE, 0, SIZE / 2, bytes, 0, NULL, &done));
    check(clFlush(program.queue));
    copy_half(owner, SIZE / 2, &done);
    check(clReleaseEvent(done));
}

static void write_from_own_memory(void)
{
    check(clEnqueueWriteBuffer(program.queue, owner, CL_FALSE, 0, SIZE / 2, bytes, 0, NULL, NULL));
    copy_half(owner, SIZE / 2, NULL);
}

static void read_while_mapped(cl_bool unmap_before)
{
    cl_int error;
    void *mapped = clEnqueueMapBuffer(program.queue, owner, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, NULL,
                                      NULL, &error);
    check(error);
    if (unmap_before)
        check(clEnqueueUnmapMemObject(program.queue, owner, mapped, 0, NULL, NULL));
    check(clEnqueueReadBuffer(program.queue, owner, CL_TRUE, 0, SIZE / 2, bytes, 0, NULL, NULL));
    if (!unmap_before)
        check(clEnqueueUnmapMemObject(program.queue, owner, mapped, 0, NULL, NULL));
}

static void read_into_mapped_memory(void)
{
    read_while_mapped(CL_FALSE);
}

static void read_into_unmapped_memory(void)
{
    read_while_mapped(CL_TRUE);
}

enum { SIDE = 4, TEXEL = 4 };

static void transfer_image(cl_bool write, void *other_memory)
{
    static char texels[SIDE * SIDE * TEXEL];
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
    const size_t origin[3] = {0, 0, 0}, second[3] = {0, 2, 0}, half[3] = {SIDE, SIDE / 2, 1};
    cl_int error;
    cl_mem image =
        clCreateImage(program.context, CL_MEM_USE_HOST_PTR, &format, &desc, texels, &error);
    check(error);
    void *memory = other_memory ? other_memory : texels;
    if (write)
        check(clEnqueueWriteImage(program.queue, image, CL_FALSE, origin, half, SIDE * TEXEL, 0,
                                  memory, 0, NULL, NULL));
    else
        check(clEnqueueReadImage(program.queue, image, CL_FALSE, origin, half, SIDE * TEXEL, 0,
                                 memory, 0, NULL, NULL));
    check(clEnqueueCopyImageToBuffer(other, image, buffer, second, half, 0, 0, NULL, NULL));
    check(clFinish(program.queue));
    check(clFinish(other));
    check(clReleaseMemObject(image));
}

static void read_image_into_own_memory(void)
{
    transfer_image(CL_FALSE, NULL);
}

static void read_image_into_other_memory(void)
{
    transfer_image(CL_FALSE, values);
}

static void write_image_from_own_memory(void)
{
    transfer_image(CL_TRUE, NULL);
}

static void write_image_from_other_memory(void)
{
    transfer_image(CL_TRUE, values);
}

/* ---- migration ---- */

static void migrate(cl_bool wait)
{
    cl_event written;
    check(clEnqueueWriteBuffer(other, buffer, CL_FALSE, 0, SIZE, values, 0, NULL, &written));
    check(clFlush(other));
    check(clEnqueueMigrateMemObjects(program.queue, 1, &buffer, 0, wait, wait ? &written : NULL,
                                     NULL));
    check(clReleaseEvent(written));
}

static void migrated_while_written(void)
{
    migrate(CL_FALSE);
}

static void migrated_after_writing(void)
{
    migrate(CL_TRUE);
}

/* ---- an image of a buffer ---- */

static void write_texels(size_t first)
{
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                .image_width = SIZE / TEXEL,
                                .mem_object = buffer};
    const size_t origin[3] = {first, 0, 0}, region[3] = {4, 1, 1};
    static const char texels[4 * TEXEL];
    cl_int error;
    cl_mem image = clCreateImage(program.context, 0, &format, &desc, NULL, &error);
    check(error);
    check(clEnqueueWriteImage(program.queue, image, CL_FALSE, origin, region, 0, 0, texels, 0, NULL,
                              NULL));
    check(clEnqueueCopyBuffer(other, buffer, owner, 0, 0, 32, 0, NULL, NULL));
    check(clFinish(program.queue));
    check(clFinish(other));
    check(clReleaseMemObject(image));
}

static void image_and_its_buffer(void)
{
    write_texels(4);
}

static void image_beside_its_buffer(void)
{
    write_texels(8);
}

/* ---- where it begins ---- */

static const char takers[] =
    "kernel void chars(global uchar *a) { a[get_global_id(0)] = 1; }\n"
    "kernel void ints(global int *a) { a[get_global_id(0)] = 1; }\n"
    "kernel void threes(global float3 *a) { a[get_global_id(0)] = 1; }\n"
    "kernel void parts(global float *a) { vstore3((float3)(1), get_global_id(0), a); }\n"
    "typedef float4 any4 __attribute__((aligned(4)));\n"
    "kernel void loose(global any4 *a) { a[get_global_id(0)].x = 1; }\n";

/* The kernel takes memory at such a place of its own program's. */
static void take_from(size_t place, const char *name)
{
    static _Alignas(128) char memory[2 * SIZE];
    const size_t one = 1;
    cl_int error;
    cl_mem taken =
        clCreateBuffer(program.context, CL_MEM_USE_HOST_PTR, SIZE, memory + place, &error);
    check(error);
    cl_kernel kernel = program_kernel(&program, takers, name);
    check(clSetKernelArg(kernel, 0, sizeof taken, &taken));
    check(clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    check(clEnqueueReadBuffer(program.queue, taken, CL_TRUE, 0, SIZE, values, 0, NULL, NULL));
    check(clReleaseKernel(kernel));
    check(clReleaseMemObject(taken));
}

static void ints_at_a_multiple(void)
{
    take_from(4, "ints");
}

static void chars_anywhere(void)
{
    take_from(1, "chars");
}

static void vectors_beside_a_multiple(void)
{
    take_from(8, "threes");
}

static void vectors_of_components(void)
{
    take_from(8, "parts");
}

static void vectors_of_less_alignment(void)
{
    take_from(8, "loose");
}

static void make_image(cl_channel_order order, size_t place)
{
    static _Alignas(16) char memory[SIZE];
    const cl_image_format format = {order, CL_UNSIGNED_INT8};
    const cl_image_desc shape = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_int error;
    cl_mem image = clCreateImage(program.context, CL_MEM_USE_HOST_PTR, &format, &shape,
                                 memory + place, &error);
    check(error);
    check(clReleaseMemObject(image));
}

static void pixels_beside_a_multiple(void)
{
    make_image(CL_RGBA, 2);
}

static void pixels_at_a_multiple(void)
{
    make_image(CL_RGBA, 4);
    make_image(CL_R, 1);
}

static void copies_from_anywhere(void)
{
    static char memory[SIZE + 1];
    cl_int error;
    cl_mem odd = clCreateBuffer(program.context, CL_MEM_USE_HOST_PTR, SIZE, memory + 1, &error);
    check(error);
    check(clEnqueueCopyBuffer(program.queue, odd, buffer, 0, 0, SIZE, 0, NULL, NULL));
    check(clFinish(program.queue));
    check(clReleaseMemObject(odd));
}

/* ---- which program ---- */

#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    CASE(read_into_own_memory),        CASE(read_into_other_memory),
    CASE(read_into_own_memory_first),  CASE(write_from_own_memory),
    CASE(read_into_mapped_memory),     CASE(read_into_unmapped_memory),
    CASE(read_image_into_own_memory),  CASE(read_image_into_other_memory),
    CASE(write_image_from_own_memory), CASE(write_image_from_other_memory),
    CASE(migrated_while_written),      CASE(migrated_after_writing),
    CASE(image_and_its_buffer),        CASE(image_beside_its_buffer),
    CASE(ints_at_a_multiple),          CASE(chars_anywhere),
    CASE(vectors_beside_a_multiple),   CASE(vectors_of_components),
    CASE(pixels_beside_a_multiple),    CASE(pixels_at_a_multiple),
    CASE(vectors_of_less_alignment),   CASE(copies_from_anywhere),
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; ++i) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        begin();
        cases[i].run();
        return end();
    }
    fprintf(stderr, "usage: storage CASE\n");
    return 2;
}
