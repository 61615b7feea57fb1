/* Tells the use of undefined values, and what is known of where they were born. */
#include "reference/vm/machine.h"
#include "reference/vm/undefined_rows.h"

static const char *row_name(const struct vm_code *code, vm_row row)
{
    uint32_t low = 0;
    uint32_t high = code->row_name_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (code->row_names[middle].row < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < code->row_name_count && code->row_names[low].row == row ? code->row_names[low].name
                                                                         : NULL;
}

/* Freed ones too: they keep their names. */
static const struct vm_object *object_at(const struct vm_vector *vector, uint64_t address)
{
    const uint32_t number = vm_pointer_object(address);
    if (number < VM_LAUNCH_OBJECT)
        return vm_memory_find(vector->run->memory, number);
    return number - VM_LAUNCH_OBJECT < vector->object_count
               ? &vector->objects[number - VM_LAUNCH_OBJECT]
               : NULL;
}

void vm_tell_undefined(const struct vm_vector *vector, uint32_t site,
                       enum observer_undefined_use use, struct vm_birth birth, uint64_t mask)
{
    const struct vm_run *run = vector->run;
    if (!run->observer || !run->observer->undefined)
        return;
    struct observer_undefined undefined = {
        .use = use, .site = site, .mask = mask, .origin_site = birth.site};
    const struct vm_object *object = birth.address ? object_at(vector, birth.address) : NULL;
    if (object) {
        undefined.origin_object = &object->root->identity;
        undefined.origin_partly = birth.partly;
        undefined.origin_offset = (uint64_t)vm_pointer_offset(birth.address);
    }
    if (birth.site != UINT32_MAX) {
        const struct vm_instruction *in = &run->code->instructions[birth.site];
        undefined.origin_name = birth.address ? NULL : row_name(run->code, in->dst);
        undefined.origin_size = in->width;
        undefined.origin_absent = !birth.address && in->op == VM_OP_sub_group_shuffle;
    }
    /* Programs store what a shuffle gives at the edges of a sub-group, and look at it nowhere. */
    if (undefined.origin_absent && use == OBSERVER_UNDEFINED_OUTPUT)
        return;
    run->observer->undefined(run->observer->state, &undefined);
}

void vm_tell_undefined_row(const struct vm_vector *vector, uint32_t site,
                           enum observer_undefined_use use, vm_row row, uint64_t mask)
{
    vm_tell_undefined(vector, site, use,
                      vm_undefined_birth(vector, row, (uint32_t)__builtin_ctzll(mask)), mask);
}
