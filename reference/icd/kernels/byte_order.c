#include "reference/icd/kernels/byte_order.h"

#include "reference/limits/limits.h"
#include "reference/spirv/module.h"
#include "reference/vm/code.h"
#include "trace/base/alloc.h"

#include <string.h>

struct range {
    uint8_t *first, *end;
    const struct spv_type *type;
};

/* The object that argument `index` leads to, if its bytes have an order; else NULL. */
static const struct vm_object *find_object(const struct vm_code *code,
                                           const struct sched_argument *arguments, uint32_t index)
{
    const struct vm_parameter *parameter = &code->parameters[index];
    const struct vm_object *object = vm_memory_find(icd_memory(), arguments[index].object);
    if ((parameter->kind != VM_PARAMETER_GLOBAL && parameter->kind != VM_PARAMETER_CONSTANT) ||
        !parameter->type || !object || object->freed || !object->bytes)
        return NULL;
    return object;
}

/* What argument `index` leads to, to be turned in place. */
static bool find_range(const struct vm_code *code, const struct sched_argument *arguments,
                       uint32_t index, struct range *range)
{
    const struct vm_object *object = find_object(code, arguments, index);
    if (!object || object->sealed)
        return false;
    *range = (struct range){object->bytes + arguments[index].offset, object->bytes + object->size,
                            code->parameters[index].type};
    return range->first < range->end;
}

/* An argument, whose earlier ones come first. */
struct argument {
    const struct vm_code *code;
    const struct sched_argument *arguments;
    uint32_t index;
};

/* Does an earlier argument lead to some of these bytes too? */
static bool are_taken(const void *user, const uint8_t *bytes, uint64_t size)
{
    const struct argument *argument = user;
    struct range other;
    for (uint32_t i = 0; i < argument->index; i++) {
        if (find_range(argument->code, argument->arguments, i, &other) &&
            other.first < bytes + size && bytes < other.end)
            return true;
    }
    return false;
}

/* What is left of it by earlier ones: a sub-buffer takes a part of its parent. */
static void turn(const struct vm_code *code, const struct sched_argument *arguments)
{
    struct range range;
    for (uint32_t i = 0; i < code->parameter_count; i++) {
        const struct argument argument = {code, arguments, i};
        if (!find_range(code, arguments, i, &range))
            continue;
        const uint64_t size = (uint64_t)(range.end - range.first);
        spv_swap_bytes_unless(range.type, range.first, size,
                              are_taken(&argument, range.first, size) ? are_taken : NULL,
                              &argument);
    }
}

/* copies[i] becomes where the bytes were: the object has the copy. False when memory is out. */
static bool lend_copy(const struct vm_code *code, const struct sched_argument *arguments,
                      uint32_t index, uint8_t **copies)
{
    const struct vm_object *object = find_object(code, arguments, index);
    if (!object || !object->sealed)
        return true;
    for (uint32_t i = 0; i < index; i++) {
        if (copies[i] && arguments[i].object == arguments[index].object)
            return true;
    }
    uint8_t *copy = alloc(object->size);
    if (!copy)
        return false;
    memcpy(copy, object->bytes, object->size);
    spv_swap_bytes(code->parameters[index].type, copy + arguments[index].offset,
                   object->size - arguments[index].offset);
    copies[index] = object->bytes;
    vm_memory_move_bytes(icd_memory(), arguments[index].object, copy);
    return true;
}

static void take_copies(const struct vm_code *code, const struct sched_argument *arguments,
                        uint8_t **copies)
{
    for (uint32_t i = 0; i < code->parameter_count; i++) {
        if (!copies[i])
            continue;
        uint8_t *copy = vm_memory_find(icd_memory(), arguments[i].object)->bytes;
        vm_memory_move_bytes(icd_memory(), arguments[i].object, copies[i]);
        alloc_free(copy);
    }
    alloc_free(copies);
}

enum status byte_order_enter(const struct vm_code *code, const struct sched_argument *arguments,
                             uint8_t ***copies, struct error *error)
{
    *copies = NULL;
    if (!limits_personality()->big_endian)
        return STATUS_OK;
    uint8_t **made = alloc_zero(code->parameter_count + 1, sizeof(*made));
    bool complete = made != NULL;
    for (uint32_t i = 0; complete && i < code->parameter_count; i++)
        complete = lend_copy(code, arguments, i, made);
    if (!complete) {
        if (made)
            take_copies(code, arguments, made);
        return error_no_memory(error, 0);
    }
    turn(code, arguments);
    *copies = made;
    return STATUS_OK;
}

void byte_order_leave(const struct vm_code *code, const struct sched_argument *arguments,
                      uint8_t **copies)
{
    if (!copies)
        return;
    turn(code, arguments);
    take_copies(code, arguments, copies);
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
