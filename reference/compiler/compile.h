/* From OpenCL C to SPIR-V, by clang and llvm-spirv as child processes, remembered in the cache. */
#ifndef REFERENCE_COMPILER_COMPILE_H
#define REFERENCE_COMPILER_COMPILE_H

#include "reference/compiler/build_options.h"
#include "reference/compiler/sources.h"
#include "reference/compiler/toolchain.h"
#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A header of clCompileProgram: the text after `#include "name"`. */
struct compile_header {
    const char *name, *text;
    size_t size;
};

struct compile_request {
    const char *source;
    size_t source_size;
    const struct build_options *options;
    const struct compile_header *headers;
    size_t header_count;
    bool to_be_linked;             /* other programs may call what it defines */
    const struct toolchain *tools; /* NULL: the best that the machine has */
};

struct compile_result {
    uint8_t *spirv; /* freed with alloc_free */
    size_t spirv_size;
    struct sources *sources; /* the program's and its headers' text; the caller's to drop */
};

/* Compiles. What the compilers say goes after `log`, also on success. On failure the log says why,
 * and the result is not written. */
enum status compile_source(const struct compile_request *request, struct text *log,
                           struct compile_result *result);

#endif
