/* Linking of SPIR-V modules: one is made of several, as OpenCL API 3.0, 5.8.5 and SPIR-V 1.6,
 * 2.13 (Linkage) say. */
#ifndef REFERENCE_COMPILER_LINK_H
#define REFERENCE_COMPILER_LINK_H

#include "reference/compiler/sources.h"
#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stdint.h>

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
