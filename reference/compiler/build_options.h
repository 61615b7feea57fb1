/* The options string of clBuildProgram, clCompileProgram and clLinkProgram (OpenCL API 3.0, 5.8.6
 * and 5.8.7) and what it means for clang. */
#ifndef REFERENCE_COMPILER_BUILD_OPTIONS_H
#define REFERENCE_COMPILER_BUILD_OPTIONS_H

#include "trace/base/arena.h"

#include <stdbool.h>
#include <stddef.h>

#define OPENCL_CPP "c++" /* OpenCL C++ 1.0, not a version of C++ for OpenCL */

struct build_options {
    const char **arguments; /* for clang, in order, every one independent of the order of the rest
                               but -D, -U */
    size_t argument_count;
    const char *standard; /* "CL1.2", "CL3.0" ... */
    bool uniform_groups;  /* -cl-uniform-work-group-size */
    bool create_library, enable_link_options;
    const char *problem; /* what is wrong with them; NULL = nothing */
};

/* All keep what they need in `arena`. False when memory is out. Options that are unknown, or known
 * and wrong, set `problem`. */
bool build_options_parse(const char *options, struct arena *arena, struct build_options *parsed);
/* The same for a program of another driver, which took them: what is unknown here is left out. */
bool build_options_parse_foreign(const char *options, struct arena *arena,
                                 struct build_options *parsed);
bool link_options_parse(const char *options, struct arena *arena, struct build_options *parsed);

#endif
