/* The assertions of `clerk kernel --assert`: what its arguments must hold when the kernel has
 * ended.
 *
 *     EXPRESSION                      sum == 10 && out[0] > 0.5f
 *     all NAME: EXPRESSION            all i: out[i] == 2 * i
 *
 * An expression is one of trace/debug/expression.h that has a number for its value. Its names are
 * the kernel's parameters: scalars, elements of buffers and components of those, and a buffer of
 * one element by its name alone. NAME goes through the elements of the buffers that it indexes by
 * itself, as far as the smallest of them does; there may be several, one after the other. */
#ifndef VIEWER_CLI_KERNEL_KERNEL_ASSERTION_H
#define VIEWER_CLI_KERNEL_KERNEL_ASSERTION_H

#include "trace/base/arena.h"
#include "trace/base/status.h"
#include "viewer-cli/kernel/kernel_argument.h"

struct kernel_assertion;

/* What names are known: names[i] is what the kernel calls arguments[i]. Both are borrowed for as
 * long as an assertion is. */
struct kernel_assertion_scope {
    const struct kernel_argument *arguments;
    const char *const *names;
    size_t count;
};

/* Parses the text, which is borrowed, into the arena. STATUS_INVALID says what is wrong with it. */
enum status kernel_assertion_parse(const char *text, const struct kernel_assertion_scope *scope,
                                   struct arena *arena, const struct kernel_assertion **assertion,
                                   struct error *error);
const char *kernel_assertion_text(const struct kernel_assertion *assertion);

struct kernel_assertion_result {
    uint64_t violated, cases; /* for how many of the names' values; 1 without names */
    struct text
        where; /* the first of them: "for i = 3, out[i] is 7"; empty if nothing is to be said */
};

/* Does it hold? bytes[i] is what buffer i holds; other arguments have their own. `result->where` is
 * appended to. STATUS_INVALID where it makes no sense: an index that a buffer does not have. */
enum status kernel_assertion_check(const struct kernel_assertion *assertion,
                                   const uint8_t *const *bytes,
                                   struct kernel_assertion_result *result, struct error *error);

#endif
