/* Errors that a driver returned although clerk finds nothing wrong with the call. */
#include "checkers/host/checker.h"

#include "trace/api/enumerant.h"
#include "trace/api/image.h"

#include <string.h>

/* Nothing is wrong with the call: the driver lacks something, or the answer is no. */
static bool is_no_mistake(int32_t error)
{
    switch (error) {
    case CL_PLATFORM_NOT_FOUND_KHR:
    case CL_DEVICE_NOT_FOUND:
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_BUILD_PROGRAM_FAILURE:
    case CL_COMPILE_PROGRAM_FAILURE:
    case CL_LINK_PROGRAM_FAILURE:
    case CL_MAP_FAILURE:
    case CL_DEVICE_PARTITION_FAILED:
        return true;
    default:
        return !api_error_name(error);
    }
}

/* ---- what an error tells by itself ---- */

/* What is wrong with the argument where a driver returns the error; `entry`: of that entry point
 * alone, else of all that have a row with the error. */
static const char *told_by(uint32_t entry, int32_t error)
{
    switch (error) {
    case CL_INVALID_KERNEL_NAME:
        return "which no kernel of the program has";
    case CL_INVALID_KERNEL_DEFINITION:
        return "which is not declared alike for all devices";
    case CL_INVALID_BUILD_OPTIONS:
    case CL_INVALID_COMPILER_OPTIONS:
    case CL_INVALID_LINKER_OPTIONS:
        return "of which the driver does not take all";
    case CL_INVALID_BINARY:
        return "has one that the driver does not take for its device";
    case CL_INVALID_SPEC_ID:
        return "is the number of no specialization constant";
    case CL_MAX_SIZE_RESTRICTION_EXCEEDED:
        return "is more than the kernel says that it takes";
    case CL_IMAGE_FORMAT_NOT_SUPPORTED:
        return "has a format that the device does not support for such an image";
    default:
        break;
    }
    switch (entry) {
    case API_ENTRY_clCreateProgramWithIL:
    case API_ENTRY_clCreateProgramWithILKHR:
        return "leads to nothing that the driver takes as an intermediate language";
    case API_ENTRY_clCreateProgramWithBuiltInKernels:
        return "which are not all built in on each device";
    default:
        return "is not what the driver takes";
    }
}

/* argument what the error of the row is about: the driver alone knows that, and has said so */
void judge_refused(struct judged *judged, const struct step *step)
{
    enum { SHOWN = 100 };
    const struct api_value *value = &judged->call->arguments[step->argument];
    if (judged->returned != step->error)
        return;
    const char *told = told_by(judged->call->entry, step->error);
    if (step->error == CL_INVALID_KERNEL_NAME)
        advise(judged, ADVICE_KERNEL_NAME);
    if (value->kind == API_VALUE_STRING && value->data)
        blame_unsure(judged, step, "is '%.*s'%s, %s",
                     (int)(value->size < SHOWN ? value->size : SHOWN), (const char *)value->data,
                     value->size > SHOWN ? " ..." : "", told);
    else
        blame_unsure(judged, step, "%s", told);
}

/* argument image_format: the driver lists it for such images, or has refused it as such. Drivers
 * have other errors for that, too. */
void judge_listed_format(struct judged *judged, const struct step *step)
{
    const struct host_options *options = &judged->checker->options;
    struct image_create create;
    struct object_label order, type;
    struct step blamed = *step;
    if (!judged->weighs_unsure || is_no_mistake(judged->returned) ||
        !image_create_parse(judged->call, &create))
        return;
    const struct host_image image = {.context = judged_bits(judged, 0),
                                     .flags = create.flags,
                                     .type = create.desc.image_type,
                                     .order = create.format->image_channel_order,
                                     .channel_type = create.format->image_channel_data_type};
    const bool listed =
        !options->lists_format || options->lists_format(options->answer_user, &image);
    blamed.error = judged->returned;
    if (listed && judged->returned == step->error)
        judge_refused(judged, step);
    else if (!listed)
        blame_unsure(judged, &blamed,
                     "is %s with %s, which clGetSupportedImageFormats does not list for such an "
                     "image",
                     label_value(image.order, &order), label_value(image.channel_type, &type));
}

bool judges_errors(const struct step *step)
{
    return step->judge == judge_refused || step->judge == judge_listed_format;
}

/* ---- what nothing tells ---- */

/* OpenCL API 3.0, 4.2 clGetDeviceIDs: of platform NULL "the behavior is implementation-defined";
 * Khronos' loader refuses it. */
static bool names_no_platform(const struct judged *judged)
{
    return judged->call->entry == API_ENTRY_clGetDeviceIDs && judged_bits(judged, 0) == 0 &&
           judged->returned == CL_INVALID_PLATFORM;
}

/* The first lines, which have the first error. */
static const char *begin_of_log(const char *log, struct arena *arena)
{
    enum { LINES = 12, BYTES = 1500 };
    size_t size = 0;
    log += strspn(log, " \t\r\n");
    for (int lines = 0; lines < LINES && log[size] != '\0' && size < BYTES; lines++) {
        size += strcspn(log + size, "\n");
        size += log[size] == '\n';
    }
    const bool is_cut = log[size] != '\0';
    while (size > 0 && (log[size - 1] == '\n' || log[size - 1] == '\r'))
        size--;
    return arena_format(arena, "%.*s%s", (int)size, log, is_cut ? "\n..." : "");
}

/* True: it was that, and the log says why. */
static bool blame_build(struct judged *judged)
{
    const struct host_options *options = &judged->checker->options;
    const bool is_linked = judged->returned == CL_LINK_PROGRAM_FAILURE;
    struct arena arena = {0};
    struct blame blame = {.rule = RULE_BUILD_FAILED,
                          .error = judged->returned,
                          .argument = API_PARAMETER_NONE,
                          .element = -1,
                          .unsure = true};
    if (judged->returned != CL_BUILD_PROGRAM_FAILURE &&
        judged->returned != CL_COMPILE_PROGRAM_FAILURE && !is_linked)
        return false;
    const uint64_t program = is_linked ? judged->call->result.bits : judged_bits(judged, 0);
    const char *log = options->build_log && program
                          ? options->build_log(options->answer_user, program, &arena)
                          : "";
    blame.reason = log && log[0] != '\0' ? begin_of_log(log, &arena) : NULL;
    blame_call(judged, &blame, "the program does not %s", is_linked ? "link" : "compile");
    arena_release(&arena);
    return true;
}

void blame_driver_error(struct judged *judged)
{
    if (blame_build(judged))
        return;
    /* A query that the driver does not answer is answered. */
    if (is_no_mistake(judged->returned) || names_no_platform(judged) ||
        api_entry_find_role(judged->info, API_ROLE_INFO_VALUE) != API_PARAMETER_NONE)
        return;
    const struct blame blame = {.rule = RULE_DRIVER_ERROR,
                                .error = judged->returned,
                                .argument = API_PARAMETER_NONE,
                                .element = -1,
                                .unsure = true,
                                .reason = "None of the conditions that clerk decides explains it; "
                                          "the driver knows which of the others it is."};
    blame_call(judged, &blame, "returns %s", api_error_name(judged->returned));
}
