/* Rows of wrong calls and the nearest right ones, and what each must show: what
 * tests/rules/conditions.c and extensions.c share. A row calls CALL(function), which they define.
 */
#ifndef TESTS_RULES_CONDITIONS_H
#define TESTS_RULES_CONDITIONS_H

#include "tests/rules/program.h"
#include "tests/rules/watch.h"

static struct watch watch;
static unsigned wrong_rows;
static char told[512]; /* the advice of the last wrong call */

static void print_findings(void)
{
    for (size_t i = 0; i < watch.count; ++i)
        printf("    %s", watch.findings[i].line);
}

/* The right call of a pair is what the wrong one was told to do. */
static inline void advice_shown(const char *rule, const char *function, const char *what)
{
    fprintf(watch.advice, "%s\t%s\trow %s, %s\n", rule, told, function, what);
    fflush(watch.advice);
}

static inline void expect_one(const char *rule, const char *function, const char *what,
                              const char *error)
{
    watch_read(&watch);
    if (watch.count == 1 && strcmp(watch.findings[0].rule, rule) == 0 &&
        strcmp(watch.findings[0].error, error) == 0) {
        snprintf(told, sizeof told, "%s", watch.findings[0].advice);
        if (error[0])
            watch_shown(&watch, function, &watch.findings[0]);
        return;
    }
    printf("%s: %s: %zu findings, not one of %s with %s\n", function, what, watch.count, rule,
           error);
    print_findings();
    ++wrong_rows;
}

static inline void expect_none(const char *function, const char *what)
{
    watch_read(&watch);
    if (watch.count == 0)
        return;
    printf("%s: %s: the right call has %zu findings\n", function, what, watch.count);
    print_findings();
    ++wrong_rows;
}

#define SIZES(...)              ((const size_t[]){__VA_ARGS__})
#define PROPERTIES(...)         ((const intptr_t[]){__VA_ARGS__})
#define QUEUE_PROPERTIES(...)   ((const cl_queue_properties[]){__VA_ARGS__})
#define MEM_PROPERTIES(...)     ((const cl_mem_properties[]){__VA_ARGS__})
#define PIPE_PROPERTIES(...)    ((const cl_pipe_properties[]){__VA_ARGS__})
#define SAMPLER_PROPERTIES(...) ((const cl_sampler_properties[]){__VA_ARGS__})
#define REGION(origin_, size_)  (&(const cl_buffer_region){origin_, size_})
#define FORMAT(order, type)     (&(const cl_image_format){order, type})
#define DESC(type, width, height, ...)                                                             \
    (&(const cl_image_desc){                                                                       \
        .image_type = type, .image_width = width, .image_height = height, __VA_ARGS__})
#define FLAT(width, height) DESC(CL_MEM_OBJECT_IMAGE2D, width, height, .num_samples = 0)
#define OVER(parent)        DESC(CL_MEM_OBJECT_IMAGE1D_BUFFER, 8, 0, .mem_object = parent)

#define ALONE(rule, function, what, error, wrong)                                                  \
    CALL(function) wrong;                                                                          \
    expect_one(rule, #function, what, #error);
#define PAIR(rule, function, what, error, wrong, right)                                            \
    CALL(function) wrong;                                                                          \
    expect_one(rule, #function, what, #error);                                                     \
    CALL(function) right;                                                                          \
    expect_none(#function, what);                                                                  \
    advice_shown(rule, #function, what);
/* Another function has to be called. */
#define INSTEAD(rule, function, what, error, wrong, other, right)                                  \
    CALL(function) wrong;                                                                          \
    expect_one(rule, #function, what, #error);                                                     \
    CALL(other) right;                                                                             \
    expect_none(#other, what);                                                                     \
    advice_shown(rule, #function, what);
/* A call that is to be left out. */
#define LEFT_OUT(rule, function, what, error, wrong)                                               \
    CALL(function) wrong;                                                                          \
    expect_one(rule, #function, what, #error);                                                     \
    advice_shown(rule, #function, what);
/* A call that the driver refuses with the error, and of which clerk can say why only then. */
#define EXPLAINED(rule, function, what, error, wrong)                                              \
    fail_next(error);                                                                              \
    CALL(function) wrong;                                                                          \
    expect_one(rule, #function, what, #error);
/* What the driver takes, clerk does not know better. */
#define ALLOWED(function, what, right)                                                             \
    CALL(function) right;                                                                          \
    expect_none(#function, what);
/* What no error code tells. */
#define UNDEFINED(rule, function, what, wrong, right)                                              \
    CALL(function) wrong;                                                                          \
    expect_one(rule, #function, what, "");                                                         \
    CALL(function) right;                                                                          \
    expect_none(#function, what);                                                                  \
    advice_shown(rule, #function, what);

#endif
