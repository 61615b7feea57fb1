/* cl_intel_subgroups: shuffles of two sources, and blocks that a sub-group reads or writes at once
 * (SPV_INTEL_subgroups). A block of memory is a load or store of each work-item's elements, one of
 * an image an op of its own; before both, the sub-group meets and agrees on where the block is. */
#include "reference/lower/lower_private.h"
#include "reference/spirv/grammar.h"

enum { ELEMENTS_MAX = 16 };

/* ---- shuffles ---- */

/* Of each component: the first value's, from the work-item of that index, where the condition is
 * true; else the second one's, from the work-item of the other index. */
static void shuffle_two(struct lower *lower, struct ir_ref values[2], const uint32_t ids[2],
                        uint32_t condition)
{
    uint32_t results[ELEMENTS_MAX];
    if (!lower_failed(lower) &&
        (values[0].count > ELEMENTS_MAX || values[1].count != values[0].count))
        lower_malformed(lower, "of values of different types");
    for (uint32_t c = 0; !lower_failed(lower) && c < values[0].count; c++) {
        const uint32_t first = lower_sub_group_shuffle(lower, values[0].values[c], ids[0]);
        const uint32_t second = lower_sub_group_shuffle(lower, values[1].values[c], ids[1]);
        results[c] = ir_select(lower, condition, first, second);
    }
    lower_set_result(lower, results, values[0].count);
}

/* From a work-item with a higher id, or a lower one; beyond the largest sub-group from the other
 * value (`next`, `previous`) of one as far after its other end. The index is not reduced: beyond
 * both values it names nobody. */
static void shuffle_along(struct lower *lower)
{
    const bool down = lower->at->op == SpvOpSubgroupShuffleDownINTEL;
    struct ir_ref values[2] = {lower_operand(lower, down ? 0 : 1),
                               lower_operand(lower, down ? 1 : 0)};
    const enum vm_op onwards = down ? VM_OP_iadd_64 : VM_OP_isub_64;
    const enum vm_op back = down ? VM_OP_isub_64 : VM_OP_iadd_64;
    const uint32_t delta = ir_resize(lower, lower_scalar(lower, 2), 8, false);
    const uint32_t size = lower_sub_group_max_size(lower);
    const uint32_t index = ir_op2(lower, onwards, lower_sub_group_id(lower), delta);
    const uint32_t ids[] = {index, ir_op2(lower, back, index, size)};
    shuffle_two(lower, values, ids, ir_op2(lower, VM_OP_ult_64, index, size));
}

static void shuffle(struct lower *lower)
{
    const struct ir_ref value = lower_operand(lower, 0);
    const uint32_t given = ir_resize(lower, lower_scalar(lower, 1), 8, false);
    const uint32_t id = lower->at->op == SpvOpSubgroupShuffleXorINTEL
                            ? ir_op2(lower, VM_OP_ixor_64, lower_sub_group_id(lower), given)
                            : given;
    lower_sub_group_move(lower, value, id);
}

/* ---- blocks ---- */

/* The sub-group meets, agrees on the arguments (the memory or image, and the column and row), and
 * is asked whether it may do so. */
static void meet(struct lower *lower, const uint32_t *arguments, uint32_t count, uint32_t width,
                 uint32_t aux)
{
    const struct vm_barrier barrier = {.execution = OBSERVER_SCOPE_SUB_GROUP,
                                       .memory = OBSERVER_SCOPE_SUB_GROUP,
                                       .collective = VM_COLLECTIVE_BLOCK,
                                       .width = 8};
    lower_collective(lower, &barrier, false, arguments, count);
    const uint32_t operands[] = {arguments[0], lower_sub_group_max_size(lower),
                                 count > 1 ? arguments[1] : 0};
    ir_emit(lower, VM_OP_sub_group_block, 0, 0, operands, count > 1 ? 3 : 2);
    ir_last(lower)->width = (uint8_t)width;
    ir_last(lower)->aux = aux;
}

/* Is it a scalar or vector of integers? Sets the type of one. */
static bool find_element(struct lower *lower, const struct spv_type *type,
                         const struct spv_type **element)
{
    *element = type->kind == SPV_TYPE_VECTOR ? type->element : type;
    if ((*element)->kind == SPV_TYPE_INT && type->components <= ELEMENTS_MAX)
        return true;
    lower_malformed(lower, "of a type that is none of a block");
    return false;
}

/* Where element `index` of the work-item is: after those of all others. */
static uint32_t element_offset(struct lower *lower, uint32_t index, uint32_t width)
{
    const uint32_t size = lower_sub_group_max_size(lower);
    const uint32_t before = ir_op2(lower, VM_OP_imul_64, size, ir_constant(lower, 8, index));
    const uint32_t element = ir_op2(lower, VM_OP_iadd_64, lower_sub_group_id(lower), before);
    return ir_op2(lower, VM_OP_imul_64, element, ir_constant(lower, 8, width));
}

static void memory_block(struct lower *lower)
{
    const bool writes = lower->at->op == SpvOpSubgroupBlockWriteINTEL;
    const struct spv_type *pointer = NULL;
    const struct spv_type *element = NULL;
    struct ir_ref data = {.count = 0};
    uint32_t values[ELEMENTS_MAX];
    const uint32_t start = lower_pointer_operand(lower, 0, &pointer);
    if (writes)
        data = lower_operand(lower, 1);
    const struct spv_type *type = writes ? data.type : lower_result_type(lower);
    if (!find_element(lower, type, &element))
        return;
    const uint32_t width = (uint32_t)element->size;
    const uint32_t count = (uint32_t)type->components;
    meet(lower, &start, 1, width, writes ? VM_BLOCK_WRITES : 0);
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++) {
        const uint32_t address =
            ir_op2(lower, VM_OP_iadd_64, start, element_offset(lower, i, width));
        if (writes)
            lower_store(lower, address, pointer, element, &data.values[i]);
        else
            lower_load(lower, address, pointer, element, &values[i]);
    }
    if (!writes && !lower_failed(lower))
        lower_set_result(lower, values, count);
}

/* ---- blocks of images ---- */

struct image_block {
    uint32_t image, column, row; /* the work-item's first element: byte and row, 32 bits */
    uint32_t aux;
};

static uint32_t add_32(struct lower *lower, uint32_t value, uint32_t number)
{
    return ir_op2(lower, VM_OP_iadd_32, value, ir_constant(lower, 4, number));
}

/* `width` bytes, at most 4: read, or those of the value (0 = none) written. */
static uint32_t access_part(struct lower *lower, const struct image_block *block, uint32_t row,
                            uint32_t offset, uint32_t width, uint32_t value)
{
    const uint32_t operands[] = {block->image, add_32(lower, block->column, offset),
                                 add_32(lower, block->row, row), value};
    const uint32_t result = value != 0
                                ? ir_emit(lower, VM_OP_image_block_write, width, 0, operands, 4)
                                : ir_emit(lower, VM_OP_image_block_read, width, 1, operands, 3);
    ir_last(lower)->count = 1;
    ir_last(lower)->aux = block->aux;
    return result;
}

/* An element of 8 bytes is two uints, each in bounds or not. */
static uint32_t read_element(struct lower *lower, const struct image_block *block, uint32_t row,
                             uint32_t width)
{
    if (width <= 4)
        return access_part(lower, block, row, 0, width, 0);
    const uint32_t low = ir_resize(lower, access_part(lower, block, row, 0, 4, 0), 8, false);
    const uint32_t high = ir_resize(lower, access_part(lower, block, row, 4, 4, 0), 8, false);
    const uint32_t shifted = ir_op2(lower, VM_OP_shl_64, high, ir_constant(lower, 8, 32));
    return ir_op2(lower, VM_OP_ior_64, low, shifted);
}

static void write_element(struct lower *lower, const struct image_block *block, uint32_t row,
                          uint32_t width, uint32_t value)
{
    if (width <= 4) {
        access_part(lower, block, row, 0, width, value);
        return;
    }
    const uint32_t high = ir_op2(lower, VM_OP_lshr_64, value, ir_constant(lower, 8, 32));
    access_part(lower, block, row, 0, 4, ir_resize(lower, value, 4, false));
    access_part(lower, block, row, 4, 4, ir_resize(lower, high, 4, false));
}

static bool is_for_access(const struct spv_type *image, bool writes)
{
    const uint32_t other = writes ? SpvAccessQualifierReadOnly : SpvAccessQualifierWriteOnly;
    return image->image.dimensions == SpvDim2D && !image->image.arrayed &&
           !image->image.multisampled && image->image.access != other;
}

static void image_block(struct lower *lower)
{
    const bool writes = lower->at->op == SpvOpSubgroupImageBlockWriteINTEL;
    const struct spv_type *element = NULL;
    const struct ir_ref image = lower_operand(lower, 0);
    const struct ir_ref at = lower_operand(lower, 1);
    struct ir_ref data = {.count = 0};
    uint32_t values[ELEMENTS_MAX];
    if (writes)
        data = lower_operand(lower, 2);
    const struct spv_type *type = writes ? data.type : lower_result_type(lower);
    if (!find_element(lower, type, &element))
        return;
    if (image.type->op != SpvOpTypeImage || !is_for_access(image.type, writes) || at.count != 2 ||
        lower->values[at.values[0]].width != 4) {
        lower_fail(lower, STATUS_UNSUPPORTED, "%s of other images than 2D ones for that access",
                   spv_op_name(lower->at->op));
        return;
    }
    const uint32_t width = (uint32_t)element->size;
    const uint32_t count = (uint32_t)type->components;
    const uint32_t arguments[] = {image.values[0], ir_resize(lower, at.values[0], 8, true),
                                  ir_resize(lower, at.values[1], 8, true)};
    const uint32_t aux =
        VM_BLOCK_IMAGE | (writes ? VM_BLOCK_WRITES : 0) |
        (image.type->image.access == SpvAccessQualifierReadWrite ? VM_BLOCK_READ_WRITE : 0);
    meet(lower, arguments, 3, width, aux);
    const uint32_t offset = ir_resize(lower, element_offset(lower, 0, width), 4, false);
    const struct image_block block = {.image = image.values[0],
                                      .column = ir_op2(lower, VM_OP_iadd_32, at.values[0], offset),
                                      .row = at.values[1],
                                      .aux = aux};
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++) {
        if (writes)
            write_element(lower, &block, i, width, data.values[i]);
        else
            values[i] = read_element(lower, &block, i, width);
    }
    if (!writes && !lower_failed(lower))
        lower_set_result(lower, values, count);
}

bool lower_translate_block(struct lower *lower)
{
    static const struct lower_row rows[] = {
        {SpvOpSubgroupShuffleINTEL, shuffle},
        {SpvOpSubgroupShuffleXorINTEL, shuffle},
        {SpvOpSubgroupShuffleDownINTEL, shuffle_along},
        {SpvOpSubgroupShuffleUpINTEL, shuffle_along},
        {SpvOpSubgroupBlockReadINTEL, memory_block},
        {SpvOpSubgroupBlockWriteINTEL, memory_block},
        {SpvOpSubgroupImageBlockReadINTEL, image_block},
        {SpvOpSubgroupImageBlockWriteINTEL, image_block},
    };
    return lower_translate_row(lower, rows, sizeof rows / sizeof rows[0]);
}
