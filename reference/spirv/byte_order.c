#include "reference/spirv/module.h"

#include "reference/spirv/module_private.h"

struct turning {
    spv_number_stays *stays; /* NULL = none does */
    const void *user;
};

static void swap_numbers(const struct turning *turning, uint8_t *bytes, uint64_t size,
                         uint64_t width)
{
    for (uint64_t at = 0; width > 1 && width <= size - at; at += width) {
        uint8_t *number = bytes + at;
        if (turning->stays && turning->stays(turning->user, number, width))
            continue;
        for (uint64_t i = 0; i < width / 2; i++) {
            const uint8_t byte = number[i];
            number[i] = number[width - 1 - i];
            number[width - 1 - i] = byte;
        }
    }
}

static void swap_values(const struct turning *turning, const struct spv_type *type, uint8_t *bytes,
                        uint64_t size);

static void swap_structs(const struct turning *turning, const struct spv_type *type, uint8_t *bytes,
                         uint64_t size)
{
    for (uint64_t at = 0; at < size; at += type->size) {
        for (uint32_t m = 0; m < type->member_count; m++) {
            const uint64_t offset = type->offsets[m];
            const uint64_t wanted = type->members[m]->size;
            const uint64_t left = offset < size - at ? size - at - offset : 0;
            swap_values(turning, type->members[m], bytes + at + (left > 0 ? offset : 0),
                        wanted < left ? wanted : left);
        }
    }
}

/* Depth is bounded by SPV_DEPTH_MAX. */
static void swap_values(const struct turning *turning, const struct spv_type *type, uint8_t *bytes,
                        uint64_t size)
{
    if (type->alignment == 0 || type->size == 0 || size == 0)
        return;
    switch (type->kind) {
    case SPV_TYPE_VECTOR:
        swap_values(turning, type->element, bytes, size);
        return;
    case SPV_TYPE_ARRAY:
        if (type->size == type->count * type->element->size)
            swap_values(turning, type->element, bytes, size);
        return;
    case SPV_TYPE_STRUCT:
        swap_structs(turning, type, bytes, size);
        return;
    default:
        swap_numbers(turning, bytes, size, type->size);
        return;
    }
}

void spv_swap_bytes_unless(const struct spv_type *type, void *bytes, uint64_t size,
                           spv_number_stays *stays, const void *user)
{
    const struct turning turning = {.stays = stays, .user = user};
    swap_values(&turning, type, bytes, size);
}

void spv_swap_bytes(const struct spv_type *type, void *bytes, uint64_t size)
{
    spv_swap_bytes_unless(type, bytes, size, NULL, NULL);
}
