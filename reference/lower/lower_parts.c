/* Which components of a vector in memory an access of the program means.
 *
 * SPIR-V's loads and stores are of whole vectors. For `p->y = 1` compilers write
 *
 *     %old = OpLoad %p
 *     %new = OpCompositeInsert %one %old 1       (or OpVectorShuffle, OpVectorInsertDynamic)
 *            OpStore %p %new
 *
 * and for `p->y` a load of which only an OpCompositeExtract is used. The program means one
 * component, which is a memory location of its own: it may share the vector with other work-items,
 * lie in a buffer that is only written, and have neighbours that nobody wrote. So a load reads the
 * components that somebody takes out of it, and a store writes those that are not what its own load
 * gave, if nothing between the two reaches memory that is written. A load with any other use is one
 * of the whole vector, and so is the store that goes with it.
 *
 * Components that OpVectorShuffle leaves undefined are nobody's, like the fourth of a vector of
 * three, which compilers move as one of four. In private memory they are stored nevertheless: there
 * it is only seen what becomes of the values.
 *
 * A computed index names one component, too; but variables that become values have no place for it
 * to lead to. So such loads and stores are whole until lower_promote is done, and those that still
 * reach memory then become accesses of one component (lower_indexed). */
#include "reference/lower/lower_private.h"
#include "reference/spirv/grammar.h"

enum { COMPONENTS_MAX = 16 };

/* What a function does with a value that it defines. */
struct use {
    const struct spv_instruction *definition; /* NULL: a parameter */
    uint32_t block;                           /* of the definition */
    uint32_t count;                           /* operands that name it */
    uint32_t taking;                          /* those of them that only take components out */
    uint16_t taken;                           /* which */
};

struct analysis {
    struct lower *lower;
    const struct spv_function *function;
    struct lower_part *parts;             /* by instruction */
    struct use *uses;                     /* by spv_id.index */
    const struct spv_instruction **bases; /* by spv_id.index: the load whose components the
                                             instruction hands on to a store, or NULL */
    const struct spv_instruction **loads; /* by instruction: of a store, the load whose components
                                             it leaves as they are, or NULL */
    uint32_t block;                       /* under way, */
    const struct spv_instruction *end;    /* and what is after its last instruction */
};

/* ---- ids ---- */

/* NULL for what the function does not define. */
static struct use *use_of(const struct analysis *analysis, uint32_t id)
{
    const struct spv_module *module = analysis->lower->module;
    const struct spv_id *entry = id < module->bound ? &module->ids[id] : NULL;
    return entry != NULL && entry->kind == SPV_ID_VALUE && entry->function == analysis->function
               ? &analysis->uses[entry->index]
               : NULL;
}

static const struct spv_type *type_of(const struct analysis *analysis, uint32_t id)
{
    const struct spv_module *module = analysis->lower->module;
    return id < module->bound ? module->ids[id].type : NULL;
}

static const struct spv_instruction *definition_of(const struct analysis *analysis, uint32_t id)
{
    const struct use *use = use_of(analysis, id);
    return use != NULL ? use->definition : NULL;
}

/* The pointer that a pointer was cast of: where pointers have no types, as in LLVM from 17 on, each
 * access has a cast of its own. */
static uint32_t address_of(const struct analysis *analysis, uint32_t pointer)
{
    const struct spv_instruction *cast;
    while ((cast = definition_of(analysis, pointer)) != NULL && cast->op == SpvOpBitcast)
        pointer = cast->operands[0];
    return pointer;
}

static bool same_address(const struct analysis *analysis, const struct spv_instruction *load,
                         const struct spv_instruction *store)
{
    return address_of(analysis, load->operands[0]) == address_of(analysis, store->operands[0]);
}

/* The components of a value that is a vector of numbers, 0 for others. */
static uint32_t count_of(const struct analysis *analysis, uint32_t id)
{
    const struct spv_type *type = type_of(analysis, id);
    return type != NULL && type->kind == SPV_TYPE_VECTOR && type->count <= COMPONENTS_MAX &&
                   (type->element->kind == SPV_TYPE_INT || type->element->kind == SPV_TYPE_FLOAT)
               ? (uint32_t)type->count
               : 0;
}

static uint16_t all_of(uint32_t count)
{
    return (uint16_t)((1u << count) - 1);
}

/* The index that a constant is. */
static bool find_index(const struct analysis *analysis, uint32_t id, uint64_t *index)
{
    const struct spv_module *module = analysis->lower->module;
    const struct spv_constant *constant =
        id < module->bound && module->ids[id].kind == SPV_ID_CONSTANT ? module->ids[id].constant
                                                                      : NULL;
    if (constant == NULL || constant->kind != SPV_CONSTANT_SCALAR || constant->variable != 0)
        return false;
    *index = constant->bits;
    return true;
}

static size_t number_of(const struct analysis *analysis, const struct spv_instruction *at)
{
    return (size_t)(at - analysis->function->blocks[0].instructions);
}

static struct lower_part *part_of(const struct analysis *analysis, const struct spv_instruction *at)
{
    return &analysis->parts[number_of(analysis, at)];
}

/* ---- uses ---- */

static void add_use(const struct analysis *analysis, uint32_t id)
{
    struct use *use = use_of(analysis, id);
    if (use != NULL)
        use->count++;
}

/* By the letters of the grammar; words that may be ids or literals count as ids. */
static void count_uses(struct analysis *analysis, const struct spv_instruction *at)
{
    struct spv_grammar grammar;
    if (!spv_grammar_find(at->op, &grammar))
        return;
    uint32_t index = 0;
    for (const char *letter = grammar.pattern + grammar.has_type + grammar.has_result;
         *letter != '\0' && index < at->operand_count;) {
        const bool memory = *letter == 'a' && (at->op == SpvOpLoad || at->op == SpvOpStore);
        const bool id = *letter == 'i' || *letter == 'd' || (*letter == 'a' && !memory);
        if (id || *letter == 'q')
            add_use(analysis, at->operands[index]);
        if (*letter == 'd' && index + 1 < at->operand_count)
            add_use(analysis, at->operands[index + 1]);
        index += *letter == 'd' || *letter == 'q' ? 2 : 1;
        const bool repeats = *letter == 'a' || letter[1] == '*';
        if (!repeats || index >= at->operand_count)
            letter += letter[1] == '*' || letter[1] == '?' ? 2 : 1;
    }
}

/* Does it neither write memory nor wait for others that may? */
static bool is_harmless(const struct analysis *analysis, const struct spv_instruction *at)
{
    const uint32_t op = at->op;
    if (op == SpvOpExtInst) {
        for (uint32_t o = 2; o < at->operand_count; o++) {
            const struct spv_type *type = type_of(analysis, at->operands[o]);
            if (type != NULL && type->kind == SPV_TYPE_POINTER)
                return false;
        }
        return true;
    }
    return op == SpvOpNop || op == SpvOpUndef || op == SpvOpLoad || op == SpvOpPhi ||
           op == SpvOpSelectionMerge ||
           (op >= SpvOpAccessChain && op <= SpvOpInBoundsPtrAccessChain) ||
           (op >= SpvOpVectorExtractDynamic && op <= SpvOpTranspose) ||
           (op >= SpvOpConvertFToU && op <= SpvOpBitCount);
}

/* From one instruction of a block to a later one of it. */
static bool harmless_between(const struct analysis *analysis, const struct spv_instruction *from,
                             const struct spv_instruction *to)
{
    for (const struct spv_instruction *at = from + 1; at < to; at++) {
        if (!is_harmless(analysis, at))
            return false;
    }
    return from < to;
}

static bool is_load_here(const struct analysis *analysis, const struct use *use)
{
    return use != NULL && use->definition != NULL && use->definition->op == SpvOpLoad &&
           use->block == analysis->block;
}

/* ---- stores ---- */

/* Where the components of the value come from that a store writes. */
enum { FROM_ELSEWHERE = -1, FROM_NOWHERE = -2 };
struct origins {
    int from[COMPONENTS_MAX]; /* component of the value looked at, or as above */
    uint32_t count;
    uint32_t value; /* id */
};

static void pass_insert(struct origins *origins, uint64_t index, uint32_t whole)
{
    for (uint32_t i = 0; i < origins->count; i++) {
        if (origins->from[i] >= 0 && (uint64_t)origins->from[i] == index)
            origins->from[i] = FROM_ELSEWHERE;
    }
    origins->value = whole;
}

/* Of the two vectors of a shuffle the one that may be the load. */
static uint32_t base_of_shuffle(const struct analysis *analysis, const struct spv_instruction *at)
{
    const struct spv_instruction *first = definition_of(analysis, at->operands[0]);
    const struct spv_instruction *second = definition_of(analysis, at->operands[1]);
    const bool other =
        second != NULL && second->op == SpvOpLoad && (first == NULL || first->op != SpvOpLoad);
    return at->operands[other ? 1 : 0];
}

/* The component of `base` that component `index` of a shuffle's result is. */
static int shuffled(const struct analysis *analysis, const struct spv_instruction *at,
                    uint32_t base, uint32_t index)
{
    const uint32_t first = count_of(analysis, at->operands[0]);
    const uint32_t literal = 2 + index < at->operand_count ? at->operands[2 + index] : UINT32_MAX;
    if (literal == UINT32_MAX)
        return FROM_NOWHERE;
    if (literal < first)
        return at->operands[0] == base ? (int)literal : FROM_ELSEWHERE;
    return at->operands[1] == base && literal - first < COMPONENTS_MAX ? (int)(literal - first)
                                                                       : FROM_ELSEWHERE;
}

static void pass_shuffle(const struct analysis *analysis, const struct spv_instruction *at,
                         struct origins *origins)
{
    const uint32_t base = base_of_shuffle(analysis, at);
    for (uint32_t i = 0; i < origins->count; i++) {
        if (origins->from[i] >= 0)
            origins->from[i] = shuffled(analysis, at, base, (uint32_t)origins->from[i]);
    }
    origins->value = base;
}

/* From a value to the one that it was made of; false where it was not made by moving components. */
static bool pass(const struct analysis *analysis, const struct spv_instruction *at,
                 struct origins *origins)
{
    uint64_t index;
    switch (at->op) {
    case SpvOpCompositeInsert:
        if (at->operand_count != 3)
            return false;
        pass_insert(origins, at->operands[2], at->operands[1]);
        return true;
    case SpvOpVectorInsertDynamic:
        if (at->operand_count != 3 || !find_index(analysis, at->operands[2], &index))
            return false;
        pass_insert(origins, index, at->operands[0]);
        return true;
    case SpvOpVectorShuffle:
        pass_shuffle(analysis, at, origins);
        return true;
    default:
        return false;
    }
}

/* Components that nobody made. */
static uint16_t nobodys(const struct origins *origins)
{
    uint16_t components = 0;
    for (uint32_t i = 0; i < origins->count; i++)
        components |= (uint16_t)(origins->from[i] == FROM_NOWHERE ? 1u << i : 0);
    return components;
}

/* Follows the value of a store to the load of the same bytes; NULL when there is none. */
static struct use *find_base(const struct analysis *analysis, const struct spv_instruction *store,
                             struct origins *origins)
{
    for (bool first = true;; first = false) {
        struct use *use = use_of(analysis, origins->value);
        if (is_load_here(analysis, use) && !first)
            return same_address(analysis, use->definition, store) &&
                           count_of(analysis, origins->value) == origins->count &&
                           harmless_between(analysis, use->definition, store)
                       ? use
                       : NULL;
        if (use == NULL || use->definition == NULL || use->block != analysis->block ||
            use->count != 1 || !pass(analysis, use->definition, origins))
            return NULL;
    }
}

/* The instructions from the store's value to the load take nothing out of it but what they move. */
static void take_on_the_way(const struct analysis *analysis, const struct spv_instruction *store,
                            struct use *load, const struct origins *origins)
{
    for (uint32_t i = 0; i < origins->count; i++) {
        if (origins->from[i] >= 0 && (uint32_t)origins->from[i] != i)
            load->taken |= (uint16_t)(1u << origins->from[i]);
    }
    struct origins way = {.value = store->operands[1]};
    while (use_of(analysis, way.value) != load) {
        const uint32_t id = way.value;
        pass(analysis, definition_of(analysis, id), &way);
        analysis->bases[analysis->lower->module->ids[id].index] = load->definition;
    }
}

/* Components of a constant that it leaves undefined. */
static uint16_t undefined_parts(const struct analysis *analysis, uint32_t id)
{
    const struct spv_module *module = analysis->lower->module;
    const struct spv_constant *constant =
        module->ids[id].kind == SPV_ID_CONSTANT ? module->ids[id].constant : NULL;
    uint16_t undefined = 0;
    if (constant == NULL || constant->kind != SPV_CONSTANT_COMPOSITE)
        return 0;
    for (uint32_t i = 0; i < constant->element_count && i < COMPONENTS_MAX; i++) {
        const struct spv_constant *element = module->ids[constant->elements[i]].constant;
        if (element != NULL && element->kind == SPV_CONSTANT_UNDEFINED)
            undefined |= (uint16_t)(1u << i);
    }
    return undefined;
}

static bool is_private(const struct analysis *analysis, uint32_t pointer)
{
    const struct spv_type *type = type_of(analysis, pointer);
    return type == NULL || type->storage == SpvStorageClassFunction;
}

static void set_part(struct lower_part *part, uint16_t components, uint32_t count)
{
    part->some = components != all_of(count);
    part->components = components;
}

/* The components that somebody made, and of a load of the same bytes those that it does not hand
 * on, if it turns out to be for nothing else. */
static void look_at_store(struct analysis *analysis, const struct spv_instruction *store)
{
    const uint32_t value = store->operands[1];
    struct origins origins = {.count = count_of(analysis, value), .value = value};
    if (origins.count == 0)
        return;
    for (uint32_t i = 0; i < origins.count; i++)
        origins.from[i] = (int)i;
    struct use *load = find_base(analysis, store, &origins);
    uint16_t made = all_of(origins.count);
    if (!is_private(analysis, store->operands[0]))
        made &= (uint16_t) ~(nobodys(&origins) | undefined_parts(analysis, value));
    if (made == 0)
        made = all_of(origins.count);
    uint16_t handed_on = 0;
    for (uint32_t i = 0; i < origins.count; i++)
        handed_on |= (uint16_t)(load != NULL && origins.from[i] == (int)i ? 1u << i : 0);
    struct lower_part *part = part_of(analysis, store);
    set_part(part, made, origins.count);
    if (load == NULL || (made & ~handed_on) == 0)
        return;
    take_on_the_way(analysis, store, load, &origins);
    analysis->loads[number_of(analysis, store)] = load->definition;
    part->handed_on = handed_on;
}

/* ---- loads ---- */

static void take(const struct analysis *analysis, uint32_t id, uint16_t components)
{
    struct use *use = use_of(analysis, id);
    if (use == NULL)
        return;
    use->taking++;
    use->taken |= components;
}

/* Is the operand the load whose components the instruction hands on to a store? */
static bool hands_on(const struct analysis *analysis, const struct spv_instruction *at,
                     uint32_t operand)
{
    const struct spv_instruction *load =
        analysis->bases[analysis->lower->module->ids[at->result].index];
    return load != NULL && definition_of(analysis, at->operands[operand]) == load;
}

static void take_by_shuffle(const struct analysis *analysis, const struct spv_instruction *at)
{
    const uint32_t first = count_of(analysis, at->operands[0]);
    const uint32_t second = count_of(analysis, at->operands[1]);
    uint32_t components = 0; /* of one vector after the other */
    if (first == 0 || second == 0)
        return;
    for (uint32_t o = 2; o < at->operand_count; o++)
        components |= at->operands[o] < first + second ? 1u << at->operands[o] : 0;
    take(analysis, at->operands[0],
         hands_on(analysis, at, 0) ? 0 : (uint16_t)(components & all_of(first)));
    take(analysis, at->operands[1],
         hands_on(analysis, at, 1) ? 0 : (uint16_t)(components >> first));
}

static void look_at_taking(const struct analysis *analysis, const struct spv_instruction *at)
{
    uint64_t index = 0;
    switch (at->op) {
    case SpvOpCompositeExtract:
        if (at->operand_count == 2 && at->operands[1] < count_of(analysis, at->operands[0]))
            take(analysis, at->operands[0], (uint16_t)(1u << at->operands[1]));
        break;
    case SpvOpVectorExtractDynamic:
        if (find_index(analysis, at->operands[1], &index) &&
            index < count_of(analysis, at->operands[0]))
            take(analysis, at->operands[0], (uint16_t)(1u << index));
        break;
    case SpvOpVectorShuffle:
        take_by_shuffle(analysis, at);
        break;
    case SpvOpCompositeInsert:
        if (hands_on(analysis, at, 1))
            take(analysis, at->operands[1], 0);
        break;
    case SpvOpVectorInsertDynamic:
        if (hands_on(analysis, at, 0))
            take(analysis, at->operands[0], 0);
        break;
    default:
        break;
    }
}

/* For `p->wzyx = v` clang loads the vector, and stores all of another one. */
static bool is_for_nothing(const struct analysis *analysis, const struct spv_instruction *load)
{
    const struct spv_instruction *store = load + 1;
    while (store < analysis->end && is_harmless(analysis, store))
        store++;
    if (store == analysis->end || store->op != SpvOpStore || !same_address(analysis, load, store))
        return false;
    const struct spv_instruction *value = definition_of(analysis, store->operands[1]);
    return value != NULL && value->op == SpvOpVectorShuffle;
}

static void look_at_load(const struct analysis *analysis, const struct spv_instruction *load)
{
    const struct use *use = use_of(analysis, load->result);
    const uint32_t count = count_of(analysis, load->result);
    if (use == NULL || count == 0)
        return;
    if (use->count > 0 ? use->count == use->taking : is_for_nothing(analysis, load))
        set_part(part_of(analysis, load), use->taken, count);
}

static void finish_store(const struct analysis *analysis, const struct spv_instruction *store)
{
    const struct spv_instruction *load = analysis->loads[number_of(analysis, store)];
    struct lower_part *part = part_of(analysis, store);
    const struct use *use = load != NULL ? use_of(analysis, load->result) : NULL;
    if (use == NULL || use->count != use->taking)
        return;
    set_part(part, part->components & (uint16_t)~part->handed_on,
             count_of(analysis, store->operands[1]));
}

/* ---- computed indices ---- */

/* Does control go on in one of the next blocks, up to the last? */
static bool goes_on(const struct analysis *analysis, const struct spv_instruction *end,
                    uint32_t block, uint32_t last)
{
    const struct spv_module *module = analysis->lower->module;
    if (end->op != SpvOpBranch && end->op != SpvOpBranchConditional)
        return false;
    const uint32_t first = end->op == SpvOpBranch ? 0 : 1;
    for (uint32_t o = first; o < 2 * first + 1; o++) {
        const struct spv_id *label = &module->ids[end->operands[o]];
        if (label->kind != SPV_ID_LABEL || label->index <= block || label->index > last)
            return false;
    }
    return true;
}

/* From a definition to an instruction of the block under way, by whatever way: `p[0][a ? b : c]`
 * computes its index in blocks of its own. */
static bool harmless_way(const struct analysis *analysis, const struct use *from,
                         const struct spv_instruction *to)
{
    const struct spv_block *blocks = analysis->function->blocks;
    const struct spv_instruction *before = from->definition;
    for (uint32_t b = from->block; b < analysis->block; b++) {
        const struct spv_instruction *end = blocks[b].instructions + blocks[b].count - 1;
        if (!harmless_between(analysis, before, end) || !goes_on(analysis, end, b, analysis->block))
            return false;
        before = blocks[b + 1].instructions - 1;
    }
    return harmless_between(analysis, before, to);
}

/* A load whose only use is what comes after it, without a write between. */
static bool is_only_for(const struct analysis *analysis, uint32_t id,
                        const struct spv_instruction *at)
{
    const struct use *use = use_of(analysis, id);
    return use != NULL && use->definition != NULL && use->definition->op == SpvOpLoad &&
           use->count == 1 && count_of(analysis, id) > 0 && use->block <= analysis->block &&
           harmless_way(analysis, use, at);
}

/* clang loads a vector of three as one of four. */
static uint32_t behind_narrowing(const struct analysis *analysis, uint32_t id)
{
    const struct use *use = use_of(analysis, id);
    const struct spv_instruction *at = use != NULL ? use->definition : NULL;
    if (at == NULL || at->op != SpvOpVectorShuffle || use->count != 1)
        return id;
    for (uint32_t o = 2; o < at->operand_count; o++) {
        if (at->operands[o] != o - 2)
            return id;
    }
    return at->operands[0];
}

static void look_at_extract(const struct analysis *analysis, const struct spv_instruction *at)
{
    uint64_t index;
    const uint32_t vector = behind_narrowing(analysis, at->operands[0]);
    if (find_index(analysis, at->operands[1], &index) || !is_only_for(analysis, vector, at))
        return;
    part_of(analysis, at)->indexed = true;
    part_of(analysis, definition_of(analysis, vector))->indexed = true;
}

static void look_at_insert(const struct analysis *analysis, const struct spv_instruction *store)
{
    uint64_t index;
    const struct use *value = use_of(analysis, store->operands[1]);
    const struct spv_instruction *insert = value != NULL ? value->definition : NULL;
    if (insert == NULL || insert->op != SpvOpVectorInsertDynamic || value->count != 1 ||
        value->block != analysis->block || find_index(analysis, insert->operands[2], &index))
        return;
    const struct spv_instruction *load = definition_of(analysis, insert->operands[0]);
    if (!is_only_for(analysis, insert->operands[0], store) || !same_address(analysis, load, store))
        return;
    part_of(analysis, store)->indexed = true;
    part_of(analysis, load)->for_store = true;
}

/* ---- a function ---- */

typedef void look(struct analysis *analysis, const struct spv_instruction *at);

static void define(struct analysis *analysis, const struct spv_instruction *at)
{
    struct use *use = at->result != 0 ? use_of(analysis, at->result) : NULL;
    if (use != NULL) {
        use->definition = at;
        use->block = analysis->block;
    }
    count_uses(analysis, at);
}

static void look_first(struct analysis *analysis, const struct spv_instruction *at)
{
    if (at->op == SpvOpStore) {
        look_at_store(analysis, at);
        look_at_insert(analysis, at);
    } else if (at->op == SpvOpVectorExtractDynamic) {
        look_at_extract(analysis, at);
    }
}

static void look_again(struct analysis *analysis, const struct spv_instruction *at)
{
    look_at_taking(analysis, at);
}

static void look_last(struct analysis *analysis, const struct spv_instruction *at)
{
    if (at->op == SpvOpLoad)
        look_at_load(analysis, at);
    else if (at->op == SpvOpStore)
        finish_store(analysis, at);
}

static void look_at_all(struct analysis *analysis, look *look_at)
{
    const struct spv_function *function = analysis->function;
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct spv_block *block = &function->blocks[b];
        analysis->block = b;
        analysis->end = block->instructions + block->count;
        for (uint32_t i = 0; i < block->count; i++)
            look_at(analysis, &block->instructions[i]);
    }
}

/* From the first block to the last one, with what stands between them. */
static size_t instruction_count(const struct spv_function *function)
{
    const struct spv_block *last = &function->blocks[function->block_count - 1];
    return (size_t)(last->instructions + last->count - function->blocks[0].instructions);
}

void lower_find_parts(struct lower *lower, const struct spv_function *function)
{
    const size_t number = (size_t)(function - lower->module->functions);
    if (lower->parts == NULL)
        lower->parts = lower_alloc(lower, lower->module->function_count, sizeof *lower->parts);
    if (lower_failed(lower) || lower->parts[number] != NULL || function->block_count == 0)
        return;
    const size_t count = instruction_count(function);
    struct analysis analysis = {
        .lower = lower,
        .function = function,
        .parts = lower_alloc(lower, count, sizeof *analysis.parts),
        .uses = lower_alloc(lower, function->local_count, sizeof *analysis.uses),
        .bases = lower_alloc(lower, function->local_count, sizeof *analysis.bases),
        .loads = lower_alloc(lower, count, sizeof *analysis.loads),
    };
    if (lower_failed(lower))
        return;
    look_at_all(&analysis, define);
    look_at_all(&analysis, look_first);
    look_at_all(&analysis, look_again);
    look_at_all(&analysis, look_last);
    lower->parts[number] = analysis.parts;
}

struct lower_part lower_part_of(const struct lower *lower)
{
    const struct spv_function *function = lower_function(lower);
    const size_t number =
        ((uintptr_t)lower->at - (uintptr_t)function->blocks[0].instructions) / sizeof *lower->at;
    /* Constant expressions are instructions of no function. */
    return number < instruction_count(function)
               ? lower->parts[function - lower->module->functions][number]
               : (struct lower_part){0};
}
