/* Runs one program with a bug that clerk is to find, or its twin without it, on the first device of
 * the first platform.
 *
 *   probed CASE [--clean]        runs one case
 *   probed CASE --line           prints the line at fault, in the text of the kernel; 0: the fault
 * lies in no kernel probed --all KIND [--clean]  runs all cases of a kind; prints the names of
 * those that the device cannot run probed --list [KIND]         prints a line a case: kind, name,
 * rule, line, and "faults" if it may crash
 *
 * Where PROBED_IL is in the environment, programs are made from IL: it is a command that makes
 * SPIR-V of its input.
 *
 * The exit status is 0, 1 if a twin has wrong results, 2 if the command line is wrong, 3 if a call
 * failed, 77 if the device lacks what the case needs. */
#include "tests/probes/probed.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    STATUS_RIGHT = 0,
    STATUS_WRONG = 1,
    STATUS_USAGE = 2,
    STATUS_FAILED = 3,
    STATUS_LACKING = 77,
    BLOCK_SIZE = 4096, /* host memory of a transfer */
};

static const struct probed_kind *const kinds[] = {
    &probed_bounds_global,
    &probed_bounds_constant,
    &probed_bounds_local,
    &probed_read_only,
    &probed_null,
    &probed_race_global,
    &probed_race_local,
    &probed_race_ordered,
    &probed_race_fenced,
    &probed_divergence,
    &probed_left_early,
    &probed_undefined,
    &probed_undefined_local,
    &probed_commands,
    &probed_images,
    &probed_pointers,
    &probed_undefined_global,
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

static const size_t element_sizes[] = {
    [PROBED_CHAR] = 1, [PROBED_SHORT] = 2, [PROBED_INT] = 4,
    [PROBED_LONG] = 8, [PROBED_FLOAT] = 4, [PROBED_DOUBLE] = 8,
};

/* A run of one case. */
struct run {
    const struct probed_case *its;
    bool clean;
    cl_device_id device;
    cl_context context;
    cl_command_queue queues[2];
    cl_program program;
    cl_mem parents[PROBED_ARGUMENTS]; /* of sub-buffers */
    cl_mem objects[PROBED_ARGUMENTS];
    void *shared[PROBED_ARGUMENTS];
    void *nodes[PROBED_ARGUMENTS]; /* every other one */
    void *freed;
    cl_sampler samplers[PROBED_ARGUMENTS];
    cl_event last; /* of the last command */
    unsigned char blocks[PROBED_STEPS][BLOCK_SIZE];
};

static void check(const struct run *run, cl_int status, const char *call)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %s: %d\n", run->its->name, call, status);
    exit(STATUS_FAILED);
}

/* The text without what the other twin has; the caller frees it. */
static char *text_chosen(const char *text, bool clean)
{
    char *chosen = malloc(strlen(text) + 1);
    if (chosen == NULL)
        abort();
    char *end = chosen;
    bool inside = false;
    bool second = false;
    for (; *text != '\0'; text++) {
        if (*text == '@') {
            inside = !inside;
            second = false;
        } else if (inside && !second && *text == '|') {
            second = true;
        } else if (!inside || second == clean) {
            *end++ = *text;
        }
    }
    *end = '\0';
    return chosen;
}

/* The number of the line at fault, 0 if it is not in this text. */
static unsigned text_line(const char *text)
{
    const char *bug = text != NULL ? strstr(text, "/* BUG */") : NULL;
    if (bug == NULL)
        return 0;
    unsigned line = 1;
    for (; text < bug; text++)
        line += *text == '\n';
    return line;
}

static unsigned case_line(const struct probed_case *its)
{
    return text_line(its->source) + text_line(its->header) + text_line(its->second);
}

/* ---- memory objects ---- */

static size_t argument_count(const struct run *run, const struct probed_argument *argument)
{
    return run->clean && argument->clean_count != 0 ? argument->clean_count : argument->count;
}

static size_t argument_size(const struct run *run, const struct probed_argument *argument)
{
    const size_t rows = argument->height != 0 ? argument->height : 1;
    const size_t planes = argument->depth != 0 ? argument->depth : 1;
    const size_t pixels = argument->object == PROBED_IMAGE ? 4 * rows * planes : 1;
    return argument_count(run, argument) * element_sizes[argument->element] * pixels;
}

static cl_mem_flags argument_flags(const struct run *run, const struct probed_argument *argument)
{
    const cl_mem_flags flags =
        run->clean && argument->clean_flags != 0 ? argument->clean_flags : argument->flags;
    return flags != 0 ? flags : CL_MEM_READ_WRITE;
}

static void element_set(void *elements, enum probed_element element, size_t i, int value)
{
    switch (element) {
    case PROBED_CHAR:
        ((int8_t *)elements)[i] = (int8_t)value;
        break;
    case PROBED_SHORT:
        ((int16_t *)elements)[i] = (int16_t)value;
        break;
    case PROBED_INT:
        ((int32_t *)elements)[i] = value;
        break;
    case PROBED_LONG:
        ((int64_t *)elements)[i] = value;
        break;
    case PROBED_FLOAT:
        ((float *)elements)[i] = (float)value;
        break;
    case PROBED_DOUBLE:
        ((double *)elements)[i] = value;
        break;
    }
}

/* Elements that hold start + step * i; the caller frees them. */
static void *elements_make(enum probed_element element, size_t count, int start, int step)
{
    void *elements = calloc(count, element_sizes[element]);
    if (elements == NULL)
        abort();
    for (size_t i = 0; i < count; i++)
        element_set(elements, element, i, start + step * (int)i);
    return elements;
}

static void *shared_make(const struct run *run, size_t size, const void *contents)
{
    void *shared = clSVMAlloc(run->context, CL_MEM_READ_WRITE, size, 0);
    check(run, shared != NULL ? CL_SUCCESS : CL_OUT_OF_RESOURCES, "clSVMAlloc");
    if (contents != NULL)
        check(run,
              clEnqueueSVMMemcpy(run->queues[0], CL_TRUE, shared, contents, size, 0, NULL, NULL),
              "clEnqueueSVMMemcpy");
    return shared;
}

static cl_mem buffer_make(const struct run *run, cl_mem_flags flags, size_t size, void *contents)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(run->context, flags, size, contents, &status);
    check(run, status, "clCreateBuffer");
    return buffer;
}

static cl_mem sub_buffer_make(const struct run *run, cl_mem parent, size_t size)
{
    const cl_buffer_region region = {size, size};
    cl_int status;
    cl_mem buffer = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    check(run, status, "clCreateSubBuffer");
    return buffer;
}

/* `buffer` holds the texels of an image buffer. */
static cl_mem image_make(const struct run *run, const struct probed_argument *argument,
                         cl_mem_flags flags, void *contents, cl_mem buffer)
{
    const bool floats = argument->element == PROBED_FLOAT;
    const cl_image_format format = {CL_RGBA, floats ? CL_FLOAT : CL_SIGNED_INT32};
    const cl_mem_object_type type = argument->image != 0 ? argument->image : CL_MEM_OBJECT_IMAGE2D;
    const bool rows = type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    const cl_image_desc description = {.image_type = type,
                                       .image_width = argument_count(run, argument),
                                       .image_height = rows ? 0 : argument->height,
                                       .image_depth = argument->depth,
                                       .image_array_size =
                                           rows ? argument->height : argument->depth,
                                       .buffer = buffer};
    cl_int status;
    cl_mem image = clCreateImage(run->context, flags, &format, &description, contents, &status);
    check(run, status, "clCreateImage");
    return image;
}

static cl_sampler sampler_make(const struct run *run, const struct probed_argument *argument)
{
    cl_int status;
    cl_sampler sampler = clCreateSampler(
        run->context, argument->normalised,
        run->clean ? argument->clean_addressing : argument->addressing, CL_FILTER_NEAREST, &status);
    check(run, status, "clCreateSampler");
    return sampler;
}

/* Node i is pair i / 2 of the one allocation or the other. */
static void nodes_make(struct run *run, size_t index)
{
    const struct probed_argument *argument = &run->its->arguments[index];
    const size_t half = argument->count / 2 * 2 * sizeof(cl_ulong);
    cl_ulong *both[2] = {shared_make(run, half, NULL), shared_make(run, half, NULL)};
    run->freed = shared_make(run, half, NULL);
    const cl_ulong last[] = {[PROBED_TO_FIRST] = (cl_ulong)both[0],
                             [PROBED_TO_NULL] = 0,
                             [PROBED_BEYOND] = (cl_ulong)both[0] + half,
                             [PROBED_TO_FREED] = (cl_ulong)run->freed,
                             [PROBED_NOWHERE] = (cl_ulong)1 << 46 | 4096};
    const enum probed_leads leads = run->clean ? PROBED_TO_FIRST : argument->leads;
    cl_ulong *block = calloc(2, half);
    if (block == NULL)
        abort();
    for (size_t i = 0; i < argument->count; i++) {
        cl_ulong *node = block + (i % 2 * argument->count / 2 + i / 2) * 2;
        node[0] = i + 1 == argument->count ? last[leads]
                                           : (cl_ulong)(both[(i + 1) % 2] + (i + 1) / 2 * 2);
        node[1] = i;
    }
    for (size_t i = 0; i < 2; i++)
        check(run,
              clEnqueueSVMMemcpy(run->queues[0], CL_TRUE, both[i], (char *)block + i * half, half,
                                 0, NULL, NULL),
              "clEnqueueSVMMemcpy");
    free(block);
    run->shared[index] = both[0];
    run->nodes[index] = both[1];
}

/* A node that leads to one in memory of the host. */
static void *host_node_make(const struct run *run)
{
    static cl_ulong of_host[] = {0, 77};
    const cl_ulong node[] = {(cl_ulong)of_host, 0};
    return shared_make(run, sizeof node, node);
}

static void object_make(struct run *run, size_t index)
{
    const struct probed_argument *argument = &run->its->arguments[index];
    const size_t size = argument_size(run, argument);
    const size_t count = size / element_sizes[argument->element];
    const bool written =
        argument->contents == PROBED_COUNTED || (run->clean && argument->clean_written);
    void *contents = written ? elements_make(argument->element, 3 * count, 0, 1) : NULL;
    const cl_mem_flags flags = argument_flags(run, argument) | (written ? CL_MEM_COPY_HOST_PTR : 0);
    switch (argument->object) {
    case PROBED_BUFFER:
        run->objects[index] = buffer_make(run, flags, size, contents);
        break;
    case PROBED_SUB_BUFFER:
        run->parents[index] = buffer_make(run, flags, 3 * size, contents);
        run->objects[index] = sub_buffer_make(run, run->parents[index], size);
        break;
    case PROBED_SVM:
        run->shared[index] = shared_make(run, size, contents);
        break;
    case PROBED_SVM_MIDDLE:
        run->shared[index] = shared_make(run, 2 * size, contents);
        break;
    case PROBED_NODES:
        nodes_make(run, index);
        break;
    case PROBED_HOST_NODE:
        run->shared[index] = host_node_make(run);
        break;
    case PROBED_SAMPLER:
        run->samplers[index] = sampler_make(run, argument);
        break;
    case PROBED_IMAGE:
        if (argument->image == CL_MEM_OBJECT_IMAGE1D_BUFFER)
            run->parents[index] = buffer_make(run, flags, size, contents);
        run->objects[index] = run->parents[index] != NULL
                                  ? image_make(run, argument, argument_flags(run, argument), NULL,
                                               run->parents[index])
                                  : image_make(run, argument, flags, contents, NULL);
        break;
    case PROBED_NO_OBJECT:
    case PROBED_LOCAL:
    case PROBED_VALUE:
        break;
    }
    free(contents);
}

static void object_release(struct run *run, size_t index)
{
    if (run->objects[index] != NULL)
        check(run, clReleaseMemObject(run->objects[index]), "clReleaseMemObject");
    if (run->parents[index] != NULL)
        check(run, clReleaseMemObject(run->parents[index]), "clReleaseMemObject");
    if (run->samplers[index] != NULL)
        check(run, clReleaseSampler(run->samplers[index]), "clReleaseSampler");
    if (run->shared[index] != NULL)
        clSVMFree(run->context, run->shared[index]);
    if (run->nodes[index] != NULL)
        clSVMFree(run->context, run->nodes[index]);
}

/* The first bytes of what a case has made. */
static void object_read(const struct run *run, size_t index, size_t size, void *found)
{
    const struct probed_argument *argument = &run->its->arguments[index];
    const size_t before = argument->object == PROBED_SVM_MIDDLE ? argument_size(run, argument) : 0;
    const size_t origin[3] = {0};
    const size_t region[3] = {argument_count(run, argument),
                              argument->height != 0 ? argument->height : 1,
                              argument->depth != 0 ? argument->depth : 1};
    if (run->shared[index] != NULL)
        check(run,
              clEnqueueSVMMemcpy(run->queues[0], CL_TRUE, found,
                                 (const char *)run->shared[index] + before, size, 0, NULL, NULL),
              "clEnqueueSVMMemcpy");
    else if (argument->object == PROBED_IMAGE)
        check(run,
              clEnqueueReadImage(run->queues[0], run->objects[index], CL_TRUE, origin, region, 0, 0,
                                 found, 0, NULL, NULL),
              "clEnqueueReadImage");
    else
        check(run,
              clEnqueueReadBuffer(run->queues[0], run->objects[index], CL_TRUE, 0, size, found, 0,
                                  NULL, NULL),
              "clEnqueueReadBuffer");
}

/* Whether an object holds what it should in the end. */
static bool object_is_right(const struct run *run, size_t index)
{
    const struct probed_argument *argument = &run->its->arguments[index];
    const size_t element_size = element_sizes[argument->element];
    const size_t count =
        argument->right != 0 ? argument->right : argument_size(run, argument) / element_size;
    void *wanted = elements_make(argument->element, count, argument->start, argument->step);
    void *found = calloc(count, element_size);
    if (found == NULL)
        abort();
    object_read(run, index, count * element_size, found);
    const bool right = memcmp(wanted, found, count * element_size) == 0;
    if (!right)
        fprintf(stderr, "%s: argument %zu has wrong results\n", run->its->name, index);
    free(wanted);
    free(found);
    return right;
}

/* ---- programs and kernels ---- */

/* What the command makes of the text; the caller frees it. */
static unsigned char *il_make(const struct run *run, const char *command, const char *text,
                              size_t *size)
{
    enum { ROOM = 1 << 20 };
    char path[] = "/tmp/probed-XXXXXX";
    char line[1024];
    unsigned char *il = malloc(ROOM);
    const int descriptor = mkstemp(path);
    if (il == NULL || descriptor < 0 ||
        write(descriptor, text, strlen(text)) != (ssize_t)strlen(text))
        abort();
    close(descriptor);
    snprintf(line, sizeof line, "(%s) < %s", command, path);
    FILE *made = popen(line, "r"); /* NOLINT: the command is the test's */
    *size = made != NULL ? fread(il, 1, ROOM, made) : 0;
    check(run, made == NULL || pclose(made) != 0 || *size == 0, command);
    unlink(path);
    return il;
}

static cl_program source_make(const struct run *run, const char *text)
{
    const char *command = getenv("PROBED_IL");
    char *chosen = text_chosen(text, run->clean);
    const char *line = chosen;
    cl_int status;
    cl_program program;
    if (command != NULL) {
        size_t size;
        unsigned char *il = il_make(run, command, chosen, &size);
        program = clCreateProgramWithIL(run->context, il, size, &status);
        check(run, status, "clCreateProgramWithIL");
        free(il);
    } else {
        program = clCreateProgramWithSource(run->context, 1, &line, NULL, &status);
        check(run, status, "clCreateProgramWithSource");
    }
    free(chosen);
    return program;
}

static void log_print(const struct run *run, cl_program program)
{
    char log[BLOCK_SIZE] = "";
    clGetProgramBuildInfo(program, run->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "%s\n", log);
}

static cl_program part_compile(const struct run *run, const char *text)
{
    const char *name = "part.h";
    const bool includes = run->its->header != NULL;
    cl_program part = source_make(run, text);
    cl_program header = includes ? source_make(run, run->its->header) : NULL;
    const cl_int status =
        clCompileProgram(part, 1, &run->device, "", includes, includes ? &header : NULL,
                         includes ? &name : NULL, NULL, NULL);
    if (status != CL_SUCCESS)
        log_print(run, part);
    check(run, status, "clCompileProgram");
    if (includes)
        check(run, clReleaseProgram(header), "clReleaseProgram");
    return part;
}

static cl_program parts_link(const struct run *run)
{
    cl_program parts[2] = {part_compile(run, run->its->source)};
    cl_uint count = 1;
    if (run->its->second != NULL)
        parts[count++] = part_compile(run, run->its->second);
    cl_int status;
    cl_program program =
        clLinkProgram(run->context, 1, &run->device, "", count, parts, NULL, NULL, &status);
    check(run, status, "clLinkProgram");
    for (cl_uint i = 0; i < count; i++)
        check(run, clReleaseProgram(parts[i]), "clReleaseProgram");
    return program;
}

static cl_program program_make(const struct run *run)
{
    if (run->its->header != NULL || run->its->second != NULL)
        return parts_link(run);
    cl_program program = source_make(run, run->its->source);
    const char *options = run->its->options != NULL ? run->its->options : "";
    const cl_int status = clBuildProgram(program, 1, &run->device, options, NULL, NULL);
    if (status != CL_SUCCESS)
        log_print(run, program);
    check(run, status, "clBuildProgram");
    return program;
}

static cl_int argument_set(const struct run *run, cl_kernel kernel, cl_uint place, size_t index)
{
    const struct probed_argument *argument = &run->its->arguments[index];
    const cl_int value = (cl_int)argument_count(run, argument);
    if (argument->object == PROBED_LOCAL)
        return clSetKernelArg(kernel, place, argument_size(run, argument), NULL);
    if (argument->object == PROBED_VALUE)
        return clSetKernelArg(kernel, place, sizeof value, &value);
    if (argument->object == PROBED_SAMPLER)
        return clSetKernelArg(kernel, place, sizeof(cl_sampler), &run->samplers[index]);
    if (argument->null && !run->clean)
        return argument->object == PROBED_SVM ? clSetKernelArgSVMPointer(kernel, place, NULL)
                                              : clSetKernelArg(kernel, place, sizeof(cl_mem), NULL);
    if (argument->object == PROBED_SVM_MIDDLE)
        return clSetKernelArgSVMPointer(kernel, place,
                                        (char *)run->shared[index] + argument_size(run, argument));
    if (run->shared[index] != NULL)
        return clSetKernelArgSVMPointer(kernel, place, run->shared[index]);
    return clSetKernelArg(kernel, place, sizeof(cl_mem), &run->objects[index]);
}

static bool device_shares_host(cl_device_id device)
{
    cl_device_svm_capabilities has = 0;
    return clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof has, &has, NULL) ==
               CL_SUCCESS &&
           (has & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) != 0;
}

/* Tells that the kernel follows pointers to nodes, and where else to. */
static void nodes_name(const struct run *run, cl_kernel kernel)
{
    void *named[PROBED_ARGUMENTS];
    size_t count = 0;
    for (size_t i = 0; i < PROBED_ARGUMENTS; i++)
        if (run->nodes[i] != NULL)
            named[count++] = run->nodes[i];
    if (count > 0)
        check(
            run,
            clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, count * sizeof *named, named),
            "clSetKernelExecInfo");
    const cl_bool follows = run->its->needs == PROBED_HOST_MEMORY;
    if ((follows || (count > 0 && !run->its->uses_host)) && device_shares_host(run->device))
        check(run,
              clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof follows,
                                  &follows),
              "clSetKernelExecInfo");
}

/* The kernel with its arguments; the caller releases it. */
static cl_kernel kernel_make(const struct run *run, const struct probed_step *step)
{
    cl_int status;
    cl_kernel kernel =
        clCreateKernel(run->program, step->kernel != NULL ? step->kernel : run->its->name, &status);
    check(run, status, "clCreateKernel");
    for (cl_uint i = 0; i < PROBED_ARGUMENTS; i++) {
        const size_t index = step->with != NULL ? (size_t)(step->with[i] - '0') : i;
        if (step->with != NULL && step->with[i] == '\0')
            break;
        if (run->its->arguments[index].object == PROBED_NO_OBJECT)
            break;
        check(run, argument_set(run, kernel, i, index), "clSetKernelArg");
    }
    nodes_name(run, kernel);
    if (!run->its->cloned)
        return kernel;
    cl_kernel clone = clCloneKernel(kernel, &status);
    check(run, status, "clCloneKernel");
    check(run, clReleaseKernel(kernel), "clReleaseKernel");
    return clone;
}

/* ---- commands ---- */

static cl_int launch(const struct run *run, const struct probed_step *step, cl_uint wait_count,
                     const cl_event *wait, cl_event *event)
{
    const struct probed_case *its = run->its;
    const cl_uint dimensions = its->global[1] == 0 ? 1 : its->global[2] == 0 ? 2 : 3;
    cl_kernel kernel = kernel_make(run, step);
    const cl_int status = clEnqueueNDRangeKernel(
        run->queues[step->queue], kernel, dimensions, its->offset, its->global,
        its->local[0] != 0 ? its->local : NULL, wait_count, wait, event);
    check(run, clReleaseKernel(kernel), "clReleaseKernel");
    return status;
}

static cl_int transfer(struct run *run, size_t index, cl_uint wait_count, const cl_event *wait,
                       cl_event *event)
{
    const struct probed_step *step = &run->its->steps[index];
    const size_t first = (size_t)(step->with[0] - '0');
    cl_command_queue queue = run->queues[step->queue];
    const cl_int seven = 7;
    cl_mem object = run->objects[first];
    unsigned char *block = run->blocks[index];
    switch (step->command) {
    case PROBED_WRITE:
        for (size_t i = 0; i < step->size / 4; i++)
            element_set(block, PROBED_INT, i, 100 + (int)i);
        return clEnqueueWriteBuffer(queue, object, CL_FALSE, step->offset, step->size, block,
                                    wait_count, wait, event);
    case PROBED_READ:
        return clEnqueueReadBuffer(queue, object, CL_FALSE, step->offset, step->size, block,
                                   wait_count, wait, event);
    case PROBED_COPY:
        return clEnqueueCopyBuffer(queue, object, run->objects[step->with[1] - '0'], step->offset,
                                   0, step->size, wait_count, wait, event);
    case PROBED_FILL:
        return clEnqueueFillBuffer(queue, object, &seven, sizeof seven, step->offset, step->size,
                                   wait_count, wait, event);
    case PROBED_LAUNCH:
    case PROBED_NO_COMMAND:
        break;
    }
    abort();
}

static void step_run(struct run *run, const struct probed_step *step, size_t index)
{
    const bool waits = run->clean && run->last != NULL;
    const cl_event *wait = waits ? &run->last : NULL;
    cl_event event;
    if (step->command == PROBED_LAUNCH)
        check(run, launch(run, step, waits, wait, &event), "clEnqueueNDRangeKernel");
    else
        check(run, transfer(run, index, waits, wait, &event), "a transfer");
    if (run->last != NULL)
        check(run, clReleaseEvent(run->last), "clReleaseEvent");
    run->last = event;
    check(run, clFlush(run->queues[step->queue]), "clFlush");
}

static void steps_run(struct run *run)
{
    static const struct probed_step alone = {.command = PROBED_LAUNCH};
    const struct probed_case *its = run->its;
    if (its->steps[0].command == PROBED_NO_COMMAND)
        for (unsigned i = 0; i < (its->launches != 0 ? its->launches : 1); i++) {
            step_run(run, &alone, 0);
            if (its->waits)
                check(run, clFinish(run->queues[0]), "clFinish");
        }
    for (size_t i = 0; i < PROBED_STEPS && its->steps[i].command != PROBED_NO_COMMAND; i++)
        step_run(run, &its->steps[i], i);
    check(run, clReleaseEvent(run->last), "clReleaseEvent");
    for (size_t i = 0; i < 2; i++)
        check(run, clFinish(run->queues[i]), "clFinish");
}

/* ---- a run ---- */

static bool device_has(cl_device_id device, cl_device_info name)
{
    cl_ulong value = 0; /* all that is asked for is no wider, and the host little-endian */
    return clGetDeviceInfo(device, name, sizeof value, &value, NULL) == CL_SUCCESS && value != 0;
}

/* Whether the platform is of that version, as MAJOR * 10 + MINOR. */
static bool platform_is(cl_platform_id platform, int version)
{
    char text[BLOCK_SIZE] = "";
    int major = 1;
    int minor = 0;
    clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof text, text, NULL);
    return sscanf(text, "OpenCL %d.%d", &major, &minor) == 2 && major * 10 + minor >= version;
}

static bool has_orders(cl_device_id device)
{
    const cl_device_atomic_capabilities needed = CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
                                                 CL_DEVICE_ATOMIC_ORDER_SEQ_CST |
                                                 CL_DEVICE_ATOMIC_SCOPE_DEVICE;
    cl_device_atomic_capabilities both[2] = {0};
    clGetDeviceInfo(device, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, sizeof both[0], &both[0], NULL);
    clGetDeviceInfo(device, CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, sizeof both[1], &both[1], NULL);
    return (both[0] & both[1] & needed) == needed;
}

static bool has_needed(cl_platform_id platform, cl_device_id device, enum probed_need need)
{
    switch (need) {
    case PROBED_NOTHING:
        break;
    case PROBED_DOUBLES:
        return device_has(device, CL_DEVICE_DOUBLE_FP_CONFIG);
    case PROBED_CLONES:
        return platform_is(platform, 21);
    case PROBED_SHARED_MEMORY:
        return platform_is(platform, 20) && device_has(device, CL_DEVICE_SVM_CAPABILITIES);
    case PROBED_HOST_MEMORY:
        return platform_is(platform, 20) && device_shares_host(device);
    case PROBED_IMAGES:
        return device_has(device, CL_DEVICE_IMAGE_SUPPORT);
    case PROBED_ORDERS:
        return platform_is(platform, 30) && has_orders(device);
    }
    return true;
}

static void run_begin(struct run *run)
{
    cl_int status;
    run->context = clCreateContext(NULL, 1, &run->device, NULL, NULL, &status);
    check(run, status, "clCreateContext");
    for (size_t i = 0; i < 2; i++) {
        const bool unordered = i == 0 && run->its->out_of_order;
        run->queues[i] =
            clCreateCommandQueue(run->context, run->device,
                                 unordered ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &status);
        check(run, status, "clCreateCommandQueue");
    }
    run->program = program_make(run);
    for (size_t i = 0; i < PROBED_ARGUMENTS; i++)
        object_make(run, i);
    if (run->freed != NULL) /* now, so that no argument is there */
        clSVMFree(run->context, run->freed);
}

static void run_end(struct run *run)
{
    for (size_t i = 0; i < PROBED_ARGUMENTS; i++)
        object_release(run, i);
    check(run, clReleaseProgram(run->program), "clReleaseProgram");
    for (size_t i = 0; i < 2; i++)
        check(run, clReleaseCommandQueue(run->queues[i]), "clReleaseCommandQueue");
    check(run, clReleaseContext(run->context), "clReleaseContext");
}

static bool takes_il(cl_device_id device)
{
    char version[BLOCK_SIZE] = "";
    const cl_int status =
        clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof version, version, NULL);
    const bool takes = status == CL_SUCCESS && strstr(version, "SPIR-V") != NULL;
    if (!takes)
        fprintf(stderr, "the device takes no IL\n");
    return takes;
}

static int case_run(const struct probed_case *its, bool clean)
{
    struct run run = {.its = its, .clean = clean};
    cl_platform_id platform;
    check(&run, clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(&run, clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &run.device, NULL),
          "clGetDeviceIDs");
    if (getenv("PROBED_IL") != NULL && (its->header != NULL || !takes_il(run.device)))
        return STATUS_LACKING;
    if (!has_needed(platform, run.device, its->needs))
        return STATUS_LACKING;
    run_begin(&run);
    steps_run(&run);
    int status = STATUS_RIGHT;
    for (size_t i = 0; i < PROBED_ARGUMENTS; i++)
        if (clean && its->arguments[i].result && !object_is_right(&run, i))
            status = STATUS_WRONG;
    run_end(&run);
    return status;
}

/* ---- the command line ---- */

static const struct probed_case *case_find(const char *name)
{
    for (size_t kind = 0; kind < KIND_COUNT; kind++)
        for (size_t i = 0; i < kinds[kind]->count; i++)
            if (strcmp(kinds[kind]->cases[i].name, name) == 0)
                return &kinds[kind]->cases[i];
    return NULL;
}

static void kind_print(const struct probed_kind *kind)
{
    for (size_t i = 0; i < kind->count; i++) {
        const struct probed_case *its = &kind->cases[i];
        printf("%s %s %s %u%s\n", kind->name, its->name, its->rule != NULL ? its->rule : kind->rule,
               case_line(its), its->faults ? " faults" : "");
    }
}

static int kind_run(const struct probed_kind *kind, bool clean)
{
    int worst = STATUS_RIGHT;
    for (size_t i = 0; i < kind->count; i++) {
        if (kind->cases[i].faults && !clean)
            continue;
        const int status = case_run(&kind->cases[i], clean);
        if (status == STATUS_LACKING)
            printf("%s\n", kind->cases[i].name);
        else if (status > worst)
            worst = status;
    }
    return worst;
}

/* Lists or runs the kind of that name, lists all without a name. */
static int kinds_do(const char *option, const char *name, bool clean)
{
    int status = STATUS_USAGE;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (name != NULL && strcmp(kinds[i]->name, name) != 0)
            continue;
        status = STATUS_RIGHT;
        if (strcmp(option, "--all") == 0)
            return kind_run(kinds[i], clean);
        kind_print(kinds[i]);
    }
    return status;
}

int main(int argc, char **argv)
{
    const char *last = argc > 1 ? argv[argc - 1] : "";
    const bool clean = strcmp(last, "--clean") == 0;
    const bool line = strcmp(last, "--line") == 0;
    const int words = argc - 1 - clean - line;
    int status = STATUS_USAGE;
    if (words >= 1 && words <= 2 && strcmp(argv[1], "--list") == 0) {
        status = kinds_do(argv[1], words == 2 ? argv[2] : NULL, false);
    } else if (words == 2 && strcmp(argv[1], "--all") == 0) {
        status = kinds_do(argv[1], argv[2], clean);
    } else if (words == 1) {
        const struct probed_case *its = case_find(argv[1]);
        if (its != NULL && line) {
            printf("%u\n", case_line(its));
            status = STATUS_RIGHT;
        } else if (its != NULL) {
            status = case_run(its, clean);
        }
    }
    if (status == STATUS_USAGE)
        fprintf(stderr,
                "usage: probed CASE [--clean|--line] | --all KIND [--clean] | --list [KIND]\n");
    return status;
}
