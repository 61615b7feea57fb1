#include "viewer-cli/confirm/reference_launch.h"

#include "checkers/probe/request.h"
#include "trace/api/enumerant.h"
#include "viewer-cli/confirm/reference_arguments.h"
#include "viewer-cli/reference_device.h"

#include <dlfcn.h>
#include <string.h>

/* clang-format off */
#define ENTRY_POINTS(X)                                                                            \
    X(clCreateContext) X(clCreateCommandQueueWithProperties) X(clCreateProgramWithSource)          \
    X(clCreateProgramWithIL) X(clSetProgramSpecializationConstant) X(clBuildProgram)               \
    X(clCompileProgram) X(clLinkProgram) X(clGetProgramBuildInfo) X(clCreateKernel)                \
    X(clEnqueueNDRangeKernel) X(clFinish) X(clGetEventInfo)
/* clang-format on */

/* Nothing is released: the process ends when this has ended. */
struct host {
    struct reference_device reference;
#define DECLARE(name) __typeof__(&name) name;
    ENTRY_POINTS(DECLARE)
#undef DECLARE
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    struct request request; /* what the program is made from */
    struct error *error;
};

static enum status failed(const struct host *host, const char *what, cl_int status)
{
    const char *name = api_error_name(status);
    return error_set(host->error, STATUS_IO, "%s gives %s", what, name ? name : "an error");
}

static void print_nothing(void *user, const char *bytes, size_t size)
{
    (void)user;
    (void)bytes;
    (void)size;
}

static enum status open_device(struct host *host, sink_function *sink, void *user)
{
    cl_int result = CL_SUCCESS;
    const enum status status = reference_device_open(&host->reference, host->error);
    if (status)
        return status;
#define RESOLVE(name)                                                                              \
    *(void **)&host->name = dlsym(host->reference.library, #name);                                 \
    if (!host->name)                                                                               \
        return error_set(host->error, STATUS_NOT_FOUND, REFERENCE_LOADER " has no " #name);
    ENTRY_POINTS(RESOLVE)
#undef RESOLVE
    if (host->reference.set_sink(SINK_VERSION, sink, user) != CL_SUCCESS)
        return error_set(host->error, STATUS_UNSUPPORTED,
                         "the reference device is of another version of clerk");
    host->reference.set_print(print_nothing, NULL);
    host->context = host->clCreateContext(NULL, 1, &host->reference.device, NULL, NULL, &result);
    if (!host->context)
        return failed(host, "clCreateContext", result);
    host->queue = host->clCreateCommandQueueWithProperties(host->context, host->reference.device,
                                                           NULL, &result);
    return host->queue ? STATUS_OK : failed(host, "clCreateCommandQueueWithProperties", result);
}

/* ---- the program ---- */

/* One line of the driver's macros, "#define NAME VALUE", as an option. What it does not define, the
 * reference device does not define either. Features of the language (OpenCL C 3.0, 6.2.1) are what
 * each compiler has. */
static void append_macro(struct text *text, const char *line, size_t length)
{
    static const char define[] = "#define ", feature[] = "__opencl_c_";
    const size_t begin = sizeof define - 1;
    if (length <= begin || strncmp(line, define, begin) != 0)
        return;
    const char *name = line + begin;
    if (strncmp(name, feature, sizeof feature - 1) == 0)
        return;
    const size_t rest = length - begin;
    const char *space = memchr(name, ' ', rest);
    const size_t name_length = space ? (size_t)(space - name) : rest;
    text_append(text, " -D");
    text_append_n(text, name, name_length);
    text_append_char(text, '=');
    if (space)
        text_append_n(text, space + 1, rest - name_length - 1);
}

/* As the driver built it: with what its compiler defines. */
static const char *options_of(struct host *host, const struct request_part *part)
{
    struct text text = TEXT_INIT;
    text_append(&text, part->options);
    for (const char *line = part->is_il ? "" : host->request.device.macros; *line;) {
        const size_t length = strcspn(line, "\n");
        append_macro(&text, line, length);
        line += length + (line[length] == '\n');
    }
    const char *options = text.failed ? NULL : arena_string(&host->request.arena, text.bytes);
    text_release(&text);
    return options;
}

/* The first line of the log that tells of an error goes into the sentence. */
static enum status not_built(const struct host *host, cl_program program)
{
    char log[2048] = "";
    if (!program ||
        host->clGetProgramBuildInfo(program, host->reference.device, CL_PROGRAM_BUILD_LOG,
                                    sizeof log - 1, log, NULL) != CL_SUCCESS)
        log[0] = '\0';
    const char *line = strstr(log, "error");
    while (line && line > log && line[-1] != '\n')
        line--;
    return error_set(host->error, STATUS_UNSUPPORTED, "it cannot build the program%s%.*s",
                     line ? ": " : "", line ? (int)strcspn(line, "\n") : 0, line ? line : "");
}

static cl_program create_of_il(const struct host *host, const struct request_part *part)
{
    cl_int status;
    cl_program program =
        host->clCreateProgramWithIL(host->context, part->bytes, part->size, &status);
    for (size_t i = 0; program && i < part->constant_count; i++)
        host->clSetProgramSpecializationConstant(program, part->constants[i].id,
                                                 part->constants[i].size, part->constants[i].bytes);
    return program;
}

static cl_program create(const struct host *host, const struct request_part *part)
{
    const char *source = part->bytes;
    cl_int status;
    return part->is_il
               ? create_of_il(host, part)
               : host->clCreateProgramWithSource(host->context, 1, &source, &part->size, &status);
}

static cl_program compile(struct host *host, const struct request_part *part)
{
    struct arena *arena = &host->request.arena;
    cl_program *headers = arena_alloc(arena, part->header_count + 1, sizeof(cl_program));
    const char **names = arena_alloc(arena, part->header_count + 1, sizeof *names);
    const char *options = options_of(host, part);
    cl_program program = create(host, part);
    cl_int status;
    if (!headers || !names || !options || !program)
        return NULL;
    for (size_t i = 0; i < part->header_count; i++) {
        names[i] = part->headers[i].name;
        headers[i] = host->clCreateProgramWithSource(host->context, 1, &part->headers[i].text,
                                                     &part->headers[i].size, &status);
    }
    const cl_uint count = (cl_uint)part->header_count;
    if (host->clCompileProgram(program, 1, &host->reference.device, options, count,
                               count ? headers : NULL, count ? names : NULL, NULL,
                               NULL) == CL_SUCCESS)
        return program;
    not_built(host, program);
    return NULL;
}

static enum status link(struct host *host)
{
    const size_t count = host->request.part_count;
    cl_program *parts = arena_alloc(&host->request.arena, count + 1, sizeof(cl_program));
    cl_int status = CL_SUCCESS;
    if (!parts)
        return error_no_memory(host->error, count * sizeof(cl_program));
    not_built(host, NULL);
    for (size_t i = 0; i < count; i++) {
        parts[i] = compile(host, &host->request.parts[i]);
        if (!parts[i])
            return STATUS_UNSUPPORTED;
    }
    host->program = host->clLinkProgram(host->context, 1, &host->reference.device, "",
                                        (cl_uint)count, parts, NULL, NULL, &status);
    return host->program && status == CL_SUCCESS ? STATUS_OK : not_built(host, host->program);
}

static enum status build(struct host *host, const struct captured *captured)
{
    if (!request_unpack(captured->program, captured->program_size, &host->request) ||
        host->request.part_count == 0)
        return error_set(host->error, STATUS_MALFORMED, "the program was not kept whole");
    if (host->request.is_linked)
        return link(host);
    const struct request_part *part = &host->request.parts[0];
    const char *options = options_of(host, part);
    host->program = create(host, part);
    return options && host->program &&
                   host->clBuildProgram(host->program, 1, &host->reference.device, options, NULL,
                                        NULL) == CL_SUCCESS
               ? STATUS_OK
               : not_built(host, host->program);
}

/* ---- the launch ---- */

static enum status set_arguments(const struct host *host, const struct captured *captured)
{
    const struct reference_kernel kernel = {.reference = &host->reference,
                                            .context = host->context,
                                            .queue = host->queue,
                                            .kernel = host->kernel};
    return reference_arguments_set(&kernel, captured, host->error);
}

static enum status run(struct host *host, const struct captured *captured)
{
    cl_event event = NULL;
    cl_int ended = CL_COMPLETE;
    cl_int status = host->clEnqueueNDRangeKernel(
        host->queue, host->kernel, captured->dimensions, captured->offset, captured->global,
        captured->local[0] ? captured->local : NULL, 0, NULL, &event);
    if (status != CL_SUCCESS)
        return failed(host, "clEnqueueNDRangeKernel", status);
    status = host->clFinish(host->queue);
    if (status == CL_SUCCESS)
        status = host->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof ended,
                                      &ended, NULL);
    if (status != CL_SUCCESS || ended != CL_COMPLETE)
        return error_set(host->error, STATUS_IO, "the launch did not come to its end");
    return host->reference.lacks_memory()
               ? error_set(host->error, STATUS_NO_MEMORY, "it got less memory than it needs")
               : STATUS_OK;
}
_Static_assert(sizeof(size_t) == sizeof(uint64_t), "sizes are given as they are");

enum status reference_launch_run(const struct captured *captured, sink_function *sink, void *user,
                                 struct error *error)
{
    struct host host = {.error = error};
    cl_int result = CL_SUCCESS;
    enum status status = open_device(&host, sink, user);
    if (!status)
        status = build(&host, captured);
    if (!status) {
        host.kernel = host.clCreateKernel(host.program, captured->kernel, &result);
        status = host.kernel ? STATUS_OK : failed(&host, "clCreateKernel", result);
    }
    if (!status)
        status = set_arguments(&host, captured);
    return status ? status : run(&host, captured);
}
