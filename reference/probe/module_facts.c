/* Each kernel becomes lane code as on the reference device, whose parameters tell all. It is made
 * for the usual device: what others are like changes nothing in them. */
#include "reference/probe/module_facts.h"

#include "reference/lower/lower.h"
#include "reference/probe/local_facts.h"
#include "reference/probe/parameter_facts.h"
#include "reference/spirv/module.h"

#include <string.h>

static bool keep(struct arena *arena, const char **string)
{
    *string = arena_string(arena, *string);
    return *string != NULL;
}

/* False when memory is out. */
static bool add_argument(struct facts *facts, const struct vm_parameter *parameter,
                         struct fact_argument *argument)
{
    fact_of_parameter(parameter, argument);
    return keep(&facts->arena, &argument->name) && keep(&facts->arena, &argument->type_name) &&
           keep(&facts->arena, &argument->plain_type_name) &&
           copy_apart(&parameter->apart, &facts->arena, &argument->apart);
}

static bool add_kernel(struct facts *facts, const struct vm_code *code)
{
    struct fact_kernel *kernel = &facts->kernels[facts->kernel_count];
    kernel->name = code->name;
    kernel->arguments =
        arena_alloc(&facts->arena, (size_t)code->parameter_count + 1, sizeof *kernel->arguments);
    if (!kernel->arguments || !keep(&facts->arena, &kernel->name))
        return false;
    memcpy(kernel->group_size, code->required_local_size, sizeof kernel->group_size);
    kernel->argument_count = code->parameter_count;
    kernel->local_size = code->local_size;
    for (uint32_t i = 0; i < code->parameter_count; i++) {
        if (!add_argument(facts, &code->parameters[i], &kernel->arguments[i]))
            return false;
    }
    facts->kernel_count++;
    return facts_of_locals(code, &facts->arena, kernel);
}

static bool add_kernels(struct facts *facts, const struct spv_module *module)
{
    static const struct vm_lower_options options = {.apart = true};
    const size_t count = spv_module_kernel_count(module);
    facts->kernels = arena_alloc(&facts->arena, count + 1, sizeof *facts->kernels);
    bool added = facts->kernels != NULL;
    for (size_t i = 0; added && i < count; i++) {
        struct vm_code *code = NULL;
        if (spv_module_kernel_phase(module, i) != SPV_PHASE_KERNEL)
            continue;
        const enum status status =
            vm_lower_kernel(module, spv_module_kernel_name(module, i), &options, &code, NULL);
        if (status == STATUS_OK)
            added = add_kernel(facts, code);
        else
            added = status != STATUS_NO_MEMORY;
        vm_code_destroy(code);
    }
    return added;
}

enum status module_facts_find(const void *spirv, size_t size, struct facts *facts,
                              struct error *error)
{
    struct spv_module *module = NULL;
    struct facts found = {0};
    enum status status = spv_module_parse(spirv, size, &module, error);
    if (status == STATUS_OK && !add_kernels(&found, module))
        status = error_set(error, STATUS_NO_MEMORY, "out of memory");
    if (module)
        spv_module_destroy(module);
    if (status == STATUS_OK)
        *facts = found;
    else
        facts_release(&found);
    return status;
}
