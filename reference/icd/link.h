/* Linking of SPIR-V modules, by spirv-link as a child process. */
#ifndef REFERENCE_ICD_LINK_H
#define REFERENCE_ICD_LINK_H

#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct link_input {
    const void *bytes;
    size_t size;
};

/* Makes one module of several; `library`: its functions can be linked again. *spirv is freed with
 * alloc_free. On failure the log says why. */
enum status link_spirv(const struct link_input *inputs, size_t count, bool library,
                       struct text *log, uint8_t **spirv, size_t *size);

#endif
