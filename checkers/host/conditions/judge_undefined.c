/* Steps about calls whose arguments make what they do undefined, without an error code. */
#include "checkers/host/checker.h"
#include "checkers/host/commands/commands.h"

#include "trace/api/enumerant.h"
#include "trace/api/property.h"
#include "trace/base/size.h"

#include <inttypes.h>
#include <string.h>

/* ---- extensions ---- */

/* Which functions of extensions the device has that the call is about, or any device of its
 * context; false = not known. */
static bool functions_of(struct judged *judged, uint8_t argument, uint64_t *functions)
{
    const struct api_value *value = &judged->call->arguments[argument];
    const bool listed = value->kind == API_VALUE_HANDLES;
    const uint64_t handle = !listed                           ? value->bits
                            : value->data && value->count > 0 ? list_word(value, 0)
                                                              : 0;
    struct object_table *objects = judged->checker->objects;
    struct fact_range range;
    struct queue_traits queue;
    switch (object_state(objects, handle).kind) {
    case API_OBJECT_DEVICE:
        return judged_device_fact(judged, handle, DEVICE_FACT_FUNCTIONS, functions);
    case API_OBJECT_QUEUE:
        return object_get_traits(objects, handle, API_OBJECT_QUEUE, &queue) &&
               judged_device_fact(judged, queue.device, DEVICE_FACT_FUNCTIONS, functions);
    default:
        if (!judged_fact(judged, judged_context(judged, handle), DEVICE_FACT_FUNCTIONS, &range))
            return false;
        *functions = range.any;
        return true;
    }
}

/* argument an object, other the number of an extension (extension_of): the device has it */
void judge_extension(struct judged *judged, const struct step *step)
{
    uint64_t functions;
    if (functions_of(judged, step->argument, &functions) && !(functions >> step->other & 1))
        blame_as(judged, step->rule, step->error, API_PARAMETER_NONE,
                 judged_bits(judged, step->argument),
                 "is called for a device that does not list %s in CL_DEVICE_EXTENSIONS",
                 judged->info->since);
}

/* argument an image that a command moves: kernels can read any */
void judge_single_sampled(struct judged *judged, const struct step *step)
{
    struct mem_traits mem;
    if (judged_object(judged, judged_bits(judged, step->argument), &mem) && mem.multi_sampled)
        blame_step(judged, step, judged_bits(judged, step->argument),
                   "is made from a multi-sampled texture");
}

/* ---- programs ---- */

/* The option at or behind `*at`, which is set behind it: what no space divides outside of quotes.
 * 0 = there is none. */
static int next_option(const struct api_value *options, uint64_t *at, const char **option)
{
    const char *text = options->data;
    bool quoted = false;
    if (options->kind != API_VALUE_STRING || !text)
        return 0;
    const uint64_t size = strnlen(text, options->size);
    while (*at < size && text[*at] == ' ')
        ++*at;
    *option = text + *at;
    for (; *at < size && (quoted || text[*at] != ' '); ++*at)
        quoted ^= text[*at] == '"';
    return (int)(text + *at - *option);
}

/* argument options: -D and what it defines are two words (OpenCL API 3.0, 5.8.6.1) */
void judge_build_options(struct judged *judged, const struct step *step)
{
    const struct api_value *options = &judged->call->arguments[step->argument];
    const char *option;
    uint64_t at = 0;
    for (int length; (length = next_option(options, &at, &option)) != 0;) {
        if (length > 2 && option[0] == '-' && option[1] == 'D') {
            blame_step(judged, step, 0, "has '%.*s', which is two words in OpenCL", length, option);
            return;
        }
    }
}

/* ---- platforms ---- */

/* argument platform. A loader takes the first that it has, a driver itself (OpenCL API 3.0, 4.1:
 * "If platform is NULL, the behavior is implementation-defined."). */
void judge_platform_chosen(struct judged *judged, const struct step *step)
{
    if (judged_bits(judged, step->argument) == 0)
        blame_step(judged, step, 0, "is NULL, which stands for a platform of the implementation's");
}

/* argument properties of a context without a list of devices: these would say whose they are */
void judge_platform_listed(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    struct api_property property;
    const bool known = !list->present || list->kind == API_VALUE_PROPERTIES;
    if (known &&
        !api_property_find(list, API_FAMILY_CONTEXT_PROPERTIES, CL_CONTEXT_PLATFORM, &property))
        blame_step(judged, step, 0,
                   "has no CL_CONTEXT_PLATFORM, so that the platform is the implementation's");
}

/* ---- what later versions deprecate ---- */

void judge_deprecated(struct judged *judged, const struct step *step)
{
    const struct api_deprecation *is = api_entry_deprecation(judged->call->entry);
    blame_step(judged, step, 0, "is deprecated: OpenCL %s has %s instead", is->version,
               is->instead);
}

/* argument the name of a query */
void judge_deprecated_query(struct judged *judged, const struct step *step)
{
    const enum api_family family = (enum api_family)judged->info->parameters[step->argument].family;
    const uint64_t name = judged_bits(judged, step->argument);
    const struct api_deprecation *is = api_enumerant_deprecation(family, name);
    if (is)
        blame_step(judged, step, 0, "is %s, which is deprecated: OpenCL %s has %s instead",
                   api_enumerant_find(family, name)->name, is->version, is->instead);
}

/* argument options */
void judge_deprecated_option(struct judged *judged, const struct step *step)
{
    static const char strict[] = "-cl-strict-aliasing";
    const struct api_value *options = &judged->call->arguments[step->argument];
    const char *option;
    uint64_t at = 0;
    for (int length; (length = next_option(options, &at, &option)) != 0;) {
        if (length == (int)sizeof strict - 1 && memcmp(option, strict, sizeof strict - 1) == 0) {
            blame_step(judged, step, 0,
                       "has %s, which is deprecated: OpenCL 1.1 has rules of the language instead",
                       strict);
            return;
        }
    }
}

/* ---- shared virtual memory ---- */

/* Where only shared virtual memory may be, and a device that takes any memory is not asked: none is
 * there any more. Of copies nothing is said, since the host may have been given its pages. */
static void judge_gone(struct judged *judged, const struct step *step, uint64_t address)
{
    uint64_t svm;
    const uint32_t entry = judged->call->entry;
    if (entry == API_ENTRY_clEnqueueSVMMemcpy || entry == API_ENTRY_clEnqueueMemcpyINTEL ||
        entry == API_ENTRY_clCommandSVMMemcpyKHR || !svm_is_gone(judged->checker->svm, address) ||
        !device_fact(judged_device(judged), DEVICE_FACT_SVM, &svm) ||
        device_reuses_svm(judged_device(judged)))
        return;
    blame_as(judged, RULE_SVM_UNKNOWN, step->error, step->argument, 0,
             "lies in shared virtual memory that was freed");
}

/* argument a pointer, other how many bytes from there, or none: they lie in one allocation, of the
 * queue's context, if any of them lies in one */
void judge_svm_place(struct judged *judged, const struct step *step)
{
    const uint64_t address = judged_bits(judged, step->argument);
    const uint64_t size = step->other == API_PARAMETER_NONE ? 1 : judged_bits(judged, step->other);
    const uint64_t context = judged_context(judged, judged_bits(judged, 0));
    struct svm_range range;
    uint64_t capabilities;
    if (address == 0 || size == 0)
        return;
    if (!svm_find(judged->checker->svm, address, &range)) {
        judge_gone(judged, step, address);
        return;
    }
    if ((!range.unified && device_fact(judged_device(judged), DEVICE_FACT_SVM, &capabilities) &&
         capabilities == 0))
        return; /* of a device without such memory judge_svm_of_queue says so */
    if (context != 0 && range.context != context) {
        blame_as(judged, RULE_CONTEXT_MISMATCH, step->error, step->argument, range.context,
                 "lies in shared virtual memory of another context than command_queue has");
        return;
    }
    if (!range_within(address - range.address, size, range.size))
        blame_step(judged, step, 0,
                   "is %" PRIu64 " bytes before the end of its allocation, and %s is %" PRIu64,
                   range.size - (address - range.address), judged_name(judged, step->other), size);
}

static bool has_no_svm(struct judged *judged, uint64_t context)
{
    struct fact_range svm;
    return judged_fact(judged, context, DEVICE_FACT_SVM, &svm) && svm.any == 0;
}

/* Of what is freed, an element of a list or the argument itself. */
static void blame_freed(struct judged *judged, enum rule_index rule, const struct step *step,
                        uint32_t index, uint64_t object, const char *what)
{
    struct step blamed = *step;
    blamed.rule = rule;
    if (judged->call->entry == API_ENTRY_clEnqueueSVMFree)
        blame_element(judged, &blamed, index, object, "%s", what);
    else
        blame_step(judged, &blamed, object, "%s", what);
}

static void judge_freed(struct judged *judged, const struct step *step, uint64_t context,
                        uint32_t index, uint64_t address)
{
    struct svm_range range;
    if (address == 0 || context == 0)
        return;
    if (!svm_find(judged->checker->svm, address, &range) || range.unified)
        blame_freed(judged, step->rule, step, index, 0,
                    "is not what clSVMAlloc returned, or was freed before");
    else if (range.address != address)
        blame_freed(judged, step->rule, step, index, 0,
                    "lies within an allocation; clSVMAlloc returned its start");
    else if (range.context != context)
        blame_freed(judged, RULE_CONTEXT_MISMATCH, step, index, range.context,
                    "is shared virtual memory of another context");
}

/* argument what is freed, other the context, or pfn_free_func: without such a function each address
 * is the start of an allocation of the context, or of the queue's, or NULL */
void judge_svm_freed(struct judged *judged, const struct step *step)
{
    const bool by_command = judged->call->entry == API_ENTRY_clEnqueueSVMFree;
    const uint64_t context =
        by_command ? judged_context(judged, judged_bits(judged, 0)) : judged_bits(judged, 0);
    uint64_t address;
    if (is_blind(judged->checker) || has_no_svm(judged, context) ||
        (by_command && judged_bits(judged, step->other) != 0))
        return;
    for (uint32_t i = 0; freed_address(judged->call, i, &address); ++i)
        judge_freed(judged, step, context, i, address);
}

/* argument svm_ptr: clEnqueueSVMMap was given it, and it is not unmapped */
void judge_svm_mapped(struct judged *judged, const struct step *step)
{
    const uint64_t address = judged_bits(judged, step->argument);
    uint64_t svm;
    if (address != 0 && !is_blind(judged->checker) &&
        !(device_fact(judged_device(judged), DEVICE_FACT_SVM, &svm) && svm == 0) &&
        !svm_is_mapped(judged->checker->svm, address))
        blame_step(judged, step, 0,
                   "is not a pointer that clEnqueueSVMMap was given, or is unmapped already");
}

/* argument what is freed, by a command too, or by a function of the program's then: no allocation
 * of which a region is mapped. Only coarse-grained memory need be. */
void judge_svm_freed_map(struct judged *judged, const struct step *step)
{
    struct svm_table *table = judged->checker->svm;
    struct svm_range range;
    uint64_t address, svm;
    for (uint32_t i = 0; freed_address(judged->call, i, &address); ++i)
        if (svm_find(table, address, &range) && !range.unified && range.address == address &&
            !(range.flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) &&
            !(device_fact(judged_device(judged), DEVICE_FACT_SVM, &svm) && svm == 0) &&
            svm_has_map(table, &range))
            blame_freed(judged, step->rule, step, i, 0, "is freed while a region of it is mapped");
}

/* argument svm_pointer: no buffer was made over its allocation that is not released */
void judge_svm_owned(struct judged *judged, const struct step *step)
{
    struct svm_range range;
    struct host_ptr_range buffer;
    struct object_label label;
    if (svm_find(judged->checker->svm, judged_bits(judged, step->argument), &range) &&
        host_ptr_find(judged->checker->owned, range.address, range.size, &buffer))
        blame_step(judged, step, buffer.handle, "is freed while %s, which was made over it, lives",
                   label_object(judged, buffer.handle, &label));
}

/* A command: no other command has used a buffer over the same memory of the host. */
void judge_owned_once(struct judged *judged, const struct step *step)
{
    struct host_ptr_table *owned = judged->checker->owned;
    struct call_uses uses;
    struct host_ptr_range other;
    if (!host_ptr_any(owned))
        return;
    call_uses_find(judged->call, judged->checker->objects, judged->checker->svm, &uses);
    for (size_t i = 0; i < uses.count; ++i) {
        const uint64_t handle = uses.uses[i].object;
        struct object_label self, label;
        struct object_facts facts;
        if (handle == CALL_HOST_MEMORY || !host_ptr_use(owned, handle, &other))
            continue;
        const bool kept = object_describe(judged->checker->objects, other.handle, &facts) &&
                          facts.counted && facts.references == 0;
        blame_step(judged, step, handle,
                   "uses %s, whose CL_MEM_USE_HOST_PTR memory is also that of %s, which another "
                   "command has used%s",
                   label_object(judged, handle, &self), label_object(judged, other.handle, &label),
                   kept ? "; the program has released that one, but what it made from it keeps it"
                        : "");
        return;
    }
}
