/* OpenCL API 3.0, chapters 5.8.1, 5.8.2 and 5.8.9: making programs and asking about them. Building
 * is in program_build.c. */
#include "reference/icd/program.h"

#include "reference/icd/binary.h"
#include "reference/icd/build.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/info.h"
#include "reference/icd/validate.h"
#include "trace/base/alloc.h"

#include <string.h>

cl_program program_create(cl_context context, enum program_origin origin)
{
    cl_program program = object_create(OBJECT_PROGRAM, sizeof(*program));
    if (!program)
        return NULL;
    icd_lock();
    program->context = context;
    object_hold(context);
    icd_unlock();
    program->origin = origin;
    program->status = CL_BUILD_NONE;
    program->binary_type = CL_PROGRAM_BINARY_TYPE_NONE;
    return program;
}

void program_clear_build(cl_program program)
{
    alloc_free(program->options);
    alloc_free(program->log);
    if (program->origin != PROGRAM_BINARY) {
        alloc_free(program->binary);
        program->binary = NULL;
        program->binary_size = 0;
        sources_drop(program->sources);
        program->sources = NULL;
    }
    if (program->build)
        build_drop(program->build);
    program->options = program->log = NULL;
    program->build = NULL;
}

void program_destroy(cl_program program)
{
    program_clear_build(program);
    alloc_free(program->binary);
    sources_drop(program->sources);
    alloc_free(program->source);
    alloc_free(program->il);
    alloc_free(program->spec_constants);
    object_drop(program->context);
}

static cl_program refuse(cl_int code, cl_int *errcode_ret)
{
    if (errcode_ret)
        *errcode_ret = code;
    return NULL;
}

static cl_program finish(cl_program program, bool complete, cl_int *errcode_ret)
{
    if (program && !complete) {
        object_release(program, OBJECT_PROGRAM);
        program = NULL;
    }
    if (errcode_ret)
        *errcode_ret = program ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    return program;
}

/* ---- source ---- */

cl_program icd_clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                         const size_t *lengths, cl_int *errcode_ret)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return refuse(CL_INVALID_CONTEXT, errcode_ret);
    if (count == 0 || !strings)
        return refuse(CL_INVALID_VALUE, errcode_ret);
    size_t size = 0;
    for (cl_uint i = 0; i < count; i++) {
        if (!strings[i])
            return refuse(CL_INVALID_VALUE, errcode_ret);
        size += lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
    }
    cl_program program = program_create(context, PROGRAM_SOURCE);
    char *source = alloc(size + 1);
    if (!program || !source) {
        alloc_free(source);
        return finish(program, false, errcode_ret);
    }
    size_t at = 0;
    for (cl_uint i = 0; i < count; i++) {
        const size_t length = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        memcpy(source + at, strings[i], length);
        at += length;
    }
    source[size] = '\0';
    program->source = source;
    program->source_size = size;
    return finish(program, true, errcode_ret);
}

/* ---- intermediate language ---- */

cl_program icd_clCreateProgramWithIL(cl_context context, const void *il, size_t length,
                                     cl_int *errcode_ret)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return refuse(CL_INVALID_CONTEXT, errcode_ret);
    /* The rest of the validation is the build's, which has a log to say what is wrong. */
    if (!il || length == 0 || !validate_is_spirv(il, length))
        return refuse(CL_INVALID_VALUE, errcode_ret);
    cl_program program = program_create(context, PROGRAM_IL);
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
    if (!object_is(program, OBJECT_PROGRAM) || program->origin != PROGRAM_IL)
        return CL_INVALID_PROGRAM;
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

cl_program icd_clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
                                         const cl_device_id *device_list, const size_t *lengths,
                                         const unsigned char **binaries, cl_int *binary_status,
                                         cl_int *errcode_ret)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return refuse(CL_INVALID_CONTEXT, errcode_ret);
    if (!device_list || num_devices == 0 || !lengths || !binaries)
        return refuse(CL_INVALID_VALUE, errcode_ret);
    for (cl_uint i = 0; i < num_devices; i++) {
        if (!object_is(device_list[i], OBJECT_DEVICE))
            return refuse(CL_INVALID_DEVICE, errcode_ret);
    }
    if (num_devices != 1 || lengths[0] == 0 || !binaries[0]) {
        if (binary_status)
            binary_status[0] = CL_INVALID_VALUE;
        return refuse(CL_INVALID_VALUE, errcode_ret);
    }
    struct binary binary;
    const bool valid = binary_read(binaries[0], lengths[0], &binary);
    if (binary_status)
        binary_status[0] = valid ? CL_SUCCESS : CL_INVALID_BINARY;
    if (!valid)
        return refuse(CL_INVALID_BINARY, errcode_ret);
    cl_program program = program_create(context, PROGRAM_BINARY);
    if (!program) {
        sources_drop(binary.sources);
        return finish(NULL, false, errcode_ret);
    }
    program->binary = alloc(binary.spirv_size);
    program->binary_size = binary.spirv_size;
    program->binary_type = binary.type;
    program->sources = binary.sources;
    if (program->binary)
        memcpy(program->binary, binary.spirv, binary.spirv_size);
    return finish(program, program->binary, errcode_ret);
}

cl_program icd_clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
                                                 const cl_device_id *device_list,
                                                 const char *kernel_names, cl_int *errcode_ret)
{
    (void)kernel_names;
    if (!object_is(context, OBJECT_CONTEXT))
        return refuse(CL_INVALID_CONTEXT, errcode_ret);
    for (cl_uint i = 0; device_list && i < num_devices; i++) {
        if (!object_is(device_list[i], OBJECT_DEVICE))
            return refuse(CL_INVALID_DEVICE, errcode_ret);
    }
    return refuse(CL_INVALID_VALUE, errcode_ret); /* the device has no built-in kernels */
}

/* ---- counts and queries ---- */

cl_int icd_clRetainProgram(cl_program program)
{
    return object_retain(program, OBJECT_PROGRAM);
}

cl_int icd_clReleaseProgram(cl_program program)
{
    return object_release(program, OBJECT_PROGRAM);
}

/* 5.8.3: "CL_INVALID_OPERATION if the program ... no devices support ... destructors for program
 * scope global variables." */
cl_int icd_clSetProgramReleaseCallback(cl_program program,
                                       void(CL_CALLBACK *pfn_notify)(cl_program, void *),
                                       void *user_data)
{
    (void)user_data;
    if (!object_is(program, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    return pfn_notify ? CL_INVALID_OPERATION : CL_INVALID_VALUE;
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

static bool has_binary(cl_program program)
{
    return program->binary && program->binary_type != CL_PROGRAM_BINARY_TYPE_NONE;
}

/* Locked. Nothing when there is none. */
static void write_binary(cl_program program, struct text *text)
{
    if (has_binary(program))
        binary_write(&(struct binary){.spirv = program->binary,
                                      .spirv_size = program->binary_size,
                                      .type = program->binary_type,
                                      .sources = program->sources},
                     text);
}

/* Locked. */
static cl_int answer_binary_sizes(const struct info_target *target, cl_program program)
{
    struct text text = TEXT_INIT;
    write_binary(program, &text);
    const cl_int result =
        text.failed ? CL_OUT_OF_HOST_MEMORY : INFO_VALUE(target, size_t, text.size);
    text_release(&text);
    return result;
}

/* Locked. The value is a list of pointers to where binaries go. */
static cl_int answer_binaries(const struct info_target *target, cl_program program)
{
    unsigned char **places = target->value;
    if (places && target->size < sizeof(*places))
        return CL_INVALID_VALUE;
    struct text text = TEXT_INIT;
    if (places && places[0])
        write_binary(program, &text);
    if (text.failed) {
        text_release(&text);
        return CL_OUT_OF_HOST_MEMORY;
    }
    if (text.size > 0)
        memcpy(places[0], text.bytes, text.size);
    text_release(&text);
    if (target->size_ret)
        *target->size_ret = sizeof(*places);
    return CL_SUCCESS;
}

/* Locked. */
static cl_int answer_executable(const struct info_target *target, cl_program program,
                                cl_program_info param_name)
{
    if (!program->build)
        return CL_INVALID_PROGRAM_EXECUTABLE;
    if (param_name == CL_PROGRAM_NUM_KERNELS)
        return INFO_VALUE(target, size_t, program->build->kernel_count);
    if (param_name == CL_PROGRAM_KERNEL_NAMES)
        return answer_kernel_names(target, program->build);
    /* Initialiser and finaliser entry points are refused when the program is built. */
    return INFO_VALUE(target, cl_bool, CL_FALSE);
}

/* Locked. */
static cl_int answer(const struct info_target *target, cl_program program,
                     cl_program_info param_name)
{
    switch (param_name) {
    case CL_PROGRAM_REFERENCE_COUNT:
        return INFO_VALUE(target, cl_uint, program->object.references);
    case CL_PROGRAM_CONTEXT:
        return INFO_VALUE(target, cl_context, program->context);
    case CL_PROGRAM_NUM_DEVICES:
        return INFO_VALUE(target, cl_uint, 1);
    case CL_PROGRAM_DEVICES:
        return INFO_VALUE(target, cl_device_id, icd_device());
    case CL_PROGRAM_SOURCE:
        return info_string(target, program->source);
    case CL_PROGRAM_IL:
        return info_bytes(target, program->il, program->il_size);
    case CL_PROGRAM_BINARY_SIZES:
        return answer_binary_sizes(target, program);
    case CL_PROGRAM_BINARIES:
        return answer_binaries(target, program);
    case CL_PROGRAM_NUM_KERNELS:
    case CL_PROGRAM_KERNEL_NAMES:
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return answer_executable(target, program, param_name);
    default:
        return CL_INVALID_VALUE;
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
static size_t variable_total(cl_program program)
{
    uint64_t total = 0;
    const size_t count = program->build ? spv_module_variable_count(program->build->module) : 0;
    for (size_t i = 0; i < count; i++) {
        const struct spv_variable *variable = spv_module_variable(program->build->module, i);
        total += variable->constant ? 0 : variable->size;
    }
    return total;
}

/* Locked. */
static cl_int answer_build(const struct info_target *target, cl_program program,
                           cl_program_build_info param_name)
{
    switch (param_name) {
    case CL_PROGRAM_BUILD_STATUS:
        return INFO_VALUE(target, cl_build_status, program->status);
    case CL_PROGRAM_BUILD_OPTIONS:
        return info_string(target, program->options);
    case CL_PROGRAM_BUILD_LOG:
        return info_string(target, program->log);
    case CL_PROGRAM_BINARY_TYPE:
        return INFO_VALUE(target, cl_program_binary_type, program->binary_type);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        return INFO_VALUE(target, size_t, variable_total(program));
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int icd_clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                 cl_program_build_info param_name, size_t param_value_size,
                                 void *param_value, size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!object_is(program, OBJECT_PROGRAM))
        return CL_INVALID_PROGRAM;
    if (!object_is(device, OBJECT_DEVICE))
        return CL_INVALID_DEVICE;
    icd_lock();
    const cl_int result = answer_build(&target, program, param_name);
    icd_unlock();
    return result;
}
