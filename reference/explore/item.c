/* Runs work-items for the search, each from its start to where a node of its tree is
 * (item_tree.c).
 *
 * While an item runs, each access goes to a cell that holds what the search says, and that is
 * looked at afterwards to find what was written. */
#include "reference/explore/item.h"
#include "trace/base/alloc.h"

#include <string.h>

/* Instructions that an item may execute, if the launch has no limit. */
enum { OPERATIONS_MAX = 10000000 };

/* ---- instructions ---- */

static const uint32_t no_loops[LITMUS_LOOPS_MAX];

/* Of assertions the values count. */
static bool same_fault(const struct litmus_instruction *a, const struct litmus_instruction *b)
{
    return !a->fault == !b->fault && a->is_assertion == b->is_assertion &&
           !(a->is_assertion && strcmp(a->fault, b->fault) != 0);
}

static const struct litmus_instruction *find_instruction(struct item *item, uint32_t site,
                                                         const struct litmus_instruction *wanted,
                                                         const uint32_t counters[LITMUS_LOOPS_MAX])
{
    struct found *found = item->found;
    while (found && !(found->site == site && found->instruction.kind == wanted->kind &&
                      same_fault(&found->instruction, wanted) &&
                      found->instruction.location == wanted->location &&
                      memcmp(found->counters, counters, sizeof found->counters) == 0))
        found = found->next;
    if (found)
        return &found->instruction;
    found = arena_alloc(&item->explorer->arena, 1, sizeof *found);
    if (!found) {
        explorer_no_memory(item->explorer, sizeof *found);
        return NULL;
    }
    found->instruction = *wanted;
    found->instruction.line = explorer_line(item->explorer, site);
    found->instruction.site = site + 1;
    found->instruction.target = wanted->op == LITMUS_BARRIER ? ++item->barrier_count : 0;
    found->site = site;
    memcpy(found->counters, counters, sizeof found->counters);
    found->original = found->instruction;
    litmus_edit_instruction(&item->explorer->test, &found->original, &found->instruction);
    found->next = item->found;
    item->found = found;
    return &found->instruction;
}

_Static_assert((int)OBSERVER_FENCE_LOCAL == ORACLE_FLAG_LOCAL &&
                   (int)OBSERVER_FENCE_GLOBAL == ORACLE_FLAG_GLOBAL &&
                   (int)OBSERVER_FENCE_IMAGE == ORACLE_FLAG_IMAGE,
               "flags of barriers and fences are the same");

static enum oracle_order oracle_order(enum observer_order order)
{
    static const enum oracle_order orders[] = {
        [OBSERVER_ORDER_RELAXED] = ORACLE_RELAXED, [OBSERVER_ORDER_ACQUIRE] = ORACLE_ACQUIRE,
        [OBSERVER_ORDER_RELEASE] = ORACLE_RELEASE, [OBSERVER_ORDER_ACQ_REL] = ORACLE_ACQ_REL,
        [OBSERVER_ORDER_SEQ_CST] = ORACLE_SEQ_CST,
    };
    return orders[order];
}

static enum oracle_scope oracle_scope(enum observer_scope scope)
{
    static const enum oracle_scope scopes[] = {
        [OBSERVER_SCOPE_WORK_ITEM] = ORACLE_WORK_ITEM,
        [OBSERVER_SCOPE_SUB_GROUP] = ORACLE_SUB_GROUP,
        [OBSERVER_SCOPE_WORK_GROUP] = ORACLE_WORK_GROUP,
        [OBSERVER_SCOPE_DEVICE] = ORACLE_DEVICE,
        [OBSERVER_SCOPE_ALL_DEVICES] = ORACLE_ALL_DEVICES,
    };
    return scopes[scope];
}

/* Compilers write the atomic functions of OpenCL 1.x as relaxed updates of work-group scope; they
 * are the device's (docs/MEMORY_MODEL.md). */
static enum oracle_scope access_scope(const struct item *item,
                                      const struct vm_coming_access *access)
{
    const uint32_t version = item->explorer->request.code->opencl_c_version;
    const bool legacy = access->kind == OBSERVER_ATOMIC_RMW &&
                        access->order == OBSERVER_ORDER_RELAXED &&
                        access->scope == OBSERVER_SCOPE_WORK_GROUP;
    const bool atomic = access->kind >= OBSERVER_ATOMIC_READ;
    return version != 0 && ((version < 200 && atomic) || legacy) ? ORACLE_DEVICE
                                                                 : oracle_scope(access->scope);
}

/* An operation with an order or scope that it must not have means nothing. */
static void check_order(struct explorer *explorer, const struct vm_coming_access *access,
                        const struct litmus_instruction *wanted)
{
    const bool good =
        !oracle_is_atomic(wanted->kind) ||
        (oracle_may_have_order(wanted->kind, wanted->order) && wanted->scope != ORACLE_WORK_ITEM &&
         (wanted->op != LITMUS_COMPARE_EXCHANGE ||
          oracle_may_fail_with(wanted->order, wanted->failure_order)));
    if (!good)
        explorer_fail(explorer, access->site,
                      "an atomic operation has a memory order or scope that it must not have; a "
                      "run without --explore says which");
}

/* As litmus_instruction.commuting. Whether an update but by these ops changes anything depends on
 * what it finds, which matters to loops that wait. */
static uint32_t commuting(const struct item *item, const struct vm_coming_access *access,
                          enum oracle_scope scope)
{
    const struct vm_code *code = item->explorer->request.code;
    const struct vm_instruction *in = &code->instructions[access->site];
    const bool changes = in->op == VM_OP_atomic_iadd || in->op == VM_OP_atomic_isub ||
                         in->op == VM_OP_atomic_xor || code->spin_count == 0;
    const bool commutes = changes && access->kind == OBSERVER_ATOMIC_RMW &&
                          access->order == OBSERVER_ORDER_RELAXED &&
                          vm_op_commutes((enum vm_op)in->op) && code->atomics[in->aux].is_unused;
    return commutes ? ((uint32_t)in->op + 1) << 8 | (uint32_t)scope : 0;
}

static const struct litmus_instruction *
access_instruction(struct item *item, const struct vm_coming_access *access, uint32_t location)
{
    static const struct {
        enum litmus_op op;
        enum oracle_kind kind;
    } kinds[] = {
        [OBSERVER_READ] = {LITMUS_READ, ORACLE_READ},
        [OBSERVER_WRITE] = {LITMUS_WRITE, ORACLE_WRITE},
        [OBSERVER_ATOMIC_READ] = {LITMUS_READ, ORACLE_ATOMIC_READ},
        [OBSERVER_ATOMIC_WRITE] = {LITMUS_WRITE, ORACLE_ATOMIC_WRITE},
        [OBSERVER_ATOMIC_RMW] = {LITMUS_UPDATE, ORACLE_ATOMIC_UPDATE},
    };
    struct litmus_instruction wanted = {
        .op = access->is_compare_exchange ? LITMUS_COMPARE_EXCHANGE : kinds[access->kind].op,
        .kind = kinds[access->kind].kind,
        .type = item->explorer->test.locations[location].type,
        .location = location,
        .order = oracle_order(access->order),
        .failure_order = oracle_order(access->failure_order),
        .scope = access_scope(item, access),
    };
    wanted.commuting = commuting(item, access, wanted.scope);
    check_order(item->explorer, access, &wanted);
    return find_instruction(item, access->site, &wanted, no_loops);
}

/* ---- the run of an item ---- */

/* What the last operation did is in the cell now. */
static void settle(struct item *item)
{
    const struct litmus_instruction *performed = item->performed;
    if (!performed)
        return;
    item->performed = NULL;
    const int64_t read = item->reads[item->at - 1];
    int64_t written = item->stored;
    if (performed->kind == ORACLE_ATOMIC_UPDATE) {
        memcpy(&written, item->bytes, sizeof written);
        written = litmus_convert(written, performed->type);
    }
    if (item->at == item->node->depth)
        item->node->written = written;
    const bool changed =
        performed->op == LITMUS_WRITE || performed->op == LITMUS_BARRIER ||
        ((performed->op == LITMUS_UPDATE || performed->op == LITMUS_COMPARE_EXCHANGE) &&
         written != read);
    for (uint32_t i = 0; i < item->explorer->request.code->spin_count; i++) {
        item->loops[i].performed = true;
        item->loops[i].changed |= changed;
    }
}

/* The item is at its next operation. True: it performs it; false: it is where it is to stop. */
static bool come_to(struct item *item, uint32_t site, const struct litmus_instruction *instruction)
{
    struct node *node = item->node;
    settle(item);
    item_place_in_loops(item, site);
    if (instruction && item->at < node->depth) {
        item->performed = instruction;
        item->stored = 0;
        item->at++;
        item_mark(item);
        return true;
    }
    item->stopped = true;
    if (item->marked && instruction)
        item_note_operands(item, site, instruction);
    node->next = instruction;
    node->open = item_is_open(item);
    return false;
}

/* Vectors are accessed by component, structures by the largest pieces that their alignment has. */
static uint32_t element_size(const struct item *item, const struct vm_coming_access *access)
{
    const struct vm_instruction *in = &item->explorer->request.code->instructions[access->site];
    if (in->op != VM_OP_copy_memory)
        return in->width;
    uint32_t size = 1U << (in->aux & VM_ACCESS_ALIGNMENT);
    while (size > 8 || access->size % size != 0)
        size /= 2;
    return size;
}

/* One element of an access. True: its bytes are in the cell. */
static bool take_element(struct item *item, const struct vm_coming_access *element, uint8_t *bytes)
{
    struct explorer *explorer = item->explorer;
    const uint32_t group = explorer->test.units[item->node->thread].group;
    uint32_t location;
    if (!explorer_locate(explorer, group, element, &location)) {
        item->stopped = true;
        return false;
    }
    if (!come_to(item, element->site, access_instruction(item, element, location)))
        return false;
    memcpy(bytes, &item->reads[item->at - 1], element->size);
    if (element->value) {
        memcpy(&item->stored, element->value, element->size);
        item->stored = litmus_convert(item->stored, explorer->test.locations[location].type);
    }
    return true;
}

static const struct vm_object *take_access(void *state, const struct vm_coming_access *access)
{
    struct item *item = state;
    struct vm_coming_access element = *access;
    const struct observer_object *object = &access->object->root->identity;
    if (object->region == OBSERVER_GLOBAL &&
        launch_only_reads(item->explorer->launch, object->id)) {
        if (access->kind == OBSERVER_READ && !access->is_volatile)
            return access->object;
        if (access->kind != OBSERVER_READ && access->kind != OBSERVER_ATOMIC_READ)
            explorer_fail(item->explorer, access->site,
                          "memory is written that the kernel has as an argument to read from");
    }
    element.size = element_size(item, access);
    settle(item); /* the cell is used again */
    memset(item->bytes, 0, sizeof item->bytes);
    for (uint32_t done = 0; done < access->size; done += element.size) {
        if (item->explorer->failed || !take_element(item, &element, item->bytes + done))
            return NULL;
        element.offset += element.size;
        element.value += element.value ? element.size : 0;
    }
    item->cell.identity = access->object->identity;
    return &item->cell;
}

static void take_fence(void *state, uint32_t site, uint64_t mask, uint32_t flags,
                       enum observer_order order, enum observer_scope scope)
{
    struct item *item = state;
    const struct litmus_instruction fence = {
        .op = LITMUS_FENCE,
        .kind = ORACLE_FENCE,
        .order = oracle_order(order),
        .scope = oracle_scope(scope),
        .flags = flags,
    };
    if (mask != 0 && !come_to(item, site, find_instruction(item, site, &fence, no_loops)))
        item_vector(item)->active = 0;
}

/* Told of compare-exchanges alone, when it is known whether they exchange. */
static void take_exchange(void *state, const struct lane_access *access)
{
    struct item *item = state;
    if (item->at == item->node->depth)
        item->node->exchanged = lanes_only_reading(access) == 0;
}

/* "read of 4 bytes through a null pointer" */
static const char *fault_words(struct item *item, const struct observer_fault *fault)
{
    static const char *const kinds[] = {
        [OBSERVER_READ] = "read",
        [OBSERVER_WRITE] = "write",
        [OBSERVER_ATOMIC_READ] = "atomic read",
        [OBSERVER_ATOMIC_WRITE] = "atomic write",
        [OBSERVER_ATOMIC_RMW] = "atomic update",
    };
    static const char *const places[] = {
        [OBSERVER_FAULT_BOUNDS] = "outside of",
        [OBSERVER_FAULT_NULL] = "through a null pointer",
        [OBSERVER_FAULT_WILD] = "through a pointer to nothing",
        [OBSERVER_FAULT_FREED] = "after its release to",
        [OBSERVER_FAULT_READ_ONLY] = "to the read-only",
        [OBSERVER_FAULT_WRITE_ONLY] = "of the write-only",
        [OBSERVER_FAULT_MISALIGNED] = "at a misaligned address of",
        [OBSERVER_FAULT_SYSTEM] = "of the system's memory, which is not explored:",
        [OBSERVER_FAULT_UNLISTED] = "without leave of",
    };
    struct arena *arena = &item->explorer->arena;
    const char *name = fault->object ? explorer_object_name(item->explorer, fault->object) : NULL;
    return arena_format(arena, "%s of %u %s %s%s%s", kinds[fault->access], fault->size,
                        fault->size == 1 ? "byte" : "bytes", places[fault->kind], name ? " " : "",
                        name ? name : "");
}

static void take_fault(void *state, const struct observer_fault *fault)
{
    struct item *item = state;
    const struct litmus_instruction wanted = {
        .op = LITMUS_READ, .kind = ORACLE_READ, .fault = fault_words(item, fault)};
    if (!wanted.fault)
        explorer_no_memory(item->explorer, 0);
    if (item->stopped || fault->mask == 0)
        return;
    settle(item);
    item->stopped = true;
    item->node->state = MACHINE_FAULT;
    item->node->next = find_instruction(item, fault->site, &wanted, no_loops);
    item_vector(item)->active = 0;
}

static void take_assertion(void *state, const struct observer_assertion *assertion)
{
    struct item *item = state;
    if (item->stopped)
        return;
    settle(item);
    item->stopped = true;
    item_vector(item)->active = 0;
    item->node->state = assertion->kind == OBSERVER_ASSUMED ? MACHINE_BLOCKED : MACHINE_FAULT;
    if (assertion->kind == OBSERVER_ASSUMED)
        return;
    const char *sides = assertion->sides ? assertion->sides : "";
    const struct litmus_instruction wanted = {
        .op = LITMUS_READ,
        .kind = ORACLE_READ,
        .fault = assertion->kind == OBSERVER_ASSERTED
                     ? arena_string(&item->explorer->arena, sides)
                     : "assumption (__builtin_assume) that does not hold",
        .is_assertion = assertion->kind == OBSERVER_ASSERTED,
    };
    if (!wanted.fault)
        explorer_no_memory(item->explorer, 0);
    item->node->next = find_instruction(item, assertion->site, &wanted, no_loops);
}

/* The item's sub-group is at an op that gives what they make together; they have met before it, so
 * that it belongs to the same iterations. */
static void take_together(void *state, uint32_t site)
{
    struct item *item = state;
    struct vm_vector *vector = item_vector(item);
    const struct vm_instruction *in = &item->explorer->request.code->instructions[site];
    const struct litmus_instruction wanted = {
        .op = LITMUS_BARRIER,
        .kind = ORACLE_SUB_GROUP_BARRIER,
        .scope = ORACLE_SUB_GROUP,
        .gathers = true,
    };
    const bool passes = come_to(item, site, find_instruction(item, site, &wanted, item->met));
    if (passes) {
        explorer_write_operand(vector, item_lane(item), in, (uint64_t)item->reads[item->at - 1]);
        return;
    }
    item->node->gathered = explorer_read_operands(vector, item_lane(item), in);
    vector->active = 0;
}

/* The item waits at a barrier. True: it has passed it. */
static bool pass_barrier(struct item *item, uint32_t index)
{
    const struct vm_code *code = item->explorer->request.code;
    struct vm_vector *vector = item_vector(item);
    const uint32_t site = vector->parked[index].site;
    const uint32_t lane = item_lane(item);
    const struct vm_barrier *barrier = &code->barriers[code->instructions[site].aux];
    uint32_t counters[LITMUS_LOOPS_MAX] = {0};
    if (barrier->counter_count > LITMUS_LOOPS_MAX) {
        explorer_fail(item->explorer, site, "the barrier lies in more than %d loops",
                      LITMUS_LOOPS_MAX);
        return false;
    }
    for (uint32_t i = 0; i < barrier->counter_count; i++)
        counters[i] = vm_barrier_counter(vector, barrier, i, lane);
    const bool gathers = explorer_gathers(barrier);
    memcpy(item->met, counters, sizeof item->met);
    const struct litmus_instruction wanted = {
        .op = LITMUS_BARRIER,
        .kind = barrier->execution == OBSERVER_SCOPE_SUB_GROUP ? ORACLE_SUB_GROUP_BARRIER
                                                               : ORACLE_BARRIER,
        .scope = oracle_scope(barrier->memory),
        .flags = barrier->flags,
        .gathers = gathers,
    };
    const bool passes = come_to(item, site, find_instruction(item, site, &wanted, counters));
    if (!passes && gathers)
        item->node->gathered = explorer_read_arguments(vector, lane, barrier);
    if (!passes)
        return false;
    if (explorer_gives(barrier))
        explorer_write_result(vector, lane, barrier, (uint64_t)item->reads[item->at - 1]);
    vector->parked_count = 0;
    vm_vector_release(vector, UINT64_C(1) << lane, barrier->next);
    return true;
}

/* Runs to the next operation, the end of a round, or the end. */
static void run_on(struct item *item)
{
    const struct vm_run *run = &item->explorer->launch->own_run;
    struct vm_vector *vector = item_vector(item);
    for (bool runs = true; runs;) {
        vm_vector_run(vector);
        settle(item);
        uint32_t parked = 0;
        while (parked < vector->parked_count && !vector->parked[parked].mask)
            parked++;
        if (item->stopped || item->explorer->failed) {
            return;
        } else if (run->exhausted) {
            explorer_fail(item->explorer, UINT32_MAX,
                          "work-item %u executes more than %llu instructions (--operation-limit)",
                          item->explorer->test.threads[item->node->thread].number,
                          (unsigned long long)run->operation_limit);
            return;
        } else if (vm_vector_held(vector)) {
            item->went_round |= item->marked && item->at >= item->marked;
            runs = item_go_round(item);
        } else if (parked < vector->parked_count) {
            runs = pass_barrier(item, parked);
        } else {
            item->node->state = MACHINE_ENDED;
            runs = false;
        }
    }
}

/* The start of the item, whatever was left of the run before. */
static void begin(struct item *item)
{
    struct launch *launch = item->explorer->launch;
    const struct vm_code *code = item->explorer->request.code;
    struct vm_vector *vector = item_vector(item);
    struct vm_run *run = &launch->own_run;
    const uint32_t word_count = vm_vector_ready_words(code);
    memcpy(vector->units, item->frame, (size_t)code->frame_units * VM_UNIT_SIZE);
    memset(vector->undefined, 0, code->frame_units * sizeof *vector->undefined);
    memset(vector->pending, 0, code->block_count * sizeof *vector->pending);
    memset(vector->ready, 0, word_count * sizeof *vector->ready);
    vector->ready_hint = word_count;
    launch_set_group(launch, item->explorer->test.units[item->node->thread].group);
    launch_begin_vector(launch, 0);
    vector->pending[0] = UINT64_C(1) << item_lane(item);
    /* The item is alone, so that it comes to rest at barriers of its sub-group, too. */
    vector->lanes = ~UINT64_C(0);
    run->sub_group_size = VM_LANES;
    vector->rounds = 0;
    run->operation_count = 0;
    run->operation_limit = item->explorer->request.operation_limit;
    if (run->operation_limit == 0)
        run->operation_limit = OPERATIONS_MAX;
    run->exhausted = false;
    run->undefined_loads = 0;
    run->ignores_undefined = false;
    for (uint32_t i = 0; i < code->spin_count; i++)
        item->loops[i].runs = false;
    item->at = 0;
    item->performed = NULL;
    item->stopped = false;
}

static bool make_reads(struct item *item, uint32_t count)
{
    if (count <= item->read_capacity)
        return true;
    int64_t *reads = arena_alloc(&item->explorer->arena, 2 * (size_t)count, sizeof *reads);
    item->reads = reads ? reads : item->reads;
    item->read_capacity = reads ? 2 * (size_t)count : item->read_capacity;
    return reads != NULL;
}

void item_run_to(struct item *item, struct node *node)
{
    item->node = node;
    node->state = MACHINE_RUNS;
    if (!make_reads(item, node->depth))
        explorer_no_memory(item->explorer, node->depth * sizeof *item->reads);
    for (const struct node *at = node; at->parent && !item->explorer->failed; at = at->parent)
        item->reads[at->depth - 1] = at->read;
    if (!item->explorer->failed) {
        begin(item);
        run_on(item);
    }
    if (item->explorer->failed) { /* whatever is found now is dropped */
        node->state = MACHINE_CUT;
        node->next = NULL;
    }
}

/* ---- life ---- */

static bool make_loops(struct item *item)
{
    const struct vm_code *code = item->explorer->request.code;
    struct arena *arena = &item->explorer->arena;
    item->loops = arena_alloc(arena, code->spin_count, sizeof *item->loops);
    for (uint32_t site = 0; item->loops && site < code->instruction_count; site++) {
        const struct vm_instruction *in = &code->instructions[site];
        if (in->op != VM_OP_spin)
            continue;
        struct loop *loop = &item->loops[in->aux];
        *loop = (struct loop){
            .first = code->blocks[in->a].first,
            .last = site,
            .spin = &code->spins[in->aux],
        };
        /* Those of the round, and those after it. */
        loop->values = arena_alloc(arena, 2, item_values_size(item, loop));
        if (!loop->values)
            return false;
    }
    return item->loops != NULL;
}

enum status explorer_create_item(struct explorer *explorer, uint32_t rounds, struct error *error)
{
    const struct vm_code *code = explorer->request.code;
    struct item *item = arena_alloc(&explorer->arena, 1, sizeof *item);
    if (!item)
        return error_no_memory(error, sizeof *item);
    *item = (struct item){
        .explorer = explorer,
        .gate = {.state = item, .access = take_access, .together = take_together},
        .observer = {.state = item,
                     .access = take_exchange,
                     .fence = take_fence,
                     .fault = take_fault,
                     .undefined = item_take_undefined,
                     .assertion = take_assertion},
        .nowhere = {.explorer = explorer, .state = MACHINE_CUT},
        .rounds = rounds,
        .cell = {.size = sizeof item->bytes},
    };
    item->cell.root = &item->cell;
    item->cell.bytes = item->bytes;
    explorer->item = item;
    item->frame = arena_copy(&explorer->arena, item_vector(item)->units,
                             (size_t)code->frame_units * VM_UNIT_SIZE);
    item->undefined = arena_alloc(&explorer->arena, explorer->launch->private_stride + 1,
                                  sizeof *item->undefined);
    if (!item->frame || !item->undefined || !make_loops(item))
        return error_no_memory(error, code->frame_units * VM_UNIT_SIZE);
    struct vm_run *run = &explorer->launch->own_run;
    run->explorer = &item->gate;
    run->native_source = NULL;
    run->observer = &item->observer;
    run->output = NULL;
    return STATUS_OK;
}
