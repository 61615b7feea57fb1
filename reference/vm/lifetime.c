/* Where the lifetimes of private variables that are in memory begin and end. */
#include "reference/vm/access.h"
#include "reference/vm/undefined_origins.h"
#include "reference/vm/undefined_rows.h"

static struct vm_object *object_of(struct vm_vector *vector, const struct vm_instruction *in)
{
    const uint64_t pointer = *ROW(u64, in->a);
    return &vector->objects[vm_pointer_object(pointer) - VM_LAUNCH_OBJECT];
}

/* What was known of undefined values that lay there is of another object. */
static void forget_births(struct vm_vector *vector, const struct vm_object *object, uint32_t lane,
                          struct vm_origin birth)
{
    struct origins *births = &vector->run->births_in_group;
    const uint8_t *bytes = object->bytes + lane * object->private_stride;
    for (uint64_t offset = 0; offset < object->size; offset += 4) {
        const uint32_t size = object->size - offset < 4 ? (uint32_t)(object->size - offset) : 4;
        if (origins_find(births, bytes + offset, size))
            origins_put(births, bytes + offset, size, ~UINT64_C(0), birth);
    }
}

void vm_life_begin(struct vm_vector *vector, const struct vm_instruction *in)
{
    struct vm_object *object = object_of(vector, in);
    const uint64_t active = vector->active;
    object->ended &= ~active;
    object->freed = object->ended != 0;
    if (!object->undefined)
        return;
    uint64_t *words = object->undefined + object->root_offset;
    for (uint64_t byte = 0; byte < object->size; byte++)
        words[byte] |= active;
    const struct vm_origin birth = {.address = *ROW(u64, in->a), .site = UINT32_MAX};
    FOR_EACH_LANE(lane, vector->run->births_in_group.count ? active : 0)
        forget_births(vector, object, lane, birth);
}

void vm_life_end(struct vm_vector *vector, const struct vm_instruction *in)
{
    struct vm_object *object = object_of(vector, in);
    object->ended |= vector->active;
    object->freed = true;
    FOR_EACH_LANE(lane, vector->active)
        object->end_sites[lane] = vm_site(vector, in);
}
