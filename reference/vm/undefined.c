/* Tells the use of undefined values, and what is known of where they were born. */
#include "reference/vm/access.h"
#include "reference/vm/undefined_rows.h"

static const struct vm_row_name *row_name(const struct vm_code *code, vm_row row)
{
    uint32_t low = 0;
    uint32_t high = code->row_name_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (code->row_names[middle].row < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < code->row_name_count && code->row_names[low].row == row ? &code->row_names[low]
                                                                         : NULL;
}

static enum observer_undefined_cause cause_of(const struct vm_code *code, struct vm_origin birth)
{
    static const uint8_t causes[VM_OP_COUNT] = {
/* clang-format off */
#define OP1(...)
#define OP2(...)
#define OP3(...)
#define OPEN(name, cause) [VM_OP_##name] = OBSERVER_CAUSE_##cause, [VM_OP_##name##_u] = OBSERVER_CAUSE_##cause,
#define OPEN1(name, D, A, cause, ...) OPEN(name, cause)
#define OPEN2(name, D, A, B, cause, ...) OPEN(name, cause)
#define OPEN3(name, D, A, B, C, cause, ...) OPEN(name, cause)
#define SPECIAL(...)
#include "reference/vm/ops.def"
#undef OPEN
        /* clang-format on */
        [VM_OP_extract] = OBSERVER_CAUSE_COMPONENT,
        [VM_OP_insert] = OBSERVER_CAUSE_COMPONENT,
        [VM_OP_sub_group_shuffle] = OBSERVER_CAUSE_ABSENT,
    };
    if (birth.site == UINT32_MAX || birth.address)
        return OBSERVER_CAUSE_UNWRITTEN;
    return (enum observer_undefined_cause)causes[code->instructions[birth.site].op];
}

bool vm_birth_open(const struct vm_vector *vector, struct vm_origin birth)
{
    return cause_of(vector->run->code, birth) >= OBSERVER_CAUSE_DIVISION;
}

/* Programs store what a shuffle gives at the edges of a sub-group, and look at it nowhere. */
static bool is_absent(const struct vm_vector *vector, struct vm_origin birth)
{
    return cause_of(vector->run->code, birth) == OBSERVER_CAUSE_ABSENT;
}

/* Compilers store the fourth of three components, together with these; alone only who names it. */
static bool is_padding(const struct vm_vector *vector, struct vm_origin birth)
{
    if (birth.site == UINT32_MAX || birth.address)
        return false;
    const struct vm_instruction *in = &vector->run->code->instructions[birth.site];
    return in->op == VM_OP_undefine && in->aux & VM_UNDEFINE_NOBODYS;
}

/* Is the row what was born, and nothing computed from it? */
static bool is_gap(const struct vm_vector *vector, struct vm_origin birth, vm_row row)
{
    if (birth.site == UINT32_MAX || birth.address)
        return false;
    const struct vm_instruction *in = &vector->run->code->instructions[birth.site];
    return in->op == VM_OP_undefine && in->aux & VM_UNDEFINE_GAP && in->dst == row;
}

/* Of the mask, the lanes that are like the lowest in all that the functions above look at. */
static uint64_t lanes_like(const struct vm_vector *vector, vm_row row, uint64_t mask)
{
    const struct vm_origins *births;
    const uint64_t lowest = mask & (0 - mask);
    const uint64_t alike = vm_undefined_births(vector, row, &births);
    return alike & lowest ? alike & mask : lowest;
}

uint64_t vm_undefined_unwritten(const struct vm_vector *vector, vm_row row, uint64_t mask)
{
    uint64_t unwritten = mask & vector->undefined[row];
    for (uint64_t rest = unwritten, lanes; rest; rest &= ~lanes) {
        lanes = lanes_like(vector, row, rest);
        if (vm_birth_open(vector, vm_undefined_birth(vector, row, (uint32_t)__builtin_ctzll(rest))))
            unwritten &= ~lanes;
    }
    return unwritten;
}

void vm_tell_undefined(const struct vm_vector *vector, uint32_t site,
                       enum observer_undefined_use use, struct vm_origin birth, uint64_t mask)
{
    const struct vm_run *run = vector->run;
    if (!run->observer || !run->observer->undefined)
        return;
    struct observer_undefined undefined = {.use = use,
                                           .cause = cause_of(run->code, birth),
                                           .site = site,
                                           .mask = mask,
                                           .origin_site = birth.site};
    const struct vm_object *object = access_object(vector, birth.address);
    if (object) {
        undefined.origin_object = &object->root->identity;
        undefined.origin_partly = birth.partly;
        undefined.origin_offset = (uint64_t)vm_pointer_offset(birth.address);
    }
    if (birth.site != UINT32_MAX) {
        const struct vm_instruction *in = &run->code->instructions[birth.site];
        const struct vm_row_name *name = birth.address ? NULL : row_name(run->code, in->dst);
        undefined.origin_name = name ? name->name : NULL;
        undefined.origin_part = name ? name->part : 0;
        undefined.origin_size = in->width;
    }
    if (use == OBSERVER_UNDEFINED_OUTPUT && is_absent(vector, birth))
        return;
    vm_blame(run, mask);
    run->observer->undefined(run->observer->state, &undefined);
    vm_blame(run, 0);
}

void vm_tell_undefined_row(const struct vm_vector *vector, uint32_t site,
                           enum observer_undefined_use use, vm_row row, uint64_t mask)
{
    vm_tell_undefined(vector, site, use,
                      vm_undefined_birth(vector, row, (uint32_t)__builtin_ctzll(mask)), mask);
}

/* The lanes of the mask whose undefined bits somebody is to blame for. */
static uint64_t lanes_to_blame(const struct vm_vector *vector, vm_row row, bool alone,
                               uint64_t mask)
{
    uint64_t blamed = mask;
    for (uint64_t rest = mask, lanes; rest; rest &= ~lanes) {
        const struct vm_origin birth =
            vm_undefined_birth(vector, row, (uint32_t)__builtin_ctzll(rest));
        lanes = lanes_like(vector, row, rest);
        if (is_absent(vector, birth) || (alone && is_gap(vector, birth, row)) ||
            (!alone && is_padding(vector, birth)))
            blamed &= ~lanes;
    }
    return blamed;
}

static void tell_some(const struct vm_vector *vector, uint32_t site, vm_row row, uint64_t lanes,
                      uint64_t *left)
{
    lanes &= *left;
    *left &= ~lanes;
    if (lanes)
        vm_tell_undefined_row(vector, site, OBSERVER_UNDEFINED_OUTPUT, row, lanes);
}

void vm_tell_undefined_output(const struct vm_vector *vector, uint32_t site, vm_row first,
                              uint32_t width, uint32_t components, uint64_t mask)
{
    const bool alone = (components & (components - 1)) == 0;
    uint64_t unwritten_left = mask;
    uint64_t open_left = mask;
    for (; components; components &= components - 1) {
        const vm_row row = first + (uint32_t)__builtin_ctz(components) * width;
        uint64_t lanes = vm_undefined_lanes(vector, row, width, unwritten_left | open_left);
        if (!lanes)
            continue;
        lanes = lanes_to_blame(vector, row, alone, lanes);
        const uint64_t unwritten = vm_undefined_unwritten(vector, row, lanes);
        tell_some(vector, site, row, unwritten, &unwritten_left);
        tell_some(vector, site, row, lanes & ~unwritten, &open_left);
    }
}
