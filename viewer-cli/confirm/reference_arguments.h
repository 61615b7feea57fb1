/* The arguments of a captured launch (checkers/probe/captured.h), made anew on the reference
 * device: memory with what it held, where words that lead into shared virtual memory are made to
 * lead to where that is now. */
#ifndef VIEWER_CLI_CONFIRM_REFERENCE_ARGUMENTS_H
#define VIEWER_CLI_CONFIRM_REFERENCE_ARGUMENTS_H

#include "checkers/probe/captured.h"
#include "viewer-cli/reference_device.h"

struct reference_kernel {
    const struct reference_device *reference;
    cl_context context;
    cl_command_queue queue;
    cl_kernel kernel;
};

/* Makes them, and gives them to the kernel. What is made lives as long as the process; bytes of
 * captured->memory are changed. */
enum status reference_arguments_set(const struct reference_kernel *kernel,
                                    const struct captured *captured, struct error *error);

#endif
