/* OpenCL API 3.0, chapters 5.8.1, 5.8.2 and 5.8.9: making programs and asking about them. Building
 * is in program_build.c. */
#include "reference/icd/kernels/program.h"
#include "reference/limits/limits.h"

#include "reference/compiler/binary.h"
#include "reference/compiler/validate.h"
#include "reference/icd/commands/executor.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/info.h"
#include "reference/icd/kernels/build.h"
#include "trace/base/alloc.h"

#include <string.h>

static void destroy(void *handle)
{
    cl_program program = handle;
    for (size_t i = 0; i < program->device_count; i++) {
        struct program_device *on = &program->devices[i];
        program_clear_build(program, on);
        alloc_free(on->binary);
        sources_drop(on->sources);
        object_drop(on->device);
    }
    callbacks_add_destructors(program->destructors, OBJECT_PROGRAM, program);
    alloc_free(program->devices);
    alloc_free(program->source);
    alloc_free(program->il);
    alloc_free(program->spec_constants);
    object_drop(program->context);
}

static uint64_t program_count; /* under the lock */

cl_program program_create(cl_context context, const cl_device_id *devices, size_t count,
                          enum program_origin origin)
{
    cl_program program = object_create(OBJECT_PROGRAM, sizeof(*program), destroy);
    struct program_device *on = alloc_zero(count, sizeof(*on));
    if (!program || !on) {
        object_discard(program);
        alloc_free(on);
        return NULL;
    }
    program->devices = on;
    program->origin = origin;
    program->context = context;
    icd_lock();
    program->number = ++program_count;
    object_hold(context);
    for (size_t i = 0; i < count; i++) {
        if (program_find_device(program, devices[i]))
            continue;
        object_hold(devices[i]);
        on[program->device_count++] =
            (struct program_device){.device = devices[i],
                                    .status = CL_BUILD_NONE,
                                    .binary_type = CL_PROGRAM_BINARY_TYPE_NONE};
    }
    icd_unlock();
    return program;
}

struct program_device *program_find_device(cl_program program, cl_device_id device)
{
    for (size_t i = 0; i < program->device_count; i++) {
        if (program->devices[i].device == device)
            return &program->devices[i];
    }
    return NULL;
}

/* 5.8.9: "If a program binary has not been built for a sub-device, the program binary associated
 * with the parent device will be used." */
static const struct program_device *used_on(cl_program program, cl_device_id device)
{
    const struct program_device *own = program_find_device(program, device);
    for (cl_device_id parent = device->parent; own->status == CL_BUILD_NONE && parent;
         parent = parent->parent) {
        const struct program_device *on = program_find_device(program, parent);
        if (on && on->status != CL_BUILD_NONE)
            return on;
    }
    return own;
}

bool program_lacks_compiler(cl_program program)
{
    return limits_personality()->no_compiler &&
           (program->origin == PROGRAM_SOURCE || program->origin == PROGRAM_IL);
}

const struct build *program_first_build(cl_program program)
{
    for (size_t i = 0; i < program->device_count; i++) {
        if (program->devices[i].build)
            return program->devices[i].build;
    }
    return NULL;
}

void program_clear_build(cl_program program, struct program_device *on)
{
    alloc_free(on->options);
    alloc_free(on->log);
    if (program->origin != PROGRAM_BINARY) {
        alloc_free(on->binary);
        on->binary = NULL;
        on->binary_size = 0;
        sources_drop(on->sources);
        on->sources = NULL;
    }
    if (on->build)
        build_drop(on->build);
    on->options = on->log = NULL;
    on->build = NULL;
}

static cl_program finish(cl_program program, bool complete, cl_int *errcode_ret)
{
    if (program && !complete) {
        object_release(program, OBJECT_PROGRAM);
        program = NULL;
    }
    return object_give(program, program ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, errcode_ret);
}

/* ---- source ---- */

cl_program icd_clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                         const size_t *lengths, cl_int *errcode_ret)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return object_refuse(CL_INVALID_CONTEXT, errcode_ret);
    if (count == 0 || !strings)
        return object_refuse(CL_INVALID_VALUE, errcode_ret);
    struct text source = TEXT_INIT;
    for (cl_uint i = 0; i < count; i++) {
        if (!strings[i]) {
            text_release(&source);
            return object_refuse(CL_INVALID_VALUE, errcode_ret);
        }
        text_append_n(&source, strings[i], lengths && lengths[i] ? lengths[i] : strlen(strings[i]));
    }
    cl_program program =
        program_create(context, context->devices, context->device_count, PROGRAM_SOURCE);
    const size_t size = source.size;
    char *bytes = text_detach(&source);
    if (!program) {
        alloc_free(bytes);
        return object_refuse(CL_OUT_OF_HOST_MEMORY, errcode_ret);
    }
    program->source = bytes;
    program->source_size = size;
    return finish(program, bytes, errcode_ret);
}

/* ---- intermediate language ---- */

cl_program icd_clCreateProgramWithIL(cl_context context, const void *il, size_t length,
                                     cl_int *errcode_ret)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return object_refuse(CL_INVALID_CONTEXT, errcode_ret);
    if (!limits_keep(KEPT_OPTIONAL))
        return object_refuse(CL_INVALID_OPERATION, errcode_ret);
    /* What the instructions say is the build's to judge, which has a log to say what is wrong. */
    if (!il || length == 0 || !validate_is_well_formed(il, length))
        return object_refuse(CL_INVALID_VALUE, errcode_ret);
    cl_program program =
        program_create(context, context->devices, context->device_count, PROGRAM_IL);
    if (program) {
        program->il = alloc(length);
        program->il_size = length;
        if (program->il)
            memcpy(program->il, il, length);
    }
    return finish(program, program && program->il, errcode_ret);
}

/* Locked. */
static cl_int set_spec_constant(cl_program program, const struct spec_constant *constant)
{
    for (size_t i = 0; i < program->spec_constant_count; i++) {
        if (program->spec_constants[i].id == constant->id) {
            program->spec_constants[i] = *constant;
            return CL_SUCCESS;
        }
    }
    void *grown = alloc_grow(program->spec_constants, program->spec_constant_count,
                             &program->spec_constant_capacity, sizeof(*program->spec_constants));
    if (!grown)
        return CL_OUT_OF_HOST_MEMORY;
    program->spec_constants = grown;
    program->spec_constants[program->spec_constant_count++] = *constant;
    return CL_SUCCESS;
}

cl_int icd_clSetProgramSpecializationConstant(cl_program program, cl_uint spec_id, size_t spec_size,
                                              const void *spec_value)
{
    if (!object_is(program, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    if (!limits_keep(KEPT_OPTIONAL))
        return CL_INVALID_OPERATION;
    if (program->origin != PROGRAM_IL)
        return CL_INVALID_PROGRAM;
    if (program_lacks_compiler(program))
        return CL_COMPILER_NOT_AVAILABLE;
    const size_t size = validate_spec_constant_size(program->il, program->il_size, spec_id);
    if (size == 0)
        return CL_INVALID_SPEC_ID;
    if (!spec_value || spec_size != size)
        return CL_INVALID_VALUE;
    struct spec_constant constant = {.id = spec_id, .size = size};
    memcpy(constant.bytes, spec_value, size);
    icd_lock();
    const cl_int result = set_spec_constant(program, &constant);
    icd_unlock();
    return result;
}

/* ---- binaries ---- */

/* One device's binary. The program is not known to anybody yet. */
static cl_int take_binary(struct program_device *on, const unsigned char *bytes, size_t size)
{
    struct binary binary;
    /* A custom device has no programs but its own. */
    if (limits_personality()->custom || !binary_read(bytes, size, &binary))
        return CL_INVALID_BINARY;
    on->sources = binary.sources;
    on->binary_type = binary.type;
    on->binary = alloc(binary.spirv_size);
    on->binary_size = binary.spirv_size;
    if (!on->binary)
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(on->binary, binary.spirv, binary.spirv_size);
    return CL_SUCCESS;
}

/* What the call returns: CL_SUCCESS if all binaries are good. */
static cl_int take_binaries(cl_program program, const size_t *lengths,
                            const unsigned char **binaries, cl_int *binary_status)
{
    cl_int result = CL_SUCCESS;
    for (size_t i = 0; i < program->device_count; i++) {
        const bool given = lengths[i] > 0 && binaries[i];
        const cl_int status =
            given ? take_binary(&program->devices[i], binaries[i], lengths[i]) : CL_INVALID_VALUE;
        if (binary_status)
            binary_status[i] = status;
        /* A missing binary tells more than a bad one. */
        if (status == CL_INVALID_VALUE || result == CL_SUCCESS)
            result = status;
    }
    return result;
}

cl_program icd_clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
                                         const cl_device_id *device_list, const size_t *lengths,
                                         const unsigned char **binaries, cl_int *binary_status,
                                         cl_int *errcode_ret)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return object_refuse(CL_INVALID_CONTEXT, errcode_ret);
    if (!device_list || num_devices == 0 || !lengths || !binaries)
        return object_refuse(CL_INVALID_VALUE, errcode_ret);
    if (!context_has_devices(context, device_list, num_devices))
        return object_refuse(CL_INVALID_DEVICE, errcode_ret);
    cl_program program = program_create(context, device_list, num_devices, PROGRAM_BINARY);
    if (!program)
        return object_refuse(CL_OUT_OF_HOST_MEMORY, errcode_ret);
    cl_int result = CL_INVALID_DEVICE; /* one stands twice */
    if (program->device_count == num_devices)
        result = take_binaries(program, lengths, binaries, binary_status);
    if (result == CL_SUCCESS)
        return object_give(program, CL_SUCCESS, errcode_ret);
    object_release(program, OBJECT_PROGRAM);
    return object_refuse(result, errcode_ret);
}

/* ---- counts and queries ---- */

static bool has_finalisers(cl_program program)
{
    bool found = false;
    icd_lock();
    for (size_t i = 0; i < program->device_count; i++) {
        const struct build *build = program->devices[i].build;
        found |= build && build->finaliser_count > 0;
    }
    icd_unlock();
    return found;
}

/* OpenCL API 3.0, 5.8.2: "CL_INVALID_OPERATION if no devices in the context associated with program
 * support destructors for program scope global variables." OpenCL-CTS wants that of every device of
 * OpenCL 3.0, for a program in OpenCL C; so it is of the program whether there are any. */
cl_int icd_clSetProgramReleaseCallback(cl_program program,
                                       void(CL_CALLBACK *pfn_notify)(cl_program, void *),
                                       void *user_data)
{
    if (!object_is(program, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    if (!pfn_notify)
        return CL_INVALID_VALUE;
    if (!has_finalisers(program))
        return CL_INVALID_OPERATION;
    return destructor_callback_add(&program->destructors, (object_function *)pfn_notify, user_data);
}

/* Locked. */
static cl_int answer_kernel_names(const struct info_target *target, const struct build *build)
{
    struct text names = TEXT_INIT;
    for (size_t i = 0; i < build->kernel_count; i++)
        text_format(&names, "%s%s", i > 0 ? ";" : "", build->codes[i]->name);
    const cl_int result = names.failed ? CL_OUT_OF_HOST_MEMORY : info_string(target, names.bytes);
    text_release(&names);
    return result;
}

static bool has_binary(const struct program_device *on)
{
    return on->binary && on->binary_type != CL_PROGRAM_BINARY_TYPE_NONE;
}

/* Locked. Nothing when there is none. */
static void write_binary(const struct program_device *on, struct text *text)
{
    if (has_binary(on))
        binary_write(&(struct binary){.spirv = on->binary,
                                      .spirv_size = on->binary_size,
                                      .type = on->binary_type,
                                      .sources = on->sources},
                     text);
}

/* Locked. */
static cl_int answer_binary_sizes(const struct info_target *target, cl_program program)
{
    size_t *sizes = alloc_zero(program->device_count, sizeof(*sizes));
    bool failed = !sizes;
    for (size_t i = 0; i < program->device_count && !failed; i++) {
        struct text text = TEXT_INIT;
        write_binary(used_on(program, program->devices[i].device), &text);
        sizes[i] = text.size;
        failed = text.failed;
        text_release(&text);
    }
    const cl_int result = failed
                              ? CL_OUT_OF_HOST_MEMORY
                              : info_bytes(target, sizes, program->device_count * sizeof(*sizes));
    alloc_free(sizes);
    return result;
}

/* Locked. The value is a list of pointers to where binaries go; NULL skips a device. */
static cl_int answer_binaries(const struct info_target *target, cl_program program)
{
    unsigned char **places = target->value;
    const size_t size = program->device_count * sizeof(*places);
    if (places && target->size < size)
        return CL_INVALID_VALUE;
    for (size_t i = 0; places && i < program->device_count; i++) {
        struct text text = TEXT_INIT;
        if (places[i])
            write_binary(used_on(program, program->devices[i].device), &text);
        const bool failed = text.failed;
        if (!failed && text.size > 0)
            memcpy(places[i], text.bytes, text.size);
        text_release(&text);
        if (failed)
            return CL_OUT_OF_HOST_MEMORY;
    }
    if (target->size_ret)
        *target->size_ret = size;
    return CL_SUCCESS;
}

/* Locked. */
static cl_int answer_devices(const struct info_target *target, cl_program program)
{
    cl_device_id *devices = alloc_zero(program->device_count, sizeof(*devices));
    if (!devices)
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < program->device_count; i++)
        devices[i] = program->devices[i].device;
    const cl_int result = info_bytes(target, devices, program->device_count * sizeof(*devices));
    alloc_free(devices);
    return result;
}

/* Locked. */
static cl_int answer_executable(const struct info_target *target, const struct build *build,
                                cl_program_info param_name)
{
    const struct info_row rows[] = {
        INFO(CL_PROGRAM_NUM_KERNELS, size_t, build->kernel_count),
        INFO(CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, cl_bool, build->constructed),
        INFO(CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, cl_bool, build->finaliser_count > 0),
    };
    return param_name == CL_PROGRAM_KERNEL_NAMES
               ? answer_kernel_names(target, build)
               : info_answer(target, param_name, rows, sizeof(rows) / sizeof(rows[0]));
}

/* Locked. */
static cl_int answer(const struct info_target *target, cl_program program,
                     cl_program_info param_name)
{
    const struct build *build = program_first_build(program);
    const struct info_row rows[] = {
        INFO(CL_PROGRAM_REFERENCE_COUNT, cl_uint, program->object.references),
        INFO(CL_PROGRAM_CONTEXT, cl_context, program->context),
        INFO(CL_PROGRAM_NUM_DEVICES, cl_uint, (cl_uint)program->device_count),
        INFO_STRING(CL_PROGRAM_SOURCE, program->source),
        {CL_PROGRAM_IL, program->il, program->il_size},
    };
    switch (param_name) {
    case CL_PROGRAM_DEVICES:
        return answer_devices(target, program);
    case CL_PROGRAM_BINARY_SIZES:
        return answer_binary_sizes(target, program);
    case CL_PROGRAM_BINARIES:
        return answer_binaries(target, program);
    case CL_PROGRAM_NUM_KERNELS:
    case CL_PROGRAM_KERNEL_NAMES:
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return build ? answer_executable(target, build, param_name) : CL_INVALID_PROGRAM_EXECUTABLE;
    default:
        return info_answer(target, param_name, rows, sizeof(rows) / sizeof(rows[0]));
    }
}

cl_int icd_clGetProgramInfo(cl_program program, cl_program_info param_name, size_t param_value_size,
                            void *param_value, size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!object_is(program, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    icd_lock();
    const cl_int result = answer(&target, program, param_name);
    icd_unlock();
    return result;
}

/* Locked. */
static size_t variable_total(const struct build *build)
{
    uint64_t total = 0;
    const size_t count = build ? spv_module_variable_count(build->module) : 0;
    for (size_t i = 0; i < count; i++) {
        const struct spv_variable *variable = spv_module_variable(build->module, i);
        total += variable->constant ? 0 : variable->size;
    }
    return total;
}

/* Locked. */
static cl_int answer_build(const struct info_target *target, const struct program_device *on,
                           cl_program_build_info param_name)
{
    const struct info_row rows[] = {
        INFO(CL_PROGRAM_BUILD_STATUS, cl_build_status, on->status),
        INFO_STRING(CL_PROGRAM_BUILD_OPTIONS, on->options),
        INFO_STRING(CL_PROGRAM_BUILD_LOG, on->log),
        INFO(CL_PROGRAM_BINARY_TYPE, cl_program_binary_type, on->binary_type),
        INFO(CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, size_t, variable_total(on->build)),
    };
    return info_answer(target, param_name, rows, sizeof(rows) / sizeof(rows[0]));
}

cl_int icd_clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                 cl_program_build_info param_name, size_t param_value_size,
                                 void *param_value, size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!object_is(program, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    if (!program_find_device(program, device))
        return CL_INVALID_DEVICE;
    icd_lock();
    const cl_int result = answer_build(&target, used_on(program, device), param_name);
    icd_unlock();
    return result;
}
