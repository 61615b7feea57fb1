/* From OpenCL C to SPIR-V, by clang and llvm-spirv as child processes, remembered in the cache. */
#ifndef REFERENCE_COMPILER_COMPILE_H
#define REFERENCE_COMPILER_COMPILE_H

#include "reference/compiler/build_options.h"
#include "reference/compiler/sources.h"
#include "reference/compiler/target.h"
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
    bool to_be_linked;                   /* other programs may call what it defines */
    bool debugging;                      /* somebody wants to know its variables */
    const struct toolchain *tools;       /* NULL: the best that the machine has */
    const struct compile_target *target; /* NULL: clerk's own device */
};

struct compile_result {
    uint8_t *spirv; /* freed with alloc_free */
    size_t spirv_size;
    struct sources *sources; /* the program's and its headers' text; the caller's to drop */
    /* For debugging: the same module with debugging instructions, for reference/spirv/debug_info.h;
     * freed with alloc_free. Without them it is `spirv`, byte for byte, which but for places
     * (OpLine) has the instructions that it has always. NULL = not asked for, or the compilers fail
     * at it. */
    uint8_t *debug;
    size_t debug_size;
};

/* Compiles. What the compilers say goes after `log`, also on success. On failure the log says why,
 * and the result is not written. */
enum status compile_source(const struct compile_request *request, struct text *log,
                           struct compile_result *result);

/* ---- link.c ---- */

/* Linking of SPIR-V modules: one is made of several, as OpenCL API 3.0, 5.8.5 and SPIR-V 1.6,
 * 2.13 (Linkage) say. */

struct link_input {
    const void *bytes; /* aligned as words are */
    size_t size;
    struct sources *sources; /* NULL = unknown; only looked at */
};

/* `library`: what it exports can be linked again. *spirv is freed with alloc_free; *sources, one
 * holder or NULL, is the text of all: files of one name and different text get names of their own.
 * On failure the log says why. */
enum status link_spirv(const struct link_input *inputs, size_t count, bool library,
                       struct text *log, uint8_t **spirv, size_t *size, struct sources **sources);

#endif
