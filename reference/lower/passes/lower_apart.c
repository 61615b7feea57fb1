/* In which memory no two work-items of a launch can race, by the form of what they access there:
 * apart.h. For each argument and local variable, all accesses that may be to it are noted, those
 * through a pointer whose form is not known for whatever the pointer is made of. A pointer that is
 * found in memory, or made of numbers, may lead to any of them.
 *
 * Two accesses of which one writes, and that nothing orders, have to be of the same terms: then the
 * sum of these says whether items are apart. */
#include "reference/lower/lower_private.h"
#include "reference/lower/passes/lower_affine.h"
#include "reference/lower/passes/lower_epochs.h"
#include "reference/lower/passes/lower_halves.h"
#include "reference/lower/passes/lower_lone.h"

#include <string.h>

enum { ACCESSES_MAX = 1024, FORMS_MAX = 8 }; /* of one argument or variable */
enum { READS = 1, WRITES = 2 };

struct access {
    struct affine address; /* not known: anywhere */
    struct lone lone;
    struct half half;
    uint64_t size;
    uint32_t block;
    bool is_whenever; /* barriers do not order it */
    uint8_t does;     /* READS, WRITES */
};

struct room {
    struct access *accesses;
    uint32_t count, capacity;
    uint8_t does; /* all of them together */
};

struct finder {
    struct lower *lower;
    struct affine *forms; /* lower_affine_forms */
    struct epochs epochs;
    struct halves halves;
    struct room *rooms; /* by root */
    uint8_t elsewhere;  /* what is done through pointers that may lead to any of them */
    uint32_t *seen;     /* by value: number of the search that came to it */
    uint32_t *stack;
    uint32_t search;
};

/* ---- accesses ---- */

static void add_access(struct finder *finder, uint32_t root, const struct access *access)
{
    struct room *room = &finder->rooms[root];
    room->does |= access->does;
    if (room->count <= ACCESSES_MAX)
        lower_append(finder->lower, &room->accesses, &room->count, &room->capacity, access,
                     sizeof *access);
}

static void visit(struct finder *finder, uint32_t value, size_t *depth)
{
    value = ir_same(finder->lower, value);
    if (value != 0 && finder->seen[value] != finder->search) {
        finder->seen[value] = finder->search;
        finder->stack[(*depth)++] = value;
    }
}

/* What the value of an instruction is made of; false: of something that is not looked into. An
 * index is not a pointer. */
static bool visit_operands(struct finder *finder, const struct ir_instruction *instruction,
                           size_t *depth)
{
    const uint32_t *operands = &finder->lower->operands[instruction->operand];
    const uint32_t count = instruction->op == VM_OP_index_64 || instruction->op == VM_OP_own_64
                               ? 1
                               : instruction->operand_count;
    if ((vm_op_traits((enum vm_op)instruction->op) & VM_COMPUTES) == 0)
        return false;
    for (uint32_t o = 0; o < count; o++)
        visit(finder, operands[o], depth);
    return true;
}

/* An access anywhere in what the pointer may lead to. */
static void add_anywhere(struct finder *finder, uint32_t pointer, const struct access *access)
{
    const struct lower *lower = finder->lower;
    bool is_found = false;
    size_t depth = 0;
    finder->search++;
    visit(finder, pointer, &depth);
    while (depth > 0) {
        const struct ir_value *value = &lower->values[finder->stack[--depth]];
        const uint32_t root = affine_root(lower, value);
        if (root != 0)
            add_access(finder, root, access);
        is_found |= root != 0;
        if (value->kind == IR_PHI) {
            const struct ir_phi *phi = &lower->phis[value->index];
            for (uint32_t o = 0; o < phi->operand_count; o++)
                visit(finder, phi->operands[o].value, &depth);
        } else if (value->kind == IR_RESULT &&
                   !visit_operands(finder, &lower->instructions[value->index], &depth)) {
            finder->elsewhere |= access->does;
        }
    }
    if (!is_found)
        finder->elsewhere |= access->does;
}

/* Of `size` bytes through an operand; 0 = of any number, anywhere, at any time: as copies are. */
static void note_access(struct finder *finder, const struct ir_walk *walk, uint32_t operand,
                        uint64_t size, uint8_t does)
{
    const uint32_t pointer = finder->lower->operands[walk->instruction->operand + operand];
    struct access access = {
        .block = walk->block, .is_whenever = size == 0, .size = size, .does = does};
    if (size != 0)
        access.address = affine_of(finder->lower, finder->forms, pointer);
    access.address.known &= access.address.root != 0;
    if (access.address.known)
        access.lone = lower_lone(finder->lower, finder->forms, walk->block);
    if (size != 0)
        access.half = half_of(&finder->halves, finder->forms, walk->block, pointer, size);
    if (access.address.known)
        add_access(finder, access.address.root, &access);
    else
        add_anywhere(finder, pointer, &access);
}

/* What work-items do together, which copies memory if it does anything there. */
static void note_collective(struct finder *finder, const struct ir_walk *walk)
{
    const enum vm_collective collective =
        finder->lower->barriers[walk->instruction->aux].barrier.collective;
    if (collective != VM_COLLECTIVE_COPY && collective != VM_COLLECTIVE_COPY_LINES)
        return;
    note_access(finder, walk, 0, 0, WRITES);
    note_access(finder, walk, collective == VM_COLLECTIVE_COPY ? 1 : VM_COPY_FROM, 0, READS);
}

/* What kernels that it enqueues do is not known, and they may do it at the same time. */
static void note_other(struct finder *finder, const struct ir_walk *walk, uint32_t traits)
{
    const struct ir_instruction *instruction = walk->instruction;
    const bool is_harmless =
        (traits & (VM_IMAGE | VM_SUB_GROUP)) != 0 || instruction->op == VM_OP_fence ||
        instruction->op == VM_OP_remark || instruction->op == VM_OP_undefine ||
        instruction->op == VM_OP_life_begin || instruction->op == VM_OP_life_end ||
        instruction->op == VM_OP_assertion || instruction->op == VM_OP_printf ||
        instruction->op == VM_OP_pack_pointer || instruction->op == VM_OP_unpack_pointer;
    if ((traits & VM_QUEUE) != 0)
        finder->elsewhere |= READS | WRITES;
    for (uint32_t o = 0; o < instruction->operand_count && !is_harmless; o++)
        note_access(finder, walk, o, 0, READS | WRITES);
}

static void note_accesses(struct finder *finder, const struct ir_walk *walk)
{
    const struct ir_instruction *instruction = walk->instruction;
    const uint32_t traits = vm_op_traits((enum vm_op)instruction->op);
    const uint64_t size = (uint64_t)instruction->width * instruction->count;
    if ((traits & (VM_COMPUTES | VM_TOUCHES_NOTHING)) != 0)
        return;
    if (instruction->op == VM_OP_load) {
        note_access(finder, walk, 0, size, READS);
    } else if (instruction->op == VM_OP_store) {
        note_access(finder, walk, 0, size, WRITES);
    } else if ((traits & VM_ATOMIC) != 0) {
        note_access(finder, walk, 0, instruction->width,
                    (traits & VM_ONLY_READS) != 0 ? READS : READS | WRITES);
    } else if (instruction->op == VM_OP_copy_memory) {
        note_access(finder, walk, 0, instruction->size, WRITES);
        note_access(finder, walk, 1, instruction->size, READS);
    } else if (instruction->op == VM_OP_collective) {
        note_collective(finder, walk);
    } else {
        note_other(finder, walk, traits);
    }
}

/* ---- forms ---- */

struct forms {
    struct apart_form of[FORMS_MAX];
    const struct affine *terms[FORMS_MAX]; /* an access of each */
    uint32_t count;
};

/* In which dimensions the items of both accesses are one. */
static uint32_t lone_dimensions(const struct access *a, const struct access *b, bool is_local)
{
    uint32_t dimensions = 0;
    for (uint32_t d = 0; d < 3; d++) {
        if (a->lone.known[is_local][d] && b->lone.known[is_local][d] &&
            a->lone.ids[is_local][d] == b->lone.ids[is_local][d])
            dimensions |= 1u << d;
    }
    return dimensions;
}

/* The form of the two, which have the same terms; NULL where there are too many. */
static struct apart_form *form_of_both(struct forms *forms, const struct access *a,
                                       const struct access *b)
{
    const uint32_t one_global = lone_dimensions(a, b, false);
    const uint32_t one_local = lone_dimensions(a, b, true);
    uint32_t f = 0;
    while (f < forms->count &&
           (forms->of[f].one_global != one_global || forms->of[f].one_local != one_local ||
            !affine_same_terms(forms->terms[f], &a->address)))
        f++;
    if (f == FORMS_MAX)
        return NULL;
    if (f == forms->count) {
        forms->of[f] =
            (struct apart_form){.one_global = one_global, .one_local = one_local, .bits = 64};
        forms->terms[forms->count++] = &a->address;
    }
    return &forms->of[f];
}

/* The two, of the same terms, do not meet unless items of this form do. False: there are too many
 * forms, or it is too wide. */
static bool ask_for(struct forms *forms, const struct access *a, const struct access *b)
{
    const bool a_first = a->address.offset < b->address.offset;
    const struct access *first = a_first ? a : b;
    const struct access *second = a_first ? b : a;
    const uint64_t between = (uint64_t)second->address.offset - (uint64_t)first->address.offset;
    struct apart_form *form = form_of_both(forms, a, b);
    uint64_t end;
    if (form == NULL || __builtin_add_overflow(between, second->size, &end))
        return false;
    const uint64_t span = end > first->size ? end : first->size;
    form->span = form->span > span ? form->span : span;
    form->bits = a->address.bits < form->bits ? a->address.bits : form->bits;
    form->bits = b->address.bits < form->bits ? b->address.bits : form->bits;
    return true;
}

/* In local memory. */
static bool may_meet(struct finder *finder, const struct access *a, const struct access *b)
{
    return a->is_whenever || b->is_whenever ||
           (epochs_meet(&finder->epochs, a->block, b->block) && !halves_part(&a->half, &b->half) &&
            !halves_order(&finder->halves, a->block, b->block));
}

/* False where nothing shows that items are apart. */
static bool find_forms(struct finder *finder, const struct room *room, bool is_local,
                       struct forms *forms)
{
    for (uint32_t i = 0; i < room->count; i++) {
        const struct access *a = &room->accesses[i];
        for (uint32_t j = 0; j < room->count && (a->does & WRITES) != 0; j++) {
            const struct access *b = &room->accesses[j];
            if (is_local && !may_meet(finder, a, b))
                continue;
            if (!affine_same_terms(&a->address, &b->address) || !ask_for(forms, a, b))
                return false;
        }
    }
    return true;
}

/* Groups at the edge of a launch may have another size. */
static bool is_of_group(const struct apart_term *term)
{
    bool is = false;
    for (uint32_t f = 0; f < term->factor_count; f++)
        is |= term->factors[f].kind == APART_LOCAL_SIZE;
    return is;
}

/* Into the arena of the code. What is the same for all items is left out; what is so where all
 * groups have one size becomes a term of nothing, which asks for that. */
static void keep_form(struct lower *lower, const struct affine *from, struct apart_form *form)
{
    form->terms = lower_code_alloc(lower, from->term_count, sizeof *form->terms);
    for (uint32_t t = 0; t < from->term_count && form->terms != NULL; t++) {
        struct apart_term term = from->terms[t];
        if (term.id == AFFINE_ONE && !is_of_group(&term))
            continue;
        if (term.id == AFFINE_ONE) {
            term.id = APART_LOCAL_ID;
            term.scale = 0;
        }
        form->terms[form->term_count++] = term;
    }
}

static void keep_forms(struct lower *lower, const struct forms *forms, struct apart *apart)
{
    apart->forms = lower_code_alloc(lower, forms->count, sizeof *apart->forms);
    for (uint32_t f = 0; f < forms->count && !lower_failed(lower); f++) {
        apart->forms[f] = forms->of[f];
        keep_form(lower, forms->terms[f], &apart->forms[f]);
    }
    apart->form_count = forms->count;
    apart->is_known = !lower_failed(lower);
}

/* ---- what is written before it is read ---- */

/* Has each item been in the block before it comes to any barrier that may be the last one before
 * the access? */
static bool is_after(const struct finder *finder, uint32_t block, const struct access *access)
{
    const struct lower *lower = finder->lower;
    const uint64_t *set = &finder->epochs.sets[access->block * finder->epochs.words];
    if (access->is_whenever || (set[0] & 1) != 0)
        return false;
    for (uint32_t i = 0; i < lower->flow.order_count; i++) {
        const uint32_t at = lower->flow.order[i];
        const uint32_t bit =
            lower->blocks[at].exit == IR_EXIT_BARRIER ? lower->blocks[at].barrier + 1 : 0;
        if (bit != 0 && (set[bit / 64] >> bit % 64 & 1) != 0 &&
            !flow_dominates(&lower->flow, block, at))
            return false;
    }
    return true;
}

/* Is it by items all, to the beginning and on, and before all that reads? */
static bool is_writer(const struct finder *finder, const struct room *room,
                      const struct access *access)
{
    bool is = access->does == WRITES && access->address.known && access->address.offset == 0 &&
              !access->is_whenever && !finder->lower->flow.irreducible;
    for (uint32_t i = 0; i < room->count && is; i++)
        is = (room->accesses[i].does & READS) == 0 ||
             is_after(finder, access->block, &room->accesses[i]);
    return is;
}

static void find_writer(const struct finder *finder, const struct room *room,
                        const struct forms *forms, struct apart *apart)
{
    for (uint32_t i = 0; i < room->count && apart->writer == 0; i++) {
        const struct access *access = &room->accesses[i];
        for (uint32_t f = 0; f < forms->count && apart->writer == 0; f++) {
            if (!affine_same_terms(forms->terms[f], &access->address) ||
                !is_writer(finder, room, access))
                continue;
            apart->writer = f + 1;
            apart->written = access->size;
        }
    }
}

static void judge(struct finder *finder, uint32_t root, bool is_local, struct apart *apart)
{
    const struct room *room = &finder->rooms[root];
    struct forms forms = {.count = 0};
    const uint8_t does = room->does | finder->elsewhere;
    if ((does & WRITES) != 0 && (finder->elsewhere != 0 || room->count > ACCESSES_MAX ||
                                 !find_forms(finder, room, is_local, &forms)))
        return;
    keep_forms(finder->lower, &forms, apart);
    if (is_local)
        find_writer(finder, room, &forms, apart);
}

static void judge_all(struct finder *finder)
{
    struct lower *lower = finder->lower;
    for (uint32_t p = 0; p < lower->code->parameter_count && !lower_failed(lower); p++) {
        struct vm_parameter *parameter = &lower->code->parameters[p];
        const bool is_local = parameter->kind == VM_PARAMETER_LOCAL;
        if (is_local || parameter->kind == VM_PARAMETER_GLOBAL ||
            parameter->kind == VM_PARAMETER_CONSTANT)
            judge(finder, affine_root_of_parameter(p), is_local, &parameter->apart);
    }
    for (uint32_t v = 0; v < lower->variable_count && !lower_failed(lower); v++) {
        if (lower->variables[v].region == VM_VARIABLE_LOCAL)
            judge(finder, affine_root_of_variable(lower, v), true, &lower->variables[v].apart);
    }
}

void lower_apart(struct lower *lower)
{
    if (!lower->options.apart)
        return;
    struct finder finder = {
        .lower = lower,
        .forms = lower_affine_forms(lower),
        .epochs = lower_epochs(lower),
        .halves = lower_halves(lower),
        .rooms =
            lower_alloc(lower, (size_t)affine_root_of_program(lower) + 1, sizeof *finder.rooms),
        .seen = lower_alloc(lower, lower->value_count, sizeof *finder.seen),
        .stack = lower_alloc(lower, lower->value_count, sizeof *finder.stack),
    };
    for (struct ir_walk walk = {0}; !lower_failed(lower) && ir_walk_next(lower, &walk);)
        note_accesses(&finder, &walk);
    if (!lower_failed(lower))
        judge_all(&finder);
}
