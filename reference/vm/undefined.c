/* Tells the use of undefined values, and finds where they were born. Rows carry no origin while the
 * kernel runs; when a report is due the instructions before the use are read backwards: the last
 * one that wrote the row and has an operand undefined in that lane passed the value on, a load or
 * an `undefine` made it. Rows may have been used anew since, so the search believes only what is
 * still consistent. */
#include "reference/vm/bits.h"
#include "reference/vm/machine.h"
#include "reference/vm/shape.h"

#include <string.h>

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

static bool writes_row(const struct vm_instruction *in, vm_row row)
{
    struct vm_shape shape;
    vm_shape_get(in, &shape);
    const struct vm_operand *dst = &shape.operands[VM_OPERAND_DST];
    return dst->kind == VM_OPERAND_ROW && row >= in->dst &&
           row < in->dst + dst->stride * dst->count && (row - in->dst) % dst->stride == 0;
}

/* The operand row that is undefined in the lane and reaches the row that the instruction writes; 0
 * = none. */
static vm_row undefined_operand(const struct vm_vector *vector, const struct vm_instruction *in,
                                vm_row row, uint64_t lane_bit)
{
    struct vm_shape shape;
    vm_shape_get(in, &shape);
    if (shape.memory)
        return 0;
    const vm_row rows[] = {in->dst, in->a, in->b, in->c};
    const uint32_t component = (row - in->dst) / shape.operands[VM_OPERAND_DST].stride;
    for (uint32_t i = VM_OPERAND_A; i < VM_OPERAND_COUNT; i++) {
        const struct vm_operand *operand = &shape.operands[i];
        if (operand->kind != VM_OPERAND_ROW)
            continue;
        if (operand->count == shape.operands[VM_OPERAND_DST].count && component < operand->count &&
            vector->undefined[rows[i] + component * operand->stride] & lane_bit)
            return rows[i] + component * operand->stride;
        for (uint32_t k = 0; k < operand->count; k++) {
            if (vector->undefined[rows[i] + k * operand->stride] & lane_bit)
                return rows[i] + k * operand->stride;
        }
    }
    return 0;
}

/* The object that a load read from, if its address row still leads to undefined bytes. */
static const struct observer_object *loaded_object(const struct vm_vector *vector,
                                                   const struct vm_instruction *in, uint32_t lane)
{
    const struct vm_run *run = vector->run;
    const row_u64 *row = ROW(u64, in->a);
    const uint64_t address = in->op == VM_OP_load_u ? row[0] : row[lane];
    const uint32_t number = vm_pointer_object(address);
    const struct vm_object *object = NULL;
    if (!(address & VM_POINTER_TAG))
        return NULL;
    if (number < VM_LAUNCH_OBJECT)
        object = vm_memory_find(run->memory, number);
    else if (number - VM_LAUNCH_OBJECT < vector->object_count)
        object = &vector->objects[number - VM_LAUNCH_OBJECT];
    const int64_t offset = vm_pointer_offset(address);
    if (!object || !object->undefined || offset < 0 || (uint64_t)offset >= object->size)
        return NULL;
    const uint64_t byte = object->root_offset + (uint64_t)offset;
    const bool undefined = object->private_stride != 0 ? object->undefined[byte] >> lane & 1
                                                       : bits_any(object->undefined, byte, 1);
    return undefined ? &object->root->identity : NULL;
}

/* Lanes of the sub-group that gave an undefined value to a shuffle; 0 when its result has taken the
 * place of what was given. */
static uint64_t given_undefined(const struct vm_vector *vector, const struct vm_instruction *in,
                                uint32_t lane)
{
    const uint32_t size = vector->run->sub_group_size;
    return in->a == in->dst ? 0 : vector->undefined[in->a] & bits_low(size) << (lane & ~(size - 1));
}

static struct vm_origin find_origin(const struct vm_vector *vector, uint32_t site, vm_row row,
                                    uint32_t lane)
{
    const struct vm_code *code = vector->run->code;
    uint64_t lane_bit = UINT64_C(1) << lane;
    bool shuffled = false;
    struct vm_origin origin = {.origin_site = UINT32_MAX, .name = row_name(code, row)};
    for (uint32_t i = site; i-- > 0;) {
        const struct vm_instruction *in = &code->instructions[i];
        shuffled |= in->op == VM_OP_sub_group_shuffle;
        if (!writes_row(in, row))
            continue;
        if (in->op == VM_OP_undefine) {
            origin.origin_site = i;
            break;
        }
        if (in->op == VM_OP_load || in->op == VM_OP_load_u) {
            origin.object = loaded_object(vector, in, lane);
            origin.origin_site = i;
            origin.name = origin.object ? origin.object->name : origin.name;
            break;
        }
        if (in->op == VM_OP_sub_group_shuffle) {
            const uint64_t given = given_undefined(vector, in, lane);
            if (!given) {
                origin.origin_site = i;
                origin.absent = true;
                break;
            }
            row = in->a;
            lane = (uint32_t)__builtin_ctzll(given);
            lane_bit = UINT64_C(1) << lane;
            continue;
        }
        const vm_row operand = undefined_operand(vector, in, row, lane_bit);
        if (!operand)
            continue;
        row = operand;
        const char *name = row_name(code, row);
        origin.name = name ? name : origin.name;
    }
    origin.maybe_absent = shuffled && !origin.object;
    return origin;
}

void vm_tell_undefined(struct vm_vector *vector, uint32_t site, enum observer_undefined_use use,
                       vm_row row, uint64_t mask)
{
    struct vm_run *run = vector->run;
    if (!run->observer || !run->observer->undefined)
        return;
    struct vm_origin *origin = &run->origins[site % VM_ORIGIN_CACHE];
    if (origin->site_plus_one != site + 1) {
        *origin = find_origin(vector, site, row, (uint32_t)__builtin_ctzll(mask));
        origin->site_plus_one = site + 1;
    }
    /* Programs store what a shuffle gives at the edges of a sub-group, and look at it nowhere. */
    if (origin->maybe_absent && use == OBSERVER_UNDEFINED_OUTPUT)
        return;
    const struct observer_undefined undefined = {.use = use,
                                                 .site = site,
                                                 .mask = mask,
                                                 .origin_site = origin->origin_site,
                                                 .origin_name = origin->name,
                                                 .origin_absent = origin->absent,
                                                 .origin_object = origin->object};
    run->observer->undefined(run->observer->state, &undefined);
}
