/* What stands before generated code, as a string. */
#ifndef REFERENCE_NATIVE_PRELUDE_H
#define REFERENCE_NATIVE_PRELUDE_H

/* Texts of reference/vm, prelude.c, prelude_memory.c and prelude_loads.c, as CMakeLists.txt lists
 * them (made by reference/text.cmake). */
extern const char native_prelude[];

#endif
