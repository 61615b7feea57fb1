/* Whether a form keeps the work-items of a launch apart: by tables, and against all pairs of items
 * of small launches. */
#include "checkers/probe/apart.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ARGUMENTS = 4, TERMS = 4 };

/* Arguments that are values of 4 bytes, but for the last, which is not known. */
static const void *value_of(const void *user, uint32_t argument, size_t *size)
{
    const uint32_t *values = user;
    *size = sizeof *values;
    return argument + 1 < ARGUMENTS ? &values[argument] : NULL;
}

/* ---- tables ---- */

#define ID(what, d, by)                                                                            \
    {                                                                                              \
        .id = APART_##what, .dimension = d, .scale = by                                            \
    }
#define TIMES(what, d, by, factor, n)                                                              \
    {                                                                                              \
        .id = APART_##what, .dimension = d, .scale = by,                                           \
        .factors = {{.kind = APART_##factor, .number = n}}, .factor_count = 1                      \
    }

/* Accesses are of 4 bytes, and indices of 32 bits. */
struct row {
    const char *what;
    struct apart_term terms[TERMS];
    uint64_t offset[3], global[3], local[3];
    uint32_t values[ARGUMENTS];
    bool is_local, holds;
};

static const struct row rows[] = {
    {"an element each", .terms = {ID(GLOBAL_ID, 0, 4)}, .global = {1000}, .holds = true},
    {"half an element each", .terms = {ID(GLOBAL_ID, 0, 2)}, .global = {1000}, .holds = false},
    {"one item", .terms = {TIMES(GLOBAL_ID, 0, 4, ARGUMENT, 0)}, .global = {1}, .holds = true},
    {"the same element", .terms = {TIMES(GLOBAL_ID, 0, 4, ARGUMENT, 0)}, .global = {2},
     .holds = false},
    {"backwards", .terms = {ID(GLOBAL_ID, 0, -4)}, .global = {64}, .holds = true},
    {"an image", .terms = {ID(GLOBAL_ID, 0, 4), TIMES(GLOBAL_ID, 1, 4, ARGUMENT, 0)},
     .global = {64, 64}, .local = {16, 16}, .values = {64}, .holds = true},
    {"an image that is narrower than the launch",
     .terms = {ID(GLOBAL_ID, 0, 4), TIMES(GLOBAL_ID, 1, 4, ARGUMENT, 0)}, .global = {64, 64},
     .local = {16, 16}, .values = {63}, .holds = false},
    {"an image upside down", .terms = {ID(GLOBAL_ID, 0, 4), TIMES(GLOBAL_ID, 1, 4, ARGUMENT, 0)},
     .global = {64, 64}, .local = {16, 16}, .values = {(uint32_t)-64}, .holds = true},
    {"an image of no width", .terms = {ID(GLOBAL_ID, 0, 4), TIMES(GLOBAL_ID, 1, 4, ARGUMENT, 0)},
     .global = {64, 64}, .local = {16, 16}, .holds = false},
    {"a width that is not known",
     .terms = {ID(GLOBAL_ID, 0, 4), TIMES(GLOBAL_ID, 1, 4, ARGUMENT, 3)}, .global = {64, 64},
     .local = {16, 16}, .holds = false},
    {"an image whose index wraps",
     .terms = {ID(GLOBAL_ID, 0, 4), TIMES(GLOBAL_ID, 1, 4, ARGUMENT, 0)}, .global = {64, 64},
     .local = {16, 16}, .values = {1 << 27}, .holds = false},
    {"an image of elements that wrap",
     .terms = {ID(GLOBAL_ID, 0, 4), TIMES(GLOBAL_ID, 1, 4, ARGUMENT, 0)}, .global = {2, 64},
     .values = {1 << 26}, .holds = true},
    {"an index that wraps half way", .terms = {ID(GLOBAL_ID, 0, INT64_C(1) << 33)}, .global = {3},
     .holds = false},
    {"a dimension that is not in the form", .terms = {ID(GLOBAL_ID, 0, 4)}, .global = {64, 2},
     .holds = false},
    {"by the global size", .terms = {ID(GLOBAL_ID, 0, 4), TIMES(GLOBAL_ID, 1, 4, GLOBAL_SIZE, 0)},
     .offset = {3, 5}, .global = {60, 7}, .holds = true},
    {"groups and items in them",
     .terms = {ID(LOCAL_ID, 0, 4), TIMES(GROUP_ID, 0, 4, LOCAL_SIZE, 0)}, .global = {64},
     .local = {8}, .holds = true},
    {"groups with a rest", .terms = {ID(LOCAL_ID, 0, 4), TIMES(GROUP_ID, 0, 4, LOCAL_SIZE, 0)},
     .global = {63}, .local = {8}, .holds = false},
    {"groups that are not known",
     .terms = {ID(LOCAL_ID, 0, 4), TIMES(GROUP_ID, 0, 4, LOCAL_SIZE, 0)}, .global = {64},
     .holds = false},
    {"items of groups alone", .terms = {ID(LOCAL_ID, 0, 4)}, .global = {64}, .local = {8},
     .holds = false},
    {"items of groups in local memory", .terms = {ID(LOCAL_ID, 0, 4)}, .global = {63}, .local = {8},
     .is_local = true, .holds = true},
    {"items of groups that are not known", .terms = {ID(LOCAL_ID, 0, 4)}, .global = {64},
     .is_local = true, .holds = false},
    {"global ids in local memory", .terms = {ID(GLOBAL_ID, 0, 4)}, .global = {64}, .local = {8},
     .is_local = true, .holds = true},
    {"groups alone", .terms = {ID(GROUP_ID, 0, 4)}, .global = {64}, .local = {8}, .holds = false},
    {"groups of one item", .terms = {ID(GROUP_ID, 0, 4)}, .global = {64}, .local = {1},
     .holds = true},
    {"transposed tiles",
     .terms = {ID(LOCAL_ID, 0, 4), TIMES(LOCAL_ID, 1, 4, ARGUMENT, 0),
               TIMES(GROUP_ID, 0, 64, ARGUMENT, 0), ID(GROUP_ID, 1, 64)},
     .global = {64, 64}, .values = {64}, .local = {16, 16}, .holds = true},
    {"transposed tiles of another size",
     .terms = {ID(LOCAL_ID, 0, 4), TIMES(LOCAL_ID, 1, 4, ARGUMENT, 0),
               TIMES(GROUP_ID, 0, 64, ARGUMENT, 0), ID(GROUP_ID, 1, 64)},
     .global = {64, 64}, .values = {64}, .local = {32, 8}, .holds = false},
    {"a padded tile", .terms = {ID(LOCAL_ID, 0, 4), ID(LOCAL_ID, 1, 68)}, .global = {64, 64},
     .local = {16, 16}, .is_local = true, .holds = true},
    {"a tile that is too narrow", .terms = {ID(LOCAL_ID, 0, 4), ID(LOCAL_ID, 1, 60)},
     .global = {64, 64}, .local = {16, 16}, .is_local = true, .holds = false},
};

static uint32_t dimensions_of(const uint64_t global[3])
{
    return global[1] == 0 ? 1 : global[2] == 0 ? 2 : 3;
}

static struct apart_launch launch_of(const struct row *row)
{
    struct apart_launch launch = {.dimensions = dimensions_of(row->global),
                                  .value_of = value_of,
                                  .user = (void *)(uintptr_t)row->values};
    memcpy(launch.offset, row->offset, sizeof launch.offset);
    memcpy(launch.global, row->global, sizeof launch.global);
    memcpy(launch.local, row->local, sizeof launch.local);
    return launch;
}

static bool row_holds(const struct row *row)
{
    struct row copy = *row;
    struct apart_form form = {.terms = copy.terms, .span = 4, .bits = 34};
    const struct apart apart = {.is_known = true, .forms = &form, .form_count = 1};
    const struct apart_launch launch = launch_of(&copy);
    while (form.term_count < TERMS && copy.terms[form.term_count].scale != 0)
        form.term_count++;
    return apart_holds(&apart, &launch, row->is_local);
}

static void forms_hold_as_is_told(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        if (row_holds(&rows[r]) != rows[r].holds)
            fail_msg("%s: %s", rows[r].what, rows[r].holds ? "it does not hold" : "it holds");
    }
}

static void what_is_not_known_does_not_hold(void **state)
{
    (void)state;
    const struct apart_launch launch = {.dimensions = 1, .global = {1}, .local = {1}};
    struct apart_term term = ID(GLOBAL_ID, 0, 4);
    struct apart_form forms[] = {{.terms = &term, .term_count = 1, .span = 4, .bits = 34},
                                 {.terms = &term, .term_count = 1, .span = 4, .bits = 34}};
    struct apart apart = {.forms = forms, .form_count = 2};
    assert_false(apart_holds(&apart, &launch, false));
    apart.is_known = true;
    assert_true(apart_holds(&apart, &launch, false));
    forms[1].bits = 2;
    assert_true(apart_holds(&apart, &launch, false));
    forms[1].bits = 1;
    assert_false(apart_holds(&apart, &launch, false));
    forms[1].bits = 34;
    forms[1].one_global = 1;
    assert_true(apart_holds(&apart, &launch, false));
    apart.form_count = 0;
    assert_true(apart_holds(&apart, &launch, false));
    const struct apart_launch nothing = {.dimensions = 1};
    assert_true(apart_holds(&apart, &nothing, true));
    apart.form_count = 1;
    assert_false(apart_holds(&apart, &nothing, false));
}

/* ---- all items of small launches ---- */

struct random {
    uint64_t state;
};

static uint32_t draw(struct random *random, uint32_t below)
{
    random->state = random->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random->state >> 33) % below;
}

static void draw_launch(struct random *random, struct apart_launch *launch)
{
    static const uint32_t global_max[] = {9, 5, 3};
    launch->dimensions = 1 + draw(random, 3);
    const bool is_divided = draw(random, 4) != 0;
    const bool is_even = draw(random, 4) != 0;
    for (uint32_t d = 0; d < launch->dimensions; d++) {
        launch->offset[d] = draw(random, 4) == 0 ? draw(random, 5) : 0;
        launch->local[d] = 1 + draw(random, 4);
        launch->global[d] =
            is_even ? launch->local[d] * (1 + draw(random, 3)) : 1 + draw(random, global_max[d]);
        if (!is_divided)
            launch->local[d] = 0;
    }
}

static void draw_term(struct random *random, const struct apart_launch *launch,
                      struct apart_term *term)
{
    static const int64_t scales[] = {1, 2, 3, 4, 8, 12, 16, 24, 32, 48, 64, 96, -4, -8, -16};
    *term = (struct apart_term){.id = draw(random, APART_GLOBAL_PLACE + 1),
                                .scale = scales[draw(random, sizeof scales / sizeof scales[0])],
                                .factor_count = draw(random, APART_FACTORS + 1)};
    term->dimension = draw(random, launch->dimensions);
    for (uint32_t f = 0; f < term->factor_count; f++) {
        term->factors[f].kind = draw(random, APART_GROUP_COUNT + 1);
        term->factors[f].is_signed = draw(random, 2) == 0;
        term->factors[f].number =
            draw(random, term->factors[f].kind == APART_ARGUMENT ? ARGUMENTS - 1 : 3);
    }
}

/* Of the item, by enum apart_id. */
struct item {
    uint64_t ids[APART_GLOBAL_PLACE + 1][3];
};

static uint64_t local_of(const struct apart_launch *launch, uint32_t d)
{
    return d < launch->dimensions ? launch->local[d] : 1;
}

static uint64_t global_of(const struct apart_launch *launch, uint32_t d)
{
    return d < launch->dimensions ? launch->global[d] : 1;
}

static size_t list_items(const struct apart_launch *launch, struct item *items)
{
    size_t count = 0;
    uint64_t at[3];
    for (at[2] = 0; at[2] < global_of(launch, 2); at[2]++)
        for (at[1] = 0; at[1] < global_of(launch, 1); at[1]++)
            for (at[0] = 0; at[0] < global_of(launch, 0); at[0]++, count++)
                for (uint32_t d = 0; d < 3; d++) {
                    const uint64_t local = local_of(launch, d) ? local_of(launch, d) : 1;
                    items[count].ids[APART_GLOBAL_ID][d] = at[d] + launch->offset[d];
                    items[count].ids[APART_GLOBAL_PLACE][d] = at[d];
                    items[count].ids[APART_LOCAL_ID][d] = at[d] % local;
                    items[count].ids[APART_GROUP_ID][d] = at[d] / local;
                }
    return count;
}

static int64_t factor_of(const struct apart_launch *launch, const struct apart_factor *factor)
{
    const uint32_t d = factor->number;
    const uint64_t local = local_of(launch, d) ? local_of(launch, d) : 1;
    const uint32_t *values = launch->user;
    if (factor->kind == APART_ARGUMENT && factor->is_signed)
        return (int32_t)values[d];
    return factor->kind == APART_ARGUMENT      ? values[d]
           : factor->kind == APART_GLOBAL_SIZE ? (int64_t)global_of(launch, d)
           : factor->kind == APART_LOCAL_SIZE
               ? (int64_t)local
               : (int64_t)((global_of(launch, d) + local - 1) / local);
}

static uint64_t address_of(const struct apart_launch *launch, const struct apart_form *form,
                           const struct item *item)
{
    uint64_t sum = 0;
    for (size_t t = 0; t < form->term_count; t++) {
        const struct apart_term *term = &form->terms[t];
        uint64_t value = (uint64_t)term->scale * item->ids[term->id][term->dimension];
        for (uint32_t f = 0; f < term->factor_count; f++)
            value *= (uint64_t)factor_of(launch, &term->factors[f]);
        sum += value;
    }
    return sum;
}

static bool may_be_both(const struct apart_form *form, const struct item *a, const struct item *b)
{
    bool may = true;
    for (uint32_t d = 0; d < 3; d++) {
        may &= (form->one_global >> d & 1) == 0 ||
               a->ids[APART_GLOBAL_ID][d] == b->ids[APART_GLOBAL_ID][d];
        may &= (form->one_local >> d & 1) == 0 ||
               a->ids[APART_LOCAL_ID][d] == b->ids[APART_LOCAL_ID][d];
    }
    return may;
}

/* Modulo 2^bits. */
static bool items_meet(const struct apart_launch *launch, const struct apart_form *form,
                       bool is_local)
{
    static struct item items[12 * 12 * 12];
    static uint64_t addresses[12 * 12 * 12];
    const size_t count = list_items(launch, items);
    const uint64_t mask = UINT64_MAX >> (64 - form->bits);
    for (size_t i = 0; i < count; i++)
        addresses[i] = address_of(launch, form, &items[i]);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            const bool is_same_group =
                memcmp(items[i].ids[APART_GROUP_ID], items[j].ids[APART_GROUP_ID],
                       sizeof items[i].ids[0]) == 0;
            if (!may_be_both(form, &items[i], &items[j]))
                continue;
            const uint64_t between = (addresses[i] - addresses[j]) & mask;
            if ((!is_local || is_same_group) &&
                (between < form->span || ((0 - between) & mask) < form->span))
                return true;
        }
    return false;
}

static void no_form_holds_whose_items_meet(void **state)
{
    (void)state;
    struct random random = {1};
    size_t holding = 0;
    size_t meeting = 0;
    for (size_t n = 0; n < 100000; n++) {
        uint32_t values[ARGUMENTS] = {draw(&random, 12), draw(&random, 40),
                                      draw(&random, 8) == 0 ? (uint32_t)-3 : draw(&random, 8)};
        struct apart_launch launch = {.value_of = value_of, .user = values};
        struct apart_term terms[TERMS];
        struct apart_form form = {.terms = terms, .term_count = 1 + draw(&random, TERMS)};
        const struct apart apart = {.is_known = true, .forms = &form, .form_count = 1};
        const bool is_local = draw(&random, 3) == 0;
        draw_launch(&random, &launch);
        for (size_t t = 0; t < form.term_count; t++)
            draw_term(&random, &launch, &terms[t]);
        form.span = 1 + draw(&random, 8);
        form.bits = draw(&random, 2) == 0 ? 64 : 5 + draw(&random, 10);
        form.one_global = draw(&random, 4) == 0 ? draw(&random, 8) : 0;
        form.one_local = draw(&random, 4) == 0 ? draw(&random, 8) : 0;
        const bool holds = apart_holds(&apart, &launch, is_local);
        holding += holds;
        meeting += !holds;
        if (holds && items_meet(&launch, &form, is_local))
            fail_msg("case %zu holds, but items meet", n);
    }
    /* It tells them apart at all. */
    assert_true(holding > 2000 && meeting > 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_hold_as_is_told),
        cmocka_unit_test(what_is_not_known_does_not_hold),
        cmocka_unit_test(no_form_holds_whose_items_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
