/* Twins of rules: a program that makes one mistake, and the same program without it. `TOPIC RULE
 * bad` runs the one, `TOPIC RULE good` the other; both are one function, in which `bad` is all that
 * differs. Over which drivers they run is said in CMakeLists.txt. */
#ifndef TESTS_RULES_TWINS_TWINS_H
#define TESTS_RULES_TWINS_TWINS_H

#include "tests/rules/program.h"

#include <stdbool.h>
#include <string.h>

struct twins {
    const char *rule;
    void (*run)(const struct program *program, bool bad);
};

/* What is right succeeds; what comes of a mistake is the driver's. */
static inline void twins_check(bool bad, cl_int status)
{
    PROGRAM_CHECK(bad || status == CL_SUCCESS);
}

/* A memory object that is NULL if the driver, or the layer, refused the mistake. */
static inline void twins_drop(bool bad, cl_mem made)
{
    PROGRAM_CHECK(bad || made);
    if (made)
        clReleaseMemObject(made);
}

static inline int twins_main(int argc, char **argv, const struct twins *twins, size_t count)
{
    for (size_t i = 0; argc == 3 && i < count; ++i) {
        if (strcmp(twins[i].rule, argv[1]) != 0)
            continue;
        const struct program program = program_begin();
        twins[i].run(&program, strcmp(argv[2], "bad") == 0);
        return program_end(&program);
    }
    fprintf(stderr, "usage: %s RULE bad|good\n", argv[0]);
    return 2;
}

#endif
