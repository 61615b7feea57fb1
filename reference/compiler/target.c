/* Clang's own macros and header tell of some device for SPIR-V, whatever -cl-ext says. The lines
 * before a program put that right, and declare what the header lacks. */
#include "reference/compiler/target.h"

#include "reference/compiler/async_copies.def"
#include "reference/compiler/intel_sub_groups.def"
#include "reference/compiler/named_barriers.def"
#include "reference/limits/limits.h"

#include <string.h>

/* ---- clerk's own device ---- */

/* What clang is told of, so that the macros of a language version agree with what the device's
 * queries answer. */
static const struct {
    const char *name; /* of some a macro of the headers of OpenCL, so it becomes text first */
    bool language, feature;
    enum kept kept;
} claims[] = {
#define EXTENSION(name, major, minor, patch, language, kept) {#name, language, false, KEPT_##kept},
#include "reference/limits/extensions.def"
#undef EXTENSION
#define FEATURE(name, kept) {#name, true, true, KEPT_##kept},
#include "reference/limits/features.def"
#undef FEATURE
};

/* clang's header for SPIR targets claims these, whatever -cl-ext says. */
static const char own_claims[] =
    /* From clang 19 on; the device offers neither. */
    "#undef cl_khr_kernel_clock\n#undef __opencl_c_kernel_clock_scope_device\n"
    "#undef __opencl_c_kernel_clock_scope_work_group\n"
    "#undef __opencl_c_kernel_clock_scope_sub_group\n#undef cl_ext_image_raw10_raw12\n"
    /* They need sub-groups, which OpenCL C has from 2.0 on. */
    "#ifndef __opencl_subgroup_builtins\n"
    "#undef cl_khr_subgroup_extended_types\n#undef cl_khr_subgroup_non_uniform_vote\n"
    "#undef cl_khr_subgroup_ballot\n#undef cl_khr_subgroup_non_uniform_arithmetic\n"
    "#undef cl_khr_subgroup_shuffle\n#undef cl_khr_subgroup_shuffle_relative\n"
    "#undef cl_khr_subgroup_clustered_reduce\n#undef cl_khr_subgroup_rotate\n"
    "#endif\n"
    /* cl_ext_float_atomics: the header claims addition and comparison alone, from 2.0 on. */
    "#ifdef __opencl_c_ext_fp32_global_atomic_add\n"
    "#define __opencl_c_ext_fp32_global_atomic_load_store 1\n"
    "#define __opencl_c_ext_fp32_local_atomic_load_store 1\n"
    "#define __opencl_c_ext_fp64_global_atomic_load_store 1\n"
    "#define __opencl_c_ext_fp64_local_atomic_load_store 1\n"
    "#endif\n";

/* The header has these from 2.0 on only. */
#define PRELUDE_MACRO(name) "#ifndef " #name "\n#define " #name " 1\n#endif\n"
static const char later_claims[] =
    PRELUDE_MACRO(cl_khr_extended_bit_ops) PRELUDE_MACRO(cl_khr_integer_dot_product)
        PRELUDE_MACRO(__opencl_c_integer_dot_product_input_4x8bit)
            PRELUDE_MACRO(__opencl_c_integer_dot_product_input_4x8bit_packed)
#undef PRELUDE_MACRO
    ;

/* OpenCL C 3.1, Preprocessor Directives and Macros: those that tell of the device. */
static void append_personality(struct text *text)
{
    const struct personality *is = limits_personality();
    text_format(text, "#define __OPENCL_VERSION__ 3%d0\n", limits_has_3_1());
    if (is->embedded)
        text_append(text, "#define __EMBEDDED_PROFILE__ 1\n#define cles_khr_int64 1\n"
                          "#define cles_khr_2d_image_array_writes 1\n");
    if (is->minimum)
        text_append(text, "#undef __IMAGE_SUPPORT__\n");
    if (is->big_endian)
        text_append(text, "#undef __ENDIAN_LITTLE__\n#undef __LITTLE_ENDIAN__\n");
    /* clang's header has some features for every device whose code is SPIR-V. (In OpenCL C 2.0 it
     * has all, for its own use.) */
    text_append(text, "#if __OPENCL_C_VERSION__ >= 300\n");
    for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
        if (claims[i].feature && !limits_keep(claims[i].kept))
            text_format(text, "#undef %s\n", claims[i].name);
    }
    text_append(text, "#endif\n");
}

static void append_own_claims(bool features, struct text *text)
{
    for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
        if (claims[i].language && (features || !claims[i].feature) && limits_keep(claims[i].kept))
            text_format(text, ",+%s", claims[i].name);
    }
}

/* ---- all devices ---- */

/* Where there are atomic types of 64 bits, too. */
static const char half_atomics[] =
    /* It has no initialisation of an atomic_half; and clang has the others only as long as nobody
     * declares a function of that name. */
    "#ifdef __opencl_c_ext_fp16_global_atomic_load_store\n"
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "#define __clerk_init(space, A, C) "
    "void __attribute__((overloadable)) atomic_init(volatile space A *, C);\n"
    "#define __clerk_inits(space) __clerk_init(space, atomic_half, half) "
    "__clerk_init(space, atomic_int, int) __clerk_init(space, atomic_uint, uint) "
    "__clerk_init(space, atomic_long, long) __clerk_init(space, atomic_ulong, ulong) "
    "__clerk_init(space, atomic_float, float) __clerk_init(space, atomic_double, double)\n"
    "#ifdef __opencl_c_generic_address_space\n__clerk_inits()\n#endif\n"
    "#ifdef __opencl_c_named_address_space_builtins\n"
    "__clerk_inits(__global) __clerk_inits(__local)\n#endif\n"
    "#undef __clerk_init\n#undef __clerk_inits\n"
    "#pragma OPENCL EXTENSION cl_khr_fp16 : disable\n#endif\n";

static const char repairs[] =
    /* Of the header's own, -1 in the generic address space, llvm-spirv 15 makes SPIR-V that is not
     * valid. */
    "#ifdef CLK_NULL_RESERVE_ID\n#undef CLK_NULL_RESERVE_ID\n"
    "#define CLK_NULL_RESERVE_ID __builtin_astype((__private void *)0, reserve_id_t)\n#endif\n"
    /* OpenCL C 3.0, 6.15.15.5; not in clang 15's header. */
    "#ifndef CLK_UNORM_INT_101010_2\n#define CLK_UNORM_INT_101010_2 0x10E0\n#endif\n";

/* After clang's header, which wants a version it knows. */
static const char c_3_1_macros[] = "#undef __OPENCL_C_VERSION__\n#define __OPENCL_C_VERSION__ 310\n"
                                   "#define CL_VERSION_3_1 310\n";

static void append_own_prelude(bool c_3_1, enum target_sub_groups sub_groups, struct text *text)
{
    append_personality(text);
    text_append(text, "#define __CLERK__ 1\n"); /* for clerk.h */
    text_append(text, own_claims);
    text_append(text, half_atomics);
    text_append(text, repairs);
    text_append(text, later_claims);
    if (c_3_1)
        text_append(text, c_3_1_macros);
    if (limits_keep(KEPT_ALIKE) && sub_groups == TARGET_NO_SUB_GROUPS)
        text_append(text, WITHOUT_SUB_GROUPS);
    if (limits_keep(KEPT_ALIKE) && sub_groups == TARGET_COMMON_SUB_GROUPS)
        text_append(text, WITHOUT_INTEL_SUB_GROUPS);
    if (limits_keep(KEPT_ALIKE))
        text_append(text, INTEL_SUB_GROUPS NAMED_BARRIERS);
    if (limits_keep(KEPT_OPTIONAL))
        text_append(text, ASYNC_COPIES);
}

/* ---- a driver's device ---- */

/* What clang's header, or the functions of another extension, claim unasked; each with the
 * extension that it belongs to. */
static const struct {
    const char *macro, *extension;
} unasked[] = {
#define ITSELF(name)                                                                               \
    {                                                                                              \
#name, #name                                                                               \
    }
    ITSELF(cl_khr_subgroup_extended_types),
    ITSELF(cl_khr_subgroup_non_uniform_vote),
    ITSELF(cl_khr_subgroup_ballot),
    ITSELF(cl_khr_subgroup_non_uniform_arithmetic),
    ITSELF(cl_khr_subgroup_shuffle),
    ITSELF(cl_khr_subgroup_shuffle_relative),
    ITSELF(cl_khr_subgroup_clustered_reduce),
    ITSELF(cl_khr_subgroup_rotate),
    ITSELF(cl_khr_subgroup_named_barrier),
    ITSELF(cl_khr_extended_bit_ops),
    ITSELF(cl_khr_async_work_group_copy_fence),
    ITSELF(cl_khr_extended_async_copies),
    ITSELF(cl_khr_integer_dot_product),
    ITSELF(cl_khr_kernel_clock),
    ITSELF(cl_ext_image_raw10_raw12),
    ITSELF(cl_intel_subgroups_char),
    ITSELF(cl_intel_subgroups_long),
    ITSELF(cl_intel_subgroups_short),
#undef ITSELF
    {"__opencl_c_integer_dot_product_input_4x8bit", "cl_khr_integer_dot_product"},
    {"__opencl_c_integer_dot_product_input_4x8bit_packed", "cl_khr_integer_dot_product"},
    {"__opencl_c_kernel_clock_scope_device", "cl_khr_kernel_clock"},
    {"__opencl_c_kernel_clock_scope_work_group", "cl_khr_kernel_clock"},
    {"__opencl_c_kernel_clock_scope_sub_group", "cl_khr_kernel_clock"},
#define ATOMICS(width, memory, what)                                                               \
    {                                                                                              \
        "__opencl_c_ext_fp" #width "_" #memory "_atomic_" #what, "cl_ext_float_atomics"            \
    }
#define ATOMICS_OF(width)                                                                          \
    ATOMICS(width, global, load_store), ATOMICS(width, local, load_store),                         \
        ATOMICS(width, global, add), ATOMICS(width, local, add), ATOMICS(width, global, min_max),  \
        ATOMICS(width, local, min_max)
    ATOMICS_OF(16),
    ATOMICS_OF(32),
    ATOMICS_OF(64),
    {"cl_ext_float_atomics", "cl_ext_float_atomics"},
#undef ATOMICS_OF
#undef ATOMICS
};

/* clang refuses an optional feature without its extension, and the other way round. */
static const struct {
    const char *feature, *extension;
} twins[] = {
    {"__opencl_c_fp64", "cl_khr_fp64"},
    {"__opencl_c_3d_image_writes", "cl_khr_3d_image_writes"},
    {"__opencl_c_subgroups", "cl_khr_subgroups"},
};

/* The next name of *rest, a list with blanks between, that may be an extension's; its length is 0
 * at the end. */
static const char *next_extension(const char **rest, size_t *length)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    const char *name;
    do {
        name = *rest + strspn(*rest, " ");
        *length = strcspn(name, " ");
        *rest = name + *length;
    } while (*length > 0 && (strncmp(name, "cl", 2) != 0 || strspn(name, letters) != *length));
    return name;
}

static bool has_extension(const struct compile_target *target, const char *extension)
{
    const char *rest = target->extensions;
    const char *name;
    size_t length;
    while ((name = next_extension(&rest, &length)), length > 0) {
        if (strlen(extension) == length && memcmp(name, extension, length) == 0)
            return true;
    }
    return false;
}

static bool needs_images(const char *name)
{
    return strstr(name, "image") != NULL;
}

/* Of the optional features all are there, as far as the queries of OpenCL 3.0 do not tell that they
 * are not: then target->macros does. */
static bool has_feature(const struct compile_target *target, const char *feature)
{
    bool has = target->version >= 300 && (target->images || !needs_images(feature));
    for (size_t i = 0; i < sizeof(twins) / sizeof(twins[0]); i++) {
        if (strcmp(twins[i].feature, feature) == 0)
            has = has && has_extension(target, twins[i].extension);
    }
    for (size_t i = 0; i < sizeof(unasked) / sizeof(unasked[0]); i++) {
        if (strcmp(unasked[i].macro, feature) == 0)
            has = has && has_extension(target, unasked[i].extension);
    }
    return has;
}

/* As an extension whose feature is not there may not be claimed, its macro alone tells of it. */
static bool may_claim(const struct compile_target *target, const char *name, size_t length,
                      bool features)
{
    for (size_t i = 0; features && i < sizeof(twins) / sizeof(twins[0]); i++) {
        if (strlen(twins[i].extension) == length && memcmp(twins[i].extension, name, length) == 0)
            return has_feature(target, twins[i].feature);
    }
    return true;
}

static void append_claims(const struct compile_target *target, bool features, struct text *text)
{
    const char *rest = target->extensions;
    const char *name;
    size_t length;
    while ((name = next_extension(&rest, &length)), length > 0) {
        if (may_claim(target, name, length, features))
            text_format(text, ",+%.*s", (int)length, name);
    }
    for (size_t i = 0; features && i < sizeof(claims) / sizeof(claims[0]); i++) {
        if (claims[i].feature && has_feature(target, claims[i].name))
            text_format(text, ",+%s", claims[i].name);
    }
}

static void append_device(const struct compile_target *target, struct text *text)
{
    text_format(text, "#define __OPENCL_VERSION__ %u\n", target->version);
    if (target->embedded)
        text_append(text, "#define __EMBEDDED_PROFILE__ 1\n");
    if (!target->images)
        text_append(text, "#undef __IMAGE_SUPPORT__\n");
    if (target->big_endian)
        text_append(text, "#undef __ENDIAN_LITTLE__\n#undef __LITTLE_ENDIAN__\n");
    text_append(text, "#if __OPENCL_C_VERSION__ >= 300\n");
    for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
        if (claims[i].feature && !has_feature(target, claims[i].name))
            text_format(text, "#undef %s\n", claims[i].name);
    }
    text_append(text, "#endif\n");
}

/* Clang's header claims more than the device has. */
static void append_unasked(const struct compile_target *target, struct text *text)
{
    for (size_t i = 0; i < sizeof(unasked) / sizeof(unasked[0]); i++) {
        if (!has_extension(target, unasked[i].extension))
            text_format(text, "#undef %s\n", unasked[i].macro);
    }
}

/* Of types that the device has not, functions become those of float once more. */
static void append_intel_sub_groups(struct text *text)
{
    text_append(text, "#ifndef cl_khr_fp64\n#define double float\n#endif\n"
                      "#ifndef cl_khr_fp16\n#define half float\n#endif\n"
                      "#if (__OPENCL_C_VERSION__ < 300 && __OPENCL_CPP_VERSION__ < 202100) || "
                      "defined(__opencl_c_images)\n" INTEL_SUB_GROUPS
                      "#endif\n#undef double\n#undef half\n");
}

static void append_functions(const struct compile_target *target, struct text *text)
{
    text_append(text, "#if defined cl_khr_fp64 && defined cl_khr_int64_base_atomics && "
                      "defined cl_khr_int64_extended_atomics\n");
    text_append(text, half_atomics);
    text_append(text, "#endif\n");
    text_append(text, repairs);
    if (has_extension(target, "cl_intel_subgroups"))
        append_intel_sub_groups(text);
    if (has_extension(target, "cl_khr_subgroup_named_barrier"))
        text_append(text, NAMED_BARRIERS);
    if (has_extension(target, "cl_khr_async_work_group_copy_fence") ||
        has_extension(target, "cl_khr_extended_async_copies"))
        text_append(text, ASYNC_COPIES);
}

/* Clang has these macros in some versions of the language only, or not at all. */
static void append_extensions(const struct compile_target *target, struct text *text)
{
    const char *rest = target->extensions;
    const char *name;
    size_t length;
    while ((name = next_extension(&rest, &length)), length > 0)
        text_format(text, "#ifndef %.*s\n#define %.*s 1\n#endif\n", (int)length, name, (int)length,
                    name);
}

static void append_driver_prelude(const struct compile_target *target, bool c_3_1,
                                  struct text *text)
{
    append_device(target, text);
    append_unasked(target, text);
    append_functions(target, text);
    append_unasked(target, text); /* what the functions claim */
    append_extensions(target, text);
    if (c_3_1)
        text_append(text, c_3_1_macros);
    text_append(text, target->macros);
    text_append(text, "\n");
}

/* ---- one or the other ---- */

const char *target_name(const struct compile_target *target)
{
    const bool narrow = target ? target->narrow : limits_personality()->narrow != 0;
    return narrow ? "spir" : "spir64";
}

void target_append_claims(const struct compile_target *target, bool features, struct text *text)
{
    text_append(text, "-cl-ext=-all");
    if (target)
        append_claims(target, features, text);
    else
        append_own_claims(features, text);
}

void target_append_prelude(const struct compile_target *target, bool c_3_1,
                           enum target_sub_groups sub_groups, struct text *text)
{
    if (target)
        append_driver_prelude(target, c_3_1, text);
    else
        append_own_prelude(c_3_1, sub_groups, text);
}
