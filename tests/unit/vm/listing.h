/* The listing of lane code: a line for each instruction, stable, to compare with one that is kept.
 */
#ifndef TESTS_UNIT_VM_LISTING_H
#define TESTS_UNIT_VM_LISTING_H

#include "reference/vm/code.h"
#include "trace/base/text.h"

void listing_print(const struct vm_code *code, struct text *text);

#endif
