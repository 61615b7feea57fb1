/* Lane code to C. */
#ifndef REFERENCE_NATIVE_GENERATE_H
#define REFERENCE_NATIVE_GENERATE_H

#include "reference/native/op_text.h"
#include "trace/base/text.h"

/* The name of the vm_native_run in it. */
#define NATIVE_SYMBOL "clerk_native_run"

/* Appends C for clang, which depends on the code and the instruction set alone; text->failed when
 * memory is out. False: nothing is gained by it. */
bool native_generate(const struct vm_code *code, const struct native_set *set, struct text *text);

#endif
