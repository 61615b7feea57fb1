/* One cell in a launch that acquires: a strand may know any other, so everybody who accessed the
 * bytes since their last plain write counts. A cell's r and n (entry.h) are there
 *
 *     r = 0,        n = 0               nobody
 *     r = entry,    n = 0               one plain reader
 *     r = history,  n = ENTRY_STATE     all that is in the history (history.h) */
#ifndef CHECKERS_ORDER_ACQUIRING_H
#define CHECKERS_ORDER_ACQUIRING_H

#include "checkers/order/exact.h"

/* Fills the context's rivals. */
void acquiring_note_rivals(const struct order *order, struct access_context *context);
/* As exact_access_cell. */
uint32_t acquiring_access_cell(struct order *order, const struct access_context *context,
                               struct shadow_page *page, uint32_t cell, uint32_t lane);

#endif
