/* The definition that checkers/order must equal, as plain as can be: a full clock for each strand
 * and region, and for each byte everything that was ever done to it. Restricted to what the engine
 * knows today: plain accesses, relaxed atomics with scopes, barriers with flags, asynchronous
 * copies, fresh local memory. */
#ifndef TESTS_UNIT_ORDER_ORACLE_H
#define TESTS_UNIT_ORDER_ORACLE_H

#include "checkers/order/order.h"

enum { ORACLE_STRANDS = 288, ORACLE_BYTES = 8192, ORACLE_OBJECTS = 3 };

struct oracle_strand {
    uint32_t group, vector, lane;
};

struct oracle;

struct oracle *oracle_create(void);
void oracle_destroy(struct oracle *oracle);

/* A launch of these strands, whose sub-groups are `sub_group_size` lanes of a vector. */
void oracle_launch_begin(struct oracle *oracle, const struct oracle_strand *strands, uint32_t count,
                         uint32_t sub_group_size);
/* The local objects are fresh; regions[] says which of the objects are local. */
void oracle_group_begin(struct oracle *oracle, const enum order_region regions[ORACLE_OBJECTS]);
/* A barrier of the strands for which `in` is set. */
void oracle_barrier(struct oracle *oracle, const bool in[ORACLE_STRANDS], uint32_t regions);

/* A copy, itself a strand, that the strands of `in` start; what it accesses is told later. */
void oracle_copy_start(struct oracle *oracle, uint32_t copy, const bool in[ORACLE_STRANDS]);
/* A fence orders a copy, that has started before, before one that starts. */
void oracle_copy_behind(struct oracle *oracle, uint32_t copy, uint32_t earlier, uint32_t regions);
/* They wait for it. */
void oracle_copy_wait(struct oracle *oracle, uint32_t copy, const bool in[ORACLE_STRANDS]);

/* One strand accesses one byte: does it race? */
bool oracle_access(struct oracle *oracle, uint32_t strand, uint32_t object,
                   enum order_region region, uint64_t byte, enum observer_access_kind kind,
                   enum observer_scope scope);
/* Did `earlier` do something to the byte that races with such an access? */
bool oracle_races_with(const struct oracle *oracle, uint32_t earlier, uint32_t strand,
                       uint32_t object, enum order_region region, uint64_t byte,
                       enum observer_access_kind kind, enum observer_scope scope);

#endif
