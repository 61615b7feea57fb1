/* The order in which calls took effect. */
#ifndef TRACE_CALL_ORDER_H
#define TRACE_CALL_ORDER_H

#include "trace/base/text.h"

/* Appends what follows ORDER BY in a query of the view `call`: a release counts from when it began
 * (from then on the driver may give the handle to another object), everything else from its end. */
void call_order_print(struct text *query);

#endif
