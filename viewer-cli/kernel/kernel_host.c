#include "viewer-cli/kernel/cmd_kernel.h"

#include "trace/api/enumerant.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/base/visible.h"
#include "viewer-cli/reference_device.h"
#include "viewer-cli/verb.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Every entry point that is used, found by name so that clerk runs where no loader is installed. */
/* clang-format off */
#define ENTRY_POINTS(X)                                                                            \
    X(clGetDeviceInfo) X(clCreateContext) X(clReleaseContext) X(clCreateCommandQueueWithProperties)                   \
    X(clReleaseCommandQueue) X(clCreateProgramWithSource) X(clCreateProgramWithIL)                 \
    X(clBuildProgram) X(clGetProgramBuildInfo) X(clGetProgramInfo) X(clReleaseProgram)             \
    X(clCreateKernel) X(clReleaseKernel) X(clGetKernelInfo) X(clGetKernelArgInfo)                  \
    X(clSetKernelArg) X(clCreateBuffer) X(clReleaseMemObject) X(clEnqueueNDRangeKernel)            \
    X(clEnqueueReadBuffer) X(clCreateImage) X(clEnqueueReadImage) X(clEnqueueWriteImage)           \
    X(clFinish)                                                                                    \
    X(clGetEventInfo) X(clReleaseEvent) X(clCreateSamplerWithProperties) X(clReleaseSampler) \
    X(clCreatePipe)
/* clang-format on */

struct entry_points {
#define DECLARE(name) __typeof__(&name) name;
    ENTRY_POINTS(DECLARE)
#undef DECLARE
};

struct kernel_host {
    struct reference_device reference;
    struct entry_points cl;
    cl_context context;
    cl_command_queue queue, device_queue;   /* the default one of the device */
    const struct sink_exploring *exploring; /* what the launches are explored by; or NULL */
    int debugger;                           /* its socket, until the kernel is launched; or -1 */
    const struct kernel_program *built;
    const char *build_options;
    cl_program program;
    cl_kernel kernel;
    char *kernel_names;
    struct kernel_parameter *parameters;
    size_t parameter_count;
};

/* ---- errors ---- */

static enum status failed(struct error *error, const char *what, cl_int status)
{
    const char *const name = api_error_name(status);
    if (name != NULL) {
        return error_set(error, STATUS_IO, "%s failed: %s", what, name);
    }
    return error_set(error, STATUS_IO, "%s failed with status %d", what, (int)status);
}

/* The same of an argument. */
static enum status failed_for(struct error *error, const struct kernel_argument *argument,
                              const char *what, cl_int status)
{
    const enum status result = failed(error, what, status);
    error_prefix(error, "-a %s", argument->text);
    return result;
}

/* ---- the loader and the device ---- */

static enum status open_loader(struct kernel_host *host, struct error *error)
{
    const enum status status = reference_device_open(&host->reference, error);
    if (status != STATUS_OK) {
        return status;
    }
#define RESOLVE(name)                                                                              \
    *(void **)&host->cl.name = dlsym(host->reference.library, #name);                              \
    if (host->cl.name == NULL) {                                                                   \
        return error_set(error, STATUS_NOT_FOUND, REFERENCE_LOADER " has no " #name);              \
    }
    ENTRY_POINTS(RESOLVE)
#undef RESOLVE
    return STATUS_OK;
}

static enum status open_device(struct kernel_host *host, sink_function *sink, void *user,
                               struct error *error)
{
    const int32_t status = host->reference.set_sink(SINK_VERSION, sink, user);
    if (status != CL_SUCCESS) {
        return error_set(error, STATUS_UNSUPPORTED,
                         "the reference device is of another version of clerk");
    }
    cl_int result = CL_SUCCESS;
    host->context = host->cl.clCreateContext(NULL, 1, &host->reference.device, NULL, NULL, &result);
    if (host->context == NULL) {
        return failed(error, "clCreateContext", result);
    }
    host->queue = host->cl.clCreateCommandQueueWithProperties(host->context, host->reference.device,
                                                              NULL, &result);
    if (host->queue == NULL) {
        return failed(error, "clCreateCommandQueueWithProperties", result);
    }
    const cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES,
                                             CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT |
                                                 CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                                                 CL_QUEUE_PROFILING_ENABLE,
                                             0};
    host->device_queue = host->cl.clCreateCommandQueueWithProperties(
        host->context, host->reference.device, on_device, &result);
    /* Some personalities have no such queues. */
    return host->device_queue == NULL && result != CL_INVALID_QUEUE_PROPERTIES
               ? failed(error, "clCreateCommandQueueWithProperties", result)
               : STATUS_OK;
}

enum status kernel_host_create(sink_function *sink, sink_print *print, void *user,
                               struct kernel_host **host, struct error *error)
{
    struct kernel_host *made = alloc_zero(1, sizeof *made);
    if (made == NULL) {
        return error_no_memory(error, sizeof *made);
    }
    made->debugger = -1;
    enum status status = open_loader(made, error);
    if (status == STATUS_OK) {
        status = open_device(made, sink, user, error);
    }
    if (status == STATUS_OK) {
        made->reference.set_print(print, user);
    }
    if (status != STATUS_OK) {
        kernel_host_destroy(made);
        return status;
    }
    *host = made;
    return STATUS_OK;
}

static enum status set_debugger(struct kernel_host *host, int socket, struct error *error)
{
    return host->reference.set_debugger != NULL &&
                   host->reference.set_debugger(DEBUG_VERSION, socket) == CL_SUCCESS
               ? STATUS_OK
               : error_set(error, STATUS_UNSUPPORTED,
                           "the reference device is of another version of clerk");
}

enum status kernel_host_debug(struct kernel_host *host, int socket, struct error *error)
{
    host->debugger = socket;
    return set_debugger(host, -1, error);
}

/* What fills pipes before is a launch, too, which nobody asked for. */
static enum status connect_debugger(struct kernel_host *host, struct error *error)
{
    const int socket = host->debugger;
    host->debugger = -1;
    return socket < 0 ? STATUS_OK : set_debugger(host, socket, error);
}

static void drop_parameters(struct kernel_host *host)
{
    for (size_t i = 0; i < host->parameter_count; i++) {
        alloc_free(host->parameters[i].name);
        alloc_free(host->parameters[i].type_name);
    }
    alloc_free(host->parameters);
    host->parameters = NULL;
    host->parameter_count = 0;
}

static void release_kernel(struct kernel_host *host)
{
    if (host->kernel != NULL) {
        host->cl.clReleaseKernel(host->kernel);
        host->kernel = NULL;
    }
}

bool kernel_host_lacks_memory(const struct kernel_host *host)
{
    return host->reference.lacks_memory() != 0;
}

void kernel_host_end_program(struct kernel_host *host)
{
    release_kernel(host);
    if (host->program != NULL) {
        host->cl.clReleaseProgram(host->program);
        host->program = NULL;
    }
}

void kernel_host_destroy(struct kernel_host *host)
{
    if (host == NULL) {
        return;
    }
    drop_parameters(host);
    kernel_host_end_program(host);
    if (host->device_queue != NULL) {
        host->cl.clReleaseCommandQueue(host->device_queue);
    }
    if (host->queue != NULL) {
        host->cl.clReleaseCommandQueue(host->queue);
    }
    if (host->context != NULL) {
        host->cl.clReleaseContext(host->context);
    }
    if (host->reference.set_sink != NULL) {
        host->reference.set_sink(SINK_VERSION, NULL, NULL);
    }
    /* The library stays open: the device has a thread of its own that ends with the process. */
    alloc_free(host->kernel_names);
    alloc_free(host);
}

/* ---- the program ---- */

static void append_log(struct kernel_host *host, struct text *log)
{
    size_t size = 0;
    if (host->cl.clGetProgramBuildInfo(host->program, host->reference.device, CL_PROGRAM_BUILD_LOG,
                                       0, NULL, &size) != CL_SUCCESS ||
        size == 0) {
        return;
    }
    char *bytes = alloc(size);
    if (bytes != NULL &&
        host->cl.clGetProgramBuildInfo(host->program, host->reference.device, CL_PROGRAM_BUILD_LOG,
                                       size, bytes, NULL) == CL_SUCCESS) {
        text_append_visible_n(log, bytes, strnlen(bytes, size), VISIBLE_LINES);
    }
    alloc_free(bytes);
}

static enum status read_kernel_names(struct kernel_host *host, struct error *error)
{
    size_t size = 0;
    cl_int status =
        host->cl.clGetProgramInfo(host->program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size);
    if (status != CL_SUCCESS) {
        return failed(error, "clGetProgramInfo", status);
    }
    host->kernel_names = alloc_zero(size + 1, 1);
    if (host->kernel_names == NULL) {
        return error_no_memory(error, size);
    }
    status = host->cl.clGetProgramInfo(host->program, CL_PROGRAM_KERNEL_NAMES, size,
                                       host->kernel_names, NULL);
    return status == CL_SUCCESS ? STATUS_OK : failed(error, "clGetProgramInfo", status);
}

static enum status build(struct kernel_host *host, struct text *log, struct error *error)
{
    ASSERT(host->program == NULL);
    const struct kernel_program *built = host->built;
    cl_int status = CL_SUCCESS;
    if (built->il) {
        host->program =
            host->cl.clCreateProgramWithIL(host->context, built->bytes, built->size, &status);
    } else {
        const char *source = built->bytes;
        host->program =
            host->cl.clCreateProgramWithSource(host->context, 1, &source, &built->size, &status);
    }
    if (built->il && status == CL_INVALID_VALUE) {
        return error_set(
            error, STATUS_MALFORMED,
            "this is not a SPIR-V module: its %zu bytes do not begin with the header of "
            "one, or are not whole words of 4 bytes",
            built->size);
    }
    if (host->program == NULL) {
        return failed(error, built->il ? "clCreateProgramWithIL" : "clCreateProgramWithSource",
                      status);
    }
    status = host->cl.clBuildProgram(host->program, 1, &host->reference.device, host->build_options,
                                     NULL, NULL);
    if (status != CL_SUCCESS) {
        append_log(host, log);
        return failed(error, "building the program", status);
    }
    return STATUS_OK;
}

enum status kernel_host_build(struct kernel_host *host, const struct kernel_program *program,
                              const char *build_options, struct text *log, struct error *error)
{
    alloc_free(host->kernel_names);
    host->kernel_names = NULL;
    host->built = program;
    host->build_options = build_options;
    const enum status status = build(host, log, error);
    return status == STATUS_OK ? read_kernel_names(host, error) : status;
}

static cl_int find_variables_size(const struct kernel_host *host, size_t *size)
{
    return host->cl.clGetProgramBuildInfo(host->program, host->reference.device,
                                          CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof *size,
                                          size, NULL);
}

bool kernel_host_has_variables(const struct kernel_host *host)
{
    size_t size = 0;
    return find_variables_size(host, &size) == CL_SUCCESS && size > 0;
}

enum status kernel_host_renew(struct kernel_host *host, const char *name, struct error *error)
{
    size_t size = 0;
    cl_int status = find_variables_size(host, &size);
    if (status != CL_SUCCESS || size == 0) {
        return status == CL_SUCCESS ? STATUS_OK : failed(error, "clGetProgramBuildInfo", status);
    }
    struct text log = TEXT_INIT;
    kernel_host_end_program(host);
    const enum status built = build(host, &log, error);
    text_release(&log);
    if (built != STATUS_OK) {
        return built;
    }
    host->kernel = host->cl.clCreateKernel(host->program, name, &status);
    return host->kernel != NULL ? STATUS_OK : failed(error, "clCreateKernel", status);
}

const char *kernel_host_kernel_names(const struct kernel_host *host)
{
    return host->kernel_names;
}

/* ---- the kernel and its parameters ---- */

/* A string of clGetKernelArgInfo; "" where the program has no such information. */
static char *argument_string(struct kernel_host *host, cl_uint index, cl_kernel_arg_info name)
{
    size_t size = 0;
    if (host->cl.clGetKernelArgInfo(host->kernel, index, name, 0, NULL, &size) != CL_SUCCESS) {
        return alloc_string("");
    }
    char *string = alloc_zero(size + 1, 1);
    if (string != NULL &&
        host->cl.clGetKernelArgInfo(host->kernel, index, name, size, string, NULL) != CL_SUCCESS) {
        string[0] = '\0';
    }
    return string;
}

static enum kernel_argument_kind parameter_kind(struct kernel_host *host, cl_uint index,
                                                const char *type_name)
{
    cl_kernel_arg_address_qualifier address = CL_KERNEL_ARG_ADDRESS_PRIVATE;
    if (host->cl.clGetKernelArgInfo(host->kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                                    sizeof address, &address, NULL) != CL_SUCCESS) {
        return KERNEL_ARGUMENT_UNKNOWN;
    }
    if (strncmp(type_name, "image", 5) == 0) {
        return KERNEL_ARGUMENT_IMAGE;
    }
    if (strcmp(type_name, "sampler_t") == 0) {
        return KERNEL_ARGUMENT_SAMPLER;
    }
    cl_kernel_arg_type_qualifier qualifier = CL_KERNEL_ARG_TYPE_NONE;
    if (host->cl.clGetKernelArgInfo(host->kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER,
                                    sizeof qualifier, &qualifier, NULL) == CL_SUCCESS &&
        (qualifier & CL_KERNEL_ARG_TYPE_PIPE) != 0) {
        return KERNEL_ARGUMENT_PIPE;
    }
    switch (address) {
    case CL_KERNEL_ARG_ADDRESS_GLOBAL:
    case CL_KERNEL_ARG_ADDRESS_CONSTANT:
        return KERNEL_ARGUMENT_BUFFER;
    case CL_KERNEL_ARG_ADDRESS_LOCAL:
        return KERNEL_ARGUMENT_LOCAL;
    default:
        return KERNEL_ARGUMENT_VALUE;
    }
}

enum status kernel_host_select(struct kernel_host *host, const char *name, struct error *error)
{
    drop_parameters(host);
    release_kernel(host);
    cl_int status = CL_SUCCESS;
    host->kernel = host->cl.clCreateKernel(host->program, name, &status);
    if (host->kernel == NULL) {
        return status == CL_INVALID_KERNEL_NAME
                   ? error_set(error, STATUS_NOT_FOUND, "the program has no kernel '%s'; it has %s",
                               name, host->kernel_names)
                   : failed(error, "clCreateKernel", status);
    }
    cl_uint count = 0;
    status = host->cl.clGetKernelInfo(host->kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
    if (status != CL_SUCCESS) {
        return failed(error, "clGetKernelInfo", status);
    }
    host->parameters = alloc_zero(count, sizeof *host->parameters);
    if (host->parameters == NULL) {
        return error_no_memory(error, count * sizeof *host->parameters);
    }
    host->parameter_count = count;
    for (cl_uint i = 0; i < count; i++) {
        struct kernel_parameter *parameter = &host->parameters[i];
        parameter->name = argument_string(host, i, CL_KERNEL_ARG_NAME);
        parameter->type_name = argument_string(host, i, CL_KERNEL_ARG_TYPE_NAME);
        if (parameter->name == NULL || parameter->type_name == NULL) {
            return error_no_memory(error, 0);
        }
        parameter->kind = parameter_kind(host, i, parameter->type_name);
    }
    return STATUS_OK;
}

size_t kernel_host_parameter_count(const struct kernel_host *host)
{
    return host->parameter_count;
}

const struct kernel_parameter *kernel_host_parameter(const struct kernel_host *host, size_t index)
{
    return &host->parameters[index];
}

/* ---- a run ---- */

/* Writes or reads all levels of an image, one after the other. */
static cl_int move_levels(struct kernel_host *host, cl_mem mem,
                          const struct kernel_argument *argument, bool writes, uint8_t *bytes)
{
    const struct kernel_image *image = &argument->image;
    cl_int status = CL_SUCCESS;
    for (uint32_t level = 0; status == CL_SUCCESS && (level == 0 || level < image->levels);
         level++) {
        size_t region[3];
        size_t origin[4] = {0};
        origin[image->coordinates] = level;
        kernel_image_level(image, level, region);
        status = writes ? host->cl.clEnqueueWriteImage(host->queue, mem, CL_TRUE, origin, region, 0,
                                                       0, bytes, 0, NULL, NULL)
                        : host->cl.clEnqueueReadImage(host->queue, mem, CL_TRUE, origin, region, 0,
                                                      0, bytes, 0, NULL, NULL);
        bytes += region[0] * region[1] * region[2] * kernel_type_size(argument->type);
    }
    return status;
}

static cl_mem make_image(struct kernel_host *host, const struct kernel_argument *argument,
                         cl_mem_flags flags, cl_int *status)
{
    const struct kernel_image *image = &argument->image;
    const bool layers_second = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    const cl_image_desc description = {
        .image_type = image->type,
        .image_width = image->size[0],
        .image_height = layers_second ? 1 : image->size[1],
        .image_depth = image->size[2],
        .image_array_size = layers_second ? image->size[1] : image->size[2],
        .num_mip_levels = image->levels,
    };
    if (image->levels < 2) {
        return host->cl.clCreateImage(host->context, flags, &image->format, &description,
                                      argument->bytes, status);
    }
    cl_mem made = host->cl.clCreateImage(host->context, flags & ~(cl_mem_flags)CL_MEM_COPY_HOST_PTR,
                                         &image->format, &description, NULL, status);
    if (made != NULL && argument->bytes != NULL) {
        *status = move_levels(host, made, argument, true, argument->bytes);
    }
    if (made != NULL && *status != CL_SUCCESS) {
        host->cl.clReleaseMemObject(made);
        made = NULL;
    }
    return made;
}

static enum status make_memory(struct kernel_host *host, const struct kernel_argument *argument,
                               cl_mem *buffer, struct error *error)
{
    const bool image = argument->kind == KERNEL_ARGUMENT_IMAGE;
    cl_mem_flags flags = argument->read_only    ? CL_MEM_READ_ONLY
                         : argument->write_only ? CL_MEM_WRITE_ONLY
                                                : CL_MEM_READ_WRITE;
    if (argument->bytes != NULL) {
        flags |= CL_MEM_COPY_HOST_PTR;
    }
    cl_int status = CL_SUCCESS;
    *buffer = image                 ? make_image(host, argument, flags, &status)
              : argument->size == 0 ? host->reference.create_empty(host->context)
                                    : host->cl.clCreateBuffer(host->context, flags, argument->size,
                                                              argument->bytes, &status);
    return *buffer != NULL
               ? STATUS_OK
               : failed_for(error, argument, image ? "clCreateImage" : "clCreateBuffer", status);
}

/* Only a kernel can put packets into a pipe: one work-item of it keeps their order. */
static const char fill_source[] = "kernel void fill(global const PACKET *from, ulong count,\n"
                                  "                 write_only pipe PACKET to)\n"
                                  "{\n"
                                  "    for (ulong i = 0; i < count; i++)\n"
                                  "        write_pipe(to, from + i);\n"
                                  "}\n";

static cl_int run_fill(struct kernel_host *host, cl_kernel kernel, cl_mem from, uint64_t count,
                       cl_mem pipe)
{
    const struct entry_points *cl = &host->cl;
    const size_t one = 1;
    const struct {
        size_t size;
        const void *value;
    } arguments[] = {{sizeof from, &from}, {sizeof count, &count}, {sizeof(cl_mem), &pipe}};
    cl_int status = CL_SUCCESS;
    for (cl_uint i = 0; status == CL_SUCCESS && i < 3; i++) {
        status = cl->clSetKernelArg(kernel, i, arguments[i].size, arguments[i].value);
    }
    if (status == CL_SUCCESS) {
        status =
            cl->clEnqueueNDRangeKernel(host->queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL);
    }
    return status == CL_SUCCESS ? cl->clFinish(host->queue) : status;
}

static cl_int fill_pipe(struct kernel_host *host, const struct kernel_argument *argument,
                        cl_mem pipe)
{
    const struct entry_points *cl = &host->cl;
    const char *source = fill_source;
    char options[64];
    char components[12] = "";
    if (argument->type.components > 1) {
        snprintf(components, sizeof components, "%u", argument->type.components);
    }
    snprintf(options, sizeof options, "-cl-std=CL3.0 -DPACKET=%s%s", argument->type.scalar->name,
             components);
    cl_int status = CL_SUCCESS;
    cl_kernel kernel = NULL;
    cl_mem from = cl->clCreateBuffer(host->context, CL_MEM_COPY_HOST_PTR, argument->size,
                                     argument->bytes, &status);
    cl_program program =
        from == NULL ? NULL
                     : cl->clCreateProgramWithSource(host->context, 1, &source, NULL, &status);
    if (program != NULL) {
        status = cl->clBuildProgram(program, 1, &host->reference.device, options, NULL, NULL);
    }
    if (status == CL_SUCCESS) {
        kernel = cl->clCreateKernel(program, "fill", &status);
    }
    if (kernel != NULL) {
        host->reference.set_exploring(NULL);
        status = run_fill(host, kernel, from, argument->count, pipe);
        host->reference.set_exploring(host->exploring);
        cl->clReleaseKernel(kernel);
    }
    if (program != NULL) {
        cl->clReleaseProgram(program);
    }
    if (from != NULL) {
        cl->clReleaseMemObject(from);
    }
    return status;
}

static enum status make_pipe(struct kernel_host *host, const struct kernel_argument *argument,
                             cl_mem *pipe, struct error *error)
{
    cl_int status = CL_INVALID_PIPE_SIZE;
    if (argument->count <= UINT32_MAX) {
        *pipe = host->cl.clCreatePipe(host->context, 0, kernel_type_size(argument->type),
                                      (cl_uint)argument->count, NULL, &status);
    }
    if (*pipe != NULL && argument->bytes != NULL) {
        status = fill_pipe(host, argument, *pipe);
    }
    return status == CL_SUCCESS ? STATUS_OK : failed_for(error, argument, "making a pipe", status);
}

/* The kernel keeps the sampler. */
static cl_int set_sampler(struct kernel_host *host, size_t index,
                          const struct kernel_sampler *wanted)
{
    const cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                                wanted->normalised,
                                                CL_SAMPLER_ADDRESSING_MODE,
                                                wanted->addressing,
                                                CL_SAMPLER_FILTER_MODE,
                                                wanted->filter,
                                                CL_SAMPLER_MIP_FILTER_MODE_KHR,
                                                wanted->level_filter,
                                                0};
    cl_int status = CL_SUCCESS;
    cl_sampler sampler = host->cl.clCreateSamplerWithProperties(host->context, properties, &status);
    if (sampler == NULL) {
        return status;
    }
    status = host->cl.clSetKernelArg(host->kernel, (cl_uint)index, sizeof(cl_sampler), &sampler);
    host->cl.clReleaseSampler(sampler);
    return status;
}

/* buffers[index] is what was made for the argument; of one that is null, or the same as another,
 * it stays NULL. */
static enum status set_memory(struct kernel_host *host, size_t index,
                              const struct kernel_argument *argument, cl_mem *buffers,
                              cl_int *result, struct error *error)
{
    enum status status = STATUS_OK;
    const cl_mem *given = &buffers[argument->is_same ? argument->same : index];
    if (argument->kind == KERNEL_ARGUMENT_PIPE && !argument->is_same) {
        status = make_pipe(host, argument, &buffers[index], error);
    } else if (!argument->is_same && !argument->is_null) {
        status = make_memory(host, argument, &buffers[index], error);
    }
    if (status == STATUS_OK) {
        *result = host->cl.clSetKernelArg(host->kernel, (cl_uint)index, sizeof *given,
                                          argument->is_null ? NULL : given);
    }
    return status;
}

size_t kernel_host_value_size(const struct kernel_host *host, size_t index)
{
    size_t most = 0;
    host->cl.clGetDeviceInfo(host->reference.device, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof most,
                             &most, NULL);
    void *zeroes = alloc_zero(most, 1);
    size_t size = zeroes != NULL ? 1 : most + 1;
    while (size <= most && host->cl.clSetKernelArg(host->kernel, (cl_uint)index, size, zeroes) ==
                               CL_INVALID_ARG_SIZE) {
        size++;
    }
    alloc_free(zeroes);
    return size <= most ? size : 0;
}

static enum status wrong_size(const struct kernel_host *host, size_t index,
                              const struct kernel_argument *argument, struct error *error)
{
    const char *const type_name = host->parameters[index].type_name;
    const bool named = *type_name != '\0';
    struct text wanted = TEXT_INIT;
    if (argument->kind == KERNEL_ARGUMENT_VALUE) {
        text_format(&wanted, "has %zu", kernel_host_value_size(host, index));
    } else {
        text_append(&wanted, "needs another size");
    }
    const enum status status = error_set(
        error, STATUS_INVALID,
        "-a %s gives %" PRIu64 " bytes, and argument %zu of the kernel%s%s%s %s", argument->text,
        argument->size, index, named ? " (" : "", type_name, named ? ")" : "", wanted.bytes);
    text_release(&wanted);
    return status;
}

static enum status set_argument(struct kernel_host *host, size_t index,
                                const struct kernel_argument *argument, cl_mem *buffers,
                                struct error *error)
{
    cl_int status = CL_SUCCESS;
    enum status made = STATUS_OK;
    switch (argument->kind) {
    case KERNEL_ARGUMENT_SAMPLER:
        status = set_sampler(host, index, &argument->sampler);
        break;
    case KERNEL_ARGUMENT_BUFFER:
    case KERNEL_ARGUMENT_IMAGE:
    case KERNEL_ARGUMENT_PIPE:
        made = set_memory(host, index, argument, buffers, &status, error);
        if (made != STATUS_OK) {
            return made;
        }
        break;
    case KERNEL_ARGUMENT_LOCAL:
        status = host->cl.clSetKernelArg(host->kernel, (cl_uint)index, argument->size, NULL);
        break;
    case KERNEL_ARGUMENT_VALUE:
        status =
            host->cl.clSetKernelArg(host->kernel, (cl_uint)index, argument->size, argument->bytes);
        break;
    case KERNEL_ARGUMENT_UNKNOWN: /* no argument is */
        break;
    }
    return status == CL_SUCCESS            ? STATUS_OK
           : status == CL_INVALID_ARG_SIZE ? wrong_size(host, index, argument, error)
                                           : failed_for(error, argument, "clSetKernelArg", status);
}

static enum status read_memory(struct kernel_host *host, cl_mem buffer,
                               const struct kernel_argument *argument, uint8_t **output,
                               struct error *error)
{
    *output = alloc_zero(argument->size, 1);
    if (*output == NULL) {
        return error_no_memory(error, argument->size);
    }
    if (argument->kind == KERNEL_ARGUMENT_IMAGE) {
        const cl_int read = move_levels(host, buffer, argument, false, *output);
        return read == CL_SUCCESS ? STATUS_OK : failed(error, "clEnqueueReadImage", read);
    }
    const cl_int status = host->cl.clEnqueueReadBuffer(host->queue, buffer, CL_TRUE, 0,
                                                       argument->size, *output, 0, NULL, NULL);
    return status == CL_SUCCESS ? STATUS_OK : failed(error, "clEnqueueReadBuffer", status);
}

static enum status enqueue(struct kernel_host *host, const struct kernel_range *range,
                           int32_t *ended, struct error *error)
{
    cl_event event = NULL;
    cl_int status = host->cl.clEnqueueNDRangeKernel(
        host->queue, host->kernel, range->dimensions, range->offset, range->global,
        range->has_local ? range->local : NULL, 0, NULL, &event);
    if (status == CL_INVALID_WORK_GROUP_SIZE || status == CL_INVALID_WORK_ITEM_SIZE) {
        size_t most = 0;
        host->cl.clGetDeviceInfo(host->reference.device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most,
                                 &most, NULL);
        return error_set(
            error, STATUS_INVALID,
            "the device does not take work-groups of %zu x %zu x %zu (%s): the sizes of --local "
            "must divide those of --global, their product is at most %zu, and a kernel may ask "
            "for sizes of its own",
            range->local[0], range->local[1], range->local[2], api_error_name(status), most);
    }
    if (status != CL_SUCCESS) {
        return failed(error, "clEnqueueNDRangeKernel", status);
    }
    *ended = CL_COMPLETE;
    status = host->cl.clFinish(host->queue);
    if (status == CL_SUCCESS) {
        status = host->cl.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof *ended,
                                         ended, NULL);
    }
    host->cl.clReleaseEvent(event);
    return status == CL_SUCCESS ? STATUS_OK : failed(error, "clFinish", status);
}

enum status kernel_host_run(struct kernel_host *host, const char *schedule,
                            struct sink_meter *meter, const struct kernel_range *range,
                            const struct kernel_argument *arguments, size_t argument_count,
                            uint8_t **outputs, int32_t *ended, struct error *error)
{
    ASSERT(argument_count == host->parameter_count);
    cl_mem *buffers = alloc_zero(argument_count, sizeof(cl_mem));
    if (buffers == NULL) {
        return error_no_memory(error, argument_count * sizeof *buffers);
    }
    enum status status = STATUS_OK;
    if (host->reference.set_option("schedule", schedule) != CL_SUCCESS) {
        status = error_set(error, STATUS_INVALID, "the device knows no schedule '%s'", schedule);
    }
    for (size_t i = 0; status == STATUS_OK && i < argument_count; i++) {
        status = set_argument(host, i, &arguments[i], buffers, error);
    }
    if (status == STATUS_OK) {
        status = connect_debugger(host, error);
    }
    if (status == STATUS_OK) {
        host->reference.set_meter(meter);
        status = enqueue(host, range, ended, error);
        host->reference.set_meter(NULL);
    }
    for (size_t i = 0; outputs != NULL && status == STATUS_OK && i < argument_count; i++) {
        if (buffers[i] != NULL && arguments[i].kind != KERNEL_ARGUMENT_PIPE &&
            arguments[i].size > 0) {
            status = read_memory(host, buffers[i], &arguments[i], &outputs[i], error);
        }
    }
    for (size_t i = 0; i < argument_count; i++) {
        if (buffers[i] != NULL) {
            host->cl.clReleaseMemObject(buffers[i]);
        }
    }
    alloc_free(buffers);
    return status;
}

enum status kernel_host_explore(struct kernel_host *host, const struct sink_exploring *exploring,
                                const struct kernel_range *range,
                                const struct kernel_argument *arguments, size_t argument_count,
                                struct error *error)
{
    int32_t ended;
    host->exploring = exploring;
    host->reference.set_exploring(exploring);
    const enum status status =
        kernel_host_run(host, "asc", NULL, range, arguments, argument_count, NULL, &ended, error);
    host->exploring = NULL;
    host->reference.set_exploring(NULL);
    return status;
}
