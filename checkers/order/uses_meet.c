#include "checkers/order/uses_meet.h"

struct use_side use_side_of(const struct use *use, enum use_kind kind, bool possible)
{
    return (struct use_side){.kind = kind,
                             .reach = use->reach,
                             .device = use->device,
                             .possible = possible,
                             .own_memory = use->own_memory};
}

struct use_side use_whole_side(const struct use *use)
{
    return use_side_of(use, use->kind, use->possible);
}

bool uses_meet_for_certain(const struct use *earlier, const struct use *later,
                           struct uses_conflict *conflict)
{
    enum use_kind kind, later_kind;
    struct use_bytes bytes, later_bytes;
    for (size_t e = 0; use_next_certain(earlier, &e, &kind, &bytes);) {
        for (size_t l = 0; use_next_certain(later, &l, &later_kind, &later_bytes);) {
            conflict->earlier = use_side_of(earlier, kind, false);
            conflict->later = use_side_of(later, later_kind, false);
            if ((use_writes(kind) || use_writes(later_kind)) &&
                !(use_is_atomic(kind) && use_is_atomic(later_kind)) &&
                use_bytes_meet(&bytes, &later_bytes, &conflict->first, &conflict->size))
                return true;
        }
    }
    return false;
}

bool uses_may_meet(const struct use *earlier, const struct use *later,
                   struct uses_conflict *conflict)
{
    conflict->earlier = use_whole_side(earlier);
    conflict->later = use_whole_side(later);
    return (earlier->possible || later->possible) &&
           use_bytes_meet(&earlier->bytes, &later->bytes, &conflict->first, &conflict->size);
}

enum uses_clash uses_find_clash(const struct use *earlier, const struct use *later)
{
    if (!use_is_atomic(earlier->kind) || !use_is_atomic(later->kind))
        return USES_RACE;
    return later->guaranteed ? USES_SCOPES : USES_ATOMICS;
}
