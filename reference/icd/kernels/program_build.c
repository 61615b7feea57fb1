/* OpenCL API 3.0, chapters 5.8.4 to 5.8.7: building, compiling and linking programs. The work is
 * done on the calling thread, without the lock; with a callback the call answers CL_SUCCESS and the
 * callback comes from its own thread. */
#include "reference/compiler/build_options.h"
#include "reference/compiler/compile.h"
#include "reference/compiler/take.h"
#include "reference/icd/commands/executor.h"
#include "reference/icd/debugging.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/kernels/build.h"
#include "reference/icd/kernels/program.h"
#include "reference/limits/limits.h"
#include "trace/base/alloc.h"

#include <string.h>

typedef void(CL_CALLBACK *notify_function)(cl_program program, void *user_data);

/* What a build makes for one device, until it enters the program. */
struct outcome {
    struct text log;
    size_t compiler_log_size; /* what stood there when the SPIR-V was made */
    uint8_t *binary, *debug;  /* `debug`: as compile_result has it, for this build alone */
    size_t binary_size, debug_size;
    cl_program_binary_type type;
    struct sources *sources;
    bool linked;         /* of several programs */
    bool uniform_groups; /* all of its groups are of one size: -cl-uniform-work-group-size */
    struct build *build;
};

/* One build of a program: the devices that it is for. `outcomes` runs parallel to the program's
 * devices; `wanted` says which of them are meant. */
struct task {
    cl_program program;
    bool *wanted;
    struct outcome *outcomes;
    bool failed; /* for at least one device */
};

/* ---- the steps ---- */

/* Checks the devices that a call names against those it may name. */
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

static void task_release(struct task *task)
{
    alloc_free(task->wanted);
    alloc_free(task->outcomes);
}

/* Which devices; none named means all. */
static cl_int task_init(struct task *task, cl_program program, cl_uint num_devices,
                        const cl_device_id *device_list, cl_program_binary_type type)
{
    const size_t count = program->device_count;
    *task = (struct task){.program = program,
                          .wanted = alloc_zero(count, sizeof(*task->wanted)),
                          .outcomes = alloc_zero(count, sizeof(*task->outcomes))};
    cl_int result = task->wanted && task->outcomes ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < count && result == CL_SUCCESS; i++) {
        task->wanted[i] = num_devices == 0;
        task->outcomes[i] = (struct outcome){.log = TEXT_INIT, .type = type};
    }
    for (cl_uint i = 0; i < num_devices && result == CL_SUCCESS; i++) {
        const struct program_device *on = program_find_device(program, device_list[i]);
        if (on)
            task->wanted[on - program->devices] = true;
        else
            result = CL_INVALID_DEVICE;
    }
    if (result != CL_SUCCESS)
        task_release(task);
    return result;
}

/* From here to task_end the program is this thread's. */
static cl_int task_begin(struct task *task)
{
    cl_program program = task->program;
    icd_lock();
    const bool free_to_build = !program->building && program->kernel_count == 0;
    if (free_to_build) {
        object_hold(program);
        program->building = true;
        for (size_t i = 0; i < program->device_count; i++) {
            if (task->wanted[i])
                program->devices[i].status = CL_BUILD_IN_PROGRESS;
        }
    }
    icd_unlock();
    if (!free_to_build)
        task_release(task);
    return free_to_build ? CL_SUCCESS : CL_INVALID_OPERATION;
}

/* Locked. */
static void enter(cl_program program, struct program_device *on, const char *options,
                  struct outcome *outcome, bool ok)
{
    program_clear_build(program, on);
    on->options = options ? alloc_string(options) : NULL;
    on->log = text_detach(&outcome->log);
    on->status = ok ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    if (outcome->sources) {
        sources_drop(on->sources);
        on->sources = outcome->sources;
    }
    on->uniform_groups = outcome->uniform_groups;
    on->build = outcome->build;
    if (on->build)
        on->build->uniform_groups = outcome->uniform_groups;
    if (outcome->binary) {
        alloc_free(on->binary);
        on->binary = outcome->binary;
        on->binary_size = outcome->binary_size;
        on->binary_type = outcome->type;
    } else if (program->origin != PROGRAM_BINARY) {
        on->binary_type = CL_PROGRAM_BINARY_TYPE_NONE;
    }
}

/* After a failure only the log enters the program. */
static void discard(struct outcome *outcome)
{
    alloc_free(outcome->binary);
    sources_drop(outcome->sources);
    outcome->binary = NULL;
    outcome->sources = NULL;
}

static void task_end(struct task *task, const char *options)
{
    cl_program program = task->program;
    icd_lock();
    for (size_t i = 0; i < program->device_count; i++) {
        struct outcome *outcome = &task->outcomes[i];
        if (!task->wanted[i])
            continue;
        const bool ok = outcome->binary != NULL;
        enter(program, &program->devices[i], options, outcome, ok);
        task->failed |= !ok;
    }
    for (size_t i = 0; i < program->device_count; i++)
        alloc_free(task->outcomes[i].debug);
    program->building = false;
    icd_changed();
    object_drop(program);
    icd_unlock();
    task_release(task);
}

/* One sentence for each device's log, which is all that the build does. */
static void task_refuse(struct task *task, const char *what, const char *problem)
{
    for (size_t i = 0; i < task->program->device_count; i++)
        text_format(&task->outcomes[i].log, "error: %s: %s\n", what, problem);
}

/* What another device has made of the same text, which is the same for all. */
static enum status take_outcome(const struct outcome *other, struct outcome *outcome)
{
    text_append_n(&outcome->log, other->log.bytes,
                  other->binary ? other->compiler_log_size : other->log.size);
    outcome->binary = other->binary ? alloc(other->binary_size) : NULL;
    if (!outcome->binary)
        return other->binary ? STATUS_NO_MEMORY : STATUS_UNSUPPORTED;
    memcpy(outcome->binary, other->binary, other->binary_size);
    outcome->binary_size = other->binary_size;
    if (other->debug) {
        outcome->debug = alloc(other->debug_size);
        outcome->debug_size = outcome->debug ? other->debug_size : 0;
    }
    if (outcome->debug)
        memcpy(outcome->debug, other->debug, other->debug_size);
    outcome->sources = sources_retain(other->sources);
    return STATUS_OK;
}

/* The program's SPIR-V for one device, from whatever it was made of. */
static enum status make_spirv(cl_program program, const struct program_device *on,
                              const struct build_options *options,
                              const struct compile_header *headers, size_t header_count,
                              bool executable, struct outcome *outcome)
{
    struct take_request given = {.bytes = on->binary, .size = on->binary_size};
    if (program->origin == PROGRAM_IL)
        given = (struct take_request){.bytes = program->il,
                                      .size = program->il_size,
                                      .constants = program->spec_constants,
                                      .constant_count = program->spec_constant_count};
    else if (program->origin != PROGRAM_SOURCE)
        outcome->sources = sources_retain(on->sources);
    if (program->origin != PROGRAM_SOURCE) {
        const enum status taken =
            take_spirv(&given, &outcome->log, &outcome->binary, &outcome->binary_size);
        if (taken == STATUS_OK && debugging_is_on())
            outcome->debug = take_debug_info(&given, outcome->binary, &outcome->binary_size,
                                             &outcome->debug_size);
        return taken;
    }
    const struct compile_request request = {.source = program->source,
                                            .source_size = program->source_size,
                                            .options = options,
                                            .headers = headers,
                                            .header_count = header_count,
                                            .to_be_linked = !executable,
                                            .debugging = debugging_is_on()};
    struct compile_result result;
    const enum status status = compile_source(&request, &outcome->log, &result);
    if (status == STATUS_OK) {
        outcome->binary = result.spirv;
        outcome->binary_size = result.spirv_size;
        outcome->sources = result.sources;
        outcome->debug = result.debug;
        outcome->debug_size = result.debug_size;
    }
    return status;
}

static enum status outcome_build(struct outcome *outcome)
{
    const struct build_request request = {.spirv = outcome->binary,
                                          .size = outcome->binary_size,
                                          .sources = outcome->sources,
                                          .debug = outcome->debug,
                                          .debug_size = outcome->debug_size,
                                          .linked = outcome->linked};
    return build_create(&request, &outcome->log, &outcome->build);
}

/* SPIR-V for every wanted device, and executables if `executable`. */
static void task_run(struct task *task, const struct build_options *options,
                     const struct compile_header *headers, size_t header_count, bool executable)
{
    cl_program program = task->program;
    const struct outcome *made = NULL; /* for the first device */
    for (size_t i = 0; i < program->device_count; i++) {
        struct outcome *outcome = &task->outcomes[i];
        if (!task->wanted[i])
            continue;
        outcome->uniform_groups = options->uniform_groups;
        const bool same = made && program->origin != PROGRAM_BINARY;
        enum status status = same ? take_outcome(made, outcome)
                                  : make_spirv(program, &program->devices[i], options, headers,
                                               header_count, executable, outcome);
        outcome->compiler_log_size = outcome->log.size;
        if (status == STATUS_OK && executable)
            status = outcome_build(outcome);
        if (status != STATUS_OK)
            discard(outcome);
        made = outcome;
    }
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

/* ---- clBuildProgram, clCompileProgram ---- */

/* What is made of a program, and how that fails. */
static const struct making {
    bool executable;
    cl_program_binary_type type;
    const char *options; /* what they are called */
    cl_int invalid_options, failure;
} building = {true, CL_PROGRAM_BINARY_TYPE_EXECUTABLE, "build options", CL_INVALID_BUILD_OPTIONS,
              CL_BUILD_PROGRAM_FAILURE},
  compiling = {false, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, "compiler options",
               CL_INVALID_COMPILER_OPTIONS, CL_COMPILE_PROGRAM_FAILURE};

static cl_int make(const struct making *making, cl_program program, cl_uint num_devices,
                   const cl_device_id *device_list, const char *options,
                   const struct compile_header *headers, size_t header_count,
                   notify_function notify, void *user_data)
{
    struct task task;
    cl_int result = task_init(&task, program, num_devices, device_list, making->type);
    if (result == CL_SUCCESS)
        result = task_begin(&task);
    if (result != CL_SUCCESS)
        return result;
    struct arena arena = {0};
    struct build_options parsed = {0};
    if (!build_options_parse(options, &arena, &parsed)) {
        result = CL_OUT_OF_HOST_MEMORY;
    } else if (parsed.problem) {
        task_refuse(&task, making->options, parsed.problem);
        result = making->invalid_options;
    } else {
        task_run(&task, &parsed, headers, header_count, making->executable);
    }
    task_end(&task, options);
    if (result == CL_SUCCESS && task.failed)
        result = making->failure;
    arena_release(&arena);
    return result == making->invalid_options ? result : answer(program, notify, user_data, result);
}

cl_int icd_clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                          const char *options, notify_function pfn_notify, void *user_data)
{
    if (!object_is(program, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    const cl_int checked = check_devices(num_devices, device_list, pfn_notify, user_data);
    if (checked != CL_SUCCESS)
        return checked;
    if (program->origin == PROGRAM_LINKED || program->origin == PROGRAM_BUILT_IN)
        return CL_INVALID_OPERATION;
    return program_lacks_compiler(program) ? CL_COMPILER_NOT_AVAILABLE
                                           : make(&building, program, num_devices, device_list,
                                                  options, NULL, 0, pfn_notify, user_data);
}

static cl_int check_headers(cl_context context, cl_uint count, const cl_program *headers,
                            const char **names)
{
    if ((count == 0) != (headers == NULL) || (count == 0) != (names == NULL))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!object_is(headers[i], OBJECT_PROGRAM))
            return CL_INVALID_PROGRAM;
        if (headers[i]->context != context)
            return CL_INVALID_CONTEXT;
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
        result =
            check_headers(program->context, num_input_headers, input_headers, header_include_names);
    if (result == CL_SUCCESS && program->origin != PROGRAM_SOURCE && program->origin != PROGRAM_IL)
        result = CL_INVALID_OPERATION;
    if (result == CL_SUCCESS && program_lacks_compiler(program))
        result = CL_COMPILER_NOT_AVAILABLE;
    if (result != CL_SUCCESS)
        return result;
    struct arena arena = {0};
    const struct compile_header *headers =
        gather_headers(num_input_headers, input_headers, header_include_names, &arena);
    result = headers ? make(&compiling, program, num_devices, device_list, options, headers,
                            num_input_headers, pfn_notify, user_data)
                     : CL_OUT_OF_HOST_MEMORY;
    arena_release(&arena);
    return result;
}

/* ---- clLinkProgram ---- */

static bool is_linkable(cl_program program, cl_device_id device)
{
    const struct program_device *on = program_find_device(program, device);
    return on && on->binary &&
           (on->binary_type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
            on->binary_type == CL_PROGRAM_BINARY_TYPE_LIBRARY);
}

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
    }
    return CL_SUCCESS;
}

/* 5.8.5, for each device: "All programs specified by input_programs contain a compiled binary or
 * library for the device. In this case, a link is performed", or none contains one and "no link is
 * performed"; "All other cases will return a CL_INVALID_OPERATION error", as does nothing to link.
 */
static cl_int check_linkable(struct task *task, cl_uint count, const cl_program *programs)
{
    bool any = false, mixed = false;
    icd_lock();
    for (cl_uint i = 0; i < count; i++)
        mixed |= programs[i]->building;
    for (size_t d = 0; d < task->program->device_count; d++) {
        cl_uint linkable = 0;
        for (cl_uint i = 0; i < count; i++)
            linkable += is_linkable(programs[i], task->program->devices[d].device);
        task->wanted[d] = linkable == count;
        any |= linkable == count;
        mixed |= linkable != 0 && linkable != count;
    }
    icd_unlock();
    return any && !mixed ? CL_SUCCESS : CL_INVALID_OPERATION;
}

/* Copies of the inputs' SPIR-V, and holds of their sources. Locked. */
static struct link_input *gather_inputs(cl_uint count, const cl_program *programs,
                                        cl_device_id device, struct arena *arena,
                                        struct outcome *outcome)
{
    struct link_input *inputs = arena_alloc(arena, count, sizeof(*inputs));
    bool complete = inputs != NULL;
    for (cl_uint i = 0; complete && i < count; i++) {
        const struct program_device *on = program_find_device(programs[i], device);
        inputs[i] = (struct link_input){.bytes = arena_copy(arena, on->binary, on->binary_size),
                                        .size = on->binary_size,
                                        .sources = sources_retain(on->sources)};
        outcome->uniform_groups |= on->uniform_groups;
        complete = inputs[i].bytes != NULL;
    }
    for (cl_uint i = 0; inputs && !complete && i < count; i++)
        sources_drop(inputs[i].sources);
    return complete ? inputs : NULL;
}

static enum status link_one(cl_uint count, const cl_program *programs, cl_device_id device,
                            bool library, struct outcome *outcome)
{
    struct arena arena = {0};
    enum status status = STATUS_NO_MEMORY;
    outcome->linked = count > 1;
    icd_lock();
    const struct link_input *inputs = gather_inputs(count, programs, device, &arena, outcome);
    icd_unlock();
    if (inputs)
        status = link_spirv(inputs, count, library, &outcome->log, &outcome->binary,
                            &outcome->binary_size, &outcome->sources);
    else
        text_append(&outcome->log, "error: out of memory\n");
    for (cl_uint i = 0; inputs && i < count; i++)
        sources_drop(inputs[i].sources);
    if (status == STATUS_OK && !library)
        status = outcome_build(outcome);
    arena_release(&arena);
    return status;
}

static void link_all(struct task *task, cl_uint count, const cl_program *programs, bool library)
{
    for (size_t i = 0; i < task->program->device_count; i++) {
        if (task->wanted[i] && link_one(count, programs, task->program->devices[i].device, library,
                                        &task->outcomes[i]) != STATUS_OK)
            discard(&task->outcomes[i]);
    }
}

/* The program and its task; NULL when the call fails. */
static cl_program create_linked(cl_context context, cl_uint num_devices,
                                const cl_device_id *device_list, cl_program_binary_type type,
                                struct task *task, cl_int *result)
{
    cl_program program =
        program_create(context, num_devices > 0 ? device_list : context->devices,
                       num_devices > 0 ? num_devices : context->device_count, PROGRAM_LINKED);
    *result = program ? task_init(task, program, 0, NULL, type) : CL_OUT_OF_HOST_MEMORY;
    if (program && *result != CL_SUCCESS) {
        object_release(program, OBJECT_PROGRAM);
        program = NULL;
    }
    return program;
}

cl_program icd_clLinkProgram(cl_context context, cl_uint num_devices,
                             const cl_device_id *device_list, const char *options,
                             cl_uint num_input_programs, const cl_program *input_programs,
                             notify_function pfn_notify, void *user_data, cl_int *errcode_ret)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return object_refuse(CL_INVALID_CONTEXT, errcode_ret);
    cl_int result = check_devices(num_devices, device_list, pfn_notify, user_data);
    if (result == CL_SUCCESS && !context_has_devices(context, device_list, num_devices))
        result = CL_INVALID_DEVICE;
    if (result == CL_SUCCESS)
        result = check_inputs(context, num_input_programs, input_programs);
    if (result == CL_SUCCESS && limits_personality()->no_linker)
        result = CL_LINKER_NOT_AVAILABLE;
    if (result != CL_SUCCESS)
        return object_refuse(result, errcode_ret);
    struct arena arena = {0};
    struct build_options parsed = {0};
    struct task task;
    cl_program program = NULL;
    if (!link_options_parse(options, &arena, &parsed))
        result = CL_OUT_OF_HOST_MEMORY;
    else if (parsed.problem)
        result = CL_INVALID_LINKER_OPTIONS;
    else
        program = create_linked(context, num_devices, device_list,
                                parsed.create_library ? CL_PROGRAM_BINARY_TYPE_LIBRARY
                                                      : CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
                                &task, &result);
    if (program) {
        result = check_linkable(&task, num_input_programs, input_programs);
        if (result != CL_SUCCESS) {
            task_release(&task);
            object_release(program, OBJECT_PROGRAM);
            program = NULL;
        }
    }
    if (program && task_begin(&task) == CL_SUCCESS) { /* nobody else knows the program */
        link_all(&task, num_input_programs, input_programs, parsed.create_library);
        task_end(&task, options);
        result = answer(program, pfn_notify, user_data,
                        task.failed ? CL_LINK_PROGRAM_FAILURE : CL_SUCCESS);
    }
    arena_release(&arena);
    return object_give(program, result, errcode_ret);
}
