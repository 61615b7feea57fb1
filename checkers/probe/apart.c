#include "checkers/probe/apart.h"

#include <string.h>

/* A launch, with a size of 1 in dimensions that it has not. */
struct shape {
    const struct apart_launch *launch;
    uint64_t global[3], local[3], groups[3];
    bool is_divided; /* the local sizes are known, */
    bool is_even;    /* and all groups have them */
    bool is_local;   /* items of one group are what counts */
};

/* What the terms of a form multiply each id with, modulo 2^64. */
struct sums {
    uint64_t by[APART_GLOBAL_PLACE][3];
};

/* One way in which items differ: `count` of them, `step` bytes from one to the next. */
struct digit {
    uint64_t step, count;
};
struct digits {
    struct digit of[6];
    size_t count;
    uint32_t bits; /* of the form */
};

static bool find_shape(const struct apart_launch *launch, bool is_local, struct shape *shape)
{
    *shape =
        (struct shape){.launch = launch, .is_divided = true, .is_even = true, .is_local = is_local};
    if (launch->dimensions == 0 || launch->dimensions > 3)
        return false;
    for (uint32_t d = 0; d < 3; d++) {
        const uint64_t global = d < launch->dimensions ? launch->global[d] : 1;
        const uint64_t local = d < launch->dimensions ? launch->local[d] : 1;
        if (global == 0)
            return false;
        shape->global[d] = global;
        shape->local[d] = local;
        shape->is_divided &= local != 0;
        shape->is_even &= local != 0 && global % local == 0;
        shape->groups[d] = local != 0 ? global / local : 0; /* if is_even */
    }
    return shape->is_divided || !is_local;
}

/* ---- terms ---- */

/* The smallest number that is the same modulo 2^bits. */
static int64_t signed_bits(uint64_t number, uint32_t bits)
{
    const uint32_t unused = bits < 64 ? 64 - bits : 0;
    return (int64_t)(number << unused) >> unused;
}

static bool find_value(const struct apart_launch *launch, const struct apart_factor *factor,
                       uint64_t *value)
{
    size_t size = 0;
    const uint8_t *bytes =
        launch->value_of != NULL ? launch->value_of(launch->user, factor->number, &size) : NULL;
    uint8_t one;
    uint16_t two;
    uint32_t four;
    if (bytes == NULL)
        return false;
    switch (size) {
    case sizeof one:
        memcpy(&one, bytes, sizeof one);
        *value = one;
        break;
    case sizeof two:
        memcpy(&two, bytes, sizeof two);
        *value = two;
        break;
    case sizeof four:
        memcpy(&four, bytes, sizeof four);
        *value = four;
        break;
    case sizeof *value:
        memcpy(value, bytes, sizeof *value);
        break;
    default:
        return false;
    }
    if (factor->is_signed)
        *value = (uint64_t)signed_bits(*value, 8 * (uint32_t)size);
    return true;
}

static bool find_factor(const struct shape *shape, const struct apart_factor *factor,
                        uint64_t *value)
{
    if (factor->kind == APART_ARGUMENT)
        return find_value(shape->launch, factor, value);
    if (factor->number > 2)
        return false;
    switch (factor->kind) {
    case APART_GLOBAL_SIZE:
        *value = shape->global[factor->number];
        return true;
    case APART_LOCAL_SIZE:
        *value = shape->local[factor->number];
        return shape->is_even;
    case APART_GROUP_COUNT:
        *value = shape->groups[factor->number];
        return shape->is_even;
    default:
        return false;
    }
}

static bool add_term(const struct shape *shape, const struct apart_term *term, struct sums *sums)
{
    const uint32_t id = term->id == APART_GLOBAL_PLACE ? APART_GLOBAL_ID : term->id;
    uint64_t by = (uint64_t)term->scale;
    if (term->factor_count > APART_FACTORS || term->id > APART_GLOBAL_PLACE || term->dimension > 2)
        return false;
    for (uint32_t f = 0; f < term->factor_count; f++) {
        uint64_t value;
        if (!find_factor(shape, &term->factors[f], &value))
            return false;
        by *= value;
    }
    sums->by[id][term->dimension] += by;
    return true;
}

static bool add_terms(const struct shape *shape, const struct apart_form *form, struct sums *sums)
{
    *sums = (struct sums){0};
    for (size_t t = 0; t < form->term_count; t++) {
        if (!add_term(shape, &form->terms[t], sums))
            return false;
    }
    return true;
}

/* ---- items ---- */

/* A step to lower bytes is one to higher bytes, from the other end. In the order of the steps. */
static void add_digit(struct digits *digits, uint64_t by, uint64_t count)
{
    const int64_t step = signed_bits(by, digits->bits);
    const struct digit digit = {.step = step < 0 ? 0 - (uint64_t)step : (uint64_t)step,
                                .count = count};
    size_t at = digits->count;
    if (count < 2)
        return;
    for (; at > 0 && digits->of[at - 1].step > digit.step; at--)
        digits->of[at] = digits->of[at - 1];
    digits->of[at] = digit;
    digits->count++;
}

/* How many ids of `count` there are in the dimension, where `one` says in which there is one. */
static uint64_t count_of(uint32_t one, uint32_t dimension, uint64_t count)
{
    return (one >> dimension & 1) != 0 && count <= UINT64_C(1) << 32 ? 1 : count;
}

/* A global id is a place in a group, and a group, where the form asks for these. */
static bool find_digits(const struct shape *shape, const struct apart_form *form,
                        const struct sums *sums, struct digits *digits)
{
    bool is_by_group = shape->is_local || form->one_local != 0;
    for (uint32_t d = 0; d < 3; d++)
        is_by_group |= sums->by[APART_LOCAL_ID][d] != 0 || sums->by[APART_GROUP_ID][d] != 0;
    if (is_by_group && !shape->is_local && !shape->is_even)
        return false;
    for (uint32_t d = 0; d < 3; d++) {
        const uint64_t by = sums->by[APART_GLOBAL_ID][d];
        const uint64_t global = count_of(form->one_global, d, shape->global[d]);
        const uint64_t local = global == 1 ? 1 : count_of(form->one_local, d, shape->local[d]);
        if (!is_by_group)
            add_digit(digits, by, global);
        else
            add_digit(digits, by + sums->by[APART_LOCAL_ID][d], local);
        if (is_by_group && !shape->is_local && global > 1)
            add_digit(digits, by * shape->local[d] + sums->by[APART_GROUP_ID][d], shape->groups[d]);
    }
    return true;
}

/* As in a number, each step is as large as all that the smaller ones reach; and all together reach
 * no further than the sum goes before it wraps. */
static bool are_apart(const struct digits *digits, uint64_t span)
{
    unsigned __int128 reach = span > 0 ? span : 1;
    for (size_t i = 0; i < digits->count; i++) {
        unsigned __int128 more;
        if (digits->of[i].step < reach ||
            __builtin_mul_overflow((unsigned __int128)digits->of[i].step, digits->of[i].count - 1,
                                   &more) ||
            __builtin_add_overflow(reach, more, &reach))
            return false;
    }
    return reach <= (unsigned __int128)1 << digits->bits;
}

static bool form_holds(const struct apart_form *form, const struct shape *shape)
{
    struct sums sums;
    struct digits digits = {.bits = form->bits};
    return form->bits > 0 && form->bits <= 64 && add_terms(shape, form, &sums) &&
           find_digits(shape, form, &sums, &digits) && are_apart(&digits, form->span);
}

bool apart_holds(const struct apart *apart, const struct apart_launch *launch, bool is_local)
{
    struct shape shape;
    if (!apart->is_known || apart->form_count == 0)
        return apart->is_known;
    bool holds = find_shape(launch, is_local, &shape);
    for (size_t f = 0; f < apart->form_count && holds; f++)
        holds = form_holds(&apart->forms[f], &shape);
    return holds;
}

static bool goes_back(const struct sums *sums, uint32_t bits)
{
    bool goes = false;
    for (uint32_t d = 0; d < 3; d++)
        goes |= signed_bits(sums->by[APART_GLOBAL_ID][d] + sums->by[APART_LOCAL_ID][d], bits) < 0;
    return goes;
}

bool apart_fills(const struct apart *apart, const struct apart_launch *launch, uint64_t size)
{
    struct shape shape;
    struct sums sums;
    if (!apart->is_known || apart->writer == 0 || apart->writer > apart->form_count ||
        !find_shape(launch, true, &shape) || !shape.is_even)
        return false;
    const struct apart_form *form = &apart->forms[apart->writer - 1];
    struct digits digits = {.bits = form->bits};
    if (form->one_global != 0 || form->one_local != 0 || !form_holds(form, &shape) ||
        !add_terms(&shape, form, &sums) || !find_digits(&shape, form, &sums, &digits) ||
        goes_back(&sums, form->bits))
        return false;
    uint64_t reach = apart->written; /* no sum wraps, since the form holds */
    for (size_t i = 0; i < digits.count && digits.of[i].step <= reach; i++)
        reach += digits.of[i].step * (digits.of[i].count - 1);
    return reach >= size;
}
