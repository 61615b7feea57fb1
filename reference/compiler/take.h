/* SPIR-V that programs bring. */
#ifndef REFERENCE_COMPILER_TAKE_H
#define REFERENCE_COMPILER_TAKE_H

#include "reference/compiler/validate.h"
#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stddef.h>
#include <stdint.h>

struct take_request {
    const void *bytes; /* aligned as words are */
    size_t size;
    const struct spec_constant *constants; /* values that they get */
    size_t constant_count;
};

/* A copy of the module, with these constants, that is valid: one that is wrong only as llvm-spirv
 * writes optimised programs is put right. What the validator says goes after `log`. *spirv is freed
 * with alloc_free. */
enum status take_spirv(const struct take_request *request, struct text *log, uint8_t **spirv,
                       size_t *size);

#endif
