#include "viewer-cli/export/export_program.h"

#include "trace/api/enumerant.h"
#include "trace/base/visible.h"
#include "trace/effect/shape.h"

#include <inttypes.h>
#include <string.h>

/* What does not depend on the launch. */
static const char prologue[] =
    "#define CL_TARGET_OPENCL_VERSION 300\n"
    "#define CL_USE_DEPRECATED_OPENCL_1_2_APIS\n"
    "#include <CL/cl.h>\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "\n"
    "#ifndef DIRECTORY\n"
    "#define DIRECTORY \".\"\n"
    "#endif\n"
    "\n"
    "static void check(cl_int status, const char *what)\n"
    "{\n"
    "    if (status != CL_SUCCESS) {\n"
    "        fprintf(stderr, \"%s failed with %d\\n\", what, (int)status);\n"
    "        exit(2);\n"
    "    }\n"
    "}\n"
    "\n"
    "/* The whole file, with a NUL after it. */\n"
    "static void *load(const char *name, size_t *size)\n"
    "{\n"
    "    char path[4096];\n"
    "    snprintf(path, sizeof path, \"%s/%s\", DIRECTORY, name);\n"
    "    FILE *file = fopen(path, \"rb\");\n"
    "    if (!file || fseek(file, 0, SEEK_END) != 0) {\n"
    "        perror(path);\n"
    "        exit(2);\n"
    "    }\n"
    "    *size = (size_t)ftell(file);\n"
    "    rewind(file);\n"
    "    char *bytes = calloc(1, *size + 1);\n"
    "    if (!bytes || fread(bytes, 1, *size, file) != *size) {\n"
    "        fprintf(stderr, \"cannot read %s\\n\", path);\n"
    "        exit(2);\n"
    "    }\n"
    "    fclose(file);\n"
    "    return bytes;\n"
    "}\n"
    "\n";

static const char image_functions[] = "static void write_image(cl_command_queue queue, cl_mem "
                                      "image, const size_t region[3], const char *name)\n"
                                      "{\n"
                                      "    const size_t origin[3] = {0, 0, 0};\n"
                                      "    size_t size;\n"
                                      "    void *bytes = load(name, &size);\n"
                                      "    check(clEnqueueWriteImage(queue, image, CL_TRUE, "
                                      "origin, region, 0, 0, bytes, 0, NULL, NULL), name);\n"
                                      "    free(bytes);\n"
                                      "}\n"
                                      "\n";

static const char buffer_functions[] =
    "static void write_buffer(cl_command_queue queue, cl_mem buffer, const char *name)\n"
    "{\n"
    "    size_t size;\n"
    "    void *bytes = load(name, &size);\n"
    "    check(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL), "
    "name);\n"
    "    free(bytes);\n"
    "}\n"
    "\n";

static const char compare_function[] =
    "/* 1 if the memory is not what it was in the recorded run. */\n"
    "static int compare(cl_command_queue queue, cl_mem object, const size_t *image_region, const "
    "char *name)\n"
    "{\n"
    "    const size_t origin[3] = {0, 0, 0};\n"
    "    size_t size, first = 0, count = 0;\n"
    "    unsigned char *wanted = load(name, &size);\n"
    "    unsigned char *bytes = calloc(1, size + 1);\n"
    "    if (image_region)\n"
    "        check(clEnqueueReadImage(queue, object, CL_TRUE, origin, image_region, 0, 0, bytes, "
    "0, NULL, NULL), name);\n"
    "    else\n"
    "        check(clEnqueueReadBuffer(queue, object, CL_TRUE, 0, size, bytes, 0, NULL, NULL), "
    "name);\n"
    "    for (size_t i = size; i-- > 0;)\n"
    "        if (bytes[i] != wanted[i]) {\n"
    "            first = i;\n"
    "            ++count;\n"
    "        }\n"
    "    if (count)\n"
    "        printf(\"%s: %zu of %zu bytes differ, the first at byte %zu: 0x%02x, recorded "
    "0x%02x\\n\", name, count, size,\n"
    "               first, bytes[first], wanted[first]);\n"
    "    else\n"
    "        printf(\"%s: equal\\n\", name);\n"
    "    free(bytes);\n"
    "    free(wanted);\n"
    "    return count != 0;\n"
    "}\n"
    "\n";

static const char opening[] =
    "/* reproduce [PLATFORM [DEVICE]]: their numbers, from 0 */\n"
    "int main(int argc, char **argv)\n"
    "{\n"
    "    const cl_uint platform_index = argc > 1 ? (cl_uint)atoi(argv[1]) : 0;\n"
    "    const cl_uint device_index = argc > 2 ? (cl_uint)atoi(argv[2]) : 0;\n"
    "    cl_platform_id platforms[16];\n"
    "    cl_device_id devices[16];\n"
    "    cl_uint count = 0;\n"
    "    char name[256] = \"\";\n"
    "    cl_int status;\n"
    "    check(clGetPlatformIDs(16, platforms, &count), \"clGetPlatformIDs\");\n"
    "    if (platform_index >= count || platform_index >= 16) {\n"
    "        fprintf(stderr, \"there are %u platforms\\n\", count);\n"
    "        return 2;\n"
    "    }\n"
    "    check(clGetDeviceIDs(platforms[platform_index], CL_DEVICE_TYPE_ALL, 16, devices, &count), "
    "\"clGetDeviceIDs\");\n"
    "    if (device_index >= count || device_index >= 16) {\n"
    "        fprintf(stderr, \"the platform has %u devices\\n\", count);\n"
    "        return 2;\n"
    "    }\n"
    "    cl_device_id device = devices[device_index];\n"
    "    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);\n"
    "    printf(\"%s\\n\", name);\n"
    "    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, "
    "(cl_context_properties)platforms[platform_index], 0};\n"
    "    cl_context context = clCreateContext(properties, 1, &device, NULL, NULL, &status);\n"
    "    check(status, \"clCreateContext\");\n"
    "    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);\n"
    "    check(status, \"clCreateCommandQueue\");\n"
    "\n";

static const char build[] =
    "    check(status, \"the program\");\n"
    "    status = clBuildProgram(program, 1, &device, options, NULL, NULL);\n"
    "    if (status != CL_SUCCESS) {\n"
    "        static char log[1 << 16];\n"
    "        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, "
    "NULL);\n"
    "        fprintf(stderr, \"%s\\n\", log);\n"
    "    }\n"
    "    check(status, \"clBuildProgram\");\n";

/* Within a comment: what would end it is taken apart. */
static void print_comment(const char *string, struct text *text)
{
    struct text visible = TEXT_INIT;
    text_append_visible(&visible, string, VISIBLE_ONE_LINE);
    for (size_t i = 0; i < visible.size; ++i) {
        const char last = i ? visible.bytes[i - 1] : text->bytes[text->size - 1];
        if ((visible.bytes[i] == '/' && last == '*') || (visible.bytes[i] == '*' && last == '/'))
            text_append_char(text, ' ');
        text_append_char(text, visible.bytes[i]);
    }
    text->failed |= visible.failed;
    text_release(&visible);
}

/* A C string literal. */
static void print_literal(const char *string, struct text *text)
{
    text_append_char(text, '"');
    for (const unsigned char *at = (const unsigned char *)string; *at; ++at) {
        if (*at == '"' || *at == '\\')
            text_format(text, "\\%c", *at);
        else if (*at < 0x20 || *at >= 0x7f || *at == '?')
            text_format(text, "\\%03o", *at);
        else
            text_append_char(text, (char)*at);
    }
    text_append_char(text, '"');
}

static void print_program(const struct export_launch *launch, struct text *text)
{
    text_append(text, "    const char *options = ");
    print_literal(launch->options, text);
    text_append(text, ";\n    size_t size;\n");
    if (launch->source)
        text_append(text, "    const char *source = load(\"kernel.cl\", &size);\n"
                          "    cl_program program = clCreateProgramWithSource(context, 1, &source, "
                          "&size, &status);\n");
    else
        text_append(text, "    const void *module = load(\"kernel.spv\", &size);\n"
                          "    cl_program program = clCreateProgramWithIL(context, module, size, "
                          "&status);\n");
    text_append(text, build);
    text_append(text, "    cl_kernel kernel = clCreateKernel(program, ");
    print_literal(launch->kernel_name, text);
    text_append(text, ", &status);\n    check(status, \"clCreateKernel\");\n\n");
}

/* ---- objects ---- */

static void print_flags(const struct export_object *object, struct text *text)
{
    if (object->flags)
        api_enumerant_print(API_FAMILY_MEM_FLAGS, object->flags, text);
    else
        text_append_char(text, '0'); /* the default, or the parent's */
}

static void print_image(const struct export_object *object, struct text *text)
{
    const cl_image_desc *desc = &object->desc;
    const char *name = object->variable;
    text_format(text, "    const cl_image_format %s_format = {", name);
    api_enumerant_print(API_FAMILY_CHANNEL_ORDER, object->format.image_channel_order, text);
    text_append(text, ", ");
    api_enumerant_print(API_FAMILY_CHANNEL_TYPE, object->format.image_channel_data_type, text);
    text_format(text, "};\n    const cl_image_desc %s_desc = {.image_type = ", name);
    api_enumerant_print(API_FAMILY_MEM_OBJECT_TYPE, desc->image_type, text);
    const struct {
        const char *field;
        size_t value;
    } fields[] = {
        {"image_width", desc->image_width},         {"image_height", desc->image_height},
        {"image_depth", desc->image_depth},         {"image_array_size", desc->image_array_size},
        {"image_row_pitch", desc->image_row_pitch}, {"image_slice_pitch", desc->image_slice_pitch}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i)
        if (fields[i].value)
            text_format(text, ", .%s = %zu", fields[i].field, fields[i].value);
    if (object->parent)
        text_format(text, ", .mem_object = %s", object->parent->variable);
    text_format(text, "};\n    cl_mem %s = clCreateImage(context, ", name);
    print_flags(object, text);
    text_format(text, ", &%s_format, &%s_desc, NULL, &status);\n", name, name);
}

/* The whole image, as clEnqueueReadImage has it. */
static void print_region(const struct export_object *object, struct text *text)
{
    const struct image_shape shape = image_shape_of(&object->format, &object->desc);
    const bool layers_second = shape.type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    text_format(text, "    const size_t %s_region[3] = {%" PRIu64 ", %" PRIu64 ", %" PRIu64 "};\n",
                object->variable, shape.width, layers_second ? shape.layers : shape.height,
                layers_second ? 1 : shape.depth * shape.layers);
}

static void print_object(const struct export_object *object, struct text *text)
{
    const char *name = object->variable;
    switch (object->kind) {
    case EXPORT_BUFFER:
        text_format(text, "    cl_mem %s = clCreateBuffer(context, ", name);
        print_flags(object, text);
        text_format(text, ", %" PRIu64 ", NULL, &status);\n", object->size);
        break;
    case EXPORT_SUB_BUFFER:
        text_format(text,
                    "    const cl_buffer_region %s_part = {%" PRIu64 ", %" PRIu64
                    "};\n    cl_mem %s = clCreateSubBuffer(%s, ",
                    name, object->origin, object->size, name, object->parent->variable);
        print_flags(object, text);
        text_format(text, ", CL_BUFFER_CREATE_TYPE_REGION, &%s_part, &status);\n", name);
        break;
    case EXPORT_IMAGE:
        print_image(object, text);
        break;
    case EXPORT_SAMPLER:
        text_format(text, "    cl_sampler %s = clCreateSampler(context, %s, ", name,
                    object->normalized_coords ? "CL_TRUE" : "CL_FALSE");
        api_enumerant_print(API_FAMILY_ADDRESSING_MODE, object->addressing_mode, text);
        text_append(text, ", ");
        api_enumerant_print(API_FAMILY_FILTER_MODE, object->filter_mode, text);
        text_append(text, ", &status);\n");
        break;
    }
    text_format(text, "    check(status, \"%s\");\n", name);
    if (object->kind == EXPORT_IMAGE) {
        print_region(object, text);
        if (object->found.piece_count)
            text_format(text, "    write_image(queue, %s, %s_region, \"%s.found\");\n", name, name,
                        name);
    } else if (object->found.piece_count) {
        text_format(text, "    write_buffer(queue, %s, \"%s.found\");\n", name, name);
    }
}

/* ---- arguments ---- */

static void print_bytes(const unsigned char *bytes, uint64_t size, struct text *text)
{
    for (uint64_t i = 0; i < size; ++i)
        text_format(text, "%s0x%02x", i ? ", " : "", bytes[i]);
}

static void print_argument(const struct export_argument *argument, size_t index, struct text *text)
{
    if (argument->type[0]) {
        text_append(text, "    /* ");
        print_comment(argument->type, text);
        text_append_char(text, ' ');
        print_comment(argument->name, text);
        text_append(text, " */\n");
    }
    if (argument->object) {
        text_format(text,
                    "    check(clSetKernelArg(kernel, %zu, sizeof %s, &%s), \"argument %zu\");\n",
                    index, argument->object->variable, argument->object->variable, index);
    } else if (!argument->bytes) {
        text_format(
            text, "    check(clSetKernelArg(kernel, %zu, %" PRIu64 ", NULL), \"argument %zu\");\n",
            index, argument->size, index);
    } else {
        text_format(text, "    const unsigned char argument_%zu[] = {", index);
        print_bytes(argument->bytes, argument->size, text);
        text_format(text,
                    "};\n    check(clSetKernelArg(kernel, %zu, sizeof argument_%zu, argument_%zu), "
                    "\"argument %zu\");\n",
                    index, index, index, index);
    }
}

/* ---- the launch ---- */

static void print_sizes(const struct api_value *value, const char *name, struct text *text)
{
    if (value->kind != API_VALUE_SIZES || !value->count)
        return;
    text_format(text, "    const size_t %s[] = {", name);
    for (uint32_t i = 0; i < value->count; ++i) {
        uint64_t size;
        memcpy(&size, (const uint64_t *)value->data + i, sizeof size);
        text_format(text, "%s%" PRIu64, i ? ", " : "", size);
    }
    text_append(text, "};\n");
}

static const char *name_or_null(const struct api_value *value, const char *name)
{
    return value->kind == API_VALUE_SIZES && value->count ? name : "NULL";
}

static void print_launch(const struct export_launch *launch, struct text *text)
{
    const struct api_value *a = launch->call.arguments;
    const struct api_value *offset = &a[API_clEnqueueNDRangeKernel_global_work_offset];
    const struct api_value *global = &a[API_clEnqueueNDRangeKernel_global_work_size];
    const struct api_value *local = &a[API_clEnqueueNDRangeKernel_local_work_size];
    text_append_char(text, '\n');
    print_sizes(offset, "global_offset", text);
    print_sizes(global, "global_size", text);
    print_sizes(local, "local_size", text);
    text_format(text,
                "    check(clEnqueueNDRangeKernel(queue, kernel, %" PRIu64
                ", %s, %s, %s, 0, NULL, NULL), \"clEnqueueNDRangeKernel\");\n"
                "    check(clFinish(queue), \"clFinish\");\n\n    int differences = 0;\n",
                a[API_clEnqueueNDRangeKernel_work_dim].bits, name_or_null(offset, "global_offset"),
                name_or_null(global, "global_size"), name_or_null(local, "local_size"));
}

static bool is_compared(const struct export_object *object)
{
    return object->left.piece_count && object->left.bytes;
}

static void print_comparison(const struct export_object *object, struct text *text)
{
    const bool is_image = object->kind == EXPORT_IMAGE;
    if (is_compared(object))
        text_format(text, "    differences += compare(queue, %s, %s%s, \"%s.left\");\n",
                    object->variable, is_image ? object->variable : "NULL",
                    is_image ? "_region" : "", object->variable);
}

static void print_release(const struct export_object *object, struct text *text)
{
    text_format(text, "    %s(%s);\n",
                object->kind == EXPORT_SAMPLER ? "clReleaseSampler" : "clReleaseMemObject",
                object->variable);
}

void export_print_program(const struct export_launch *launch, const char *origin, struct text *text)
{
    text_append(text, "/* ");
    print_comment(origin, text);
    text_append(text, ".\n * Written by clerk export. The kernel, its options and the bytes of its "
                      "memory are those of the\n"
                      " * recorded run; all else is clerk's own. */\n");
    bool has_buffers = false;
    bool has_images = false;
    bool has_results = false;
    for (size_t i = 0; i < launch->object_count; ++i) {
        const struct export_object *object = launch->objects[i];
        has_buffers |= object->found.piece_count && object->kind != EXPORT_IMAGE;
        has_images |= object->found.piece_count && object->kind == EXPORT_IMAGE;
        has_results |= is_compared(object);
    }
    text_append(text, prologue);
    text_append(text, has_buffers ? buffer_functions : "");
    text_append(text, has_images ? image_functions : "");
    text_append(text, has_results ? compare_function : "");
    text_append(text, opening);
    print_program(launch, text);
    for (size_t i = 0; i < launch->object_count; ++i)
        print_object(launch->objects[i], text);
    text_append_char(text, '\n');
    for (size_t i = 0; i < launch->argument_count; ++i)
        print_argument(&launch->arguments[i], i, text);
    print_launch(launch, text);
    for (size_t i = 0; i < launch->object_count; ++i)
        print_comparison(launch->objects[i], text);
    text_append_char(text, '\n');
    for (size_t i = launch->object_count; i-- > 0;)
        print_release(launch->objects[i], text);
    text_append(text, "    clReleaseKernel(kernel);\n    clReleaseProgram(program);\n"
                      "    clReleaseCommandQueue(queue);\n    clReleaseContext(context);\n"
                      "    return differences ? 1 : 0;\n}\n");
}

void export_print_cmake(struct text *text)
{
    text_append(text, "cmake_minimum_required(VERSION 3.10)\n"
                      "project(reproduce LANGUAGES C)\n"
                      "set(CMAKE_C_STANDARD 99)\n"
                      "find_package(OpenCL REQUIRED)\n"
                      "add_executable(reproduce reproduce.c)\n"
                      "target_link_libraries(reproduce OpenCL::OpenCL)\n"
                      "target_compile_definitions(reproduce PRIVATE "
                      "DIRECTORY=\"${CMAKE_CURRENT_SOURCE_DIR}\")\n");
}

void export_print_readme(const struct export_launch *launch, const char *origin, struct text *text)
{
    text_append_visible(text, origin, VISIBLE_ONE_LINE);
    text_append(
        text, ".\n\n"
              "    cmake -S . -B build && cmake --build build\n"
              "    build/reproduce [PLATFORM [DEVICE]]\n\n"
              "builds the program, gives its memory the bytes of the files *.found, launches the "
              "kernel, and\ncompares what it leaves with the files *.left. Exit status: 0 equal, "
              "1 different, 2 OpenCL failed.\n"
              "\nThe kernel is as whoever recorded the run wrote it: read kernel.cl before you run "
              "it if you do\nnot trust them.\n");
    if (strstr(launch->options, "-I"))
        text_append(text, "\nThe build options name directories for headers (-I); what the source "
                          "includes from there\nis not here.\n");
}
