/* OpenCL API 3.0, chapters 4.2 and 4.3: the devices and what can be asked of them. */
#include "reference/icd/dispatch.h"
#include "reference/icd/info.h"
#include "reference/icd/kernels/program.h"
#include "reference/icd/memory/svm.h"
#include "reference/icd/types.h"
#include "reference/limits/limits.h"
#include "reference/vm/code.h"
#include "trace/api/clerk_queries.h"
#include "trace/api/foreign.h"

#include <spirv/unified1/spirv.h>
#include <stdio.h>
#include <string.h>

/* cl_ext_float_atomics, which older headers do not have. */
#ifndef CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT
#define CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT 0x4231
#define CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT 0x4232
#define CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT   0x4233
#define CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT   (1 << 0)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT          (1 << 1)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT      (1 << 2)
#define CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT    (1 << 16)
#define CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT           (1 << 17)
#define CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT       (1 << 18)
#endif
#define DEVICE_TYPES (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR)
#define FP_ATOMIC_CAPABILITIES                                                                     \
    (CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT |              \
     CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT |           \
     CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT)

#define UNIFIED_CAPABILITIES                                                                       \
    (CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL |        \
     CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL |                                            \
     CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL)

/* The type of which a device was last asked for; OpenCL API 3.0, 4.2, wants a single one. */
static _Atomic cl_device_type type_found_by = CL_DEVICE_TYPE_CPU;

/* "All OpenCL devices available in the platform, except for CL_DEVICE_TYPE_CUSTOM devices"; nor may
 * one be the default device. */
static bool is_found_by(cl_device_type device_type)
{
    const cl_device_type custom = device_type & CL_DEVICE_TYPE_CUSTOM;
    if (limits_personality()->custom)
        return device_type != CL_DEVICE_TYPE_ALL && custom != 0;
    return device_type != custom;
}

/* The device takes every program: it is found by whatever type a program asks for, and is of that
 * type from then on. 4.2: "The device type is purely informational and has no semantic meaning." */
cl_int icd_clGetDeviceIDs(cl_platform_id platform, cl_device_type device_type, cl_uint num_entries,
                          cl_device_id *devices, cl_uint *num_devices)
{
    const cl_device_type ours = CL_DEVICE_TYPE_DEFAULT | DEVICE_TYPES;
    if (!platform_accepts(platform))
        return CL_INVALID_PLATFORM;
    if (device_type != CL_DEVICE_TYPE_ALL &&
        (device_type == 0 || (device_type & ~(ours | CL_DEVICE_TYPE_CUSTOM)) != 0))
        return CL_INVALID_DEVICE_TYPE;
    if ((devices && num_entries == 0) || (!devices && !num_devices))
        return CL_INVALID_VALUE;
    cl_uint count = icd_root_device_count();
    if (!is_found_by(device_type))
        count = 0;
    else if (device_type == CL_DEVICE_TYPE_DEFAULT)
        count = 1;
    if (device_type == CL_DEVICE_TYPE_CPU || device_type == CL_DEVICE_TYPE_GPU ||
        device_type == CL_DEVICE_TYPE_ACCELERATOR)
        type_found_by = device_type;
    if (num_devices)
        *num_devices = count;
    for (cl_uint i = 0; devices && i < count && i < num_entries; i++)
        devices[i] = icd_root_device(i);
    return count > 0 ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

struct versioned {
    cl_name_version item;
    enum kept kept;
};
static const struct versioned extensions[] = {
#define EXTENSION(name, major, minor, patch, language, kept)                                       \
    {{CL_MAKE_VERSION(major, minor, patch), #name}, KEPT_##kept},
#include "reference/limits/extensions.def"
#undef EXTENSION
};
static const struct versioned features[] = {
#define FEATURE(name, kept) {{CL_MAKE_VERSION(3, 0, 0), #name}, KEPT_##kept},
#include "reference/limits/features.def"
#undef FEATURE
};
enum {
    EXTENSION_COUNT = sizeof(extensions) / sizeof(extensions[0]),
    FEATURE_COUNT = sizeof(features) / sizeof(features[0])
};
_Static_assert(FEATURE_COUNT <= EXTENSION_COUNT, "see answer_versions");

static cl_int answer_extensions(const struct info_target *target)
{
    char names[EXTENSION_COUNT * sizeof(extensions[0].item.name)];
    size_t size = 0;
    for (size_t i = 0; i < EXTENSION_COUNT; i++) {
        if (limits_keep(extensions[i].kept))
            size +=
                (size_t)sprintf(names + size, "%s%s", size > 0 ? " " : "", extensions[i].item.name);
    }
    return info_string(target, names);
}

/* Those that the device keeps. */
static cl_int answer_versions(const struct info_target *target, const struct versioned *all,
                              size_t count)
{
    cl_name_version versions[EXTENSION_COUNT];
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (limits_keep(all[i].kept))
            versions[kept++] = all[i].item;
    }
    return info_bytes(target, versions, kept * sizeof(versions[0]));
}

/* "If the device does not support compilation from OpenCL C source", none. */
static cl_int answer_c_versions(const struct info_target *target)
{
    if (limits_personality()->no_compiler)
        return info_bytes(target, NULL, 0);
    static const cl_name_version versions[] = {{CL_MAKE_VERSION(1, 0, 0), "OpenCL C"},
                                               {CL_MAKE_VERSION(1, 1, 0), "OpenCL C"},
                                               {CL_MAKE_VERSION(1, 2, 0), "OpenCL C"},
                                               {CL_MAKE_VERSION(3, 0, 0), "OpenCL C"},
                                               {CL_MAKE_VERSION(3, 1, 0), "OpenCL C"}};
    return info_bytes(target, versions,
                      sizeof(versions) - (limits_has_3_1() ? 0 : sizeof(versions[0])));
}

/* cl_khr_spirv_queries. A device without SPIR-V has none of them. */
static cl_int answer_spirv_extensions(const struct info_target *target)
{
    static const char *const all[] = {
        "SPV_KHR_bit_instructions",
        "SPV_KHR_expect_assume",
        "SPV_KHR_integer_dot_product",
        "SPV_KHR_linkonce_odr",
        "SPV_KHR_no_integer_wrap_decoration",
        "SPV_KHR_non_semantic_info",
        "SPV_KHR_subgroup_rotate",
        "SPV_EXT_shader_atomic_float16_add",
        "SPV_EXT_shader_atomic_float_add",
        "SPV_EXT_shader_atomic_float_min_max",
        "SPV_INTEL_optnone",
        "SPV_INTEL_subgroups", /* the last: not of each device */
    };
    const size_t size = sizeof(all) - (limits_keep(KEPT_ALIKE) ? 0 : sizeof(all[0]));
    return info_bytes(target, all, limits_keep(KEPT_OPTIONAL) ? size : 0);
}

static cl_int answer_spirv_capabilities(const struct info_target *target)
{
    static const struct {
        cl_uint capability;
        enum kept kept;
    } all[] = {
#define CAPABILITY(name, kept) {SpvCapability##name, KEPT_##kept},
#include "reference/spirv/capabilities.def"
#undef CAPABILITY
    };
    cl_uint capabilities[sizeof(all) / sizeof(all[0])];
    size_t count = 0;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (limits_keep(all[i].kept))
            capabilities[count++] = all[i].capability;
    }
    return info_bytes(target, capabilities, count * sizeof(capabilities[0]));
}

/* The numbers of work-items that a sub-group may be asked to have. */
static cl_int answer_sub_group_sizes(const struct info_target *target)
{
    static const size_t sizes[] = {1, 2, 4, 8, 16, 32, 64};
    const size_t only = limits_personality()->sub_group_size;
    return only != 0 ? info_bytes(target, &only, sizeof(only))
                     : info_bytes(target, sizes, limits_keep(KEPT_OPTIONAL) ? sizeof(sizes) : 0);
}

/* 4.2: "The mandated minimum floating-point capability for devices that are not of type
 * CL_DEVICE_TYPE_CUSTOM is: CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN". */
static cl_device_fp_config single_fp_config(void)
{
    const cl_device_fp_config least = CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST;
    const cl_device_fp_config more =
        limits_keep(KEPT_OPTIONAL) ? CL_FP_FMA | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT : 0;
    return least | more | (limits_flushes() ? 0 : CL_FP_DENORM);
}

/* "If the device cannot be partitioned (i.e. there is no partitioning scheme supported by the
 * device that will return at least two sub-devices), a value of 0 will be returned." */
static cl_int answer_partition_properties(const struct info_target *target, cl_device_id device)
{
    static const cl_device_partition_property kinds[] = {CL_DEVICE_PARTITION_EQUALLY,
                                                         CL_DEVICE_PARTITION_BY_COUNTS,
                                                         CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN};
    const size_t count = partition_domains(device) != 0 ? 3 : 2;
    return device->compute_units > 1 ? info_bytes(target, kinds, count * sizeof(kinds[0]))
                                     : INFO_VALUE(target, cl_device_partition_property, 0);
}

/* cl_khr_device_uuid: "unique" identifiers that stay the same from run to run. All devices on a
 * machine are told apart by their number; a sub-device is its root device. */
static cl_int answer_uuid(const struct info_target *target, cl_device_id device)
{
    cl_uchar uuid[CL_UUID_SIZE_KHR] = "clerk-device";
    device = icd_root_of(device);
    for (cl_uint i = 0; i < icd_root_device_count(); i++) {
        if (icd_root_device(i) == device)
            uuid[CL_UUID_SIZE_KHR - 1] = (cl_uchar)i;
    }
    return info_bytes(target, uuid, sizeof(uuid));
}

static cl_int answer_driver_uuid(const struct info_target *target)
{
    cl_uchar uuid[CL_UUID_SIZE_KHR] = {0};
    strncpy((char *)uuid, "clerk " CLERK_VERSION, sizeof(uuid) - 1);
    return info_bytes(target, uuid, sizeof(uuid));
}

cl_int icd_clGetDeviceInfo(cl_device_id device, cl_device_info param_name, size_t param_value_size,
                           void *param_value, size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!object_is(device, OBJECT_DEVICE))
        return CL_INVALID_DEVICE;
    const struct info_row rows[] = {
#define VALUE(query, type, ...) INFO(query, type, __VA_ARGS__),
#define STRING(query, text)     INFO_STRING(query, text),
#define OPTIONAL(...)           (limits_keep(KEPT_OPTIONAL) ? (__VA_ARGS__) : 0)
#define ALIKE(...)              (limits_keep(KEPT_ALIKE) ? (__VA_ARGS__) : 0)
#define LIST(query, type, ...)                                                                     \
    {query, (const type[]){__VA_ARGS__}, sizeof((const type[]){__VA_ARGS__})},
#define OPTIONAL_LIST(query, type, ...)                                                            \
    {query, (const type[]){__VA_ARGS__}, OPTIONAL(sizeof((const type[]){__VA_ARGS__}))},
#include "reference/icd/device_info.def"
#undef VALUE
#undef STRING
#undef OPTIONAL
#undef ALIKE
#undef LIST
#undef OPTIONAL_LIST
        {CL_DEVICE_PARTITION_TYPE, device->partition_type,
         device->partition_type_count * sizeof(*device->partition_type)},
        INFO(CL_DEVICE_REFERENCE_COUNT, cl_uint, object_reference_count(device)),
    };
    switch (param_name) {
    case CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL:
        svm_note_asked_for_system();
        break;
    case CL_DEVICE_SUB_GROUP_SIZES_INTEL:
        return answer_sub_group_sizes(&target);
    case CL_DEVICE_PARTITION_PROPERTIES:
        return answer_partition_properties(&target, device);
    case CL_DEVICE_UUID_KHR:
        return answer_uuid(&target, device);
    case CL_DRIVER_UUID_KHR:
        return answer_driver_uuid(&target);
    case CL_DEVICE_EXTENSIONS:
        return answer_extensions(&target);
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
        return answer_versions(&target, extensions, EXTENSION_COUNT);
    case CL_DEVICE_SPIRV_EXTENSIONS:
        return answer_spirv_extensions(&target);
    case CL_DEVICE_SPIRV_CAPABILITIES:
        return answer_spirv_capabilities(&target);
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
        return answer_c_versions(&target);
    case CL_DEVICE_OPENCL_C_FEATURES:
        return answer_versions(&target, features,
                               limits_personality()->no_compiler ? 0 : FEATURE_COUNT);
    default:
        break;
    }
    return info_answer(&target, param_name, rows, sizeof(rows) / sizeof(rows[0]));
}
