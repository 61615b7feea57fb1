#include "reference/spirv/byte_order.h"

#include "reference/spirv/module_private.h"

static void swap_numbers(uint8_t *bytes, uint64_t size, uint64_t width)
{
    for (uint8_t *number = bytes; width > 1 && number + width <= bytes + size; number += width) {
        for (uint64_t i = 0; i < width / 2; i++) {
            const uint8_t byte = number[i];
            number[i] = number[width - 1 - i];
            number[width - 1 - i] = byte;
        }
    }
}

/* Depth is bounded by SPV_DEPTH_MAX. */
void spv_swap_bytes(const struct spv_type *type, void *bytes, uint64_t size)
{
    uint8_t *at = bytes;
    if (type->alignment == 0 || type->size == 0)
        return;
    switch (type->kind) {
    case SPV_TYPE_VECTOR:
        spv_swap_bytes(type->element, bytes, size);
        return;
    case SPV_TYPE_ARRAY:
        if (type->size == type->count * type->element->size)
            spv_swap_bytes(type->element, bytes, size);
        return;
    case SPV_TYPE_STRUCT:
        for (uint64_t i = 0; i + type->size <= size; i += type->size) {
            for (uint32_t m = 0; m < type->member_count; m++)
                spv_swap_bytes(type->members[m], at + i + type->offsets[m], type->members[m]->size);
        }
        return;
    default:
        swap_numbers(bytes, size, type->size);
        return;
    }
}
