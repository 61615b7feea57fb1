/* Expressions (trace/debug/expression.h) for one work-item: names are what its place sees, numbers
 * are C's and OpenCL C's. What is computed from an undefined bit is undefined; loads that lead
 * nowhere give a value that is not known, and says why. */
#ifndef REFERENCE_DEBUG_EVALUATE_H
#define REFERENCE_DEBUG_EVALUATE_H

#include "reference/debug/value.h"

/* The text as a tree, in the arena; types of the program that runs are known by their names. */
enum status debug_parse(struct debug_session *session, const char *text, bool may_assign,
                        struct arena *arena, const struct expression **expression,
                        struct error *error);
/* False with a sentence: the expression makes no sense here. */
bool debug_evaluate(const struct debug_lane *lane, const struct expression *expression,
                    struct debug_value *value, struct error *error);
/* The same of its text; parsed into the session's scratch. `may_assign`: it is, to memory. */
bool debug_evaluate_text(const struct debug_lane *lane, const char *text, bool may_assign,
                         struct debug_value *value, struct error *error);
/* A condition: as debug_evaluate, but that what has parts makes no sense. */
bool debug_evaluate_condition(const struct debug_lane *lane, const struct expression *condition,
                              struct debug_value *value, struct error *error);
/* Is it defined, and not 0? */
bool debug_is_true(const struct debug_lane *lane, const struct expression *expression);

bool debug_is_true_value(const struct debug_value *value);

/* ---- named.c ---- */
/* What the place of the lane means by a name; false with a sentence. */
bool debug_name(const struct debug_lane *lane, const char *name, struct debug_value *value,
                struct error *error);
/* "gid" of $gid; false with a sentence. */
bool debug_register(const struct debug_lane *lane, const char *name, struct debug_value *value,
                    struct error *error);

/* A call of a function of work-items, OpenCL C 3.0, 6.15.1 and 6.15.18; false: it is none. */
bool debug_item_function(const struct debug_lane *lane, const char *name,
                         const struct debug_value *list, uint32_t count, struct debug_value *value);

/* ---- operate.c ---- */
/* A call of a built-in function; false with a sentence. */
bool debug_call(const struct debug_lane *lane, const char *name, const struct debug_value *list,
                uint32_t count, struct debug_value *value, struct error *error);
/* Both become of one type and number of components, as the usual arithmetic conversions say. */
bool debug_balance(struct debug_value *a, struct debug_value *b);
/* The value as numbers of another type. */
void debug_cast(struct debug_value *value, const struct debug_number *number, uint32_t count);
/* "uint", "float4"; false: it names none of OpenCL C's. */
bool debug_named_number(const char *name, struct debug_number *number, uint32_t *count);
/* The same as a type, which a program need not have, which lives for ever. NULL: as
 * above. */
const struct debug_type *debug_named_type(const char *name);
/* NULL: OpenCL C has no name for it. */
const char *debug_number_name(const struct debug_number *number);

/* ---- given.c: memory that the kernel was given as an argument ---- */
/* "memory":{...} of the answer to `who`; nothing where the bytes are no such memory's. */
void debug_put_given(struct debug_session *session, const struct debug_target *target,
                     const struct debug_value *value, struct text *answer);
/* The expression for such memory as a request has it. False with a sentence: the kernel was not
 * given it. */
bool debug_read_given(const struct debug_session *session, const struct cJSON *request,
                      struct text *expression, struct error *error);

#endif
