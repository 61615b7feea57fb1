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

/* For debugging, after that: takes the debugging instructions out of the copy, in place, and gives
 * the module that has them, for reference/spirv/debug_info.h: without them it is the copy, byte for
 * byte. Freed with alloc_free; NULL where what was put right cannot be told of both, or memory is
 * out. */
uint8_t *take_debug_info(const struct take_request *request, uint8_t *spirv, size_t *size,
                         size_t *debug_size);

#endif
