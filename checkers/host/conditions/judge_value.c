/* Steps about values that come from a family: flags, enumerants, names of queries and properties.
 */
#include "checkers/host/checker.h"

#include "trace/api/enumerant.h"
#include "trace/api/property.h"

#include <CL/cl_ext.h>
#include <inttypes.h>
#include <string.h>

static enum api_family family_of(const struct judged *judged, uint8_t index)
{
    return (enum api_family)judged->info->parameters[index].family;
}

/* ---- flags ---- */

enum { SVM_FLAGS = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS };
static const uint64_t queue_flags_of_vendors = UINT64_C(0xf0000000);

static uint64_t mem_flags_allowed(uint32_t entry)
{
    const uint64_t all =
        MEM_KERNEL_ACCESS | MEM_HOST_ACCESS | MEM_HOST_POINTER | MEM_FLAGS_OF_VENDORS;
    switch (entry) {
    case API_ENTRY_clGetSupportedImageFormats:
        return all | CL_MEM_KERNEL_READ_AND_WRITE | SVM_FLAGS;
    case API_ENTRY_clCreatePipe:
        return CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS | MEM_FLAGS_OF_VENDORS;
    case API_ENTRY_clSVMAlloc:
        return MEM_KERNEL_ACCESS | SVM_FLAGS | MEM_FLAGS_OF_VENDORS;
    case API_ENTRY_clCreateSubBuffer:
        return MEM_KERNEL_ACCESS | MEM_HOST_ACCESS | MEM_FLAGS_OF_VENDORS;
    default: /* of others' memory the kernels' access is all that can be said */
        return object_sharing(entry) != 0 ? MEM_KERNEL_ACCESS | MEM_FLAGS_OF_VENDORS : all;
    }
}

static uint64_t flags_allowed(const struct judged *judged, enum api_family family)
{
    switch (family) {
    case API_FAMILY_DEVICE_TYPE:
        return CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
               CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    case API_FAMILY_QUEUE_FLAGS:
        return CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE |
               CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | queue_flags_of_vendors;
    case API_FAMILY_MAP_FLAGS:
        return CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    case API_FAMILY_MIGRATION_FLAGS:
        return CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    case API_FAMILY_MEM_FLAGS:
        return mem_flags_allowed(judged->call->entry);
    default:
        return UINT64_MAX;
    }
}

/* Those that have a meaning of their own. To others an extension may give one. */
static uint64_t flags_known(enum api_family family)
{
    switch (family) {
    case API_FAMILY_MEM_FLAGS:
        return MEM_KERNEL_ACCESS | MEM_HOST_ACCESS | MEM_HOST_POINTER | SVM_FLAGS |
               CL_MEM_KERNEL_READ_AND_WRITE;
    case API_FAMILY_DEVICE_TYPE: /* where none of it exists, there is no device of the type */
        return UINT64_MAX;
    default: /* all of those are allowed */
        return 0;
    }
}

/* Those of `flags` that exclude each other; 0 = none. */
static uint64_t exclusive_flags(enum api_family family, uint64_t flags)
{
    static const struct exclusion {
        enum api_family family;
        uint64_t flags;
    } exclusions[] = {
        {API_FAMILY_MEM_FLAGS, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY},
        {API_FAMILY_MEM_FLAGS, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY},
        {API_FAMILY_MEM_FLAGS, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY},
        {API_FAMILY_MEM_FLAGS, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY},
        {API_FAMILY_MEM_FLAGS, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS},
        {API_FAMILY_MEM_FLAGS, CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS},
        {API_FAMILY_MEM_FLAGS, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR},
        {API_FAMILY_MEM_FLAGS, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR},
        {API_FAMILY_MEM_FLAGS, CL_MEM_IMMUTABLE_EXT | CL_MEM_READ_WRITE},
        {API_FAMILY_MEM_FLAGS, CL_MEM_IMMUTABLE_EXT | CL_MEM_WRITE_ONLY},
        {API_FAMILY_MEM_FLAGS, CL_MEM_IMMUTABLE_EXT | CL_MEM_HOST_WRITE_ONLY},
        {API_FAMILY_MAP_FLAGS, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION},
        {API_FAMILY_MAP_FLAGS, CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION},
    };
    for (size_t i = 0; i < sizeof exclusions / sizeof *exclusions; ++i)
        if (exclusions[i].family == family && (flags & exclusions[i].flags) == exclusions[i].flags)
            return exclusions[i].flags;
    return 0;
}

/* "is", what is wrong with these flags of it */
static void blame_flags(struct judged *judged, const struct step *step, enum rule_index rule,
                        uint64_t flags, const char *what)
{
    struct text text = TEXT_INIT;
    if (!blame_wanted(judged, rule))
        return;
    api_enumerant_print(family_of(judged, step->argument), flags, &text);
    blame_as(judged, rule, step->error, step->argument, 0, "has %s, %s",
             text.bytes ? text.bytes : "flags", what);
    text_release(&text);
}

/* Without those that are another vendor's here. */
static uint64_t meant_flags(const struct judged *judged, enum api_family family, uint64_t flags)
{
    return family == API_FAMILY_MEM_FLAGS &&
                   !judged_immutable(judged, judged_bits(judged, 0), flags)
               ? flags & ~(uint64_t)CL_MEM_IMMUTABLE_EXT
               : flags;
}

/* Flags by their family. */
void judge_flags(struct judged *judged, const struct step *step)
{
    const enum api_family family = family_of(judged, step->argument);
    const uint64_t flags = judged_bits(judged, step->argument);
    if (flags == 0 && family == API_FAMILY_DEVICE_TYPE)
        blame_step(judged, step, 0, "is 0, which is not a type of devices");
    if (flags == 0 || (family == API_FAMILY_DEVICE_TYPE && flags == CL_DEVICE_TYPE_ALL))
        return;
    const uint64_t unknown = flags & ~flags_allowed(judged, family);
    const bool asks = judged->call->entry == API_ENTRY_clGetSupportedImageFormats;
    const uint64_t exclusive =
        asks ? 0 : exclusive_flags(family, meant_flags(judged, family, flags));
    if (unknown & flags_known(family))
        blame_flags(judged, step, RULE_FLAGS_INVALID, unknown, "which it cannot have here");
    else if (unknown != 0)
        blame_unsure(judged, step, "has 0x%" PRIx64 ", which the driver does not take", unknown);
    else if (exclusive != 0)
        blame_flags(judged, step, RULE_FLAGS_CONFLICT, exclusive,
                    exclusive & CL_MEM_IMMUTABLE_EXT
                        ? "which exclude each other (0x40 is CL_MEM_IMMUTABLE_EXT here)"
                        : "which exclude each other");
}

bool judged_immutable(const struct judged *judged, uint64_t object, uint64_t flags)
{
    struct fact_range extensions;
    return (flags & CL_MEM_IMMUTABLE_EXT) != 0 &&
           judged_fact(judged, judged_context(judged, object), DEVICE_FACT_EXTENSIONS,
                       &extensions) &&
           (extensions.any & EXTENSION_IMMUTABLE) != 0;
}

/* Flags that something made from a memory object with these flags must not have. */
uint64_t flags_forbidden(uint64_t flags)
{
    uint64_t forbidden = 0;
    if (flags & CL_MEM_WRITE_ONLY)
        forbidden |= CL_MEM_READ_WRITE | CL_MEM_READ_ONLY;
    if (flags & CL_MEM_READ_ONLY)
        forbidden |= CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY;
    if (flags & CL_MEM_HOST_WRITE_ONLY)
        forbidden |= CL_MEM_HOST_READ_ONLY;
    if (flags & CL_MEM_HOST_READ_ONLY)
        forbidden |= CL_MEM_HOST_WRITE_ONLY;
    if (flags & CL_MEM_HOST_NO_ACCESS)
        forbidden |= CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY;
    if (flags & CL_MEM_IMMUTABLE_EXT)
        forbidden |= CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY;
    return forbidden;
}

static void blame_parent_flags(struct judged *judged, const struct step *step, uint64_t flags)
{
    advise(judged, ADVICE_PARENT_FLAGS);
    blame_flags(judged, step, RULE_FLAGS_CONFLICT, flags,
                "which the object that it is made from forbids");
}

/* argument flags, other the buffer that the new one is a part of */
void judge_flags_of_part(struct judged *judged, const struct step *step)
{
    const uint64_t flags = judged_bits(judged, step->argument);
    struct mem_traits whole;
    if (flags != 0 && judged_mem(judged, step->other, &whole) &&
        (flags & flags_forbidden(whole.flags)))
        blame_parent_flags(judged, step, flags & flags_forbidden(whole.flags));
}

/* ---- enumerants ---- */

/* One of its family. */
void judge_enum(struct judged *judged, const struct step *step)
{
    const uint64_t value = judged_bits(judged, step->argument);
    const enum api_family family = family_of(judged, step->argument);
    struct object_label label;
    if (api_enumerant_find(family, value))
        return;
    if (may_be_of_vendor(judged, value))
        blame_unsure(judged, step, "is %s, which the driver does not take",
                     label_value(value, &label));
    else
        blame_step(judged, step, 0, "is %s, which it cannot be", label_value(value, &label));
}

/* CL_SUBMITTED, CL_RUNNING or CL_COMPLETE: CL_QUEUED was before there was a callback. */
void judge_callback_status(struct judged *judged, const struct step *step)
{
    const int64_t status = (int32_t)judged_bits(judged, step->argument);
    if (status != CL_COMPLETE && status != CL_RUNNING && status != CL_SUBMITTED)
        blame_step(judged, step, 0,
                   "is %" PRId64 "; a callback is for CL_SUBMITTED, CL_RUNNING or CL_COMPLETE",
                   status);
}

/* A kind of images. */
void judge_image_type(struct judged *judged, const struct step *step)
{
    const uint64_t type = judged_bits(judged, step->argument);
    struct object_label label;
    if (type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER)
        return;
    if (may_be_of_vendor(judged, type))
        blame_unsure(judged, step, "is %s, which the driver does not know",
                     label_value(type, &label));
    else
        blame_step(judged, step, 0, "is %s, which is not a kind of image",
                   label_value(type, &label));
}

/* ---- queries ---- */

/* Asking is allowed: programs ask to see whether there is an answer, of extensions and of versions
 * that the driver may not have. Names below CORE_ENUMERANTS_END are given by the specification
 * alone, each to one query; from there on extensions have theirs. */
enum { CORE_NAMES = 0x900 };

static bool is_name_of_another(enum api_family family, uint64_t name)
{
    static const enum api_family queries[] = {
        API_FAMILY_PLATFORM_INFO, API_FAMILY_DEVICE_INFO,     API_FAMILY_CONTEXT_INFO,
        API_FAMILY_QUEUE_INFO,    API_FAMILY_MEM_INFO,        API_FAMILY_IMAGE_INFO,
        API_FAMILY_PIPE_INFO,     API_FAMILY_SAMPLER_INFO,    API_FAMILY_PROGRAM_INFO,
        API_FAMILY_KERNEL_INFO,   API_FAMILY_KERNEL_ARG_INFO, API_FAMILY_EVENT_INFO,
        API_FAMILY_PROFILING_INFO};
    for (size_t i = 0; i < sizeof queries / sizeof *queries; ++i)
        if (queries[i] != family && api_enumerant_find(queries[i], name))
            return true;
    return false;
}

/* Is this the name of another query, or a number that no registry gives to any? */
static void blame_name(struct judged *judged, const struct step *step, enum api_family family,
                       uint64_t name)
{
    struct step blamed = *step;
    struct object_label label;
    blamed.argument = step->other;
    if (name < CORE_ENUMERANTS_END && is_name_of_another(family, name)) {
        blame_step(judged, &blamed, 0, "is %s, which this entry point does not answer",
                   label_value(name, &label));
        return;
    }
    blamed.rule = RULE_DRIVER_ERROR;
    if (name < CORE_NAMES)
        blame_unsure(judged, &blamed, "is %s, which is the name of no query",
                     label_value(name, &label));
}

/* The bytes that the answer has at least; 0 = it may be empty. */
static uint64_t least_size(const struct api_enumerant *name)
{
    switch (name->answer) {
    case API_ANSWER_STRING:
        return 1;
    case API_ANSWER_WORDS32:
        return 4;
    case API_ANSWER_BITS64:
        return 8;
    case API_ANSWER_NUMBERS32:
        return strstr(name->name, "SUB_GROUP_SIZES") || strstr(name->name, "SPIRV") ? 0 : 4;
    case API_ANSWER_HANDLES:
        return 8;
    case API_ANSWER_NUMBERS64: /* lists of properties may be empty */
        return strstr(name->name, "PROPERTIES") || strstr(name->name, "PARTITION") ||
                       strstr(name->name, "GLOBAL_VARIABLE")
                   ? 0
                   : 8;
    default:
        return 0;
    }
}

/* What to pass to have the room for the answer. */
static enum advice room_advice(const struct api_enumerant *name)
{
    const uint64_t least = least_size(name);
    return least == 4 ? ADVICE_QUERY_WORD : least == 8 ? ADVICE_QUERY_LONG_WORD : ADVICE_OF_RULE;
}

/* Before the call, by what the specification says of the answer: of names of the core alone, and of
 * the entry point's own extension, since others may be another vendor's. */
static void blame_room(struct judged *judged, const struct step *step,
                       const struct api_enumerant *name, uint64_t room)
{
    const bool is_word = name->answer == API_ANSWER_WORDS32 || name->answer == API_ANSWER_BITS64;
    const bool may_be_another = !api_enumerant_is_core(name) && judged->info->since[0] != 'c';
    const uint64_t least = may_be_another ? 0 : least_size(name);
    if (room >= least)
        return;
    advise(judged, room_advice(name));
    blame_step(judged, step, 0, "is %" PRIu64 "; %s needs %s%" PRIu64 " byte%s", room, name->name,
               is_word ? "" : "at least ", least, least == 1 ? "" : "s");
}

/* The driver refused it: because of the room, if it has an answer that is longer. */
static void blame_answer(struct judged *judged, const struct step *step,
                         const struct api_enumerant *name, uint64_t room)
{
    const struct host_options *options = &judged->checker->options;
    const uint64_t size = judged->weighs_unsure && options->answer_size
                              ? options->answer_size(options->answer_user, judged->call)
                              : 0;
    if (size > room)
        blame_unsure(judged, step,
                     "is %" PRIu64 "; the driver's answer to %s has %" PRIu64 " bytes", room,
                     name->name, size);
}

/* argument param_value, other param_name: the name is none that another entry point answers, and
 * there is room for the answer. */
void judge_query(struct judged *judged, const struct step *step)
{
    if (step->other == API_PARAMETER_NONE)
        return;
    const uint64_t name = judged_bits(judged, step->other);
    const enum api_family family = family_of(judged, step->other);
    const struct api_enumerant *known = api_enumerant_find(family, name);
    if (!known) {
        blame_name(judged, step, family, name);
        return;
    }
    const struct api_parameter *value = &judged->info->parameters[step->argument];
    const uint64_t room = judged_bits(judged, value->count_index);
    const struct step blamed = {
        .rule = RULE_QUERY_SIZE, .error = step->error, .argument = value->count_index};
    if (!judged->call->arguments[step->argument].present)
        return;
    blame_room(judged, &blamed, known, room);
    blame_answer(judged, &blamed, known, room);
}

/* argument param_name, other param_value_size, then param_value (clSetKernelExecInfo) */
void judge_exec_info(struct judged *judged, const struct step *step)
{
    const uint64_t name = judged_bits(judged, step->argument);
    const uint64_t size = judged_bits(judged, step->other);
    struct object_label label;
    if (!api_enumerant_find(API_FAMILY_KERNEL_EXEC_INFO, name)) {
        if (name < CORE_ENUMERANTS_END)
            blame_step(judged, step, 0, "is %s, which this entry point does not take",
                       label_value(name, &label));
        else
            blame_unsure(judged, step, "is %s, which the driver does not take",
                         label_value(name, &label));
    } else if (name == CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM && size != sizeof(cl_bool)) {
        blame_as(judged, RULE_QUERY_SIZE, step->error, step->other, 0,
                 "is %" PRIu64 "; the value is a cl_bool", size);
    } else if (name == CL_KERNEL_EXEC_INFO_SVM_PTRS && size % sizeof(void *) != 0) {
        blame_as(judged, RULE_QUERY_SIZE, step->error, step->other, 0,
                 "is %" PRIu64 "; the value is a list of pointers", size);
    }
}

/* ---- lists of properties ---- */

enum property_value { VALUE_ANY, VALUE_BOOL, VALUE_FAMILY, VALUE_PRIORITY };

static const struct property_rule {
    enum api_family family;
    uint64_t name;
    enum property_value value;
    enum api_family values; /* of VALUE_FAMILY */
} property_rules[] = {
    {API_FAMILY_CONTEXT_PROPERTIES, CL_CONTEXT_INTEROP_USER_SYNC, VALUE_BOOL, 0},
    {API_FAMILY_SAMPLER_PROPERTIES, CL_SAMPLER_NORMALIZED_COORDS, VALUE_BOOL, 0},
    {API_FAMILY_SAMPLER_PROPERTIES, CL_SAMPLER_ADDRESSING_MODE, VALUE_FAMILY,
     API_FAMILY_ADDRESSING_MODE},
    {API_FAMILY_SAMPLER_PROPERTIES, CL_SAMPLER_FILTER_MODE, VALUE_FAMILY, API_FAMILY_FILTER_MODE},
    {API_FAMILY_QUEUE_PROPERTIES, CL_QUEUE_PRIORITY_KHR, VALUE_PRIORITY, 0},
    {API_FAMILY_QUEUE_PROPERTIES, CL_QUEUE_THROTTLE_KHR, VALUE_PRIORITY, 0},
    {API_FAMILY_CONTEXT_PROPERTIES, CL_CONTEXT_TERMINATE_KHR, VALUE_BOOL, 0},
    {API_FAMILY_SEMAPHORE_PROPERTIES, CL_SEMAPHORE_TYPE_KHR, VALUE_FAMILY,
     API_FAMILY_SEMAPHORE_TYPE},
};

static bool value_is_valid(enum api_family family, uint64_t name, uint64_t value)
{
    for (size_t i = 0; i < sizeof property_rules / sizeof *property_rules; ++i) {
        const struct property_rule *rule = &property_rules[i];
        if (rule->family != family || rule->name != name)
            continue;
        if (rule->value == VALUE_BOOL)
            return value <= 1;
        if (rule->value == VALUE_FAMILY)
            return api_enumerant_find(rule->values, value) != NULL;
        if (rule->value == VALUE_PRIORITY) /* high, medium or low */
            return value == 1 || value == 2 || value == 4;
    }
    return true;
}

/* Is the name of the property that begins at word `end` there before? */
static bool is_repeated(const struct api_value *list, enum api_family family, uint64_t name,
                        uint32_t end)
{
    struct api_property each;
    for (uint32_t at = 0; at < end && api_property_next(list, family, &at, &each);)
        if (each.name == name)
            return true;
    return false;
}

static void blame_property(struct judged *judged, const struct step *step, enum advice advice,
                           const char *what, uint64_t name)
{
    struct text text = TEXT_INIT;
    if (!blame_wanted(judged, step->rule))
        return;
    api_enumerant_print(family_of(judged, step->argument), name, &text);
    advise(judged, advice);
    blame_step(judged, step, 0, "%s %s", what, text.bytes ? text.bytes : "a property");
    text_release(&text);
}

/* A list of pairs of a name and a value. */
void judge_properties(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    const enum api_family family = family_of(judged, step->argument);
    struct api_property property;
    if (family == API_FAMILY_PARTITION_PROPERTIES)
        return;
    for (uint32_t at = 0, start = 0; api_property_next(list, family, &at, &property); start = at) {
        const uint64_t name = property.name;
        if (is_repeated(list, family, name, start))
            blame_property(judged, step, ADVICE_OF_RULE, "has twice the property", name);
        else if (!api_enumerant_find(family, name))
            blame_unsure(judged, step,
                         "has the property 0x%" PRIx64 ", which the driver does not "
                         "take",
                         name);
        else if (!api_property_is_list(family, name) &&
                 !value_is_valid(family, name, api_property_word(&property, 0)))
            blame_property(judged, step, ADVICE_PROPERTY_VALUE, "has an invalid value for", name);
    }
}

/* CL_CONTEXT_PLATFORM names a platform. */
void judge_platform_property(struct judged *judged, const struct step *step)
{
    struct api_property property;
    if (!api_property_find(&judged->call->arguments[step->argument], API_FAMILY_CONTEXT_PROPERTIES,
                           CL_CONTEXT_PLATFORM, &property))
        return;
    const uint64_t platform = api_property_word(&property, 0);
    const struct object_state state = object_state(judged->checker->objects, platform);
    if (state.standing != OBJECT_UNKNOWN && state.kind != API_OBJECT_PLATFORM)
        blame_step(judged, step, platform,
                   "names as CL_CONTEXT_PLATFORM something that is not a platform");
    else if (state.standing == OBJECT_UNKNOWN)
        blame_unsure(judged, step, "names an unknown platform as CL_CONTEXT_PLATFORM");
}

/* ---- arguments that go together ---- */

/* argument user_data, other the callback that it is for */
void judge_user_data(struct judged *judged, const struct step *step)
{
    if (judged->call->arguments[step->argument].present &&
        !judged->call->arguments[step->other].present)
        blame_step(judged, step, 0, "is not NULL although %s is", judged_name(judged, step->other));
}

/* A list, the argument, is NULL exactly if the other, its count, is 0. */
void judge_pair(struct judged *judged, const struct step *step)
{
    const bool present = judged->call->arguments[step->argument].present;
    if (present && judged_bits(judged, step->other) == 0)
        blame_step(judged, step, 0, "is not NULL although %s is 0",
                   judged_name(judged, step->other));
    judge_null_list(judged, step);
}

/* The argument must be NULL. */
void judge_not_null(struct judged *judged, const struct step *step)
{
    if (judged->call->arguments[step->argument].present)
        blame_step(judged, step, 0, "is not NULL");
}

/* No element of a list of numbers is 0, or of one of addresses, of strings or binaries, NULL. */
void judge_elements_not_zero(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    for (uint32_t i = 0; i < list_count(list, API_VALUE_SIZES); ++i) {
        if (list_word(list, i) == 0) {
            advise(judged,
                   step->rule == RULE_ARGUMENT_NULL ? ADVICE_ELEMENT_NULL : ADVICE_SIZE_ZERO);
            blame_element(judged, step, i, 0,
                          step->rule == RULE_ARGUMENT_NULL ? "is NULL" : "is 0");
            return;
        }
    }
}

/* argument args, other num_mem_objects, then cb_args, which judge_pair has an eye on */
void judge_args_for_buffers(struct judged *judged, const struct step *step)
{
    const uint64_t count = judged_bits(judged, step->other);
    if (!judged->call->arguments[step->argument].present && count != 0 &&
        judged_bits(judged, step->at[2]) == 0)
        blame_step(judged, step, 0, "is NULL although num_mem_objects is %" PRIu64, count);
}

/* A list that is NULL although its count, the other, is not 0. */
void judge_null_list(struct judged *judged, const struct step *step)
{
    const uint64_t count = judged_bits(judged, step->other);
    if (judged->call->arguments[step->argument].present || count == 0)
        return;
    advise(judged, ADVICE_LIST_MISSING);
    blame_step(judged, step, 0, "is NULL although %s is %" PRIu64, judged_name(judged, step->other),
               count);
}
