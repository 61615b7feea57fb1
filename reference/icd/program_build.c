/* OpenCL API 3.0, chapters 5.8.4 to 5.8.7: building, compiling and linking programs. The work is
 * done on the calling thread, without the lock; with a callback the call answers CL_SUCCESS and the
 * callback comes from its own thread. */
#include "reference/icd/build.h"
#include "reference/icd/build_options.h"
#include "reference/icd/compile.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/executor.h"
#include "reference/icd/link.h"
#include "reference/icd/program.h"
#include "reference/icd/validate.h"
#include "trace/base/alloc.h"

#include <string.h>

typedef void(CL_CALLBACK *notify_function)(cl_program program, void *user_data);

/* What a build makes, until it enters the program. */
struct outcome {
    struct text log;
    uint8_t *binary;
    size_t binary_size;
    cl_program_binary_type type;
    struct sources *sources;
    bool uniform_groups; /* all of its groups are of one size: -cl-uniform-work-group-size */
    struct build *build;
};

/* ---- the steps ---- */

static cl_int check_devices(cl_uint num_devices, const cl_device_id *device_list,
                            notify_function notify, const void *user_data)
{
    if ((num_devices == 0) != (device_list == NULL) || (!notify && user_data))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < num_devices; i++) {
        if (!object_is(device_list[i], OBJECT_DEVICE))
            return CL_INVALID_DEVICE;
    }
    return CL_SUCCESS;
}

/* From here to end_build the program is this thread's. */
static cl_int begin_build(cl_program program)
{
    icd_lock();
    const bool free_to_build = !program->building && program->kernel_count == 0;
    if (free_to_build) {
        object_hold(program);
        program->building = true;
        program->status = CL_BUILD_IN_PROGRESS;
    }
    icd_unlock();
    return free_to_build ? CL_SUCCESS : CL_INVALID_OPERATION;
}

static void end_build(cl_program program, const char *options, struct outcome *outcome, bool ok)
{
    icd_lock();
    program_clear_build(program);
    program->options = options ? alloc_string(options) : NULL;
    program->log = text_detach(&outcome->log);
    program->status = ok ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    if (outcome->sources) {
        sources_drop(program->sources);
        program->sources = outcome->sources;
    }
    program->uniform_groups = outcome->uniform_groups;
    program->build = outcome->build;
    if (program->build)
        program->build->uniform_groups = outcome->uniform_groups;
    if (outcome->binary) {
        alloc_free(program->binary);
        program->binary = outcome->binary;
        program->binary_size = outcome->binary_size;
        program->binary_type = outcome->type;
    } else if (program->origin != PROGRAM_BINARY) {
        program->binary_type = CL_PROGRAM_BINARY_TYPE_NONE;
    }
    program->building = false;
    icd_changed();
    object_drop(program);
    icd_unlock();
}

static void discard(struct outcome *outcome)
{
    alloc_free(outcome->binary);
    sources_drop(outcome->sources);
    outcome->binary = NULL;
    outcome->sources = NULL;
}

static enum status take_spirv(struct outcome *outcome, uint8_t *spirv, size_t size)
{
    if (!spirv) {
        text_append(&outcome->log, "error: out of memory\n");
        return STATUS_NO_MEMORY;
    }
    outcome->binary = spirv;
    outcome->binary_size = size;
    return validate_spirv(spirv, size, &outcome->log);
}

/* The program's SPIR-V, from whatever it was made of. */
static enum status make_spirv(cl_program program, const struct build_options *options,
                              const struct compile_header *headers, size_t header_count,
                              struct outcome *outcome)
{
    if (program->origin == PROGRAM_IL)
        return take_spirv(outcome,
                          validate_specialise(program->il, program->il_size,
                                              program->spec_constants,
                                              program->spec_constant_count),
                          program->il_size);
    if (program->origin != PROGRAM_SOURCE) {
        outcome->sources = sources_retain(program->sources);
        return take_spirv(outcome,
                          validate_specialise(program->binary, program->binary_size, NULL, 0),
                          program->binary_size);
    }
    const struct compile_request request = {.source = program->source,
                                            .source_size = program->source_size,
                                            .options = options,
                                            .headers = headers,
                                            .header_count = header_count};
    struct compile_result result;
    const enum status status = compile_source(&request, &outcome->log, &result);
    if (status == STATUS_OK) {
        outcome->binary = result.spirv;
        outcome->binary_size = result.spirv_size;
        outcome->sources = result.sources;
    }
    return status;
}

/* Tells the end of a build that the application does not wait for. */
static cl_int answer(cl_program program, notify_function notify, void *user_data, cl_int result)
{
    if (!notify)
        return result;
    icd_lock();
    callbacks_add((object_function *)notify, OBJECT_PROGRAM, program, user_data);
    icd_unlock();
    return CL_SUCCESS;
}

/* ---- clBuildProgram ---- */

cl_int icd_clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                          const char *options, notify_function pfn_notify, void *user_data)
{
    if (!object_is(program, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    cl_int result = check_devices(num_devices, device_list, pfn_notify, user_data);
    if (result == CL_SUCCESS)
        result = program->origin == PROGRAM_LINKED ? CL_INVALID_OPERATION : begin_build(program);
    if (result != CL_SUCCESS)
        return result;
    struct arena arena = {0};
    struct build_options parsed = {0};
    struct outcome outcome = {.log = TEXT_INIT, .type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE};
    enum status status = STATUS_NO_MEMORY;
    if (!build_options_parse(options, &arena, &parsed)) {
        result = CL_OUT_OF_HOST_MEMORY;
    } else if (parsed.problem) {
        text_format(&outcome.log, "error: build options: %s\n", parsed.problem);
        result = CL_INVALID_BUILD_OPTIONS;
    } else {
        outcome.uniform_groups = parsed.uniform_groups;
        status = make_spirv(program, &parsed, NULL, 0, &outcome);
        if (status == STATUS_OK)
            status = build_create(outcome.binary, outcome.binary_size, outcome.sources,
                                  &outcome.log, &outcome.build);
        if (status != STATUS_OK)
            result = CL_BUILD_PROGRAM_FAILURE;
    }
    if (status != STATUS_OK)
        discard(&outcome);
    end_build(program, options, &outcome, status == STATUS_OK);
    arena_release(&arena);
    return result == CL_INVALID_BUILD_OPTIONS ? result
                                              : answer(program, pfn_notify, user_data, result);
}

/* ---- clCompileProgram ---- */

static cl_int check_headers(cl_uint count, const cl_program *headers, const char **names)
{
    if ((count == 0) != (headers == NULL) || (count == 0) != (names == NULL))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!object_is(headers[i], OBJECT_PROGRAM))
            return CL_INVALID_PROGRAM;
        if (headers[i]->origin != PROGRAM_SOURCE)
            return CL_INVALID_OPERATION;
        if (!names[i])
            return CL_INVALID_VALUE;
    }
    return CL_SUCCESS;
}

static struct compile_header *gather_headers(cl_uint count, const cl_program *headers,
                                             const char **names, struct arena *arena)
{
    struct compile_header *list = arena_alloc(arena, count + 1, sizeof(*list));
    for (cl_uint i = 0; list && i < count; i++)
        list[i] = (struct compile_header){
            .name = names[i], .text = headers[i]->source, .size = headers[i]->source_size};
    return list;
}

cl_int icd_clCompileProgram(cl_program program, cl_uint num_devices,
                            const cl_device_id *device_list, const char *options,
                            cl_uint num_input_headers, const cl_program *input_headers,
                            const char **header_include_names, notify_function pfn_notify,
                            void *user_data)
{
    if (!object_is(program, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    cl_int result = check_devices(num_devices, device_list, pfn_notify, user_data);
    if (result == CL_SUCCESS)
        result = check_headers(num_input_headers, input_headers, header_include_names);
    if (result == CL_SUCCESS)
        result = program->origin == PROGRAM_SOURCE || program->origin == PROGRAM_IL
                     ? begin_build(program)
                     : CL_INVALID_OPERATION;
    if (result != CL_SUCCESS)
        return result;
    struct arena arena = {0};
    struct build_options parsed = {0};
    struct outcome outcome = {.log = TEXT_INIT, .type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT};
    enum status status = STATUS_NO_MEMORY;
    const struct compile_header *headers =
        gather_headers(num_input_headers, input_headers, header_include_names, &arena);
    if (!headers || !build_options_parse(options, &arena, &parsed)) {
        result = CL_OUT_OF_HOST_MEMORY;
    } else if (parsed.problem) {
        text_format(&outcome.log, "error: compiler options: %s\n", parsed.problem);
        result = CL_INVALID_COMPILER_OPTIONS;
    } else {
        outcome.uniform_groups = parsed.uniform_groups;
        status = make_spirv(program, &parsed, headers, num_input_headers, &outcome);
        if (status != STATUS_OK)
            result = CL_COMPILE_PROGRAM_FAILURE;
    }
    if (status != STATUS_OK)
        discard(&outcome);
    end_build(program, options, &outcome, status == STATUS_OK);
    arena_release(&arena);
    return result == CL_INVALID_COMPILER_OPTIONS ? result
                                                 : answer(program, pfn_notify, user_data, result);
}

/* ---- clLinkProgram ---- */

static cl_int check_inputs(cl_context context, cl_uint count, const cl_program *programs)
{
    if (count == 0 || !programs)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!object_is(programs[i], OBJECT_PROGRAM))
            return CL_INVALID_PROGRAM;
    }
    for (cl_uint i = 0; i < count; i++) {
        if (programs[i]->context != context)
            return CL_INVALID_CONTEXT;
        icd_lock();
        const bool linkable = !programs[i]->building && programs[i]->binary &&
                              (programs[i]->binary_type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
                               programs[i]->binary_type == CL_PROGRAM_BINARY_TYPE_LIBRARY);
        icd_unlock();
        if (!linkable)
            return CL_INVALID_OPERATION;
    }
    return CL_SUCCESS;
}

/* Copies of the inputs' SPIR-V, and the source text if only one of them has any: two have the same
 * name, "<source>", and lines of the one must not be shown as the other's. spirv-link gives the
 * lines of all modules but the first file names of other things, so these go without. Locked. */
static struct link_input *gather_inputs(cl_uint count, const cl_program *programs,
                                        struct arena *arena, struct outcome *outcome)
{
    struct link_input *inputs = arena_alloc(arena, count, sizeof(*inputs));
    struct sources *only = NULL;
    size_t with_sources = 0;
    for (cl_uint i = 0; inputs && i < count; i++) {
        void *copy = arena_copy(arena, programs[i]->binary, programs[i]->binary_size);
        if (!copy)
            return NULL;
        inputs[i].bytes = copy;
        inputs[i].size = i == 0 ? programs[i]->binary_size
                                : validate_strip_lines(copy, programs[i]->binary_size);
        outcome->uniform_groups |= programs[i]->uniform_groups;
        if (programs[i]->sources) {
            only = programs[i]->sources;
            with_sources++;
        }
    }
    if (with_sources == 1)
        outcome->sources = sources_retain(only);
    return inputs;
}

static enum status link_all(cl_uint count, const cl_program *programs, bool library,
                            struct arena *arena, struct outcome *outcome)
{
    icd_lock();
    const struct link_input *inputs = gather_inputs(count, programs, arena, outcome);
    icd_unlock();
    if (!inputs) {
        text_append(&outcome->log, "error: out of memory\n");
        return STATUS_NO_MEMORY;
    }
    enum status status =
        link_spirv(inputs, count, library, &outcome->log, &outcome->binary, &outcome->binary_size);
    if (status == STATUS_OK && !library)
        status = build_create(outcome->binary, outcome->binary_size, outcome->sources,
                              &outcome->log, &outcome->build);
    return status;
}

static cl_program refuse(cl_int code, cl_int *errcode_ret)
{
    if (errcode_ret)
        *errcode_ret = code;
    return NULL;
}

cl_program icd_clLinkProgram(cl_context context, cl_uint num_devices,
                             const cl_device_id *device_list, const char *options,
                             cl_uint num_input_programs, const cl_program *input_programs,
                             notify_function pfn_notify, void *user_data, cl_int *errcode_ret)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return refuse(CL_INVALID_CONTEXT, errcode_ret);
    cl_int result = check_devices(num_devices, device_list, pfn_notify, user_data);
    if (result == CL_SUCCESS)
        result = check_inputs(context, num_input_programs, input_programs);
    if (result != CL_SUCCESS)
        return refuse(result, errcode_ret);
    struct arena arena = {0};
    struct build_options parsed = {0};
    cl_program program = NULL;
    if (!link_options_parse(options, &arena, &parsed))
        result = CL_OUT_OF_HOST_MEMORY;
    else if (parsed.problem)
        result = CL_INVALID_LINKER_OPTIONS;
    else if (!(program = program_create(context, PROGRAM_LINKED)))
        result = CL_OUT_OF_HOST_MEMORY;
    if (program && begin_build(program) == CL_SUCCESS) {
        struct outcome outcome = {.log = TEXT_INIT,
                                  .type = parsed.create_library
                                              ? CL_PROGRAM_BINARY_TYPE_LIBRARY
                                              : CL_PROGRAM_BINARY_TYPE_EXECUTABLE};
        const enum status status =
            link_all(num_input_programs, input_programs, parsed.create_library, &arena, &outcome);
        if (status != STATUS_OK) {
            discard(&outcome);
            result = CL_LINK_PROGRAM_FAILURE;
        }
        end_build(program, options, &outcome, status == STATUS_OK);
        result = answer(program, pfn_notify, user_data, result);
    }
    arena_release(&arena);
    if (errcode_ret)
        *errcode_ret = result;
    return program;
}
