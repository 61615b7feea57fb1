/* The words of memory that were stored atomically in this launch, and whose releases lie in them;
 * for checkers/order/sync.c alone. */
#ifndef CHECKERS_ORDER_WORDS_H
#define CHECKERS_ORDER_WORDS_H

#include "checkers/order/sync.h"

void words_reset(struct sync *sync);
void words_release(struct sync *sync);

/* NULL when the word has not been stored to, or its memory is fresh since. Good until the next
 * words_make. */
struct sync_word *words_find(struct order *order, const struct order_object *object,
                             uint64_t index);
/* NULL when memory is out. */
struct sync_word *words_make(struct order *order, struct order_object *object, uint64_t index);
/* Nobody has stored to it. */
void words_clear(struct order *order, struct sync_word *word);

/* The strand's own releases in the word, none where they were taken away. NULL when it has none and
 * `make` is false, or when memory is out. Good until the next call. */
struct sync_own *words_own(struct order *order, const struct sync_word *word, uint32_t strand,
                           bool make);
/* Those of all strands, when the group has ended. */
void words_drop_owns(struct sync *sync, struct sync_group *group);
/* Likewise, when the releases themselves are gone. */
void words_forget_owns(struct sync_group *group);

#endif
