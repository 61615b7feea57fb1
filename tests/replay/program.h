/* What the recorded programs share. Each checks its own results: exit status 0 right, 1 wrong, 2 no
 * OpenCL. */
#ifndef TESTS_REPLAY_PROGRAM_H
#define TESTS_REPLAY_PROGRAM_H

#include <CL/cl.h>
#include <stdbool.h>

struct setup {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; /* in order */
};

/* Says what failed and ends the program. */
void check(cl_int status, const char *what);
/* Says which expectation does not hold and ends the program with status 1. */
void expect(bool holds, const char *what);
void setup_open(struct setup *setup);
void setup_close(struct setup *setup);
cl_program setup_build(const struct setup *setup, const char *source, const char *options);

#endif
