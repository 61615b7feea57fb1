#include "checkers/order/use.h"

static uint64_t bytes_end(const struct use_bytes *bytes)
{
    const uint64_t rows = bytes->rows > 0 ? bytes->rows - 1 : 0;
    const uint64_t slices = bytes->slices > 0 ? bytes->slices - 1 : 0;
    return bytes->first + bytes->size + rows * bytes->row_pitch + slices * bytes->slice_pitch;
}

static bool is_one_row(const struct use_bytes *bytes)
{
    return bytes->rows <= 1 && bytes->slices <= 1 && !bytes->bits;
}

uint64_t use_bytes_words(const struct use_bytes *bytes)
{
    return bytes->size / 64 + (bytes->size % 64 != 0);
}

/* The first bit that is `value`, from `index` on; `count` when there is none. */
static uint64_t find_bit(const uint64_t *bits, uint64_t index, uint64_t count, bool value)
{
    while (index < count) {
        const uint64_t word = (value ? bits[index / 64] : ~bits[index / 64]) >> (index % 64);
        if (word != 0) {
            index += (uint64_t)__builtin_ctzll(word);
            return index < count ? index : count;
        }
        index = (index / 64 + 1) * 64;
    }
    return count;
}

/* The first bytes without a gap at `from` or after it; false when there are none. */
static bool next_piece(const struct use_bytes *bytes, uint64_t from, uint64_t *first, uint64_t *end)
{
    const uint64_t skipped = from > bytes->first ? from - bytes->first : 0;
    if (bytes->bits) {
        const uint64_t bit = find_bit(bytes->bits, skipped, bytes->size, true);
        *first = bytes->first + bit;
        *end = bytes->first + find_bit(bytes->bits, bit, bytes->size, false);
        return bit < bytes->size;
    }
    const bool sliced = bytes->slices > 1;
    uint64_t slice = sliced ? skipped / bytes->slice_pitch : 0;
    const uint64_t in_slice = skipped - slice * (sliced ? bytes->slice_pitch : 0);
    uint64_t row = bytes->rows > 1 ? in_slice / bytes->row_pitch : 0;
    if (row * bytes->row_pitch + bytes->size <= in_slice)
        row++;
    if (row >= (bytes->rows > 1 ? bytes->rows : 1)) {
        row = 0;
        slice++;
    }
    if (slice >= (sliced ? bytes->slices : 1))
        return false;
    const uint64_t start = bytes->first + slice * bytes->slice_pitch + row * bytes->row_pitch;
    *first = start > from ? start : from;
    *end = start + bytes->size;
    return true;
}

bool use_bytes_are_apart(const struct use_bytes *a, const struct use_bytes *b)
{
    return a->first >= bytes_end(b) || b->first >= bytes_end(a);
}

bool use_bytes_meet(const struct use_bytes *a, const struct use_bytes *b, uint64_t *first,
                    uint64_t *size)
{
    uint64_t a_first, a_end, b_first, b_end;
    uint64_t from = a->first > b->first ? a->first : b->first;
    if (a->size == 0 || b->size == 0 || use_bytes_are_apart(a, b))
        return false;
    while (next_piece(a, from, &a_first, &a_end) && next_piece(b, a_first, &b_first, &b_end)) {
        if (b_first < a_end) {
            *first = b_first;
            *size = (a_end < b_end ? a_end : b_end) - b_first;
            return true;
        }
        from = b_first;
    }
    return false;
}

bool use_bytes_cover(const struct use_bytes *outer, const struct use_bytes *inner)
{
    if (is_one_row(outer))
        return outer->first <= inner->first && bytes_end(inner) <= bytes_end(outer);
    if (!outer->bits || !inner->bits || outer->first != inner->first || outer->size != inner->size)
        return false;
    for (uint64_t i = 0; i < use_bytes_words(outer); i++) {
        if ((inner->bits[i] & ~outer->bits[i]) != 0)
            return false;
    }
    return true;
}

bool use_next_certain(const struct use *use, size_t *index, enum use_kind *kind,
                      struct use_bytes *bytes)
{
    if (!use->possible) {
        *kind = use->kind;
        *bytes = use->bytes;
        return (*index)++ == 0;
    }
    while (*index < USE_CERTAIN_MAX) {
        const struct use_part *part = &use->certain[(*index)++];
        *kind = part->kind;
        *bytes = (struct use_bytes){.first = part->first, .size = part->size};
        if (part->size > 0)
            return true;
    }
    return false;
}

bool use_covers_certain(const struct use *outer, const struct use *inner)
{
    bool covered = true;
    enum use_kind kind, outer_kind;
    struct use_bytes bytes, outer_bytes;
    for (size_t i = 0; covered && use_next_certain(inner, &i, &kind, &bytes);) {
        covered = false;
        for (size_t o = 0; !covered && use_next_certain(outer, &o, &outer_kind, &outer_bytes);)
            covered = use_is_as_strong(outer_kind, kind) && use_bytes_cover(&outer_bytes, &bytes);
    }
    return covered;
}

/* OpenCL API 3.1, 3.3.5: "Prior to OpenCL 3.1, the memory scope of A and B must additionally be the
 * same for the actions to have an inclusive scope." */
bool use_scopes_meet(const struct use *a, const struct use *b)
{
    const bool both_reach = a->reach <= USE_REACHES_ALL && b->reach <= USE_REACHES_ALL;
    const bool same_device = a->device == 0 || b->device == 0 || a->device == b->device;
    if (!same_device)
        return a->reach == USE_REACHES_ALL && b->reach == USE_REACHES_ALL;
    return both_reach && (a->reach == b->reach || !(a->equal_scopes || b->equal_scopes));
}
