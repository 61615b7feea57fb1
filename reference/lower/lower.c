/* A kernel to lane code: its attributes, and the stages in order. */
#include "reference/lower/lower.h"
#include "reference/lower/lower_private.h"
#include "trace/base/assert.h"
#include "trace/base/text.h"

#include <string.h>

/* ---- attributes ---- */

/* SPIR-V 1.6, VecTypeHint: the component type in the low 16 bits, the count in the high ones. */
static void append_vector_hint(struct text *text, uint32_t hint)
{
    static const char *const types[] = {"char", "short", "int", "long", "half", "float", "double"};
    const uint32_t type = hint & 0xffff;
    const uint32_t count = hint >> 16;
    if (type >= sizeof types / sizeof types[0])
        return;
    text_format(text, "%svec_type_hint(%s", text->size > 0 ? " " : "", types[type]);
    if (count > 1)
        text_format(text, "%u", count);
    text_append(text, ")");
}

static void append_sizes(struct text *text, const char *name, const uint64_t size[3])
{
    if (size[0] == 0)
        return;
    text_format(text, "%s%s(%llu,%llu,%llu)", text->size > 0 ? " " : "", name,
                (unsigned long long)size[0], (unsigned long long)size[1],
                (unsigned long long)size[2]);
}

/* Sub-groups divide a lane vector. */
static void required_sub_groups(struct lower *lower, struct text *text)
{
    const uint32_t size = lower->kernel->sub_group_size;
    lower->code->required_sub_group_size = size;
    lower->code->required_sub_group_count = lower->kernel->sub_group_count;
    if (size == 0)
        return;
    if (size > VM_LANES || (size & (size - 1)) != 0)
        lower_fail(lower, STATUS_UNSUPPORTED,
                   "a sub-group size of %u is not supported; powers of two up to %d are", size,
                   VM_LANES);
    text_format(text, "%sintel_reqd_sub_group_size(%u)", text->size > 0 ? " " : "", size);
}

static void kernel_attributes(struct lower *lower)
{
    const struct spv_kernel *kernel = lower->kernel;
    struct vm_code *code = lower->code;
    struct text text = TEXT_INIT;
    memcpy(code->required_local_size, kernel->local_size, sizeof code->required_local_size);
    memcpy(code->hint_local_size, kernel->local_size_hint, sizeof code->hint_local_size);
    append_sizes(&text, "reqd_work_group_size", kernel->local_size);
    append_sizes(&text, "work_group_size_hint", kernel->local_size_hint);
    required_sub_groups(lower, &text);
    if (kernel->has_vector_type_hint)
        append_vector_hint(&text, kernel->vector_type_hint);
    code->attributes = text.failed ? NULL : arena_string(&code->arena, text.bytes);
    text_release(&text);
    code->name = arena_string(&code->arena, kernel->name);
    if (code->attributes == NULL || code->name == NULL)
        lower_no_memory(lower);
    /* SPIR-V has 102000 for 1.2. */
    const uint32_t version = lower->module->language_version;
    if (lower->module->language == SpvSourceLanguageOpenCL_C)
        code->opencl_c_version = version / 100000 * 100 + version / 1000 % 100 * 10;
}

/* ---- all of it ---- */

/* What index 0 means: no value, no instruction, no phi, no place. */
static void reserve_zero(struct lower *lower)
{
    const struct ir_value value = {.kind = IR_NONE};
    const struct ir_instruction instruction = {.dead = true};
    const struct ir_phi phi = {.dead = true};
    const struct vm_place place = {.function = "", .file = ""};
    lower_append(lower, &lower->values, &lower->value_count, &lower->value_capacity, &value,
                 sizeof value);
    lower_append(lower, &lower->instructions, &lower->instruction_count,
                 &lower->instruction_capacity, &instruction, sizeof instruction);
    lower_append(lower, &lower->phis, &lower->phi_count, &lower->phi_capacity, &phi, sizeof phi);
    lower_append(lower, &lower->places, &lower->place_count, &lower->place_capacity, &place,
                 sizeof place);
}

/* What happens to the graph. */
static void (*const stages[])(struct lower *lower) = {
    lower_promote, lower_lifetimes, lower_subscripts, lower_indexed,
    lower_owner,   lower_unlike,    lower_shape,      lower_spins,
    lower_uniform, lower_accesses,  lower_inert,      lower_must,
    lower_apart,   lower_returns,   lower_select,     lower_communication,
};

static enum status lower_kernel(const struct spv_module *module, const struct spv_kernel *found,
                                const struct vm_lower_options *options, struct vm_code **code,
                                struct error *error)
{
    struct arena arena = {0};
    struct vm_code *made = arena_alloc(&arena, 1, sizeof *made);
    struct vm_launches *launches = arena_alloc(&arena, 1, sizeof *launches);
    if (made == NULL || launches == NULL) {
        arena_release(&arena);
        return error_no_memory(error, sizeof *made);
    }
    made->launches = launches;
    made->arena = arena; /* which owns it: vm_code_destroy releases that alone */
    struct lower lower = {
        .module = module,
        .kernel = found,
        .code = made,
        .error = error,
        .options = options != NULL ? *options : (struct vm_lower_options){0},
        .relaxed_atomics =
            module->language == SpvSourceLanguageOpenCL_C && module->language_version < 200000,
    };
    made->big_endian = lower.options.big_endian;
    reserve_zero(&lower);
    if (!lower_failed(&lower))
        kernel_attributes(&lower);
    if (!lower_failed(&lower))
        lower_translate(&lower);
    lower.place = 0;
    /* Fences synchronise through atomic objects. */
    lower.code->uses_acquire |= lower.barrier_fences && lower.atomic_count > 0;
    for (size_t i = 0; i < sizeof stages / sizeof stages[0] && !lower_failed(&lower); i++)
        stages[i](&lower);
    lower_release_uniques(&lower);
    arena_release(&lower.arena);
    if (lower_failed(&lower)) {
        vm_code_destroy(made);
        return lower.status;
    }
    *code = made;
    return STATUS_OK;
}

enum status vm_lower_kernel(const struct spv_module *module, const char *kernel,
                            const struct vm_lower_options *options, struct vm_code **code,
                            struct error *error)
{
    const struct spv_kernel *found = spv_kernel_find(module, kernel);
    return found == NULL
               ? error_set(error, STATUS_NOT_FOUND, "the module has no kernel '%s'", kernel)
               : lower_kernel(module, found, options, code, error);
}

enum status vm_lower_child(const struct spv_module *module, size_t child,
                           const struct vm_lower_options *options, struct vm_code **code,
                           struct error *error)
{
    ASSERT(child < module->child_count);
    return lower_kernel(module, &module->children[child], options, code, error);
}
