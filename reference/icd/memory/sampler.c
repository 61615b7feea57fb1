/* OpenCL API 3.0, chapter 5.7: samplers. They never change, so a kernel's argument keeps what a
 * sampler says and not the object. */
#include "reference/icd/dispatch.h"
#include "reference/icd/info.h"
#include "reference/icd/properties.h"
#include "reference/icd/types.h"
#include "reference/limits/limits.h"
#include "reference/vm/image.h"

#include <string.h>

_Static_assert(CL_ADDRESS_CLAMP_TO_EDGE == CL_ADDRESS_NONE + 1 &&
                   CL_ADDRESS_CLAMP == CL_ADDRESS_NONE + 2 &&
                   CL_ADDRESS_REPEAT == CL_ADDRESS_NONE + 3 &&
                   CL_ADDRESS_MIRRORED_REPEAT == CL_ADDRESS_NONE + 4 &&
                   CL_FILTER_LINEAR == CL_FILTER_NEAREST + 1,
               "the modes are SPIR-V's, in its order");

static const struct sampler_modes defaults = {.normalised = CL_TRUE,
                                              .addressing = CL_ADDRESS_CLAMP,
                                              .filter = CL_FILTER_NEAREST,
                                              .mip_filter = CL_FILTER_NEAREST,
                                              .lod_max = 0x7f7fffff /* FLT_MAX */};

/* A property's value that is a cl_float: its bits, as the lower half. */
static float float_of(uint64_t value)
{
    const uint32_t bits = (uint32_t)value;
    float number;
    memcpy(&number, &bits, sizeof(number));
    return number;
}

static bool is_filter(uint64_t filter)
{
    return filter == CL_FILTER_NEAREST || filter == CL_FILTER_LINEAR;
}

/* 5.7.1: "CL_INVALID_VALUE if addressing_mode, filter_mode, normalized_coords or a combination of
 * these arguments are not valid"; OpenCL C 3.0, 6.15.15.1: the repeat modes "can only be used with
 * normalized coordinates. If normalized coordinates are not used, this addressing mode may generate
 * image coordinates that are undefined" - which is not an error of this call. */
static cl_int check_modes(const struct sampler_modes *modes)
{
    if (modes->normalised != CL_TRUE && modes->normalised != CL_FALSE)
        return CL_INVALID_VALUE;
    if (modes->addressing < CL_ADDRESS_NONE || modes->addressing > CL_ADDRESS_MIRRORED_REPEAT)
        return CL_INVALID_VALUE;
    return is_filter(modes->filter) && is_filter(modes->mip_filter) &&
                   float_of(modes->lod_min) <= float_of(modes->lod_max)
               ? CL_SUCCESS
               : CL_INVALID_VALUE;
}

static void destroy(void *handle)
{
    cl_sampler sampler = handle;
    property_list_release(&sampler->properties);
    object_drop(sampler->context);
}

/* Takes over the list. */
static cl_sampler create(cl_context context, const struct sampler_modes *modes,
                         struct property_list *list, cl_int *errcode_ret)
{
    cl_int result = limits_keep(KEPT_OPTIONAL) ? check_modes(modes) : CL_INVALID_OPERATION;
    cl_sampler sampler = NULL;
    if (result == CL_SUCCESS) {
        sampler = object_create(OBJECT_SAMPLER, sizeof(*sampler), destroy);
        result = sampler ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    if (result != CL_SUCCESS) {
        property_list_release(list);
        return object_refuse(result, errcode_ret);
    }
    sampler->context = context;
    sampler->properties = *list;
    sampler->modes = *modes;
    sampler->bits = vm_sampler_make((cl_bool)modes->normalised,
                                    (cl_addressing_mode)modes->addressing - CL_ADDRESS_NONE,
                                    (cl_filter_mode)modes->filter - CL_FILTER_NEAREST) |
                    vm_sampler_levels(modes->mip_filter == CL_FILTER_LINEAR,
                                      float_of(modes->lod_min), float_of(modes->lod_max));
    icd_lock();
    object_hold(context);
    icd_unlock();
    return object_give(sampler, CL_SUCCESS, errcode_ret);
}

cl_sampler icd_clCreateSampler(cl_context context, cl_bool normalized_coords,
                               cl_addressing_mode addressing_mode, cl_filter_mode filter_mode,
                               cl_int *errcode_ret)
{
    struct sampler_modes modes = defaults;
    struct property_list none = {0};
    if (!object_is(context, OBJECT_CONTEXT))
        return object_refuse(CL_INVALID_CONTEXT, errcode_ret);
    modes.normalised = normalized_coords;
    modes.addressing = addressing_mode;
    modes.filter = filter_mode;
    return create(context, &modes, &none, errcode_ret);
}

cl_sampler icd_clCreateSamplerWithProperties(cl_context context,
                                             const cl_sampler_properties *sampler_properties,
                                             cl_int *errcode_ret)
{
    struct sampler_modes modes = defaults;
    const struct property known[] = {
        {CL_SAMPLER_NORMALIZED_COORDS, &modes.normalised, NULL},
        {CL_SAMPLER_ADDRESSING_MODE, &modes.addressing, NULL},
        {CL_SAMPLER_FILTER_MODE, &modes.filter, NULL},
        {CL_SAMPLER_MIP_FILTER_MODE_KHR, &modes.mip_filter, NULL},
        {CL_SAMPLER_LOD_MIN_KHR, &modes.lod_min, NULL},
        {CL_SAMPLER_LOD_MAX_KHR, &modes.lod_max, NULL},
    };
    struct property_list list;
    if (!object_is(context, OBJECT_CONTEXT))
        return object_refuse(CL_INVALID_CONTEXT, errcode_ret);
    const cl_int copied = property_list_copy(sampler_properties, CL_INVALID_VALUE, &list);
    if (copied != CL_SUCCESS)
        return object_refuse(copied, errcode_ret);
    if (!properties_read(list.values, known, sizeof(known) / sizeof(known[0]))) {
        property_list_release(&list);
        return object_refuse(CL_INVALID_VALUE, errcode_ret);
    }
    return create(context, &modes, &list, errcode_ret);
}

cl_int icd_clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name, size_t param_value_size,
                            void *param_value, size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!object_is(sampler, OBJECT_SAMPLER))
        return CL_INVALID_SAMPLER;
    const struct info_row rows[] = {
        INFO(CL_SAMPLER_REFERENCE_COUNT, cl_uint, object_reference_count(sampler)),
        INFO(CL_SAMPLER_CONTEXT, cl_context, sampler->context),
        INFO(CL_SAMPLER_NORMALIZED_COORDS, cl_bool, sampler->modes.normalised),
        INFO(CL_SAMPLER_ADDRESSING_MODE, cl_addressing_mode, sampler->modes.addressing),
        INFO(CL_SAMPLER_FILTER_MODE, cl_filter_mode, sampler->modes.filter),
        INFO(CL_SAMPLER_MIP_FILTER_MODE_KHR, cl_filter_mode, sampler->modes.mip_filter),
        INFO(CL_SAMPLER_LOD_MIN_KHR, cl_float, float_of(sampler->modes.lod_min)),
        INFO(CL_SAMPLER_LOD_MAX_KHR, cl_float, float_of(sampler->modes.lod_max)),
        INFO_PROPERTIES(CL_SAMPLER_PROPERTIES, sampler->properties),
    };
    return info_answer(&target, param_name, rows, sizeof(rows) / sizeof(rows[0]));
}
