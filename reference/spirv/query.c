/* What can be asked of a module. */
#include "reference/spirv/module_private.h"
#include "trace/base/assert.h"

#include <string.h>

size_t spv_module_kernel_count(const struct spv_module *module)
{
    return module->kernel_count;
}

const char *spv_module_kernel_name(const struct spv_module *module, size_t index)
{
    ASSERT(index < module->kernel_count);
    return module->kernels[index].name;
}

enum spv_phase spv_module_kernel_phase(const struct spv_module *module, size_t index)
{
    ASSERT(index < module->kernel_count);
    return module->kernels[index].phase;
}

size_t spv_module_child_count(const struct spv_module *module)
{
    return module->child_count;
}

size_t spv_module_variable_count(const struct spv_module *module)
{
    return module->program_variable_count;
}

const struct spv_variable *spv_module_variable(const struct spv_module *module, size_t index)
{
    ASSERT(index < module->program_variable_count);
    return &module->program_variables[index];
}

static const struct spv_decoration *find_in_list(const struct spv_decoration *list,
                                                 uint32_t decoration)
{
    for (; list != NULL; list = list->next) {
        if (list->group == 0 && list->decoration == decoration)
            return list;
    }
    return NULL;
}

const struct spv_decoration *spv_decoration_find(const struct spv_module *module, uint32_t id,
                                                 uint32_t decoration)
{
    const struct spv_decoration *found = find_in_list(module->ids[id].decorations, decoration);
    for (const struct spv_decoration *list = module->ids[id].decorations;
         list != NULL && found == NULL; list = list->next) {
        if (list->group != 0)
            found = find_in_list(module->ids[list->group].decorations, decoration);
    }
    return found;
}

const struct spv_type *spv_type_find(const struct spv_module *module, uint32_t id)
{
    return id < module->bound && module->ids[id].kind == SPV_ID_TYPE ? module->ids[id].type : NULL;
}

bool spv_integer_find(const struct spv_module *module, uint32_t id, uint64_t *number)
{
    const struct spv_constant *constant = id < module->bound ? module->ids[id].constant : NULL;
    if (constant == NULL || constant->type->kind != SPV_TYPE_INT || constant->variable != 0 ||
        (constant->kind != SPV_CONSTANT_SCALAR && constant->kind != SPV_CONSTANT_NULL))
        return false;
    *number = constant->bits;
    return true;
}

const struct spv_kernel *spv_kernel_find(const struct spv_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        if (strcmp(module->kernels[i].name, name) == 0)
            return &module->kernels[i];
    }
    return NULL;
}

bool spv_module_is_narrow(const struct spv_module *module)
{
    return module->narrow;
}
