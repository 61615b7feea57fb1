/* The file that `clerk kernel` is given, as bytes that a device takes. */
#ifndef VIEWER_CLI_KERNEL_KERNEL_PROGRAM_H
#define VIEWER_CLI_KERNEL_KERNEL_PROGRAM_H

#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>

struct kernel_program {
    void *bytes;
    size_t size;
    bool il; /* SPIR-V, not OpenCL C */
};

/* Reads a .cl or .spv file, or assembles a .spvasm file with spirv-as. STATUS_INVALID for another
 * name, STATUS_MALFORMED with the assembler's words. */
enum status kernel_program_load(const char *path, struct kernel_program *program,
                                struct error *error);
void kernel_program_release(struct kernel_program *program);

#endif
