#include "tests/unit/vm/assembler.h"

#include "trace/base/assert.h"

#include <inttypes.h>
#include <string.h>

void assembler_init(struct assembler *as)
{
    memset(as, 0, sizeof *as);
    as->code.name = "kernel";
    as->code.attributes = "";
    as->code.instructions = as->instructions;
    as->code.blocks = as->blocks;
    as->code.constants = as->constants;
    as->code.parameters = as->parameters;
    as->code.variables = as->variables;
    as->code.atomics = as->atomics;
    as->code.barriers = as->barriers;
    as->code.row_names = as->row_names;
    as->code.frame_units = 1;
}

const struct vm_code *assembler_finish(struct assembler *as)
{
    return &as->code;
}

vm_row as_row(struct assembler *as, uint32_t width, uint32_t count)
{
    const vm_row row = as->code.frame_units;
    as->code.frame_units += width * count;
    return row;
}

vm_row as_unit(struct assembler *as)
{
    return as->code.frame_units++;
}

vm_row as_constant(struct assembler *as, uint32_t width, bool uniform, uint64_t bits)
{
    const vm_row row = uniform || width == 0 ? as_unit(as) : as_row(as, width, 1);
    ASSERT(as->code.constant_count < 64);
    as->constants[as->code.constant_count++] =
        (struct vm_constant){.row = row, .width = (uint8_t)width, .uniform = uniform, .bits = bits};
    return row;
}

vm_row as_query(struct assembler *as, enum vm_query query, uint32_t dimension)
{
    vm_row *row = &as->code.query_rows[query][dimension];
    if (!*row)
        *row = query <= VM_QUERY_SUB_GROUP_SIZE ? as_row(as, 8, 1) : as_unit(as);
    return *row;
}

static vm_row parameter(struct assembler *as, struct vm_parameter parameter)
{
    ASSERT(as->code.parameter_count < 16);
    parameter.type_name = "";
    as->parameters[as->code.parameter_count++] = parameter;
    return parameter.row;
}

vm_row as_buffer(struct assembler *as, const char *name)
{
    return parameter(as,
                     (struct vm_parameter){
                         .kind = VM_PARAMETER_GLOBAL, .name = name, .size = 8, .row = as_unit(as)});
}

vm_row as_local_argument(struct assembler *as, const char *name)
{
    return parameter(
        as, (struct vm_parameter){.kind = VM_PARAMETER_LOCAL, .name = name, .row = as_unit(as)});
}

vm_row as_value(struct assembler *as, uint32_t width, uint32_t count)
{
    const vm_row row = as->code.frame_units;
    as->code.frame_units += count;
    return parameter(as, (struct vm_parameter){.kind = VM_PARAMETER_VALUE,
                                               .name = "value",
                                               .size = width * count,
                                               .width = (uint8_t)width,
                                               .count = (uint8_t)count,
                                               .row = row});
}

vm_row as_variable(struct assembler *as, enum vm_variable_region region, const char *name,
                   uint64_t size)
{
    ASSERT(as->code.variable_count < 16);
    struct vm_variable *variable = &as->variables[as->code.variable_count++];
    *variable = (struct vm_variable){.region = region,
                                     .name = name,
                                     .size = size,
                                     .alignment = 8,
                                     .row = as_unit(as),
                                     .parameter = -1};
    if (region == VM_VARIABLE_PRIVATE) {
        variable->private_offset = as->code.private_size;
        as->code.private_size += (size + 7) / 8 * 8;
    } else {
        as->code.local_size += size;
    }
    return variable->row;
}

void as_name(struct assembler *as, vm_row row, const char *name)
{
    ASSERT(as->code.row_name_count < 16);
    uint32_t at = as->code.row_name_count++;
    for (; at > 0 && as->row_names[at - 1].row > row; at--)
        as->row_names[at] = as->row_names[at - 1];
    as->row_names[at] = (struct vm_row_name){.row = row, .name = name};
}

uint32_t as_block(struct assembler *as)
{
    ASSERT(as->code.block_count < 64);
    as->blocks[as->code.block_count].first = as->code.instruction_count;
    return as->code.block_count++;
}

uint32_t as_emit(struct assembler *as, struct vm_instruction instruction)
{
    ASSERT(as->code.instruction_count < ASSEMBLER_MAX && as->code.block_count > 0);
    as->instructions[as->code.instruction_count] = instruction;
    as->blocks[as->code.block_count - 1].count++;
    return as->code.instruction_count++;
}

uint32_t as_op(struct assembler *as, enum vm_op op, vm_row dst, uint32_t a, uint32_t b, uint32_t c)
{
    return as_emit(as,
                   (struct vm_instruction){.op = (uint16_t)op, .dst = dst, .a = a, .b = b, .c = c});
}

vm_row as_address(struct assembler *as, vm_row base, vm_row index, int32_t scale)
{
    const vm_row bases = as_row(as, 8, 1);
    const vm_row address = as_row(as, 8, 1);
    as_op(as, VM_OP_splat_64, bases, base, 0, 0);
    as_op(as, VM_OP_index_64, address, bases, index, (uint32_t)scale);
    return address;
}

static uint32_t log2_of(uint32_t width)
{
    return (uint32_t)__builtin_ctz(width);
}

vm_row as_load(struct assembler *as, vm_row address, uint32_t width, uint32_t count)
{
    const vm_row dst = as_row(as, width, count);
    as_emit(as, (struct vm_instruction){.op = VM_OP_load,
                                        .width = (uint8_t)width,
                                        .count = (uint8_t)count,
                                        .dst = dst,
                                        .a = address,
                                        .aux = log2_of(width)});
    return dst;
}

void as_store(struct assembler *as, vm_row address, vm_row value, uint32_t width, uint32_t count)
{
    as_emit(as, (struct vm_instruction){.op = VM_OP_store,
                                        .width = (uint8_t)width,
                                        .count = (uint8_t)count,
                                        .a = address,
                                        .b = value,
                                        .aux = log2_of(width)});
}

void as_branch(struct assembler *as, uint32_t block)
{
    as_op(as, VM_OP_branch, 0, block, 0, 0);
}

void as_branch_if(struct assembler *as, vm_row mask, uint32_t yes, uint32_t no)
{
    as_op(as, VM_OP_branch_if, 0, yes, no, mask);
}

void as_return(struct assembler *as)
{
    as_op(as, VM_OP_return, 0, 0, 0, 0);
}

uint32_t as_barrier(struct assembler *as, enum observer_scope execution, uint32_t flags,
                    uint32_t next, const vm_row *counters, uint32_t counter_count)
{
    const uint32_t index = as->code.barrier_count++;
    ASSERT(index < 16 && counter_count <= 4);
    for (uint32_t i = 0; i < counter_count; i++)
        as->counters[index][i] = counters[i];
    as->barriers[index] = (struct vm_barrier){.execution = execution,
                                              .memory = execution,
                                              .flags = flags,
                                              .order = OBSERVER_ORDER_ACQ_REL,
                                              .next = next,
                                              .counters = as->counters[index],
                                              .counter_count = counter_count};
    return as_emit(as, (struct vm_instruction){.op = VM_OP_barrier, .aux = index});
}

uint32_t as_atomic(struct assembler *as, enum vm_op op, uint32_t width, vm_row dst, vm_row a,
                   vm_row b, vm_row c)
{
    const uint32_t index = as->code.atomic_count++;
    ASSERT(index < 16);
    as->atomics[index] =
        (struct vm_atomic){.order = OBSERVER_ORDER_RELAXED, .scope = OBSERVER_SCOPE_DEVICE};
    return as_emit(as, (struct vm_instruction){.op = (uint16_t)op,
                                               .width = (uint8_t)width,
                                               .count = 1,
                                               .dst = dst,
                                               .a = a,
                                               .b = b,
                                               .c = c,
                                               .aux = index});
}

/* ---- the log ---- */

static void on_launch_begin(void *state, const struct observer_launch *launch)
{
    text_format(state, "launch %s %" PRIu64 "x%" PRIu64 "x%" PRIu64 "\n", launch->kernel,
                launch->global_size[0], launch->global_size[1], launch->global_size[2]);
}

static void on_group_begin(void *state, const uint64_t group[3], uint32_t item_count)
{
    text_format(state, "group %" PRIu64 ",%" PRIu64 ",%" PRIu64 " of %" PRIu32 "\n", group[0],
                group[1], group[2], item_count);
}

static void on_vector_run(void *state, uint32_t vector)
{
    text_format(state, "vector %" PRIu32 "\n", vector);
}

static void on_access(void *state, const struct lane_access *access)
{
    static const char *const kinds[] = {"read", "write", "atomic-read", "atomic-write",
                                        "atomic-rmw"};
    text_format(state, "%s @%" PRIu32 " %s size %" PRIu32 " mask %" PRIx64, kinds[access->kind],
                access->site, access->object->name, access->size, access->mask);
    if (!access->offsets) {
        text_format(state, " at %" PRId64 " stride %" PRId64, (int64_t)access->offset,
                    access->stride);
        if (access->run)
            text_format(state, " run %" PRIu32 " jump %" PRId64, access->run, access->jump);
        text_append(state, "\n");
        return;
    }
    text_append(state, " at");
    for (uint64_t rest = access->mask; rest; rest &= rest - 1)
        text_format(state, " %" PRIu64, access->offsets[__builtin_ctzll(rest)]);
    text_append(state, "\n");
}

static void on_fence(void *state, uint32_t site, uint64_t mask, uint32_t flags,
                     enum observer_order order, enum observer_scope scope)
{
    text_format(state, "fence @%" PRIu32 " mask %" PRIx64 " flags %" PRIu32 " order %d scope %d\n",
                site, mask, flags, (int)order, (int)scope);
}

static void on_barrier(void *state, const struct observer_barrier *barrier)
{
    text_format(state, "barrier @%" PRIu32 " flags %" PRIu32, barrier->site, barrier->flags);
    if (barrier->execution == OBSERVER_SCOPE_SUB_GROUP)
        text_format(state, " vector %" PRIu32 " mask %" PRIx64, barrier->vector, barrier->mask);
    text_append(state, "\n");
}

static void on_divergence(void *state, const struct observer_divergence *divergence)
{
    static const char *const kinds[] = {"finished", "elsewhere", "iteration", "arguments", "mixed"};
    text_format(state,
                "divergence %s @%" PRIu32 " @%" PRIu32 " waiting %" PRIu64 " from %" PRIu32
                " in %" PRIu64 " other %" PRIu64 " from %" PRIu32 " in %" PRIu64 "\n",
                kinds[divergence->kind], divergence->site, divergence->other_site,
                divergence->waiting_count, divergence->waiting_item, divergence->waiting_iteration,
                divergence->other_count, divergence->other_item, divergence->other_iteration);
}

static void on_fault(void *state, const struct observer_fault *fault)
{
    static const char *const kinds[] = {
        [OBSERVER_FAULT_BOUNDS] = "bounds",
        [OBSERVER_FAULT_NULL] = "null",
        [OBSERVER_FAULT_WILD] = "wild",
        [OBSERVER_FAULT_FREED] = "freed",
        [OBSERVER_FAULT_READ_ONLY] = "read-only",
        [OBSERVER_FAULT_WRITE_ONLY] = "write-only",
        [OBSERVER_FAULT_MISALIGNED] = "misaligned",
        [OBSERVER_FAULT_UNLISTED] = "unlisted",
        [OBSERVER_FAULT_IMAGE_BOUNDS] = "image-bounds",
        [OBSERVER_FAULT_IMAGE_FORMAT] = "image-format",
        [OBSERVER_FAULT_IMAGE_SAMPLER] = "image-sampler",
        [OBSERVER_FAULT_PIPE] = "pipe",
        [OBSERVER_FAULT_BLOCK] = "block",
        [OBSERVER_FAULT_SUBSCRIPT] = "subscript",
        [OBSERVER_FAULT_ENDED] = "ended",
        [OBSERVER_FAULT_FOREIGN] = "foreign",
        [OBSERVER_FAULT_CONSTANT] = "constant",
    };
    static const char *const accesses[] = {"read", "write", "atomic-read", "atomic-write",
                                           "atomic-rmw"};
    text_format(state, "fault %s %s @%" PRIu32 " %s size %" PRIu32 " mask %" PRIx64 " at %" PRId64,
                kinds[fault->kind], accesses[fault->access], fault->site,
                fault->object ? fault->object->name : "-", fault->size, fault->mask, fault->offset);
    if (fault->neighbour)
        text_format(state, " into %s at %" PRId64, fault->neighbour->name, fault->neighbour_offset);
    text_append(state, "\n");
}

static void on_undefined(void *state, const struct observer_undefined *undefined)
{
    static const char *const uses[] = {"branch", "address",  "output",
                                       "update", "argument", "print"};
    text_format(state, "undefined %s @%" PRIu32 " mask %" PRIx64 " from @%" PRId32 " ",
                uses[undefined->use], undefined->site, undefined->mask,
                (int32_t)undefined->origin_site);
    if (undefined->origin_object)
        text_format(state, "%s at %" PRIu64 "\n", undefined->origin_object->name,
                    undefined->origin_offset);
    else
        text_format(state, "%s\n", undefined->origin_name ? undefined->origin_name : "-");
}

static void on_group_end(void *state)
{
    text_append(state, "group end\n");
}

static void on_launch_end(void *state)
{
    text_append(state, "launch end\n");
}

struct observer log_observer(struct text *text)
{
    return (struct observer){.state = text,
                             .launch_begin = on_launch_begin,
                             .group_begin = on_group_begin,
                             .vector_run = on_vector_run,
                             .access = on_access,
                             .fence = on_fence,
                             .barrier = on_barrier,
                             .divergence = on_divergence,
                             .fault = on_fault,
                             .undefined = on_undefined,
                             .group_end = on_group_end,
                             .launch_end = on_launch_end};
}
