/* Launches a kernel as `clerk kernel` does, with the same words, but on the first OpenCL device:
 * launched FILE -k NAME -g X[,Y[,Z]] [-l ...] [--offset ...] [--build OPTIONS] [-a ARG ...]. Prints
 * what the buffers hold afterwards as one number. Exit status 77: words that only clerk knows, or
 * something that the device does not have. Options that only say how clerk runs it mean nothing. */
#include <CL/cl.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS = 32, TEXT_MAX = 1 << 20, NOT_HERE = 77 };

struct buffer {
    cl_mem memory;
    size_t size;
};

struct launched {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    const char *file, *name, *options;
    const char *arguments[ARGUMENTS];
    cl_uint argument_count;
    size_t global[3], local[3], offset[3];
    cl_uint dimensions;
    bool has_local;
    struct buffer buffers[ARGUMENTS];
};

static void not_here(const char *what)
{
    fprintf(stderr, "launched: not here: %s\n", what);
    exit(NOT_HERE);
}

static void check(cl_int status, const char *call)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "launched: %s gives %d\n", call, status);
    exit(1);
}

/* ---- words ---- */

static const struct type {
    const char *name;
    size_t size;
    bool is_float;
} types[] = {{"char", 1, false}, {"uchar", 1, false}, {"short", 2, false}, {"ushort", 2, false},
             {"int", 4, false},  {"uint", 4, false},  {"long", 8, false},  {"ulong", 8, false},
             {"float", 4, true}, {"double", 8, true}};

/* Reads "int4" or so; the components go to *components. */
static const struct type *type_of(const char *word, size_t length, size_t *components)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const size_t own = strlen(types[i].name);
        if (strncmp(word, types[i].name, own) != 0 || own > length)
            continue;
        *components = own == length ? 1 : strtoul(word + own, NULL, 10);
        if (*components >= 1 && *components <= 16)
            return &types[i];
    }
    not_here(word);
    return NULL;
}

static void put(unsigned char *at, const struct type *type, double number, int64_t integer)
{
    const float single = (float)number;
    if (!type->is_float)
        memcpy(at, &integer, type->size);
    else if (type->size == sizeof single)
        memcpy(at, &single, sizeof single);
    else
        memcpy(at, &number, sizeof number);
}

/* V[,V...], the last one for all that follow. */
static void fill(unsigned char *bytes, const struct type *type, size_t components,
                 const char *words)
{
    for (size_t i = 0; i < components; i++) {
        char *end;
        const int64_t integer = strtoll(words, &end, 0);
        const double number = strtod(words, type->is_float ? &end : NULL);
        if (end == words)
            not_here(words);
        put(bytes + i * type->size, type, number, integer);
        if (*end == ',')
            words = end + 1;
    }
}

static cl_uint sizes_of(const char *words, size_t *sizes)
{
    cl_uint count = 0;
    for (; *words && count < 3; count++) {
        char *end;
        sizes[count] = strtoul(words, &end, 0);
        words = *end == ',' ? end + 1 : end;
    }
    return count;
}

/* ---- arguments ---- */

static cl_mem_flags flags_of(const char *words)
{
    const size_t length = strlen(words);
    const char *last = length > 3 ? words + length - 3 : "";
    return strcmp(last, ":ro") == 0   ? CL_MEM_READ_ONLY
           : strcmp(last, ":wo") == 0 ? CL_MEM_WRITE_ONLY
                                      : CL_MEM_READ_WRITE;
}

/* Undefined ones hold 0, so that two runs can be compared. */
static void set_buffer(struct launched *launched, cl_kernel kernel, cl_uint index,
                       const char *words)
{
    const char *open = strchr(words, '['), *init = strchr(words, '=');
    struct buffer *buffer = &launched->buffers[index];
    size_t components;
    cl_int status;
    if (!open)
        not_here(words);
    const struct type *type = type_of(words, (size_t)(open - words), &components);
    const size_t count = strtoul(open + 1, NULL, 0), each = components * type->size;
    buffer->size = count * each;
    unsigned char *bytes = calloc(buffer->size + 1, 1);
    for (size_t i = 0; bytes && init && i < count; i++) {
        if (strncmp(init + 1, "iota", 4) == 0)
            put(bytes + i * each, type, (double)i, (int64_t)i);
        else if (strncmp(init + 1, "undef", 5) != 0)
            fill(bytes + i * each, type, components, init + 1);
    }
    if (!bytes || (init && components > 1 && strncmp(init + 1, "iota", 4) == 0))
        not_here(words);
    buffer->memory = clCreateBuffer(launched->context, flags_of(words) | CL_MEM_COPY_HOST_PTR,
                                    buffer->size, bytes, &status);
    check(status, "clCreateBuffer");
    free(bytes);
    check(clSetKernelArg(kernel, index, sizeof buffer->memory, &buffer->memory), "clSetKernelArg");
}

static void set_argument(struct launched *launched, cl_kernel kernel, cl_uint index)
{
    const char *word = launched->arguments[index], *rest = strchr(word, ':');
    const char *open = strchr(word, '['), *init = strchr(word, '=');
    unsigned char value[16 * 8] = {0};
    size_t components;
    if (strncmp(word, "buf:", 4) == 0) {
        set_buffer(launched, kernel, index, rest + 1);
    } else if (strncmp(word, "local:", 6) == 0 && open) {
        const struct type *type = type_of(rest + 1, (size_t)(open - rest - 1), &components);
        check(clSetKernelArg(kernel, index, strtoul(open + 1, NULL, 0) * components * type->size,
                             NULL),
              "clSetKernelArg");
    } else if (init && !rest) {
        const struct type *type = type_of(word, (size_t)(init - word), &components);
        fill(value, type, components, init + 1);
        check(clSetKernelArg(kernel, index, components * type->size, value), "clSetKernelArg");
    } else {
        not_here(word);
    }
}

/* ---- the launch ---- */

static cl_program build(const struct launched *launched)
{
    cl_int status;
    char *text = calloc(TEXT_MAX, 1);
    FILE *file = fopen(launched->file, "r");
    if (!text || !file || fread(text, 1, TEXT_MAX - 1, file) == 0)
        not_here(launched->file);
    fclose(file);
    const char *source = text;
    cl_program program = clCreateProgramWithSource(launched->context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    if (clBuildProgram(program, 1, &launched->device, launched->options, NULL, NULL) != CL_SUCCESS)
        not_here("the program, which the device refuses");
    free(text);
    return program;
}

static void print_digest(const struct launched *launched)
{
    uint64_t digest = UINT64_C(14695981039346656037);
    for (cl_uint i = 0; i < launched->argument_count; i++) {
        const struct buffer *buffer = &launched->buffers[i];
        unsigned char *bytes = malloc(buffer->size + 1);
        if (!bytes || !buffer->memory) {
            free(bytes);
            continue;
        }
        check(clEnqueueReadBuffer(launched->queue, buffer->memory, CL_TRUE, 0, buffer->size, bytes,
                                  0, NULL, NULL),
              "clEnqueueReadBuffer");
        for (size_t k = 0; k < buffer->size; k++)
            digest = (digest ^ bytes[k]) * UINT64_C(1099511628211);
        free(bytes);
        clReleaseMemObject(buffer->memory);
    }
    printf("digest %016llx\n", (unsigned long long)digest);
}

static void run(struct launched *launched)
{
    cl_int status;
    cl_program program = build(launched);
    cl_kernel kernel = NULL;
    if (launched->name) {
        kernel = clCreateKernel(program, launched->name, &status);
        check(status, "clCreateKernel");
    } else if (clCreateKernelsInProgram(program, 1, &kernel, NULL) != CL_SUCCESS) {
        not_here("a kernel without its name");
    }
    for (cl_uint i = 0; i < launched->argument_count; i++)
        set_argument(launched, kernel, i);
    if (clEnqueueNDRangeKernel(launched->queue, kernel, launched->dimensions, launched->offset,
                               launched->global, launched->has_local ? launched->local : NULL, 0,
                               NULL, NULL) != CL_SUCCESS)
        not_here("such a launch");
    check(clFinish(launched->queue), "clFinish");
    print_digest(launched);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

static void read_words(struct launched *launched, char **words)
{
    static const char *const only_clerk[] = {"--print", "--schedule", "--operation-limit",
                                             "--scope-rule", "--dump"};
    for (; words[0]; words += 2) {
        bool known = false;
        if (!words[1])
            not_here(words[0]);
        for (size_t i = 0; i < sizeof only_clerk / sizeof *only_clerk; i++)
            known |= strcmp(words[0], only_clerk[i]) == 0;
        if (strcmp(words[0], "-k") == 0)
            launched->name = words[1];
        else if (strcmp(words[0], "-g") == 0)
            launched->dimensions = sizes_of(words[1], launched->global);
        else if (strcmp(words[0], "-l") == 0)
            launched->has_local = sizes_of(words[1], launched->local) > 0;
        else if (strcmp(words[0], "--offset") == 0)
            sizes_of(words[1], launched->offset);
        else if (strcmp(words[0], "--build") == 0)
            launched->options = words[1];
        else if (strcmp(words[0], "-a") == 0 && launched->argument_count < ARGUMENTS)
            launched->arguments[launched->argument_count++] = words[1];
        else if (!known)
            not_here(words[0]);
    }
}

int main(int argc, char **argv)
{
    struct launched launched = {.options = ""};
    cl_platform_id platform;
    cl_int status;
    if (argc < 4)
        not_here("launched FILE -g X ...");
    launched.file = argv[1];
    read_words(&launched, argv + 2);
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &launched.device, NULL),
          "clGetDeviceIDs");
    launched.context = clCreateContext(NULL, 1, &launched.device, NULL, NULL, &status);
    check(status, "clCreateContext");
    launched.queue = clCreateCommandQueue(launched.context, launched.device, 0, &status);
    check(status, "clCreateCommandQueue");
    run(&launched);
    clReleaseCommandQueue(launched.queue);
    clReleaseContext(launched.context);
    return 0;
}
