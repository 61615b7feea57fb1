/* Memory orders, scopes and flags that an operation must not have, found when it is executed. */
#ifndef CHECKERS_KERNEL_ORDERS_H
#define CHECKERS_KERNEL_ORDERS_H

#include "checkers/kernel/state.h"

void orders_check_access(struct kernel_checker *checker, const struct observer_access *access);
void orders_report_private(struct kernel_checker *checker, const struct observer_access *access);
void orders_check_fence(struct kernel_checker *checker, uint32_t site, uint32_t flags,
                        enum observer_scope scope);
void orders_check_barrier(struct kernel_checker *checker, const struct observer_barrier *barrier);

#endif
