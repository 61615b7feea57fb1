#include "checkers/probe/apart.h"

#include <string.h>

/* Of a launch whose sizes are known as far as a form needs them. */
struct shape {
    const struct apart_launch *launch;
    uint64_t offset[3], global[3], local[3], groups[3]; /* local, groups: if is_divided */
    bool is_divided;                                    /* local sizes are known, */
    bool is_even;                                       /* and all groups have them */
    bool is_local;
};

/* What the terms of a form come to: what each id is multiplied with, and what all of them add up to
 * at most, as positive numbers. */
struct sums {
    __int128 by[APART_ONE][3];
    unsigned __int128 most;
};

/* One way in which items differ: `count` of them, `step` bytes from one to the next. */
struct digit {
    unsigned __int128 step;
    uint64_t count;
};

static bool find_shape(const struct apart_launch *launch, bool is_local, struct shape *shape)
{
    *shape =
        (struct shape){.launch = launch, .is_divided = true, .is_even = true, .is_local = is_local};
    if (launch->dimensions == 0 || launch->dimensions > 3)
        return false;
    for (uint32_t d = 0; d < 3; d++) {
        const bool is_there = d < launch->dimensions;
        shape->offset[d] = is_there ? launch->offset[d] : 0;
        shape->global[d] = is_there ? launch->global[d] : 1;
        shape->local[d] = is_there ? launch->local[d] : 1;
        if (shape->global[d] == 0)
            return false;
        if (shape->local[d] == 0) {
            shape->is_divided = shape->is_even = false;
            continue;
        }
        shape->groups[d] =
            shape->global[d] / shape->local[d] + (shape->global[d] % shape->local[d] != 0);
        shape->is_even &= shape->global[d] % shape->local[d] == 0;
    }
    return shape->is_divided || !is_local;
}

/* ---- terms ---- */

static bool find_value(const struct apart_launch *launch, uint32_t argument, uint64_t *value)
{
    size_t size = 0;
    const uint8_t *bytes =
        launch->value_of != NULL ? launch->value_of(launch->user, argument, &size) : NULL;
    if (bytes == NULL || (size != 1 && size != 2 && size != 4 && size != 8))
        return false;
    uint8_t one;
    uint16_t two;
    uint32_t four;
    memcpy(&one, bytes, sizeof one);
    *value = one;
    if (size == sizeof two)
        memcpy(&two, bytes, sizeof two), *value = two;
    else if (size == sizeof four)
        memcpy(&four, bytes, sizeof four), *value = four;
    else if (size == sizeof *value)
        memcpy(value, bytes, sizeof *value);
    return true;
}

static bool find_factor(const struct shape *shape, const struct apart_factor *factor,
                        uint64_t *value)
{
    if (factor->kind == APART_ARGUMENT)
        return find_value(shape->launch, factor->number, value);
    if (factor->number > 2)
        return false;
    const uint64_t *sizes = factor->kind == APART_GLOBAL_SIZE  ? shape->global
                            : factor->kind == APART_LOCAL_SIZE ? shape->local
                                                               : shape->groups;
    *value = sizes[factor->number];
    return factor->kind == APART_GLOBAL_SIZE || (shape->is_divided && shape->is_even);
}

/* The greatest id, or 1 where there is none. */
static bool find_greatest(const struct shape *shape, const struct apart_term *term,
                          unsigned __int128 *greatest)
{
    const uint32_t d = term->dimension;
    if (d > 2)
        return false;
    switch (term->id) {
    case APART_GLOBAL_ID:
        *greatest = (unsigned __int128)shape->offset[d] + shape->global[d] - 1;
        return true;
    case APART_GLOBAL_PLACE:
        *greatest = shape->global[d] - 1;
        return true;
    case APART_LOCAL_ID:
        *greatest = shape->local[d] - 1;
        return shape->is_divided;
    case APART_GROUP_ID:
        *greatest = shape->groups[d] - 1;
        return shape->is_divided;
    case APART_ONE:
        *greatest = 1;
        return true;
    default:
        return false;
    }
}

static bool add_term(const struct shape *shape, const struct apart_term *term, struct sums *sums)
{
    __int128 by = term->scale;
    unsigned __int128 greatest;
    if (term->factor_count > APART_FACTORS || !find_greatest(shape, term, &greatest))
        return false;
    for (uint32_t f = 0; f < term->factor_count; f++) {
        uint64_t value;
        if (!find_factor(shape, &term->factors[f], &value) ||
            __builtin_mul_overflow(by, (__int128)value, &by))
            return false;
    }
    const unsigned __int128 size = by < 0 ? -(unsigned __int128)by : (unsigned __int128)by;
    unsigned __int128 most;
    if (__builtin_mul_overflow(size, greatest, &most) ||
        __builtin_add_overflow(sums->most, most, &sums->most))
        return false;
    __int128 *to =
        &sums->by[term->id == APART_GLOBAL_PLACE ? APART_GLOBAL_ID : term->id][term->dimension];
    return term->id == APART_ONE || !__builtin_add_overflow(*to, by, to);
}

static bool add_terms(const struct shape *shape, const struct apart_form *form, struct sums *sums)
{
    const uint32_t bits = form->bits < 63 ? form->bits : 63;
    *sums = (struct sums){.most = form->constants};
    for (size_t t = 0; t < form->term_count; t++) {
        if (!add_term(shape, &form->terms[t], sums))
            return false;
    }
    return sums->most < (unsigned __int128)1 << bits;
}

/* ---- items ---- */

static void add_digit(struct digit *digits, size_t *count, __int128 by, uint64_t items)
{
    if (items > 1)
        digits[(*count)++] = (struct digit){
            .step = by < 0 ? -(unsigned __int128)by : (unsigned __int128)by, .count = items};
}

/* Global ids are places in a group, and groups, where these are asked for. */
static bool find_digits(const struct shape *shape, const struct sums *sums, struct digit *digits,
                        size_t *count)
{
    bool is_by_group = shape->is_local;
    for (uint32_t d = 0; d < 3; d++)
        is_by_group |= sums->by[APART_LOCAL_ID][d] != 0 || sums->by[APART_GROUP_ID][d] != 0;
    *count = 0;
    if (is_by_group && !shape->is_local && !shape->is_even)
        return false;
    for (uint32_t d = 0; d < 3; d++) {
        __int128 by = sums->by[APART_GLOBAL_ID][d];
        if (!is_by_group) {
            add_digit(digits, count, by, shape->global[d]);
            continue;
        }
        const uint64_t local =
            shape->local[d] < shape->global[d] ? shape->local[d] : shape->global[d];
        add_digit(digits, count, by + sums->by[APART_LOCAL_ID][d], local);
        if (shape->is_local)
            continue;
        if (__builtin_mul_overflow(by, (__int128)shape->local[d], &by))
            return false;
        add_digit(digits, count, by + sums->by[APART_GROUP_ID][d], shape->groups[d]);
    }
    return true;
}

static void sort_digits(struct digit *digits, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct digit digit = digits[i];
        size_t at = i;
        for (; at > 0 && digits[at - 1].step > digit.step; at--)
            digits[at] = digits[at - 1];
        digits[at] = digit;
    }
}

/* As in a number: each step is as large as all that the smaller ones reach. A step to lower bytes
 * is one to higher bytes, from the other end. */
static bool are_apart(struct digit *digits, size_t count, uint64_t span)
{
    unsigned __int128 reach = span > 0 ? span : 1;
    sort_digits(digits, count);
    for (size_t i = 0; i < count; i++) {
        unsigned __int128 more;
        if (digits[i].step < reach ||
            __builtin_mul_overflow(digits[i].step, digits[i].count - 1, &more) ||
            __builtin_add_overflow(reach, more, &reach))
            return false;
    }
    return true;
}

static bool form_holds(const struct apart_form *form, const struct shape *shape)
{
    struct sums sums;
    struct digit digits[6];
    size_t count;
    return add_terms(shape, form, &sums) && find_digits(shape, &sums, digits, &count) &&
           are_apart(digits, count, form->span);
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
