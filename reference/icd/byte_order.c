#include "reference/icd/byte_order.h"

#include "reference/icd/limits.h"
#include "reference/spirv/byte_order.h"
#include "reference/vm/code.h"

struct range {
    uint8_t *first, *end;
    const struct spv_type *type;
};

/* What argument `index` leads to; false = nothing that has an order. */
static bool find_range(const struct vm_code *code, const struct sched_argument *arguments,
                       uint32_t index, struct range *range)
{
    const struct vm_parameter *parameter = &code->parameters[index];
    const struct vm_object *object = vm_memory_find(icd_memory(), arguments[index].object);
    if ((parameter->kind != VM_PARAMETER_GLOBAL && parameter->kind != VM_PARAMETER_CONSTANT) ||
        !parameter->type || !object || object->freed || !object->bytes)
        return false;
    *range = (struct range){object->bytes + arguments[index].offset, object->bytes + object->size,
                            parameter->type};
    return range->first < range->end;
}

/* Does an earlier argument lead there too? */
static bool is_taken(const struct vm_code *code, const struct sched_argument *arguments,
                     uint32_t index, const struct range *range)
{
    struct range other;
    for (uint32_t i = 0; i < index; i++) {
        if (find_range(code, arguments, i, &other) && other.first < range->end &&
            range->first < other.end)
            return true;
    }
    return false;
}

enum status byte_order_turn(const struct vm_code *code, const struct sched_argument *arguments,
                            struct error *error)
{
    struct range range;
    if (!limits_personality()->big_endian)
        return STATUS_OK;
    for (uint32_t i = 0; i < code->parameter_count; i++) {
        if (find_range(code, arguments, i, &range) &&
            vm_memory_find(icd_memory(), arguments[i].object)->sealed)
            return error_set(error, STATUS_UNSUPPORTED,
                             "a big-endian device does not take argument %u ('%s'), memory of the "
                             "application's own that is read-only",
                             i, code->parameters[i].name);
    }
    for (uint32_t i = 0; i < code->parameter_count; i++) {
        if (find_range(code, arguments, i, &range) && !is_taken(code, arguments, i, &range))
            spv_swap_bytes(range.type, range.first, (uint64_t)(range.end - range.first));
    }
    return STATUS_OK;
}

void byte_order_turn_value(const struct vm_parameter *parameter, void *bytes)
{
    if (limits_personality()->big_endian && parameter->kind == VM_PARAMETER_STRUCT &&
        parameter->type)
        spv_swap_bytes(parameter->type, bytes, parameter->size);
}

void byte_order_turn_variable(const struct spv_type *type, uint32_t object)
{
    const struct vm_object *variable = vm_memory_find(icd_memory(), object);
    if (limits_personality()->big_endian)
        spv_swap_bytes(type, variable->bytes, variable->size);
}
