/* What is equal at both ends of a stretch belongs together. What is between is aligned exactly, by
 * the greedy algorithm of Myers ("An O(ND) difference algorithm and its variations", 1986), if that
 * takes few steps. Otherwise the n-th time that a number is in one list and the n-th time that it
 * is in the other are taken for the same: of such pairs the longest ascending row holds, and the
 * stretches between are aligned in the same way. */
#include "viewer-cli/diff/diff_align.h"

#include "trace/base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Shorter stretches are always aligned exactly. */
enum { DISTANCE_MAX = 512 };
/* How often each item may be part of a stretch that is cut, on average. */
enum { CUTS_MAX = 64 };

struct stretch {
    size_t a, a_end, b, b_end;
};

struct place {
    uint64_t number;
    uint32_t index;
};

struct alignment {
    const uint64_t *a, *b;
    uint32_t *partners;
    struct stretch *waiting;
    size_t waiting_count, waiting_capacity;
    int32_t *reached;           /* by so many steps, on each diagonal */
    struct place *places[2];    /* of a stretch that is cut */
    uint32_t *tails, *previous; /* of rows of pairs */
    uint64_t budget;            /* items that may still be part of a stretch that is cut */
};

static enum status wait_for(struct alignment *alignment, struct stretch stretch,
                            struct error *error)
{
    if (stretch.a == stretch.a_end || stretch.b == stretch.b_end)
        return STATUS_OK;
    void *grown = alloc_grow(alignment->waiting, alignment->waiting_count,
                             &alignment->waiting_capacity, sizeof stretch);
    if (!grown)
        return error_no_memory(error, sizeof stretch);
    alignment->waiting = grown;
    alignment->waiting[alignment->waiting_count++] = stretch;
    return STATUS_OK;
}

static void pair(struct alignment *alignment, size_t a, size_t b)
{
    alignment->partners[a] = (uint32_t)b;
}

static void pair_ends(struct alignment *alignment, struct stretch *stretch)
{
    while (stretch->a < stretch->a_end && stretch->b < stretch->b_end &&
           alignment->a[stretch->a] == alignment->b[stretch->b]) {
        pair(alignment, stretch->a, stretch->b);
        ++stretch->a;
        ++stretch->b;
    }
    while (stretch->a < stretch->a_end && stretch->b < stretch->b_end &&
           alignment->a[stretch->a_end - 1] == alignment->b[stretch->b_end - 1]) {
        --stretch->a_end;
        --stretch->b_end;
        pair(alignment, stretch->a_end, stretch->b_end);
    }
}

/* ---- exactly ---- */

/* After `distance` steps, each past one item of one list, the places reached on the diagonals
 * -distance, 2 - distance ... distance: items of `a` passed. */
static int32_t *reached_after(struct alignment *alignment, int32_t distance)
{
    return alignment->reached + (size_t)distance * ((size_t)distance + 1) / 2;
}

/* Was the place on the i-th diagonal reached past an item of `b`? */
static bool came_down(const int32_t *before, int32_t distance, int32_t i)
{
    return i == 0 || (i < distance && before[i - 1] < before[i]);
}

static int32_t after_step(struct alignment *alignment, int32_t distance, int32_t i)
{
    if (!distance)
        return 0;
    const int32_t *before = reached_after(alignment, distance - 1);
    return came_down(before, distance, i) ? before[i] : before[i - 1] + 1;
}

static int32_t follow_equal(const struct alignment *alignment, const struct stretch *stretch,
                            int32_t x, int32_t diagonal)
{
    const int32_t width = (int32_t)(stretch->a_end - stretch->a);
    const int32_t height = (int32_t)(stretch->b_end - stretch->b);
    while (x < width && x - diagonal < height &&
           alignment->a[stretch->a + (size_t)x] ==
               alignment->b[stretch->b + (size_t)(x - diagonal)])
        ++x;
    return x;
}

/* Pairs what the way back from the end passes. */
static void walk_back(struct alignment *alignment, const struct stretch *stretch, int32_t distance,
                      int32_t i)
{
    int32_t x = (int32_t)(stretch->a_end - stretch->a);
    for (; distance >= 0; --distance) {
        const int32_t diagonal = 2 * i - distance;
        const int32_t from = after_step(alignment, distance, i);
        while (x > from) {
            --x;
            pair(alignment, stretch->a + (size_t)x, stretch->b + (size_t)(x - diagonal));
        }
        if (!distance)
            return;
        const int32_t *before = reached_after(alignment, distance - 1);
        if (!came_down(before, distance, i)) {
            --i;
            --x;
        }
    }
}

/* False where that takes more than DISTANCE_MAX steps. */
static bool align_exactly(struct alignment *alignment, const struct stretch *stretch)
{
    const int32_t width = (int32_t)(stretch->a_end - stretch->a);
    const int32_t height = (int32_t)(stretch->b_end - stretch->b);
    for (int32_t distance = 0; distance <= DISTANCE_MAX; ++distance) {
        int32_t *reached = reached_after(alignment, distance);
        for (int32_t i = 0; i <= distance; ++i) {
            const int32_t diagonal = 2 * i - distance;
            reached[i] =
                follow_equal(alignment, stretch, after_step(alignment, distance, i), diagonal);
            if (reached[i] == width && width - diagonal == height) {
                walk_back(alignment, stretch, distance, i);
                return true;
            }
        }
    }
    return false;
}

/* ---- by what is there equally often ---- */

static int compare_places(const void *left, const void *right)
{
    const struct place *x = left;
    const struct place *y = right;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void sort_places(struct place *places, const uint64_t *numbers, size_t first, size_t end)
{
    for (size_t i = first; i < end; ++i)
        places[i - first] = (struct place){numbers[i], (uint32_t)i};
    qsort(places, end - first, sizeof *places, compare_places);
}

/* Makes partners of the n-th times, whatever their order. */
static void pair_times(struct alignment *alignment, const struct stretch *stretch)
{
    const size_t counts[2] = {stretch->a_end - stretch->a, stretch->b_end - stretch->b};
    const struct place *a = alignment->places[0];
    const struct place *b = alignment->places[1];
    sort_places(alignment->places[0], alignment->a, stretch->a, stretch->a_end);
    sort_places(alignment->places[1], alignment->b, stretch->b, stretch->b_end);
    for (size_t i = 0, j = 0; i < counts[0] && j < counts[1];) {
        if (a[i].number == b[j].number) {
            pair(alignment, a[i].index, b[j].index);
            ++i;
            ++j;
        } else if (a[i].number < b[j].number) {
            ++i;
        } else {
            ++j;
        }
    }
}

/* Patience sorting: tails[n] ends the row of n + 1 pairs that ends first. */
static void keep_longest_row(uint32_t *partners, size_t first, size_t end, uint32_t *tails,
                             uint32_t *previous)
{
    size_t length = 0;
    for (size_t i = first; i < end; ++i) {
        size_t low = 0;
        size_t high = length;
        if (partners[i] == DIFF_ALONE)
            continue;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (partners[tails[middle]] < partners[i])
                low = middle + 1;
            else
                high = middle;
        }
        previous[i] = low ? tails[low - 1] : DIFF_ALONE;
        tails[low] = (uint32_t)i;
        length += low == length;
    }
    uint32_t kept = length ? tails[length - 1] : DIFF_ALONE;
    for (size_t i = end; i > first; --i) {
        if (i - 1 == kept)
            kept = previous[kept];
        else
            partners[i - 1] = DIFF_ALONE;
    }
}

enum status diff_keep_longest_row(uint32_t *partners, size_t count, struct error *error)
{
    uint32_t *tails = alloc_zero(count, sizeof *tails);
    uint32_t *previous = alloc_zero(count, sizeof *previous);
    const enum status status =
        tails && previous ? STATUS_OK : error_no_memory(error, count * sizeof *tails);
    if (!status)
        keep_longest_row(partners, 0, count, tails, previous);
    alloc_free(tails);
    alloc_free(previous);
    return status;
}

static enum status cut(struct alignment *alignment, const struct stretch *stretch,
                       struct error *error)
{
    const size_t size = stretch->a_end - stretch->a + (stretch->b_end - stretch->b);
    struct stretch between = *stretch;
    enum status status = STATUS_OK;
    bool is_cut = false;
    if (size > alignment->budget)
        return STATUS_OK;
    alignment->budget -= size;
    pair_times(alignment, stretch);
    keep_longest_row(alignment->partners, stretch->a, stretch->a_end, alignment->tails,
                     alignment->previous);
    for (size_t i = stretch->a; i < stretch->a_end && !status; ++i) {
        const uint32_t partner = alignment->partners[i];
        if (partner == DIFF_ALONE)
            continue;
        between.a_end = i;
        between.b_end = partner;
        status = wait_for(alignment, between, error);
        between.a = i + 1;
        between.b = (size_t)partner + 1;
        is_cut = true;
    }
    between.a_end = stretch->a_end;
    between.b_end = stretch->b_end;
    return is_cut && !status ? wait_for(alignment, between, error) : status;
}

/* ---- all of it ---- */

static enum status make_room(struct alignment *alignment, size_t a_count, size_t b_count,
                             struct error *error)
{
    const size_t count = a_count + b_count;
    const size_t distance = count < DISTANCE_MAX ? count : DISTANCE_MAX;
    alignment->reached =
        alloc_zero((distance + 1) * (distance + 2) / 2, sizeof *alignment->reached);
    alignment->places[0] = alloc_zero(a_count, sizeof **alignment->places);
    alignment->places[1] = alloc_zero(b_count, sizeof **alignment->places);
    alignment->tails = alloc_zero(a_count, sizeof *alignment->tails);
    alignment->previous = alloc_zero(a_count, sizeof *alignment->previous);
    alignment->budget = (uint64_t)CUTS_MAX * count;
    return alignment->reached && alignment->places[0] && alignment->places[1] && alignment->tails &&
                   alignment->previous
               ? STATUS_OK
               : error_no_memory(error, count * sizeof **alignment->places);
}

enum status diff_align(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count,
                       uint32_t *partners, struct error *error)
{
    struct alignment alignment = {.a = a, .b = b, .partners = partners};
    struct stretch stretch = {0, a_count, 0, b_count};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < a_count; ++i)
        partners[i] = DIFF_ALONE;
    pair_ends(&alignment, &stretch);
    if (stretch.a < stretch.a_end && stretch.b < stretch.b_end)
        status = make_room(&alignment, a_count, b_count, error);
    if (!status)
        status = wait_for(&alignment, stretch, error);
    while (!status && alignment.waiting_count) {
        stretch = alignment.waiting[--alignment.waiting_count];
        pair_ends(&alignment, &stretch);
        if (!align_exactly(&alignment, &stretch))
            status = cut(&alignment, &stretch, error);
    }
    alloc_free(alignment.waiting);
    alloc_free(alignment.reached);
    alloc_free(alignment.places[0]);
    alloc_free(alignment.places[1]);
    alloc_free(alignment.tails);
    alloc_free(alignment.previous);
    return status;
}
