/* OpenCL API 3.0, chapter 5.8.1: the device's built-in kernel, which copies bytes:
 *
 *     kernel void clerk_copy_bytes(global const uchar *from, global uchar *to)
 *
 * It is kept as SPIR-V assembly, so that it needs no compiler, and runs as any other kernel does.
 */
#include "reference/icd/kernels/program.h"

#include "reference/compiler/validate.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/kernels/build.h"
#include "reference/limits/limits.h"

#include <string.h>

/* The module, for pointers of so many bits. */
#define ASSEMBLY(bits)                                                                             \
    "OpCapability Addresses\n"                                                                     \
    "OpCapability Kernel\n"                                                                        \
    "OpCapability Int64\n"                                                                         \
    "OpCapability Int8\n"                                                                          \
    "OpMemoryModel Physical" bits " OpenCL\n"                                                      \
    "OpEntryPoint Kernel %copy \"" BUILT_IN_KERNEL "\" %id\n"                                      \
    "%types = OpString \"kernel_arg_type." BUILT_IN_KERNEL ".uchar*,uchar*,\"\n"                   \
    "%qualifiers = OpString \"kernel_arg_type_qual." BUILT_IN_KERNEL ".const,,\"\n"                \
    "OpName %copy \"" BUILT_IN_KERNEL "\"\n"                                                       \
    "OpName %from \"from\"\n"                                                                      \
    "OpName %to \"to\"\n"                                                                          \
    "OpDecorate %id BuiltIn GlobalInvocationId\n"                                                  \
    "OpDecorate %id Constant\n"                                                                    \
    "OpDecorate %from FuncParamAttr NoWrite\n"                                                     \
    "%void = OpTypeVoid\n"                                                                         \
    "%byte = OpTypeInt 8 0\n"                                                                      \
    "%size = OpTypeInt " bits " 0\n"                                                               \
    "%size3 = OpTypeVector %size 3\n"                                                              \
    "%id_pointer = OpTypePointer Input %size3\n"                                                   \
    "%pointer = OpTypePointer CrossWorkgroup %byte\n"                                              \
    "%function = OpTypeFunction %void %pointer %pointer\n"                                         \
    "%id = OpVariable %id_pointer Input\n"                                                         \
    "%copy = OpFunction %void None %function\n"                                                    \
    "%from = OpFunctionParameter %pointer\n"                                                       \
    "%to = OpFunctionParameter %pointer\n"                                                         \
    "%start = OpLabel\n"                                                                           \
    "%ids = OpLoad %size3 %id Aligned 16\n"                                                        \
    "%index = OpCompositeExtract %size %ids 0\n"                                                   \
    "%source = OpInBoundsPtrAccessChain %pointer %from %index\n"                                   \
    "%value = OpLoad %byte %source Aligned 1\n"                                                    \
    "%target = OpInBoundsPtrAccessChain %pointer %to %index\n"                                     \
    "OpStore %target %value Aligned 1\n"                                                           \
    "OpReturn\n"                                                                                   \
    "OpFunctionEnd\n"
static const char assembly_64[] = ASSEMBLY("64");
static const char assembly_32[] = ASSEMBLY("32");
#undef ASSEMBLY

/* Are these names of built-in kernels, with ';' between them? */
static bool names_are_known(const char *names)
{
    for (;;) {
        const size_t length = strcspn(names, ";");
        if (!limits_keep(KEPT_OPTIONAL) || length != strlen(BUILT_IN_KERNEL) ||
            memcmp(names, BUILT_IN_KERNEL, length) != 0)
            return false;
        if (names[length] == '\0')
            return true;
        names += length + 1;
    }
}

/* Makes the executable of one device of a program that nobody knows yet. */
static bool load(struct program_device *on)
{
    struct text log = TEXT_INIT;
    on->status = CL_BUILD_SUCCESS;
    on->binary_type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    on->binary = validate_assemble(limits_personality()->narrow ? assembly_32 : assembly_64,
                                   &on->binary_size);
    const bool loaded = on->binary && build_create(&(struct build_request){.spirv = on->binary,
                                                                           .size = on->binary_size},
                                                   &log, &on->build) == STATUS_OK;
    text_release(&log);
    return loaded;
}

/* NULL when memory is out. */
static cl_program create(cl_context context, const cl_device_id *devices, size_t count)
{
    cl_program program = program_create(context, devices, count, PROGRAM_BUILT_IN);
    bool complete = program != NULL;
    for (size_t i = 0; complete && i < program->device_count; i++)
        complete = load(&program->devices[i]);
    if (program && !complete) {
        object_release(program, OBJECT_PROGRAM);
        program = NULL;
    }
    return program;
}

static cl_int check(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
                    const char *kernel_names)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!device_list || num_devices == 0 || !kernel_names || !names_are_known(kernel_names))
        return CL_INVALID_VALUE;
    return context_has_devices(context, device_list, num_devices) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

cl_program icd_clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
                                                 const cl_device_id *device_list,
                                                 const char *kernel_names, cl_int *errcode_ret)
{
    cl_program program = NULL;
    cl_int result = check(context, num_devices, device_list, kernel_names);
    if (result == CL_SUCCESS) {
        program = create(context, device_list, num_devices);
        result = program ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    return object_give(program, result, errcode_ret);
}
