/* Host stacks: captured fast as return addresses, kept once each under a number, and given names
 * only when a finding shows one. Any thread may call. */
#ifndef LAYER_STACK_H
#define LAYER_STACK_H

#include "trace/base/arena.h"

#include <stddef.h>
#include <stdint.h>

struct stack_table;

/* NULL when memory is out. */
struct stack_table *stack_table_create(void);
void stack_table_destroy(struct stack_table *table);

/* The number of the calling thread's stack, without clerk's own frames; equal stacks have equal
 * numbers. 0 when it could not be kept. The shape of host_capture_stack: `table` is a struct
 * stack_table *. */
uint64_t stack_capture(void *table);
/* The calling thread's return addresses, innermost first; takes no lock of clerk's. */
size_t stack_walk(void **frames, size_t count);
/* The number of a stack that was walked. */
uint64_t stack_keep(struct stack_table *table, void *const *frames, size_t count);
/* "function+0x12 (/path/of/module+0x1139)", innermost first; the list in `arena`, the strings live
 * as long as the table. The shape of host_describe_stack. */
size_t stack_describe(void *table, uint64_t stack, struct arena *arena, const char *const **frames);

/* Where its return addresses lie, innermost first, each line as "0x1139 (/path/of/module+0x1139)",
 * which takes much less time. Lives as long as the table; NULL when memory is out. */
const char *stack_locate(struct stack_table *table, uint64_t stack);

#endif
