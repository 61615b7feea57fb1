/* What CMocka wants to be included before it. */
#ifndef TESTS_UNIT_ICD_UNIT_H
#define TESTS_UNIT_ICD_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#endif
