/* Memory for which no work-items of the launch can race, by the form of the kernel's accesses
 * (checkers/probe/apart.h): nobody need watch it for races. */
#include "checkers/probe/apart.h"

#include "reference/sched/group.h"

#include <string.h>

static const void *value_of(const void *user, uint32_t argument, size_t *size)
{
    const struct sched_launch *request = user;
    const struct vm_parameter *parameter = &request->code->parameters[argument];
    *size = parameter->size;
    return parameter->kind == VM_PARAMETER_VALUE ? request->arguments[argument].bytes : NULL;
}

/* The object leads to bytes that another argument leads to, too, or that pointers from anywhere
 * may. */
static bool is_shared(const struct sched_launch *request, uint32_t index,
                      const struct vm_object *object)
{
    enum {
        MEMORY = 1 << VM_PARAMETER_GLOBAL | 1 << VM_PARAMETER_CONSTANT | 1 << VM_PARAMETER_IMAGE |
                 1 << VM_PARAMETER_PIPE
    };
    bool shared = object->root->identity.svm != OBSERVER_SVM_NONE;
    for (uint32_t i = 0; i < request->code->parameter_count && !shared; i++) {
        const struct vm_object *other = launch_argument(request, i, MEMORY);
        shared = i != index && other && other->root == object->root;
    }
    return shared;
}

static uint64_t bit_of(uint32_t index)
{
    return index < 64 ? UINT64_C(1) << index : 0;
}

void launch_find_apart(struct launch *launch)
{
    const struct sched_launch *request = launch->request;
    const struct vm_code *code = request->code;
    struct apart_launch shape = {
        .dimensions = request->dimensions, .value_of = value_of, .user = request};
    uint32_t local = 0;
    if (code->big_endian) /* in which numbers lie the other way round */
        return;
    memcpy(shape.offset, request->global_offset, sizeof shape.offset);
    memcpy(shape.global, request->global_size, sizeof shape.global);
    memcpy(shape.local, request->local_size, sizeof shape.local);
    for (uint32_t i = 0; i < code->variable_count; i++) {
        if (code->variables[i].region == VM_VARIABLE_LOCAL &&
            apart_holds(&code->variables[i].apart, &shape, true))
            launch->apart_locals |= bit_of(local);
        local += code->variables[i].region == VM_VARIABLE_LOCAL;
    }
    for (uint32_t i = 0; i < code->parameter_count; i++) {
        const struct vm_parameter *parameter = &code->parameters[i];
        const struct vm_object *object = launch_argument(request, i, 1 << VM_PARAMETER_GLOBAL);
        const bool is_local = parameter->kind == VM_PARAMETER_LOCAL;
        if ((is_local || (object && !is_shared(request, i, object))) &&
            apart_holds(&parameter->apart, &shape, is_local))
            *(is_local ? &launch->apart_locals : &launch->apart_parameters) |=
                bit_of(is_local ? local : i);
        local += is_local;
    }
}

bool launch_is_apart(const struct launch *launch, const struct observer_object *object)
{
    if (object->region == OBSERVER_LOCAL)
        return (launch->apart_locals & bit_of(object->id - VM_LAUNCH_OBJECT)) != 0;
    for (uint64_t left = launch->apart_parameters; left != 0; left &= left - 1) {
        const uint32_t index = (uint32_t)__builtin_ctzll(left);
        const struct vm_object *given =
            launch_argument(launch->request, index, 1 << VM_PARAMETER_GLOBAL);
        if (given && given->root->identity.id == object->id)
            return true;
    }
    return false;
}
