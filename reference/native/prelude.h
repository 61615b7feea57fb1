/* What stands before generated code, as a string. */
#ifndef REFERENCE_NATIVE_PRELUDE_H
#define REFERENCE_NATIVE_PRELUDE_H

/* reference/vm/native_call.h and prelude.c (made by reference/text.cmake). */
extern const char native_prelude[];

#endif
