/* Sets arguments of kernels in ways that only who knows the kernels can tell from right ones; built
 * without -cl-kernel-arg-info.
 *
 *   mistaken WAY MISTAKE
 *
 *   WAY: build, link, include  from source
 *        again, relink         from the binary that a program of build or link gives out
 *        save                  from source; its binary goes into the file `mistaken.binary`
 *        load                  from that
 *   MISTAKE: none, size, structure, local, kind, access, released, unordered */
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
    "#ifdef OTHER_COMPILER\ntypedef double number;\n#else\ntypedef float number;\n#endif\n"
    "typedef struct { int first; double second; } pair;\n"
    "kernel void compute(global number *a, number factor, pair both, local int *room, int3 more)\n"
    "{\n    a[get_global_id(0)] = factor + both.first + more.x;\n}\n"
    "kernel void draw(write_only image2d_t image) {}\n";

static void check(cl_int status, const char *call)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s: %d\n", call, status);
        exit(3);
    }
}

struct mistaken {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue, other;
    const char *mistake;
};

static bool is(const struct mistaken *mistaken, const char *mistake)
{
    return strcmp(mistaken->mistake, mistake) == 0;
}

static cl_program make(const struct mistaken *mistaken, const char *text)
{
    cl_int status;
    cl_program program = clCreateProgramWithSource(mistaken->context, 1, &text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    return program;
}

/* ---- binaries ---- */

static const char binary_file[] = "mistaken.binary";

static unsigned char *binary_of(cl_program program, size_t *size)
{
    check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL),
          "clGetProgramInfo");
    unsigned char *binary = malloc(*size);
    if (!binary)
        exit(3);
    check(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL),
          "clGetProgramInfo");
    return binary;
}

static cl_program make_of_binary(const struct mistaken *mistaken, const unsigned char *binary,
                                 size_t size)
{
    cl_int status;
    cl_program program = clCreateProgramWithBinary(mistaken->context, 1, &mistaken->device, &size,
                                                   &binary, NULL, &status);
    check(status, "clCreateProgramWithBinary");
    check(clBuildProgram(program, 1, &mistaken->device, "", NULL, NULL), "clBuildProgram");
    return program;
}

static void save(cl_program program)
{
    size_t size;
    unsigned char *binary = binary_of(program, &size);
    FILE *file = fopen(binary_file, "wb");
    if (!file || fwrite(binary, 1, size, file) != size || fclose(file) != 0)
        exit(3);
    free(binary);
}

static cl_program load(const struct mistaken *mistaken)
{
    enum { SIZE_MAX_OF_TEST = 1 << 24 };
    unsigned char *binary = malloc(SIZE_MAX_OF_TEST);
    FILE *file = fopen(binary_file, "rb");
    if (!binary || !file)
        exit(3);
    const size_t size = fread(binary, 1, SIZE_MAX_OF_TEST, file);
    fclose(file);
    cl_program program = make_of_binary(mistaken, binary, size);
    free(binary);
    return program;
}

/* What stays of the first program is its binary. */
static cl_program make_again(const struct mistaken *mistaken, cl_program program)
{
    size_t size;
    unsigned char *binary = binary_of(program, &size);
    check(clReleaseProgram(program), "clReleaseProgram");
    program = make_of_binary(mistaken, binary, size);
    free(binary);
    return program;
}

/* ---- programs ---- */

static cl_program build(const struct mistaken *mistaken, const char *way)
{
    static const char included[] = "#include \"text.h\"\n";
    const char *name = "text.h";
    cl_int status;
    if (strcmp(way, "load") == 0)
        return load(mistaken);
    cl_program text = make(mistaken, source);
    if (strcmp(way, "build") == 0 || strcmp(way, "save") == 0 || strcmp(way, "again") == 0) {
        check(clBuildProgram(text, 1, &mistaken->device, "", NULL, NULL), "clBuildProgram");
        if (strcmp(way, "save") == 0)
            save(text);
        return text;
    }
    const bool includes = strcmp(way, "include") == 0;
    cl_program part = includes ? make(mistaken, included) : text;
    check(clCompileProgram(part, 1, &mistaken->device, "", includes, includes ? &text : NULL,
                           includes ? &name : NULL, NULL, NULL),
          "clCompileProgram");
    cl_program linked =
        clLinkProgram(mistaken->context, 1, &mistaken->device, "", 1, &part, NULL, NULL, &status);
    check(status, "clLinkProgram");
    check(clReleaseProgram(text), "clReleaseProgram");
    if (includes)
        check(clReleaseProgram(part), "clReleaseProgram");
    return linked;
}

/* Another queue reads what the kernel writes. */
static void launch(const struct mistaken *mistaken, cl_kernel kernel, cl_mem buffer)
{
    static cl_float results[4];
    const size_t items = 4;
    cl_event done;
    check(clEnqueueNDRangeKernel(mistaken->queue, kernel, 1, NULL, &items, NULL, 0, NULL, &done),
          "clEnqueueNDRangeKernel");
    check(clFlush(mistaken->queue), "clFlush");
    const bool waits = is(mistaken, "none");
    check(clEnqueueReadBuffer(mistaken->other, buffer, CL_TRUE, 0, sizeof results, results, waits,
                              waits ? &done : NULL, NULL),
          "clEnqueueReadBuffer");
    check(clReleaseEvent(done), "clReleaseEvent");
}

static void compute(const struct mistaken *mistaken, cl_program program)
{
    struct {
        cl_int first;
        cl_double second;
    } both = {1, 2};
    const cl_float factor = 2;
    const cl_int more[4] = {1, 2, 3, 4};
    const size_t items = 4;
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, "compute", &status);
    check(status, "clCreateKernel");
    cl_mem buffer = clCreateBuffer(mistaken->context, CL_MEM_READ_WRITE, 64, NULL, &status);
    check(status, "clCreateBuffer");
    clSetKernelArg(kernel, 0, is(mistaken, "kind") ? sizeof factor : sizeof buffer,
                   is(mistaken, "kind") ? (const void *)&factor : &buffer);
    clSetKernelArg(kernel, 1, sizeof factor, &factor);
    clSetKernelArg(kernel, 2, is(mistaken, "structure") ? 12 : sizeof both, &both);
    clSetKernelArg(kernel, 3, 64, is(mistaken, "local") ? more : NULL);
    clSetKernelArg(kernel, 4, is(mistaken, "size") ? 12 : sizeof more, more);
    if (is(mistaken, "released"))
        check(clReleaseMemObject(buffer), "clReleaseMemObject");
    if (is(mistaken, "none") || is(mistaken, "unordered"))
        launch(mistaken, kernel, buffer);
    if (is(mistaken, "released"))
        clEnqueueNDRangeKernel(mistaken->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    clFinish(mistaken->queue);
    if (!is(mistaken, "released"))
        check(clReleaseMemObject(buffer), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
}

static void draw(const struct mistaken *mistaken, cl_program program)
{
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc description = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, "draw", &status);
    check(status, "clCreateKernel");
    cl_mem image = clCreateImage(mistaken->context,
                                 is(mistaken, "access") ? CL_MEM_READ_ONLY : CL_MEM_WRITE_ONLY,
                                 &format, &description, NULL, &status);
    check(status, "clCreateImage");
    clSetKernelArg(kernel, 0, sizeof image, &image);
    check(clReleaseMemObject(image), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    struct mistaken mistaken = {.mistake = argv[2]};
    cl_platform_id platform;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &mistaken.device, NULL),
          "clGetDeviceIDs");
    mistaken.context = clCreateContext(NULL, 1, &mistaken.device, NULL, NULL, &status);
    check(status, "clCreateContext");
    mistaken.queue = clCreateCommandQueue(mistaken.context, mistaken.device, 0, &status);
    check(status, "clCreateCommandQueue");
    mistaken.other = clCreateCommandQueue(mistaken.context, mistaken.device, 0, &status);
    check(status, "clCreateCommandQueue");
    cl_program program = build(&mistaken, argv[1]);
    if (strcmp(argv[1], "again") == 0 || strcmp(argv[1], "relink") == 0)
        program = make_again(&mistaken, program);
    compute(&mistaken, program);
    draw(&mistaken, program);
    check(clReleaseProgram(program), "clReleaseProgram");
    check(clReleaseCommandQueue(mistaken.queue), "clReleaseCommandQueue");
    check(clReleaseCommandQueue(mistaken.other), "clReleaseCommandQueue");
    check(clReleaseContext(mistaken.context), "clReleaseContext");
    return 0;
}
