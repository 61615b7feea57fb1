/* The rows of work-item functions that a vector starts with. Ids are put down as terms (vm_affine)
 * where lanes follow such a pattern and the kernel wants them, and else as elements. */
#include "reference/sched/group.h"
#include "reference/vm/bits.h"

#include <string.h>

/* ---- local ids ---- */

/* Local ids of a vector's lanes in a group of the size; lanes beyond the group count on. */
static void count_ids(const uint64_t size[3], uint32_t vector, uint64_t ids[3][VM_LANES])
{
    const uint64_t first = (uint64_t)vector * VM_LANES;
    uint64_t x = first % size[0];
    uint64_t y = first / size[0] % size[1];
    uint64_t z = first / size[0] / size[1];
    for (uint32_t lane = 0; lane < VM_LANES; lane++) {
        ids[0][lane] = x;
        ids[1][lane] = y;
        ids[2][lane] = z;
        if (++x < size[0])
            continue;
        x = 0;
        if (++y < size[1])
            continue;
        y = 0;
        z++;
    }
}

/* Lanes of a run: the work-items of the first dimension that has several, if they divide a vector.
 */
static uint32_t run_shift_of(const uint64_t size[3])
{
    const uint64_t width = size[0] > 1 ? size[0] : size[1] > 1 ? size[1] : size[2];
    return width > 1 && width < VM_LANES && (width & (width - 1)) == 0
               ? (uint32_t)__builtin_ctzll(width)
               : (uint32_t)__builtin_ctz(VM_LANES);
}

/* The terms of the lanes' numbers, if they have such. */
static struct vm_affine find_terms(const uint64_t ids[VM_LANES], uint32_t lane_count,
                                   uint32_t run_shift)
{
    const uint32_t run = 1U << run_shift;
    const struct vm_affine terms = {.base = ids[0],
                                    .step = lane_count > 1 ? ids[1] - ids[0] : 0,
                                    .jump = lane_count > run ? ids[run] - ids[0] : 0};
    uint64_t difference = 0;
    for (uint32_t lane = 0; lane < lane_count; lane++)
        difference |= ids[lane] ^ (terms.base + lane % run * terms.step + lane / run * terms.jump);
    return difference == 0 ? terms : (struct vm_affine){.form = VM_AFFINE_NO};
}

static void count_vector(struct launch_ids *ids, const uint64_t size[3], uint32_t vector)
{
    const uint64_t items = size[0] * size[1] * size[2];
    const uint64_t rest = items - (uint64_t)vector * VM_LANES;
    const uint32_t lane_count = rest < VM_LANES ? (uint32_t)rest : VM_LANES;
    ids->run_shift = run_shift_of(size);
    count_ids(size, vector, ids->local);
    for (uint32_t d = 0; d < 3; d++)
        ids->terms[d] = find_terms(ids->local[d], lane_count, ids->run_shift);
}

static void find_queries(struct launch *launch)
{
    for (uint32_t query = VM_QUERY_GROUP_ID; query < VM_QUERY_COUNT; query++) {
        for (uint32_t d = 0; d < 3; d++) {
            if (launch->request->code->query_rows[query][d])
                launch->queries[launch->query_count++] =
                    (struct launch_query){(enum vm_query)query, d};
        }
    }
}

void ids_count(struct launch *launch)
{
    find_queries(launch);
    for (uint32_t i = 0; i < (launch->enqueued_items + VM_LANES - 1) / VM_LANES; i++)
        count_vector(&launch->ids[i], launch->request->local_size, i);
}

/* ---- rows ---- */

/* Writes the terms, with `start` added, where the kernel wants them. Are elements wanted, too?
 * Field by field: a copy of what was just put together would be read in other pieces than it was
 * written in, and wait until all of the kernel's stores before it have reached memory. */
static inline bool put_terms(const struct launch *launch, uint64_t *row, enum vm_query query,
                             uint32_t d, const struct vm_affine *terms, uint64_t start)
{
    const enum vm_query_form form = launch->request->code->query_forms[query][d];
    struct vm_affine *put = (struct vm_affine *)((uint8_t *)row - VM_UNIT_SIZE);
    if (form == VM_QUERY_ROW)
        return true;
    put->base = terms->base + start;
    put->step = terms->step;
    put->jump = terms->jump;
    put->form = terms->form == VM_AFFINE_NO ? VM_AFFINE_NO
                : form == VM_QUERY_TERMS    ? VM_AFFINE_TERMS
                                            : VM_AFFINE_BOTH;
    return put->form != VM_AFFINE_TERMS;
}

static void add_to_each(uint64_t *restrict row, const uint64_t *restrict ids, uint64_t addend)
{
    for (uint32_t lane = 0; lane < VM_LANES; lane++)
        row[lane] = ids[lane] + addend;
}

/* OpenCL C 3.0, 6.15.1, get_global_linear_id: without the offset, dimension 2 slowest. */
static void fill_linear(struct launch *launch, const struct launch_ids *ids, uint64_t *row)
{
    const uint64_t *size = launch->request->global_size;
    struct vm_affine terms = {.form = VM_AFFINE_TERMS};
    uint64_t starts[3];
    for (uint32_t d = 3; d-- > 0;) {
        starts[d] = launch->group.id[d] * launch->request->local_size[d];
        terms.base = terms.base * size[d] + ids->terms[d].base + starts[d];
        terms.step = terms.step * size[d] + ids->terms[d].step;
        terms.jump = terms.jump * size[d] + ids->terms[d].jump;
        terms.form = ids->terms[d].form == VM_AFFINE_NO ? VM_AFFINE_NO : terms.form;
    }
    if (!put_terms(launch, row, VM_QUERY_GLOBAL_LINEAR_ID, 0, &terms, 0))
        return;
    memset(row, 0, VM_LANES * sizeof *row);
    for (uint32_t d = 3; d-- > 0;) {
        for (uint32_t lane = 0; lane < VM_LANES; lane++)
            row[lane] = row[lane] * size[d] + ids->local[d][lane] + starts[d];
    }
}

static void fill_ids(struct launch *launch, struct vm_vector *vector, const struct launch_ids *ids)
{
    const struct sched_launch *request = launch->request;
    uint64_t *linear = ids_row(launch, vector, VM_QUERY_GLOBAL_LINEAR_ID, 0);
    for (uint32_t d = 0; d < 3; d++) {
        const uint64_t start =
            launch->group.id[d] * request->local_size[d] + request->global_offset[d];
        uint64_t *local = ids_row(launch, vector, VM_QUERY_LOCAL_ID, d);
        uint64_t *global = ids_row(launch, vector, VM_QUERY_GLOBAL_ID, d);
        const struct vm_affine *terms = &ids->terms[d];
        if (local && put_terms(launch, local, VM_QUERY_LOCAL_ID, d, terms, 0))
            memcpy(local, ids->local[d], sizeof ids->local[d]);
        if (global && put_terms(launch, global, VM_QUERY_GLOBAL_ID, d, terms, start))
            add_to_each(global, ids->local[d], start);
    }
    if (linear)
        fill_linear(launch, ids, linear);
}

static void fill_sub_groups(struct launch *launch, struct vm_vector *vector)
{
    const uint64_t size = launch->request->sub_group_size;
    const uint64_t begin = (uint64_t)vector->index * VM_LANES;
    uint64_t *linear = ids_row(launch, vector, VM_QUERY_LOCAL_LINEAR_ID, 0);
    uint64_t *local_id = ids_row(launch, vector, VM_QUERY_SUB_GROUP_LOCAL_ID, 0);
    uint64_t *id = ids_row(launch, vector, VM_QUERY_SUB_GROUP_ID, 0);
    uint64_t *sizes = ids_row(launch, vector, VM_QUERY_SUB_GROUP_SIZE, 0);
    const struct vm_affine terms = {
        .base = begin, .step = 1, .jump = UINT64_C(1) << vector->run_shift};
    if (linear && !put_terms(launch, linear, VM_QUERY_LOCAL_LINEAR_ID, 0, &terms, 0))
        linear = NULL;
    for (uint32_t lane = 0; lane < VM_LANES; lane++) {
        const uint64_t item = begin + lane;
        const uint64_t first = item - item % size;
        const uint64_t rest =
            launch->group.item_count > first ? launch->group.item_count - first : 0;
        if (linear)
            linear[lane] = item;
        if (local_id)
            local_id[lane] = item % size;
        if (id)
            id[lane] = item / size;
        if (sizes)
            sizes[lane] = rest < size ? rest : size;
    }
}

static bool asks_sub_groups(const struct vm_code *code)
{
    return code->query_rows[VM_QUERY_LOCAL_LINEAR_ID][0] ||
           code->query_rows[VM_QUERY_SUB_GROUP_LOCAL_ID][0] ||
           code->query_rows[VM_QUERY_SUB_GROUP_ID][0] ||
           code->query_rows[VM_QUERY_SUB_GROUP_SIZE][0];
}

static uint64_t uniform_value(const struct launch *launch, enum vm_query query, uint32_t d)
{
    const struct sched_launch *request = launch->request;
    const uint64_t size = request->sub_group_size;
    switch (query) {
    case VM_QUERY_GROUP_ID:
        return launch->group.id[d];
    case VM_QUERY_GLOBAL_SIZE:
        return request->global_size[d];
    case VM_QUERY_LOCAL_SIZE:
        return launch->group.size[d];
    case VM_QUERY_ENQUEUED_LOCAL_SIZE:
        return request->local_size[d];
    case VM_QUERY_GROUP_COUNT:
        return launch->group_count[d];
    case VM_QUERY_GLOBAL_OFFSET:
        return request->global_offset[d];
    case VM_QUERY_WORK_DIM:
        return request->dimensions;
    case VM_QUERY_SUB_GROUP_MAX_SIZE:
        return launch->enqueued_items < size ? launch->enqueued_items : size;
    case VM_QUERY_SUB_GROUP_COUNT:
        return (launch->group.item_count + size - 1) / size;
    default:
        return (launch->enqueued_items + size - 1) / size;
    }
}

static void fill_uniform(const struct launch *launch, const struct vm_vector *vector)
{
    for (uint32_t i = 0; i < launch->query_count; i++) {
        const struct launch_query *asked = &launch->queries[i];
        *ids_row(launch, vector, asked->query, asked->dimension) =
            uniform_value(launch, asked->query, asked->dimension);
    }
}

void ids_fill(struct launch *launch, struct vm_vector *vector)
{
    const struct launch_ids *ids = &launch->ids[vector->index];
    if (memcmp(launch->group.size, launch->request->local_size, sizeof launch->group.size) != 0) {
        count_vector(&launch->edge_ids, launch->group.size, vector->index);
        ids = &launch->edge_ids;
    }
    vector->run_shift = ids->run_shift;
    fill_ids(launch, vector, ids);
    if (asks_sub_groups(launch->request->code))
        fill_sub_groups(launch, vector);
    fill_uniform(launch, vector);
}
