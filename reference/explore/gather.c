/* What the functions of work-groups and sub-groups give, once all work-items of the group have
 * come: as reference/sched/collective.c and reference/vm/exec_sub_group.c do it of vectors, but of
 * work-items that come one by one. */
#include "reference/explore/private.h"
#include "reference/vm/exec.h"
#include "trace/base/assert.h"

#include <string.h>

/* ---- which they are ---- */

const struct vm_barrier *explorer_barrier(const struct explorer *explorer, uint32_t site)
{
    const struct vm_code *code = explorer->request.code;
    const struct vm_instruction *in = &code->instructions[site];
    return vm_op_traits((enum vm_op)in->op) & VM_BARRIER ? &code->barriers[in->aux] : NULL;
}

bool explorer_gives(const struct vm_barrier *barrier)
{
    return barrier->execution == OBSERVER_SCOPE_WORK_GROUP &&
           barrier->collective >= VM_COLLECTIVE_ALL &&
           barrier->collective <= VM_COLLECTIVE_EXCLUSIVE_SCAN;
}

bool explorer_gathers(const struct vm_barrier *barrier)
{
    return explorer_gives(barrier) || barrier->collective == VM_COLLECTIVE_MEET;
}

/* The block is where lanes go on that have met. */
static bool comes_behind_meeting(const struct vm_code *code, uint32_t block)
{
    bool behind = false;
    for (uint32_t i = 0; i < code->barrier_count; i++)
        behind |=
            code->barriers[i].collective == VM_COLLECTIVE_MEET && code->barriers[i].next == block;
    return behind;
}

bool explorer_is_together(const struct vm_code *code, uint32_t site)
{
    switch (code->instructions[site].op) {
    case VM_OP_sub_group_vote:
    case VM_OP_sub_group_ballot:
    case VM_OP_sub_group_shuffle:
    case VM_OP_sub_group_reduce:
        break;
    default:
        return false;
    }
    uint32_t block = 0;
    while (block + 1 < code->block_count && code->blocks[block + 1].first <= site)
        block++;
    return comes_behind_meeting(code, block);
}

/* ---- what they bring, and are given ---- */

/* Width 0: a bit. */
static uint64_t get(const struct vm_vector *vector, vm_row row, uint32_t width, uint32_t lane)
{
    const uint8_t *bytes = vector->units + (size_t)row * VM_UNIT_SIZE;
    uint64_t value = 0;
    if (width)
        memcpy(&value, bytes + lane * width, width);
    else
        value = bytes[lane / 8] >> lane % 8 & 1;
    return value;
}

static void put(const struct vm_vector *vector, vm_row row, uint32_t width, uint32_t lane,
                uint64_t value)
{
    uint8_t *bytes = vector->units + (size_t)row * VM_UNIT_SIZE;
    const uint8_t bit = (uint8_t)(1U << lane % 8);
    if (width)
        memcpy(bytes + lane * width, &value, width);
    else
        bytes[lane / 8] = (uint8_t)((bytes[lane / 8] & ~bit) | (value ? bit : 0));
}

struct gathered explorer_read_arguments(const struct vm_vector *vector, uint32_t lane,
                                        const struct vm_barrier *barrier)
{
    struct gathered gathered = {0};
    for (uint32_t i = 0; i < barrier->argument_count; i++) {
        uint64_t *const value = i == 0 ? &gathered.value : &gathered.ids[i - 1];
        *value = get(vector, barrier->arguments[i], i == 0 ? barrier->width : 8, lane);
    }
    return gathered;
}

void explorer_write_result(const struct vm_vector *vector, uint32_t lane,
                           const struct vm_barrier *barrier, uint64_t value)
{
    put(vector, barrier->result, barrier->width, lane, value);
}

/* Votes and ballots have bits. */
static bool is_of_bits(const struct vm_instruction *in)
{
    return in->op == VM_OP_sub_group_vote || in->op == VM_OP_sub_group_ballot;
}

struct gathered explorer_read_operands(const struct vm_vector *vector, uint32_t lane,
                                       const struct vm_instruction *in)
{
    struct gathered gathered = {.value = get(vector, in->a, is_of_bits(in) ? 0 : in->width, lane)};
    if (in->op == VM_OP_sub_group_shuffle)
        gathered.ids[0] = get(vector, in->b, 8, lane);
    return gathered;
}

void explorer_write_operand(const struct vm_vector *vector, uint32_t lane,
                            const struct vm_instruction *in, uint64_t value)
{
    const uint32_t width = in->op == VM_OP_sub_group_vote     ? 0
                           : in->op == VM_OP_sub_group_ballot ? 8
                                                              : in->width;
    put(vector, in->dst, width, lane, value);
}

/* ---- functions of work-groups ---- */

/* All must name the same work-item, which there is. */
static uint64_t broadcast(struct explorer *explorer, const struct vm_barrier *barrier,
                          const struct gathering *gathering)
{
    const struct gathered *const *items = gathering->items;
    const uint64_t *size = explorer->launch->group.size;
    uint64_t position = 0;
    uint64_t step = 1;
    for (uint32_t d = 0; d + 1 < barrier->argument_count; d++) {
        for (uint32_t i = 0; i < gathering->count; i++) {
            if (items[i]->ids[d] != items[0]->ids[d] || items[i]->ids[d] >= size[d]) {
                explorer_fail(explorer, gathering->site,
                              "work-items name different ones in a broadcast, or one that is not "
                              "there; a run without --explore says which");
                return 0;
            }
        }
        position += items[0]->ids[d] * step;
        step *= size[d];
    }
    return items[position]->value;
}

static uint64_t gather_at_barrier(struct explorer *explorer, const struct vm_barrier *barrier,
                                  const struct gathering *gathering, uint32_t index)
{
    const bool all = barrier->collective == VM_COLLECTIVE_ALL;
    const bool scans = barrier->collective == VM_COLLECTIVE_INCLUSIVE_SCAN ||
                       barrier->collective == VM_COLLECTIVE_EXCLUSIVE_SCAN;
    const uint32_t end = barrier->collective == VM_COLLECTIVE_EXCLUSIVE_SCAN ? index
                         : scans                                             ? index + 1
                                                                             : gathering->count;
    if (barrier->collective == VM_COLLECTIVE_BROADCAST)
        return broadcast(explorer, barrier, gathering);
    if (end == 0)
        return barrier->identity;
    uint64_t value = gathering->items[0]->value;
    for (uint32_t i = 1; i < end; i++) {
        const uint64_t own = gathering->items[i]->value;
        if (barrier->collective == VM_COLLECTIVE_ALL || barrier->collective == VM_COLLECTIVE_ANY)
            value = all ? value & own : value | own;
        else
            value = vm_combine(barrier->combine, barrier->width, value, own);
    }
    return value;
}

/* ---- functions of sub-groups ---- */

/* Who meets to broadcast names the same work-item, which there is. */
static void check_agreement(struct explorer *explorer, const struct vm_barrier *barrier,
                            const struct gathering *gathering)
{
    const struct gathered *const *items = gathering->items;
    for (uint32_t i = 0; barrier->argument_count > 0 && i < gathering->count; i++) {
        if (items[i]->value != items[0]->value || items[i]->value >= gathering->count)
            explorer_fail(explorer, gathering->site,
                          "work-items of a sub-group name different ones in a broadcast, or one "
                          "that is not there; a run without --explore says which");
    }
}

static uint64_t shuffle(struct explorer *explorer, const struct gathering *gathering,
                        uint32_t index)
{
    const uint64_t from = gathering->items[index]->ids[0];
    if (from < gathering->count)
        return gathering->items[from]->value;
    explorer_fail(explorer, gathering->site,
                  "a function of sub-groups names a work-item that is not there");
    return 0;
}

static uint64_t reduce(const struct vm_reduction *reduction, uint32_t width,
                       const struct gathering *gathering, uint32_t index)
{
    const uint32_t first = index & ~(reduction->cluster_size - 1);
    const uint32_t last = first + reduction->cluster_size;
    const uint32_t end = reduction->kind == VM_COLLECTIVE_EXCLUSIVE_SCAN   ? index
                         : reduction->kind == VM_COLLECTIVE_INCLUSIVE_SCAN ? index + 1
                         : last < gathering->count                         ? last
                                                                           : gathering->count;
    if (end == first)
        return reduction->identity;
    uint64_t value = gathering->items[first]->value;
    for (uint32_t i = first + 1; i < end; i++)
        value = vm_combine(reduction->combine, width, value, gathering->items[i]->value);
    return value;
}

static uint64_t gather_together(struct explorer *explorer, const struct gathering *gathering,
                                uint32_t index)
{
    const struct vm_code *code = explorer->request.code;
    const struct vm_instruction *in = &code->instructions[gathering->site];
    uint64_t bits = 0;
    if (in->op == VM_OP_sub_group_shuffle)
        return shuffle(explorer, gathering, index);
    if (in->op == VM_OP_sub_group_reduce)
        return reduce(&code->reductions[in->aux], in->width, gathering, index);
    ASSERT(gathering->count <= LITMUS_THREADS_MAX);
    for (uint32_t i = 0; i < gathering->count; i++)
        bits |= gathering->items[i]->value << i;
    if (in->op == VM_OP_sub_group_ballot)
        return bits;
    return in->aux == 1 ? bits == ~UINT64_C(0) >> (64 - gathering->count) : bits != 0;
}

uint64_t explorer_gather(struct explorer *explorer, const struct gathering *gathering,
                         uint32_t index)
{
    const struct vm_barrier *barrier = explorer_barrier(explorer, gathering->site);
    if (!barrier)
        return gather_together(explorer, gathering, index);
    if (explorer_gives(barrier))
        return gather_at_barrier(explorer, barrier, gathering, index);
    check_agreement(explorer, barrier, gathering);
    return 0;
}
