/* What a launch holds while it runs: frames with arguments and constants in place, memory for local
 * and private objects, the table of both. Everything is allocated here, before the first group. */
#include "reference/sched/group.h"
#include "reference/sched/permute.h"
#include "reference/vm/bits.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/base/size.h"

#include <string.h>

/* Where objects begin in the memory of a group, as a device's local memory would have them. */
enum { OBJECT_ALIGNMENT = 128 };
/* No device of ours has room for more in one work-group. */
static const uint64_t WORK_GROUP_MAX = 65536;
/* Bytes of frames and private memory, beyond which vectors are not made narrow. */
static const uint64_t NARROW_STORAGE_MAX = UINT64_C(1) << 28;

/* ---- sizes ---- */

static enum status check_sizes(const struct sched_launch *request, struct launch *launch,
                               struct error *error)
{
    uint64_t items = 1;
    uint64_t total = 1;
    if (request->dimensions < 1 || request->dimensions > 3)
        return error_set(error, STATUS_INVALID, "an NDRange has 1 to 3 dimensions, not %u",
                         request->dimensions);
    if (request->sub_group_size < 1 || request->sub_group_size > VM_LANES ||
        request->sub_group_size & (request->sub_group_size - 1))
        return error_set(error, STATUS_INVALID,
                         "a sub-group size of %u is not a power of two up to %u",
                         request->sub_group_size, VM_LANES);
    for (uint32_t d = 0; d < 3; d++) {
        const uint64_t global = request->global_size[d];
        const uint64_t local = request->local_size[d];
        if (local == 0)
            return error_set(error, STATUS_INVALID, "the work-group size is 0 in dimension %u", d);
        if (!size_mul(items, local, &items) || items > WORK_GROUP_MAX)
            return error_set(error, STATUS_INVALID, "the work-group has more than %llu work-items",
                             (unsigned long long)WORK_GROUP_MAX);
        if (!size_mul(total, global, &total))
            return error_set(error, STATUS_INVALID, "the NDRange has more than 2^64 work-items");
        launch->group_count[d] = global / local + (global % local != 0);
    }
    launch->enqueued_items = items;
    return STATUS_OK;
}

/* ---- objects ---- */

/* Local objects: the local variables, then the local arguments, also those of no bytes. */

static enum status count_objects(struct launch *launch, struct error *error)
{
    const struct vm_code *code = launch->request->code;
    uint64_t size = 0;
    for (uint32_t i = 0; i < code->variable_count; i++) {
        if (code->variables[i].region != VM_VARIABLE_LOCAL)
            continue;
        launch->local_count++;
        if (!size_add(size, code->variables[i].size + 2 * OBJECT_ALIGNMENT, &size))
            return error_set(error, STATUS_INVALID, "the local variables do not fit into memory");
    }
    for (uint32_t i = 0; i < code->parameter_count; i++) {
        if (code->parameters[i].kind != VM_PARAMETER_LOCAL)
            continue;
        const uint64_t wanted = launch->request->arguments[i].local_size;
        launch->local_count++;
        if (wanted > VM_POINTER_BIAS || !size_add(size, wanted + 2 * OBJECT_ALIGNMENT, &size))
            return error_set(error, STATUS_INVALID,
                             "%llu bytes of local memory for argument %u do not fit into memory",
                             (unsigned long long)wanted, i);
    }
    launch->object_count = launch->local_count;
    for (uint32_t i = 0; i < code->variable_count; i++)
        launch->object_count += code->variables[i].region == VM_VARIABLE_PRIVATE;
    launch->local_size = size;
    return STATUS_OK;
}

static void make_local_object(struct launch *launch, uint32_t index, const char *name,
                              uint64_t size, uint64_t *offset)
{
    for (uint32_t slot = 0; slot < launch->slot_count; slot++) {
        struct vm_object *object = &launch->objects[slot * launch->object_count + index];
        *object = (struct vm_object){.identity = {.id = VM_LAUNCH_OBJECT + index,
                                                  .region = OBSERVER_LOCAL,
                                                  .size = size,
                                                  .name = name},
                                     .root = object,
                                     .bytes = launch->local_bytes + *offset,
                                     .size = size};
        if (launch->local_bits)
            object->undefined = launch->local_bits + *offset / 64;
    }
    *offset = size_align(*offset + size, OBJECT_ALIGNMENT);
}

static void make_private_object(struct launch *launch, uint32_t index,
                                const struct vm_variable *variable)
{
    for (uint32_t slot = 0; slot < launch->slot_count; slot++) {
        struct vm_object *object = &launch->objects[slot * launch->object_count + index];
        const uint64_t arenas = slot * launch->private_stride * VM_LANES;
        const uint64_t ends = ((uint64_t)slot * launch->object_count + index) * VM_LANES;
        *object =
            (struct vm_object){.identity = {.id = VM_LAUNCH_OBJECT + index,
                                            .region = OBSERVER_PRIVATE,
                                            .size = variable->size,
                                            .name = variable->name},
                               .root = object,
                               .bytes = launch->private_bytes + arenas + variable->private_offset,
                               .size = variable->size,
                               .root_offset = variable->private_offset,
                               .private_stride = launch->private_stride,
                               .end_sites = launch->end_sites ? launch->end_sites + ends : NULL};
        if (launch->private_bits)
            object->undefined = launch->private_bits + arenas / 64;
    }
}

static void set_pointer(struct launch *launch, vm_row row, uint64_t pointer)
{
    for (uint32_t slot = 0; slot < launch->slot_count && row; slot++) {
        uint8_t *units = launch->vectors[slot].units;
        memcpy(units + (size_t)row * VM_UNIT_SIZE, &pointer, sizeof pointer);
    }
}

static void make_private_objects(struct launch *launch, bool owned, uint32_t *index)
{
    const struct vm_code *code = launch->request->code;
    for (uint32_t i = 0; i < code->variable_count; i++) {
        const struct vm_variable *variable = &code->variables[i];
        if (variable->region != VM_VARIABLE_PRIVATE || variable->owned != owned)
            continue;
        make_private_object(launch, *index, variable);
        set_pointer(launch, variable->row, vm_pointer_make(VM_LAUNCH_OBJECT + (*index)++, 0));
    }
}

/* Every object of the launch, and the pointers to them in their rows. */
static void make_objects(struct launch *launch)
{
    const struct vm_code *code = launch->request->code;
    uint32_t index = 0;
    uint64_t offset = 0;
    for (uint32_t i = 0; i < code->variable_count; i++) {
        const struct vm_variable *variable = &code->variables[i];
        if (variable->region != VM_VARIABLE_LOCAL)
            continue;
        make_local_object(launch, index, variable->name, variable->size, &offset);
        set_pointer(launch, variable->row, vm_pointer_make(VM_LAUNCH_OBJECT + index++, 0));
    }
    for (uint32_t i = 0; i < code->parameter_count; i++) {
        const struct vm_parameter *parameter = &code->parameters[i];
        if (parameter->kind != VM_PARAMETER_LOCAL)
            continue;
        make_local_object(launch, index, parameter->name, launch->request->arguments[i].local_size,
                          &offset);
        set_pointer(launch, parameter->row, vm_pointer_make(VM_LAUNCH_OBJECT + index++, 0));
    }
    make_private_objects(launch, true, &index);
    make_private_objects(launch, false, &index);
    ASSERT(index == launch->object_count && offset <= launch->local_size + OBJECT_ALIGNMENT);
}

/* The numbers of the launch in owned pointers. */
static void take_owners(struct launch *launch)
{
    const struct vm_code *code = launch->request->code;
    struct vm_owners *owners = &launch->own_run.owners;
    uint64_t count = launch->group_count[0] * launch->group_count[1] * launch->group_count[2];
    owners->local_count = code->owns_locals ? launch->local_count : 0;
    owners->private_object = launch->local_count;
    for (uint32_t i = 0; i < code->variable_count; i++)
        owners->private_count += code->variables[i].owned;
    owners->group_stride = owners->local_count + launch->enqueued_items * owners->private_count;
    if (!size_mul(count, owners->group_stride, &count) || count > VM_OWNED_NUMBERS)
        count = VM_OWNED_NUMBERS + 1;
    if (launch->request->owners)
        owners->first = __atomic_fetch_add(launch->request->owners, count, __ATOMIC_RELAXED);
    owners->end = owners->first + count;
}

/* ---- rows that stay ---- */

static void fill_constant(uint8_t *units, const struct vm_constant *constant)
{
    uint8_t *row = units + (size_t)constant->row * VM_UNIT_SIZE;
    if (constant->width == 0 || constant->uniform) {
        memcpy(row, &constant->bits, sizeof constant->bits);
        return;
    }
    if (constant->affine) {
        const struct vm_affine terms = {.base = constant->bits & bits_low(constant->width * 8),
                                        .form = VM_AFFINE_BOTH};
        memcpy(row - VM_UNIT_SIZE, &terms, sizeof terms);
    }
    for (uint32_t lane = 0; lane < VM_LANES; lane++)
        memcpy(row + lane * constant->width, &constant->bits, constant->width);
}

static void fill_argument(uint8_t *units, const struct vm_parameter *parameter,
                          const struct sched_argument *argument, const struct vm_memory *memory)
{
    uint8_t *row = units + (size_t)parameter->row * VM_UNIT_SIZE;
    uint64_t pointer = 0;
    switch (parameter->kind) {
    case VM_PARAMETER_VALUE:
        for (uint32_t i = 0; i < parameter->count; i++)
            memcpy(row + i * VM_UNIT_SIZE, (const uint8_t *)argument->bytes + i * parameter->width,
                   parameter->width);
        break;
    case VM_PARAMETER_GLOBAL:
    case VM_PARAMETER_CONSTANT:
        pointer = vm_memory_address(memory, argument->object, argument->offset);
        memcpy(row, &pointer, sizeof pointer);
        break;
    case VM_PARAMETER_IMAGE:
    case VM_PARAMETER_PIPE:
        if (argument->object)
            pointer = vm_pointer_make(argument->object, 0);
        memcpy(row, &pointer, sizeof pointer);
        break;
    case VM_PARAMETER_SAMPLER:
        pointer = argument->sampler;
        memcpy(row, &pointer, sizeof pointer);
        break;
    case VM_PARAMETER_QUEUE:
        memcpy(row, argument->bytes, sizeof pointer);
        break;
    default: /* STRUCT, LOCAL: set with their objects */
        break;
    }
}

static void fill_arguments(uint8_t *units, const struct sched_launch *request)
{
    const struct vm_code *code = request->code;
    for (uint32_t i = 0; i < code->parameter_count; i++) {
        if (code->parameters[i].row)
            fill_argument(units, &code->parameters[i], &request->arguments[i], request->memory);
    }
}

void launch_give_arguments(struct launch *launch)
{
    fill_arguments(launch->vectors[0].units, launch->request);
}

static void fill_frames(struct launch *launch)
{
    const struct sched_launch *request = launch->request;
    const struct vm_code *code = request->code;
    for (uint32_t slot = 0; slot < launch->slot_count; slot++) {
        uint8_t *units = launch->vectors[slot].units;
        for (uint32_t i = 0; i < code->constant_count; i++)
            fill_constant(units, &code->constants[i]);
        fill_arguments(units, request);
    }
    for (uint32_t i = 0; i < code->global_count; i++)
        set_pointer(launch, code->globals[i].row, vm_pointer_make(request->globals[i], 0));
}

/* ---- storage ---- */

static void *allocate(uint64_t count, uint64_t size, struct error *error)
{
    uint64_t bytes;
    void *block = NULL;
    if (size_mul(count, size, &bytes) && bytes <= SIZE_MAX - VM_UNIT_SIZE)
        block = alloc_aligned(VM_UNIT_SIZE, bytes);
    else
        bytes = UINT64_MAX;
    if (block)
        memset(block, 0, bytes);
    else
        error_no_memory(error, bytes);
    return block;
}

static enum status allocate_launch(struct launch *launch, struct error *error)
{
    const struct vm_code *code = launch->request->code;
    const uint64_t slots = launch->slot_count;
    const uint64_t indices = (launch->enqueued_items + VM_LANES - 1) / VM_LANES;
    const bool checked = launch->request->observer != NULL;
    uint64_t private_size;
    if (!size_mul(slots * VM_LANES, launch->private_stride, &private_size))
        return error_no_memory(error, UINT64_MAX);
    launch->local_size = size_align(launch->local_size, OBJECT_ALIGNMENT);
    const struct {
        void *place;
        uint64_t count, size;
        bool wanted;
    } blocks[LAUNCH_BLOCKS] = {
        {&launch->vectors, slots, sizeof *launch->vectors, true},
        {&launch->objects, slots * launch->object_count, sizeof *launch->objects, true},
        {&launch->ids, indices, sizeof *launch->ids, true},
        {&launch->frames, slots * code->frame_units, VM_UNIT_SIZE, true},
        {&launch->frame_masks, slots * code->frame_units, sizeof(uint64_t), true},
        {&launch->frame_undefined, slots * code->frame_units, sizeof *launch->frame_undefined,
         checked},
        {&launch->pending, slots * code->block_count, sizeof(uint64_t), true},
        {&launch->ready, slots * vm_vector_ready_words(code), sizeof(uint64_t), true},
        {&launch->waiting, slots * code->spin_count, sizeof *launch->waiting, true},
        {&launch->local_bytes, launch->local_size, 1, true},
        {&launch->local_bits, bits_word_count(launch->local_size), sizeof(uint64_t), checked},
        {&launch->private_bytes, private_size, 1, true},
        {&launch->end_sites, slots * launch->object_count * VM_LANES, sizeof *launch->end_sites,
         code->has_life_ends},
        {&launch->private_bits, bits_word_count(private_size), sizeof(uint64_t), checked},
    };
    for (size_t i = 0; i < LAUNCH_BLOCKS; i++) {
        if (!blocks[i].wanted)
            continue;
        launch->blocks[i] = allocate(blocks[i].count, blocks[i].size, error);
        if (!launch->blocks[i])
            return STATUS_NO_MEMORY;
        memcpy(blocks[i].place, &launch->blocks[i], sizeof launch->blocks[i]);
        launch->storage_size += blocks[i].count * blocks[i].size;
    }
    return STATUS_OK;
}

static void make_vectors(struct launch *launch)
{
    const struct vm_code *code = launch->request->code;
    for (uint32_t slot = 0; slot < launch->slot_count; slot++) {
        struct vm_vector *vector = &launch->vectors[slot];
        vector->run = launch->run;
        vector->units = launch->frames + (size_t)slot * code->frame_units * VM_UNIT_SIZE;
        vector->undefined = launch->frame_masks + (size_t)slot * code->frame_units;
        if (launch->frame_undefined)
            vector->undefined_rows = launch->frame_undefined + (size_t)slot * code->frame_units;
        vector->objects = launch->objects + (size_t)slot * launch->object_count;
        vector->object_count = launch->object_count;
        vector->pending = launch->pending + (size_t)slot * code->block_count;
        vector->ready = launch->ready + (size_t)slot * vm_vector_ready_words(code);
        vector->waiting = launch->waiting + (size_t)slot * code->spin_count;
    }
}

/* OpenCL API 3.0, 3.3.1: constant memory "remains constant during the execution of a
 * kernel-instance". Arguments of constant memory whose objects the kernel may write, too. */
static enum status find_constants(struct launch *launch, struct error *error)
{
    const struct sched_launch *request = launch->request;
    uint32_t count = 0;
    launch->constant_ranges =
        alloc_zero(request->code->parameter_count + 1, sizeof *launch->constant_ranges);
    if (!launch->constant_ranges)
        return error_no_memory(error, sizeof *launch->constant_ranges);
    for (uint32_t i = 0; i < request->code->parameter_count; i++) {
        const struct vm_parameter *parameter = &request->code->parameters[i];
        const struct vm_object *object = launch_argument(request, i, 1 << VM_PARAMETER_CONSTANT);
        if (!object || launch_only_reads(launch, object->root->identity.id))
            continue;
        launch->constant_ranges[count++] = (struct vm_constant_range){
            .root = object->root,
            .first = object->root_offset + request->arguments[i].offset,
            .end = object->root_offset + object->size,
            .argument = parameter->name[0] != '\0' ? parameter->name : "without a name"};
    }
    launch->own_run.constant_ranges = launch->constant_ranges;
    launch->own_run.constant_range_count = count;
    return STATUS_OK;
}

static void set_width(struct launch *launch, uint32_t width)
{
    launch->group.width = width;
    launch->slot_count =
        launch->in_turns ? group_vectors(&launch->group, launch->enqueued_items) : 1;
}

/* Work-items that run one at a time have a frame each. A debugger shows vectors of all lanes. */
static void choose_width(struct launch *launch)
{
    const struct sched_launch *request = launch->request;
    const struct vm_code *code = request->code;
    uint64_t size;
    set_width(launch, VM_LANES);
    if (!request->items || request->debugger)
        return;
    set_width(launch, code->has_sub_group_functions ? request->sub_group_size : 1);
    if (!size_mul(launch->private_stride, VM_LANES, &size) ||
        !size_add(size, (uint64_t)code->frame_units * VM_UNIT_SIZE, &size) ||
        !size_mul(size, launch->slot_count, &size) || size > NARROW_STORAGE_MAX)
        set_width(launch, VM_LANES);
}

enum status launch_create(const struct sched_launch *request, struct launch *leader,
                          struct launch **launch, struct error *error)
{
    const struct vm_code *code = request->code;
    struct launch *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    made->request = request;
    made->printed = (struct text)TEXT_INIT;
    made->run = leader ? leader->run : &made->own_run;
    made->own_run =
        (struct vm_run){.code = code, .memory = request->memory, .observer = request->observer};
    made->own_run.blocks = request->blocks;
    made->own_run.svm_listed = request->svm_listed;
    made->own_run.svm_listed_count = request->svm_listed_count;
    made->own_run.svm_kinds = request->svm_kinds;
    made->own_run.system = request->system;
    made->own_run.device = request->device;
    made->own_run.output = &made->printed;
    made->own_run.sub_group_size = request->sub_group_size;
    made->own_run.operation_limit =
        request->budget ? request->budget->operations : request->operation_limit;
    made->own_run.debugger = request->debugger ? &request->debugger->vm : NULL;
    made->own_run.counters = request->counters;
    /* Of code without debug information native code does not say where it is. */
    made->own_run.native_source = request->items || request->turn || request->counters ||
                                          (request->debugger && !code->debug_info)
                                      ? NULL
                                      : code->native;
    made->private_stride = size_align(code->private_size, 64);
    for (uint32_t i = 0; i < code->barrier_count; i++) {
        made->sub_group_barriers |=
            code->apart && code->barriers[i].execution == OBSERVER_SCOPE_SUB_GROUP;
        made->named_barriers |= code->barriers[i].collective == VM_COLLECTIVE_NAMED;
    }
    enum status status = check_sizes(request, made, error);
    if (status == STATUS_OK)
        status = count_objects(made, error);
    if (status == STATUS_OK)
        status = find_constants(made, error);
    if (status != STATUS_OK)
        goto out;
    if (request->observer)
        launch_find_apart(made);
    made->in_turns = code->barrier_count != 0 || code->spin_count != 0 || request->turn != 0;
    choose_width(made);
    status = allocate_launch(made, error);
    if (status != STATUS_OK)
        goto out;
    if (!leader)
        take_owners(made);
    if (request->order != SCHED_ASCENDING) {
        for (uint32_t i = 0; i < VM_LANES; i++)
            made->lane_order[i] = (uint8_t)permute(request->order, request->seed, 1, i, VM_LANES);
        made->own_run.lane_order = made->lane_order;
    }
    ids_count(made);
    make_vectors(made);
    fill_frames(made);
    make_objects(made);
    *launch = made;
    made = NULL;
out:
    launch_destroy(made);
    return status;
}

void launch_destroy(struct launch *launch)
{
    if (!launch)
        return;
    for (size_t i = 0; i < LAUNCH_BLOCKS; i++)
        alloc_free(launch->blocks[i]);
    alloc_free(launch->copies);
    alloc_free(launch->constant_ranges);
    text_release(&launch->printed);
    origins_clear(&launch->own_run.births);
    origins_clear(&launch->own_run.births_in_group);
    arena_release(&launch->own_run.undefined_rows);
    alloc_free(launch);
}

/* ---- the start of groups and vectors ---- */

/* Undefined memory is zero, so that what a wrong kernel computes from it does not depend on the
 * groups that ran before. */
void launch_begin_group(struct launch *launch)
{
    launch->told_vector = UINT32_MAX;
    launch->held_vector = UINT32_MAX;
    launch->copy_count = 0;
    memset(launch->copies_fenced, 0, sizeof launch->copies_fenced);
    memset(launch->copies_told, 0, sizeof launch->copies_told);
    origins_forget(&launch->run->births_in_group);
    if (launch->local_size == 0)
        return;
    memset(launch->local_bytes, 0, launch->local_size);
    if (launch->local_bits)
        memset(launch->local_bits, 0xFF, launch->local_size / 8);
}

static void begin_private(struct launch *launch, uint32_t vector)
{
    const uint32_t slot = launch->slot_count == 1 ? 0 : vector;
    const uint32_t first = vector * launch->group.width % VM_LANES;
    const uint32_t end = first + launch->group.width;
    const struct sched_launch *request = launch->request;
    const struct vm_code *code = request->code;
    const uint64_t stride = launch->private_stride;
    if (stride == 0)
        return;
    for (uint32_t i = launch->local_count; i < launch->object_count && code->has_life_ends; i++) {
        struct vm_object *object = &launch->objects[slot * launch->object_count + i];
        object->freed = false;
        object->ended = 0;
    }
    uint8_t *bytes = launch->private_bytes + slot * stride * VM_LANES;
    if (launch->slot_count == 1)
        origins_forget(&launch->run->births_in_group);
    uint64_t *bits =
        launch->private_bits ? launch->private_bits + slot * stride * VM_LANES / 64 : NULL;
    memset(bytes + first * stride, 0, stride * launch->group.width);
    if (bits)
        memset(bits, 0xFF, stride * VM_LANES / 8);
    for (uint32_t i = 0; i < code->variable_count; i++) {
        const struct vm_variable *variable = &code->variables[i];
        if (variable->region != VM_VARIABLE_PRIVATE || variable->parameter < 0)
            continue;
        const uint64_t given = code->parameters[variable->parameter].size;
        const uint64_t size = given < variable->size ? given : variable->size;
        for (uint32_t lane = first; lane < end; lane++) {
            const uint64_t place = lane * stride + variable->private_offset;
            memcpy(bytes + place, request->arguments[variable->parameter].bytes, size);
        }
        if (bits) /* a word of all lanes for each byte */
            memset(bits + variable->private_offset, 0, size * sizeof *bits);
        const uint8_t *undefined = request->arguments[variable->parameter].undefined;
        for (uint64_t byte = 0; byte < size && bits && undefined; byte++) {
            if (undefined[byte / 8] >> byte % 8 & 1)
                bits[variable->private_offset + byte] = ~UINT64_C(0);
        }
    }
}

/* What makes numbers of owned pointers of the numbers of objects. */
static void fill_owners(struct launch *launch, struct vm_vector *vector)
{
    const struct vm_owners *owners = &launch->run->owners;
    const struct group *group = &launch->group;
    const uint64_t *count = launch->group_count;
    const uint64_t linear = (group->id[2] * count[1] + group->id[1]) * count[0] + group->id[0];
    uint64_t *items = ids_row(launch, vector, VM_QUERY_ITEM_OWNER, 0);
    vector->owner = owners->first + linear * owners->group_stride;
    uint64_t *owner = ids_row(launch, vector, VM_QUERY_GROUP_OWNER, 0);
    if (owner)
        *owner = (vector->owner - VM_LAUNCH_OBJECT) & (VM_OWNED_NUMBERS - 1);
    for (uint32_t lane = 0; lane < VM_LANES && items; lane++) {
        const uint64_t item = (uint64_t)vector->index * VM_LANES + lane;
        const uint64_t first = vector->owner + owners->local_count + item * owners->private_count;
        items[lane] = VM_OWNED_PRIVATE | ((first - VM_LAUNCH_OBJECT - owners->private_object) &
                                          (VM_OWNED_NUMBERS - 1));
    }
}

void launch_begin_vector(struct launch *launch, uint32_t index)
{
    struct vm_vector *vector = launch_vector(launch, index);
    vector->index = group_index(&launch->group, index);
    vector->lanes = group_lanes(&launch->group, index);
    vector->paused = NULL;
    vector->parked_count = 0;
    vector->returned_count = 0;
    vector->ended = 0;
    memset(vector->read_sizes, 0, sizeof vector->read_sizes);
    for (uint32_t i = 0; i < launch->request->code->spin_count; i++)
        vector->waiting[i] = (struct vm_waiting){.inside = 0};
    begin_private(launch, index);
    ids_fill(launch, vector);
    fill_owners(launch, vector);
    vm_vector_release(vector, vector->lanes, 0);
}
