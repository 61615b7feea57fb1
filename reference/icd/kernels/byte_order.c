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
static const struct vm_object *find_object(const struct sched_launch *launch, uint32_t index)
{
    const struct vm_parameter *parameter = &launch->code->parameters[index];
    const struct vm_object *object =
        vm_memory_find(launch->memory, launch->arguments[index].object);
    if ((parameter->kind != VM_PARAMETER_GLOBAL && parameter->kind != VM_PARAMETER_CONSTANT) ||
        !parameter->type || !object || object->freed || !object->bytes)
        return NULL;
    return object;
}

/* What argument `index` leads to, to be turned in place. */
static bool find_range(const struct sched_launch *launch, uint32_t index, struct range *range)
{
    const struct vm_object *object = find_object(launch, index);
    if (!object || object->sealed)
        return false;
    *range = (struct range){object->bytes + launch->arguments[index].offset,
                            object->bytes + object->size, launch->code->parameters[index].type};
    return range->first < range->end;
}

/* An argument, whose earlier ones come first. */
struct argument {
    const struct sched_launch *launch;
    uint32_t index;
};

/* Does an earlier argument lead to some of these bytes too? */
static bool are_taken(const void *user, const uint8_t *bytes, uint64_t size)
{
    const struct argument *argument = user;
    struct range other;
    for (uint32_t i = 0; i < argument->index; i++) {
        if (find_range(argument->launch, i, &other) && other.first < bytes + size &&
            bytes < other.end)
            return true;
    }
    return false;
}

/* What is left of it by earlier ones: a sub-buffer takes a part of its parent. */
static void turn(const struct sched_launch *launch)
{
    struct range range;
    for (uint32_t i = 0; i < launch->code->parameter_count; i++) {
        const struct argument argument = {launch, i};
        if (!find_range(launch, i, &range))
            continue;
        const uint64_t size = (uint64_t)(range.end - range.first);
        spv_swap_bytes_unless(range.type, range.first, size,
                              are_taken(&argument, range.first, size) ? are_taken : NULL,
                              &argument);
    }
}

/* copies[i] becomes where the bytes were: the object has the copy. False when memory is out. */
static bool lend_copy(const struct sched_launch *launch, uint32_t index, uint8_t **copies)
{
    const struct sched_argument *arguments = launch->arguments;
    const struct vm_object *object = find_object(launch, index);
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
    spv_swap_bytes(launch->code->parameters[index].type, copy + arguments[index].offset,
                   object->size - arguments[index].offset);
    copies[index] = object->bytes;
    vm_memory_move_bytes(launch->memory, arguments[index].object, copy);
    return true;
}

static void take_copies(const struct sched_launch *launch, uint8_t **copies)
{
    for (uint32_t i = 0; i < launch->code->parameter_count; i++) {
        if (!copies[i])
            continue;
        uint8_t *copy = vm_memory_find(launch->memory, launch->arguments[i].object)->bytes;
        vm_memory_move_bytes(launch->memory, launch->arguments[i].object, copies[i]);
        alloc_free(copy);
    }
    alloc_free(copies);
}

enum status byte_order_enter(const struct sched_launch *launch, uint8_t ***copies,
                             struct error *error)
{
    *copies = NULL;
    if (!limits_personality()->big_endian)
        return STATUS_OK;
    const uint32_t count = launch->code->parameter_count;
    uint8_t **made = alloc_zero(count + 1, sizeof(*made));
    bool complete = made != NULL;
    for (uint32_t i = 0; complete && i < count; i++)
        complete = lend_copy(launch, i, made);
    if (!complete) {
        if (made)
            take_copies(launch, made);
        return error_no_memory(error, 0);
    }
    turn(launch);
    *copies = made;
    return STATUS_OK;
}

void byte_order_leave(const struct sched_launch *launch, uint8_t **copies)
{
    if (!copies)
        return;
    turn(launch);
    take_copies(launch, copies);
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
