/* Accesses as they come: those to local memory may be put off, others are judged. */
#include "checkers/order/engine.h"

static bool may_put_off(const struct order *order, const struct order_object *object)
{
    return object->region == ORDER_LOCAL && order->deferred.open;
}

void order_access(struct order *order, struct order_object *object,
                  const struct lane_access *access)
{
    if (!engine_is_incomplete(order) &&
        !(may_put_off(order, object) && deferred_add(order, object, access))) {
        judge_access(order, object, access);
    }
}

bool order_row(struct order *order, struct order_object *object, const struct lane_row *row)
{
    return !engine_is_incomplete(order) &&
           ((may_put_off(order, object) && deferred_add_row(order, object, row)) ||
            row_judge(order, object, row));
}
