/* Where two uses conflict, whichever commands they are of, and as what. */
#ifndef CHECKERS_ORDER_USES_MEET_H
#define CHECKERS_ORDER_USES_MEET_H

#include "checkers/order/uses.h"

/* The side of a use, without its origin, whose kind is this where the two meet; and as a whole. */
struct use_side use_side_of(const struct use *use, enum use_kind kind, bool possible);
struct use_side use_whole_side(const struct use *use);

/* Do bytes of the two conflict which both use for certain? Then which, and the two sides. Two
 * atomic uses do not. */
bool uses_meet_for_certain(const struct use *earlier, const struct use *later,
                           struct uses_conflict *conflict);
/* The same of bytes that one of them may use. */
bool uses_may_meet(const struct use *earlier, const struct use *later,
                   struct uses_conflict *conflict);
/* What it is if they clash. */
enum uses_clash uses_find_clash(const struct use *earlier, const struct use *later);

#endif
