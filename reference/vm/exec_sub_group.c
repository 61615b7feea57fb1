/* What the work-items of a sub-group compute together: those of them that are in the block, which
 * is all that can be there at once, since lanes meet again as early as their ways do. Sub-groups
 * are consecutive runs of a vector's lanes, and none sees another's. */
#include "reference/vm/bits.h"
#include "reference/vm/machine.h"

#include <string.h>

/* The active lanes of the sub-group that starts at lane `first`. */
static uint64_t members(const struct vm_vector *vector, uint32_t first)
{
    return vector->active & bits_low(vector->run->sub_group_size) << first;
}

/* for each sub-group: its first lane, and its lanes, of which there are some. */
#define FOR_SUB_GROUPS(vector, first, lanes)                                                       \
    for (uint32_t first = 0; first < VM_LANES; first += (vector)->run->sub_group_size)             \
        for (uint64_t lanes = members(vector, first); lanes; lanes = 0)

/* One lane that decides makes the others' values, even undefined ones, irrelevant. */
void MACHINE(op_sub_group_vote)(struct vm_vector *vector, const struct vm_instruction *in)
{
    const bool all = in->aux == 1;
    const uint64_t mask = *ROW(u64, in->a);
    const uint64_t undefined = vector->undefined[in->a];
    const uint64_t deciding = all ? ~mask : mask;
    uint64_t result = 0;
    uint64_t result_undefined = 0;
    FOR_SUB_GROUPS(vector, first, lanes)
    {
        if (((deciding & lanes) != 0) != all)
            result |= lanes;
        if (undefined & lanes && !(deciding & ~undefined & lanes))
            result_undefined |= lanes;
    }
    *ROW(u64, in->dst) = result;
    vector->undefined[in->dst] = result_undefined;
}

void MACHINE(op_sub_group_ballot)(struct vm_vector *vector, const struct vm_instruction *in)
{
    const uint64_t mask = *ROW(u64, in->a);
    const uint64_t undefined = vector->undefined[in->a];
    uint64_t result_undefined = 0;
    row_u64 *result = ROW(u64, in->dst);
    FOR_SUB_GROUPS(vector, first, lanes)
    {
        for (uint64_t rest = lanes; rest; rest &= rest - 1)
            result[__builtin_ctzll(rest)] = (mask & lanes) >> first;
        if (undefined & lanes)
            result_undefined |= lanes;
    }
    vector->undefined[in->dst] = result_undefined;
}

void MACHINE(op_sub_group_shuffle)(struct vm_vector *vector, const struct vm_instruction *in)
{
    const uint32_t width = in->width;
    const row_u64 *index = ROW(u64, in->b);
    const uint64_t undefined = vector->undefined[in->a];
    uint8_t value[VM_LANES * sizeof(uint64_t)]; /* the result may lie in its row */
    uint8_t *result = vm_unit(vector, in->dst);
    uint64_t result_undefined = vector->undefined[in->b];
    memcpy(value, vm_unit(vector, in->a), (size_t)VM_LANES * width);
    FOR_SUB_GROUPS(vector, first, lanes)
    {
        for (uint64_t rest = lanes; rest; rest &= rest - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctzll(rest);
            const uint64_t bit = UINT64_C(1) << lane;
            const bool inside = index[lane] < vector->run->sub_group_size;
            const uint32_t from = inside ? first + (uint32_t)index[lane] : lane;
            const bool there = inside && lanes >> from & 1;
            lane_put(result + lane * width, width,
                     there ? lane_get(value + from * width, width) : 0);
            if (!there || undefined >> from & 1)
                result_undefined |= bit;
        }
    }
    vector->undefined[in->dst] = result_undefined;
}

/* ---- reductions ---- */

/* One operation of lane code on two values, on a frame of its own. */
struct combiner {
    vm_op_function *function;
    struct vm_instruction instruction;
    uint32_t width;
    uint64_t undefined[4];
    uint8_t units[4 * VM_UNIT_SIZE] __attribute__((aligned(VM_UNIT_SIZE)));
    struct vm_vector vector;
};

static void combiner_init(struct combiner *combiner, const struct vm_vector *vector, enum vm_op op,
                          uint32_t width)
{
    combiner->function = MACHINE(vm_op_functions)[op];
    combiner->instruction = (struct vm_instruction){.op = (uint16_t)op, .dst = 1, .a = 2, .b = 3};
    combiner->width = width;
    memset(combiner->undefined, 0, sizeof combiner->undefined);
    combiner->vector.run = vector->run;
    combiner->vector.units = combiner->units;
    combiner->vector.undefined = combiner->undefined;
    combiner->vector.active = 1;
}

static uint64_t combine(struct combiner *combiner, uint64_t a, uint64_t b)
{
    lane_put(combiner->units + 2 * VM_UNIT_SIZE, combiner->width, a);
    lane_put(combiner->units + 3 * VM_UNIT_SIZE, combiner->width, b);
    combiner->function(&combiner->vector, &combiner->instruction);
    return lane_get(combiner->units + VM_UNIT_SIZE, combiner->width);
}

/* Combines the values of `lanes`, which become the results of all of them, or each of its own.
 * Gives the lanes whose result is undefined. */
static uint64_t reduce(struct combiner *combiner, const struct vm_reduction *reduction,
                       uint64_t lanes, uint64_t undefined, uint8_t *values)
{
    const uint32_t width = combiner->width;
    uint64_t value = reduction->identity;
    uint64_t seen = 0;
    uint64_t result_undefined = 0;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(rest);
        const uint64_t bit = UINT64_C(1) << lane;
        const uint64_t own = lane_get(values + lane * width, width);
        const uint64_t before = value;
        if (reduction->kind == VM_COLLECTIVE_EXCLUSIVE_SCAN && undefined & seen)
            result_undefined |= bit;
        value = seen ? combine(combiner, value, own) : own;
        seen |= bit;
        if (reduction->kind == VM_COLLECTIVE_INCLUSIVE_SCAN && undefined & seen)
            result_undefined |= bit;
        lane_put(values + lane * width, width,
                 reduction->kind == VM_COLLECTIVE_EXCLUSIVE_SCAN ? before : value);
    }
    if (reduction->kind != VM_COLLECTIVE_REDUCE)
        return result_undefined;
    for (uint64_t rest = lanes; rest; rest &= rest - 1)
        lane_put(values + (uint32_t)__builtin_ctzll(rest) * width, width, value);
    return undefined & lanes ? lanes : 0;
}

void MACHINE(op_sub_group_reduce)(struct vm_vector *vector, const struct vm_instruction *in)
{
    const struct vm_reduction *reduction = &vector->run->code->reductions[in->aux];
    const uint64_t undefined = vector->undefined[in->a];
    uint8_t *result = vm_unit(vector, in->dst);
    uint64_t result_undefined = 0;
    struct combiner combiner;
    combiner_init(&combiner, vector, reduction->combine, in->width);
    if (in->dst != in->a)
        memcpy(result, vm_unit(vector, in->a), (size_t)VM_LANES * in->width);
    FOR_SUB_GROUPS(vector, first, lanes)
    {
        uint64_t rest = lanes;
        while (rest) {
            const uint32_t start = (uint32_t)__builtin_ctzll(rest) & ~(reduction->cluster_size - 1);
            const uint64_t cluster = rest & bits_low(reduction->cluster_size) << start;
            result_undefined |= reduce(&combiner, reduction, cluster, undefined, result);
            rest &= ~cluster;
        }
    }
    vector->undefined[in->dst] = result_undefined;
}
