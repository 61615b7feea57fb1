/* Steps about memory that comes from elsewhere (cl_khr_external_memory), that has an address
 * on the device (cl_ext_buffer_device_address), or that nobody may change
 * (cl_ext_immutable_memory_objects). */
#include "checkers/host/checker.h"

#include <inttypes.h>
#include <string.h>

/* ---- external memory ---- */

static struct import mem_import_of(const struct judged *judged, uint8_t properties)
{
    return import_of(&judged->call->arguments[properties], API_FAMILY_MEM_PROPERTIES);
}

/* argument properties, other context: devices only beside a handle, one handle at most, and every
 * device is one of the context that can import it */
void judge_import(struct judged *judged, const struct step *step)
{
    const struct import import = mem_import_of(judged, step->argument);
    struct device_list context;
    if (import.lists_devices && import.handles == 0) {
        blame_step(judged, step, 0, "has CL_MEM_DEVICE_HANDLE_LIST_KHR, but no handle to import");
        return;
    }
    if (import.handles > 1) {
        blame_step(judged, step, 0, "has more than one handle to import");
        return;
    }
    if (import.handles == 0 || !judged_devices(judged, judged_bits(judged, step->other), &context))
        return;
    for (uint32_t i = 0; i < import.devices.count; ++i)
        if (device_index(&context, import.devices.handles[i]) == context.count) {
            blame_as(judged, RULE_DEVICE_FOREIGN, CL_INVALID_DEVICE, step->argument, 0,
                     "lists as element %" PRIu32 " of CL_MEM_DEVICE_HANDLE_LIST_KHR a device "
                     "that is not of the context",
                     i);
            return;
        }
    const struct device_list *devices = import.lists_devices ? &import.devices : &context;
    for (uint32_t i = 0; i < devices->count; ++i) {
        struct object_label label;
        uint64_t types;
        if (judged_device_fact(judged, devices->handles[i], DEVICE_FACT_MEM_IMPORT, &types) &&
            !(types & handle_type_bit(import.type))) {
            blame_as(judged, RULE_FEATURE_UNSUPPORTED, CL_INVALID_DEVICE, step->argument, 0,
                     "has a handle of type %s, which device %" PRIu32
                     " cannot import (CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR)",
                     label_value(import.type, &label), i);
            return;
        }
    }
}

/* argument flags, other properties: imported memory has its place already */
void judge_import_flags(struct judged *judged, const struct step *step)
{
    if (mem_import_of(judged, step->other).handles != 0 &&
        (judged_bits(judged, step->argument) & MEM_HOST_POINTER))
        blame_step(judged, step, 0, "says where the memory is to be, which is imported");
}

/* argument host_ptr, other properties, then flags: the same */
void judge_import_pointer(struct judged *judged, const struct step *step)
{
    const uint64_t takes = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    if (mem_import_of(judged, step->other).handles != 0 &&
        judged->call->arguments[step->argument].present &&
        (judged_bits(judged, step->at[2]) & takes)) /* else judge_host_pointer says it */
        blame_step(judged, step, 0, "is not NULL, but the memory is imported");
}

static bool imports_android(const struct judged *judged, uint8_t properties)
{
    return mem_import_of(judged, properties).type ==
           CL_EXTERNAL_MEMORY_HANDLE_ANDROID_HARDWARE_BUFFER_KHR;
}

/* argument size, other properties: an AHardwareBuffer has its own */
void judge_buffer_size(struct judged *judged, const struct step *step)
{
    const bool android = imports_android(judged, step->other);
    if (android && judged_bits(judged, step->argument) != 0)
        blame_as(judged, RULE_PROPERTY_INVALID, step->error, step->argument, 0,
                 "is not 0, but the AHardwareBuffer has a size of its own");
    else if (!android)
        judge_size_zero(judged, step);
}

/* argument image_format or image_desc, other properties: needed, but of an AHardwareBuffer, which
 * has its own */
void judge_described(struct judged *judged, const struct step *step)
{
    const bool present = judged->call->arguments[step->argument].present;
    if (present && imports_android(judged, step->other))
        blame_as(judged, RULE_IMAGE_DESCRIPTION, step->error, step->argument, 0,
                 "is not NULL, but the AHardwareBuffer has its own");
    else if (!present && !imports_android(judged, step->other))
        blame_step(judged, step, 0, "is NULL");
}

/* argument a descriptor, or properties that have one: it is not OpenCL's already. "The application
 * must not perform any operations on the file descriptor after a successful import" (OpenCL API
 * 3.0, Descriptions of External Memory Handle Types, and of External Semaphore Handle Types). */
void judge_imported(struct judged *judged, const struct step *step)
{
    struct host_checker *checker = judged->checker;
    int32_t descriptor;
    struct imported earlier;
    struct object_label label;
    if (!checks_has(&checker->options.checks, step->rule) ||
        !imported_descriptor(judged->call, &descriptor) ||
        !imported_begin(checker->imported, judged->call, descriptor, &earlier))
        return;
    const bool known = object_serial(checker->objects, earlier.handle) == earlier.serial;
    blame_step(judged, step, known ? earlier.handle : 0,
               "hands over file descriptor %" PRId32 ", which OpenCL owns: %s was imported from "
               "it%s",
               descriptor,
               known ? label_object(judged, earlier.handle, &label) : "an object that has ended",
               earlier.closed ? ", and it is no longer open" : "");
}

/* argument properties, other context: a device of it gives addresses */
void judge_address_property(struct judged *judged, const struct step *step)
{
    struct fact_range extensions;
    if (mem_import_of(judged, step->argument).has_address &&
        judged_fact(judged, judged_bits(judged, step->other), DEVICE_FACT_EXTENSIONS,
                    &extensions) &&
        !(extensions.any & EXTENSION_DEVICE_ADDRESS))
        blame_step(judged, step, 0,
                   "has CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT; no device of the context has "
                   "cl_ext_buffer_device_address");
}

/* argument kernel: the same of its context */
void judge_address_of_kernel(struct judged *judged, const struct step *step)
{
    const uint64_t kernel = judged_bits(judged, step->argument);
    struct fact_range extensions;
    if (judged_fact(judged, judged_context(judged, kernel), DEVICE_FACT_EXTENSIONS, &extensions) &&
        !(extensions.any & EXTENSION_DEVICE_ADDRESS))
        blame_step(judged, step, kernel,
                   "is of a context whose devices lack cl_ext_buffer_device_address");
}

/* argument kernel, other param_name (clSetKernelExecInfo) */
void judge_address_exec_info(struct judged *judged, const struct step *step)
{
    if (judged_bits(judged, step->other) == CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT)
        judge_address_of_kernel(judged, step);
}

/* ---- immutable memory ---- */

/* argument flags, other properties or none, then image_desc or none: the bytes come from somewhere
 */
void judge_immutable_source(struct judged *judged, const struct step *step)
{
    const uint64_t flags = judged_bits(judged, step->argument);
    const bool is_import =
        step->other != API_PARAMETER_NONE && mem_import_of(judged, step->other).handles != 0;
    cl_image_desc desc = {0};
    if (step->at[2] != API_PARAMETER_NONE) {
        const struct api_value *value = &judged->call->arguments[step->at[2]];
        if (!value->data || value->size != sizeof desc)
            return;
        memcpy(&desc, value->data, sizeof desc);
    }
    if (judged_immutable(judged, judged_bits(judged, 0), flags) && !desc.mem_object && !is_import &&
        !(flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR)))
        blame_step(judged, step, 0,
                   "has CL_MEM_IMMUTABLE_EXT, but nothing gives the object its bytes");
}

/* argument flags, other image_desc: what is made from immutable memory is immutable */
void judge_immutable_view(struct judged *judged, const struct step *step)
{
    const struct api_value *value = &judged->call->arguments[step->other];
    const uint64_t flags = judged_bits(judged, step->argument);
    cl_image_desc desc;
    struct mem_traits source;
    if (!value->data || value->size != sizeof desc || (flags & CL_MEM_IMMUTABLE_EXT))
        return;
    memcpy(&desc, value->data, sizeof desc);
    const uint64_t handle = (uint64_t)(uintptr_t)desc.mem_object;
    if (judged_object(judged, handle, &source) && (source.flags & CL_MEM_IMMUTABLE_EXT) &&
        !(flags & flags_forbidden(source.flags))) /* else judge_image_flags says it */
        blame_step(judged, step, handle,
                   "lacks CL_MEM_IMMUTABLE_EXT, which the object has that it is made from");
}

/* argument flags: nothing that is to be written */
void judge_no_immutable(struct judged *judged, const struct step *step)
{
    if (judged_immutable(judged, judged_bits(judged, 0), judged_bits(judged, step->argument)))
        blame_step(judged, step, 0, "has CL_MEM_IMMUTABLE_EXT, which is for memory with a content");
}

/* argument a memory object that the command writes, other map_flags or none */
void judge_immutable(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    struct mem_traits mem;
    if (judged_object(judged, handle, &mem) && (mem.flags & CL_MEM_IMMUTABLE_EXT) &&
        (step->other == API_PARAMETER_NONE || (judged_bits(judged, step->other) & MAP_WRITES)))
        blame_step(judged, step, handle, "is made with CL_MEM_IMMUTABLE_EXT, and is to be written");
}
