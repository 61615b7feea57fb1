/* Subscripts of arrays that are parts of larger objects: told where they are out of range and the
 * gate has nothing to say, because the access stays in its object. */
#include "reference/vm/access.h"

#include <string.h>

/* ---- which lanes ---- */

static uint64_t read_uniform(const struct vm_vector *vector, const struct vm_instruction *in)
{
    uint64_t index = 0;
    memcpy(&index, vm_unit(vector, in->a), in->width);
    return index;
}

static uint64_t lanes_outside(struct vm_vector *vector, const struct vm_instruction *in,
                              uint64_t count)
{
    if (in->count & VM_SUBSCRIPT_UNIFORM)
        return read_uniform(vector, in) < count ? 0 : ~UINT64_C(0);
    if (in->width == 4) {
        const u32 limit = (u32)count;
        const row_u32 *indices = ROW(u32, in->a);
        LANES_WHERE(32, outside, lane, indices[lane] >= limit);
        return outside;
    }
    const row_u64 *indices = ROW(u64, in->a);
    LANES_WHERE(64, outside, lane, indices[lane] >= count);
    return outside;
}

/* ---- telling: rare ---- */

static int64_t lane_index(const struct vm_vector *vector, const struct vm_instruction *in,
                          uint32_t lane)
{
    const uint32_t at = in->count & VM_SUBSCRIPT_UNIFORM ? 0 : lane;
    if (in->width == 8)
        return (int64_t)ROW(u64, in->a)[at];
    const u32 index = ROW(u32, in->a)[at];
    return vector->run->code->subscripts[in->aux].is_unsigned ? (int64_t)index
                                                              : (int64_t)(s32)index;
}

static uint64_t lane_pointer(const struct vm_vector *vector, const struct vm_instruction *in,
                             uint32_t lane)
{
    const uint32_t at = in->count & VM_SUBSCRIPT_UNIFORM_ADDRESS ? 0 : lane;
    return access_pointer(vector, ROW(u64, in->b)[at], lane);
}

static void tell(const struct vm_vector *vector, const struct vm_instruction *in, uint64_t mask,
                 const struct vm_object *object, int64_t offset)
{
    const struct vm_subscript *subscript = &vector->run->code->subscripts[in->aux];
    struct observer_array array = subscript->array;
    array.index = lane_index(vector, in, (uint32_t)__builtin_ctzll(mask));
    const struct observer_fault fault = {.kind = OBSERVER_FAULT_SUBSCRIPT,
                                         .site = vm_site(vector, in),
                                         .access = subscript->access,
                                         .object = object ? &object->identity : NULL,
                                         .size = subscript->access_size,
                                         .mask = mask,
                                         .offset = offset,
                                         .array = &array};
    vm_tell_fault(vector, &fault);
}

/* Of the lanes those whose access the gate lets into one object, that of the lowest; what it does
 * not let pass it tells itself. Takes them out of *lanes. */
static void tell_object(const struct vm_vector *vector, const struct vm_instruction *in,
                        uint64_t *lanes)
{
    const uint32_t size = vector->run->code->subscripts[in->aux].access_size;
    const uint64_t first = lane_pointer(vector, in, (uint32_t)__builtin_ctzll(*lanes));
    const struct vm_object *object = access_object(vector, first);
    const bool gone = !object || (object->freed && !object->private_stride) || object->size < size;
    uint64_t told = 0;
    int64_t offset = 0;
    FOR_EACH_LANE(lane, *lanes) {
        const uint64_t pointer = lane_pointer(vector, in, lane);
        if ((pointer ^ first) >> VM_POINTER_OFFSET_BITS)
            continue;
        *lanes &= ~(UINT64_C(1) << lane);
        if (gone || (uint64_t)vm_pointer_offset(pointer) > object->size - size)
            continue;
        offset = told ? offset : vm_pointer_offset(pointer);
        told |= UINT64_C(1) << lane;
    }
    if (told)
        tell(vector, in, told, object, offset);
}

static __attribute__((noinline)) void tell_outside(const struct vm_vector *vector,
                                                   const struct vm_instruction *in, uint64_t lanes)
{
    lanes &= ~vector->undefined[in->a];
    if (in->count & VM_SUBSCRIPT_OF_VALUE && lanes)
        tell(vector, in, lanes, NULL, 0);
    while (lanes && !(in->count & VM_SUBSCRIPT_OF_VALUE))
        tell_object(vector, in, &lanes);
}

/* Do the terms of the row say that no lane is out of range? Else elements are there. */
static bool terms_inside(struct vm_vector *vector, const struct vm_instruction *in, uint64_t count)
{
    const uint64_t limit = in->width == 4 ? (u32)count : count;
    s64 least;
    s64 greatest;
    const struct vm_affine *terms = vm_affine(vector, in->a);
    if (terms->form != VM_AFFINE_NO &&
        affine_range(vector, terms, in->width, false, &least, &greatest) &&
        (uint64_t)greatest < limit)
        return true;
    MACHINE(affine_fill)(vector, in->a, in->width);
    return false;
}

void MACHINE(op_subscript)(struct vm_vector *vector, const struct vm_instruction *in)
{
    const uint64_t count = vector->run->code->subscripts[in->aux].array.count;
    if (in->count & VM_SUBSCRIPT_AFFINE && terms_inside(vector, in, count))
        return;
    if (in->count & VM_SUBSCRIPT_AFFINE_ADDRESS)
        MACHINE(affine_fill)(vector, in->b, sizeof(uint64_t));
    const uint64_t outside = lanes_outside(vector, in, count) & vector->active;
    if (__builtin_expect(outside != 0, 0))
        tell_outside(vector, in, outside);
}
