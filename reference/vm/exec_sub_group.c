/* What the work-items of a sub-group compute together: those of them that are in the block, which
 * is all that can be there at once, since lanes meet again as early as their ways do. */
#include "reference/vm/sub_groups.h"
#include "reference/vm/undefined_rows.h"

#include <string.h>

/* What is undefined of each lane's value: a copy, since the result may lie in its row. */
struct doubts {
    uint64_t lanes;
    uint64_t bits[VM_LANES];
    struct vm_origin births[VM_LANES];
};

static void doubts_read(struct doubts *doubts, const struct vm_vector *vector, vm_row row,
                        uint32_t width)
{
    doubts->lanes = vector->undefined[row] & vector->active;
    FOR_EACH_LANE(lane, doubts->lanes) {
        doubts->bits[lane] = vm_undefined_bits(vector, row, lane, width);
        doubts->births[lane] = vm_undefined_birth(vector, row, lane);
    }
}

/* Of the lowest of the lanes, which has one. */
static struct vm_origin first_birth(const struct doubts *doubts, uint64_t lanes)
{
    return doubts->births[__builtin_ctzll(doubts->lanes & lanes)];
}

/* The result of these lanes has undefined bits; their mask is the caller's business. */
static void put_undefined(struct vm_vector *vector, const struct vm_instruction *in, uint64_t lanes,
                          uint64_t bits, struct vm_origin birth)
{
    FOR_EACH_LANE(lane, lanes)
        vm_undefined_put(vector, in->dst, false, lane, bits, birth);
}

/* The explorer runs lanes one by one, and knows what the others bring. */
static bool is_explored(struct vm_vector *vector, const struct vm_instruction *in)
{
    const struct vm_explorer *explorer = vector->run->explorer;
    if (explorer && vector->active)
        explorer->together(explorer->state, vm_site(vector, in));
    return explorer != NULL;
}

/* One lane that decides makes the others' values, even undefined ones, irrelevant. */
void MACHINE(op_sub_group_vote)(struct vm_vector *vector, const struct vm_instruction *in)
{
    if (is_explored(vector, in))
        return;
    const bool all = in->aux == 1;
    const uint64_t mask = *ROW(u64, in->a);
    const uint64_t deciding = all ? ~mask : mask;
    struct doubts doubts;
    uint64_t result = 0;
    uint64_t undefined = 0;
    doubts_read(&doubts, vector, in->a, 0);
    FOR_SUB_GROUPS(vector, first, lanes) {
        if (((deciding & lanes) != 0) != all)
            result |= lanes;
        if (!(doubts.lanes & lanes) || deciding & ~doubts.lanes & lanes)
            continue;
        undefined |= lanes;
        put_undefined(vector, in, lanes, 1, first_birth(&doubts, lanes));
    }
    *ROW(u64, in->dst) = result;
    vector->undefined[in->dst] = undefined;
}

void MACHINE(op_sub_group_ballot)(struct vm_vector *vector, const struct vm_instruction *in)
{
    if (is_explored(vector, in))
        return;
    const uint64_t mask = *ROW(u64, in->a);
    row_u64 *result = ROW(u64, in->dst);
    struct doubts doubts;
    uint64_t undefined = 0;
    doubts_read(&doubts, vector, in->a, 0);
    FOR_SUB_GROUPS(vector, first, lanes) {
        FOR_EACH_LANE(lane, lanes)
            result[lane] = (mask & lanes) >> first;
        if (!(doubts.lanes & lanes))
            continue;
        undefined |= lanes;
        put_undefined(vector, in, lanes, (doubts.lanes & lanes) >> first,
                      first_birth(&doubts, lanes));
    }
    vector->undefined[in->dst] = undefined;
}

/* The lane that `lane` gets its value from; false: there is none. */
static bool find_source(const struct vm_vector *vector, const struct vm_instruction *in,
                        uint32_t lane, uint32_t *from)
{
    const uint32_t size = vector->run->sub_group_size;
    const uint64_t index = ROW(u64, in->b)[lane];
    *from = (lane & ~(size - 1)) + (uint32_t)(index % size);
    return index < size && vector->active >> *from & 1;
}

void MACHINE(op_sub_group_shuffle)(struct vm_vector *vector, const struct vm_instruction *in)
{
    if (is_explored(vector, in))
        return;
    const uint32_t width = in->width;
    const uint64_t whole = bits_low(width * 8);
    const struct vm_origin here = {.site = vm_site(vector, in)};
    const uint64_t doubtful = vector->undefined[in->b];
    uint8_t values[VM_LANES * sizeof(uint64_t)]; /* the result may lie in their row */
    uint8_t *result = vm_unit(vector, in->dst);
    struct doubts doubts;
    uint64_t undefined = 0;
    memcpy(values, vm_unit(vector, in->a), (size_t)VM_LANES * width);
    doubts_read(&doubts, vector, in->a, width);
    FOR_EACH_LANE(lane, vector->active) {
        const uint64_t bit = UINT64_C(1) << lane;
        uint32_t from;
        const bool found = find_source(vector, in, lane, &from);
        const bool given = found && doubts.lanes >> from & 1;
        if (doubtful & bit)
            put_undefined(vector, in, bit, whole, vm_undefined_birth(vector, in->b, lane));
        else if (!found)
            put_undefined(vector, in, bit, whole, here);
        else if (given)
            put_undefined(vector, in, bit, doubts.bits[from], doubts.births[from]);
        if (doubtful & bit || !found || given)
            undefined |= bit;
        lane_put(result + lane * width, width, found ? lane_get(values + from * width, width) : 0);
    }
    vector->undefined[in->dst] = undefined;
}

/* Tells of what the caller says in *divergence, between the first of the lanes and of the others.
 */
static void tell_divergence(const struct vm_vector *vector, const struct vm_instruction *in,
                            uint64_t lanes, uint64_t others, struct observer_divergence *divergence)
{
    const struct observer *observer = vector->run->observer;
    const uint32_t base = vector->index * VM_LANES;
    divergence->site = divergence->other_site = vm_site(vector, in);
    divergence->operation = divergence->other_operation = "a sub-group function";
    divergence->waiting_item = base + (uint32_t)__builtin_ctzll(lanes);
    divergence->other_item = base + (uint32_t)__builtin_ctzll(others);
    divergence->of_sub_group = true;
    if (observer && observer->divergence)
        observer->divergence(observer->state, divergence);
}

/* What the work-items give must be the same; who goes on with it is told once. */
void MACHINE(op_sub_group_same)(struct vm_vector *vector, const struct vm_instruction *in)
{
    const row_u64 *values = ROW(u64, in->a);
    FOR_SUB_GROUPS(vector, first, lanes) {
        const uint64_t others = lanes & ~lanes_equal(values, values[__builtin_ctzll(lanes)]);
        struct observer_divergence divergence = {
            .kind = OBSERVER_DIVERGENCE_ARGUMENTS,
            .waiting_count = (uint64_t)__builtin_popcountll(lanes & ~others),
            .other_count = (uint64_t)__builtin_popcountll(others)};
        if (others)
            tell_divergence(vector, in, lanes, others, &divergence);
    }
}

/* OpenCL C 3.0, 6.15.19, sub_group_clustered_reduce_add: "Behavior is undefined if clustersize is
 * [...] greater than the maximum size of a sub-group within the dispatch." */
void MACHINE(op_sub_group_cluster)(struct vm_vector *vector, const struct vm_instruction *in)
{
    struct observer_divergence divergence = {.kind = OBSERVER_DIVERGENCE_CLUSTER,
                                             .waiting_count = in->aux,
                                             .other_count = vector->run->sub_group_size};
    if (in->aux > vector->run->sub_group_size)
        tell_divergence(vector, in, vector->active, vector->active, &divergence);
}

/* ---- reductions ---- */

/* Combines the values of `lanes`, which become the results of all of them, or each of its own.
 * Gives the lanes whose result is undefined because of one that is. */
static uint64_t reduce(const struct vm_reduction *reduction, uint32_t width, uint64_t lanes,
                       uint64_t undefined, uint8_t *values)
{
    uint64_t value = reduction->identity;
    uint64_t seen = 0;
    uint64_t spoilt = 0;
    FOR_EACH_LANE(lane, lanes) {
        const uint64_t bit = UINT64_C(1) << lane;
        const uint64_t own = lane_get(values + lane * width, width);
        const uint64_t before = value;
        const bool exclusive = reduction->kind == VM_COLLECTIVE_EXCLUSIVE_SCAN;
        value = seen ? vm_combine(reduction->combine, width, value, own) : own;
        if (undefined & (exclusive ? seen : seen | bit))
            spoilt |= bit;
        seen |= bit;
        lane_put(values + lane * width, width, exclusive ? before : value);
    }
    if (reduction->kind != VM_COLLECTIVE_REDUCE)
        return spoilt;
    FOR_EACH_LANE(lane, lanes)
        lane_put(values + lane * width, width, value);
    return undefined & lanes ? lanes : 0;
}

void MACHINE(op_sub_group_reduce)(struct vm_vector *vector, const struct vm_instruction *in)
{
    if (is_explored(vector, in))
        return;
    const struct vm_reduction *reduction = &vector->run->code->reductions[in->aux];
    uint8_t *result = vm_unit(vector, in->dst);
    uint64_t undefined = 0;
    struct doubts doubts;
    doubts_read(&doubts, vector, in->a, in->width);
    if (in->dst != in->a)
        memcpy(result, vm_unit(vector, in->a), (size_t)VM_LANES * in->width);
    FOR_SUB_GROUPS(vector, first, lanes) {
        uint64_t rest = lanes;
        while (rest) {
            const uint32_t start = (uint32_t)__builtin_ctzll(rest) & ~(reduction->cluster_size - 1);
            const uint64_t cluster = rest & bits_low(reduction->cluster_size) << start;
            const uint64_t spoilt = reduce(reduction, in->width, cluster, doubts.lanes, result);
            if (spoilt)
                put_undefined(vector, in, spoilt, bits_low(in->width * 8u),
                              first_birth(&doubts, cluster));
            undefined |= spoilt;
            rest &= ~cluster;
        }
    }
    vector->undefined[in->dst] = undefined;
}

void MACHINE(op_remark)(struct vm_vector *vector, const struct vm_instruction *in)
{
    const struct observer *observer = vector->run->observer;
    const uint64_t lanes = *(const uint64_t *)(const void *)vm_unit(vector, in->a) & vector->active;
    if (lanes && observer && observer->remark)
        observer->remark(observer->state, vm_site(vector, in), (enum observer_remark)in->aux,
                         vector->index * VM_LANES + (uint32_t)__builtin_ctzll(lanes));
}
